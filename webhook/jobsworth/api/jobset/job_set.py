"""JobSet: a group of Jobs that start, fail and succeed together (``jobset.x-k8s.io/v1alpha2``).

Defaults, bounds and enumerations are those of the CustomResourceDefinition; the manager's webhooks have the
others: see :mod:`jobsworth.api.jobset.definition` and :mod:`jobsworth.api.jobset.rules`.
Source: ``api/jobset/v1alpha2/jobset_types.go``, JobSet 0.8 to 0.12.
"""

from __future__ import annotations

from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.core.claims import PersistentVolumeClaimSpec
from jobsworth.api.declare import (
    Boolean,
    Field,
    Int32,
    Int64,
    ListOf,
    MapOf,
    NonNegative,
    Pointer,
    Quantity,
    String,
    Struct,
    Time,
)
from jobsworth.api.jobset.versions import since
from jobsworth.api.meta.object_meta import ObjectMeta

OPERATORS = ("All", "Any")
STARTUP_ORDERS = ("AnyOrder", "InOrder")
DEPENDENCY_STATUSES = ("Ready", "Complete")
RETENTION_POLICIES = ("Delete", "Retain")
RESTART_STRATEGIES = ("Recreate", "BlockingRecreate", "InPlaceRestart")
ACTIONS = (
    "FailJobSet",
    "RestartJobSet",
    "RestartJobSetAndIgnoreMaxRestarts",
    "RestartJob",
    "RestartJobAndIgnoreMaxRestarts",
)
VALUES_SINCE = {
    "InPlaceRestart": since("0.11"),
    "RestartJob": since("0.12"),
    "RestartJobAndIgnoreMaxRestarts": since("0.12"),
}
"""The first version with each value that came later."""

JOB_FAILURE_REASONS = (
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
)
"""The values of onJobFailureReasons: the reasons of a Job's condition Failed."""

TemplateMeta = Struct(
    "ObjectMeta",
    "The metadata that the CustomResourceDefinition keeps in a template; the rest is pruned.",
    name=Field(String),
    namespace=Field(String),
    labels=Field(MapOf(String)),
    annotations=Field(MapOf(String)),
    finalizers=Field(ListOf(String), keep_empty=True),
)

JobTemplateSpec = Struct(
    "JobTemplateSpec",
    "The Job that a ReplicatedJob creates, several times over.",
    metadata=Field(ObjectMeta),
    spec=Field(JobSpec),
)

DependsOn = Struct(
    "DependsOn",
    "Another ReplicatedJob that must have reached a status before this one is created.",
    name=Field(String, always=True, required=True),
    status=Field(String, always=True, required=True, enum=DEPENDENCY_STATUSES),
)

ReplicatedJob = Struct(
    "ReplicatedJob",
    "A number of Jobs of one template.",
    name=Field(String, always=True, required=True),
    groupName=Field(String, default="default", since=since("0.10")),
    template=Field(JobTemplateSpec, always=True, required=True),
    replicas=Field(Int32, default=1),
    dependsOn=Field(ListOf(DependsOn), keep_empty=True, max_items=5),
)

Network = Struct(
    "Network",
    "The hostnames of the Pods, and their headless Service.",
    enableDNSHostnames=Field(Pointer(Boolean)),
    subdomain=Field(String),
    publishNotReadyAddresses=Field(Pointer(Boolean)),
)

JobSetSuccessPolicy = Struct(
    "JobSetSuccessPolicy",
    "The ReplicatedJobs whose success completes the JobSet.",
    operator=Field(String, always=True, required=True, enum=OPERATORS),
    targetReplicatedJobs=Field(ListOf(String)),
)

FailurePolicyRule = Struct(
    "FailurePolicyRule",
    "The action to take when a matching Job fails (KEP-262).",
    name=Field(String, always=True, required=True),
    action=Field(String, always=True, required=True, enum=ACTIONS, values_since=VALUES_SINCE),
    onJobFailureReasons=Field(ListOf(String), values=JOB_FAILURE_REASONS),
    onJobFailureMessagePatterns=Field(ListOf(String), since=since("0.10")),
    targetReplicatedJobs=Field(ListOf(String)),
)

FailurePolicy = Struct(
    "FailurePolicy",
    "The restarts of a JobSet whose Jobs fail.",
    maxRestarts=Field(Int32),
    restartStrategy=Field(
        String, default="Recreate", enum=RESTART_STRATEGIES, values_since=VALUES_SINCE
    ),
    rules=Field(ListOf(FailurePolicyRule)),
)

StartupPolicy = Struct(
    "StartupPolicy",
    "The order in which the ReplicatedJobs are created.",
    startupPolicyOrder=Field(String, always=True, required=True, enum=STARTUP_ORDERS),
)

Coordinator = Struct(
    "Coordinator",
    "The Pod whose endpoint all Jobs and Pods get as a label.",
    replicatedJob=Field(String, always=True, required=True),
    jobIndex=Field(Int64),
    podIndex=Field(Int64),
)

PersistentVolumeClaimCondition = Struct(
    "PersistentVolumeClaimCondition",
    "A condition of a claim; of no effect in a template.",
    type=Field(String, always=True),
    status=Field(String, always=True),
    # In Go these are not pointers, and no time is encoded as null.
    lastProbeTime=Field(Pointer(Time), always=True),
    lastTransitionTime=Field(Pointer(Time), always=True),
    reason=Field(String),
    message=Field(String),
)

ModifyVolumeStatus = Struct(
    "ModifyVolumeStatus",
    "The state of a change of the VolumeAttributesClass; of no effect in a template.",
    targetVolumeAttributesClassName=Field(String),
    status=Field(String, always=True),
)

PersistentVolumeClaimStatus = Struct(
    "PersistentVolumeClaimStatus",
    "The status of a claim; of no effect in a template.",
    phase=Field(String),
    accessModes=Field(ListOf(String)),
    capacity=Field(MapOf(Quantity)),
    conditions=Field(ListOf(PersistentVolumeClaimCondition)),
    allocatedResources=Field(MapOf(Quantity)),
    allocatedResourceStatuses=Field(MapOf(String)),
    currentVolumeAttributesClassName=Field(Pointer(String)),
    modifyVolumeStatus=Field(Pointer(ModifyVolumeStatus)),
)

PersistentVolumeClaim = Struct(
    "PersistentVolumeClaim",
    "The template of a claim that the Jobs share.",
    kind=Field(String),
    apiVersion=Field(String),
    metadata=Field(ObjectMeta),
    spec=Field(PersistentVolumeClaimSpec),
    status=Field(PersistentVolumeClaimStatus),
)

VolumeRetentionPolicy = Struct(
    "VolumeRetentionPolicy",
    "Whether the claims are deleted with the JobSet.",
    whenDeleted=Field(Pointer(String), default="Delete", enum=RETENTION_POLICIES),
)

VolumeClaimPolicy = Struct(
    "VolumeClaimPolicy",
    "Claims that are created with the JobSet, and added as volumes to the Pods that mount them.",
    templates=Field(ListOf(PersistentVolumeClaim), max_items=50),
    retentionPolicy=Field(Pointer(VolumeRetentionPolicy)),
)

JobSetSpec = Struct(
    "JobSetSpec",
    "The Jobs of a JobSet, and its policies.",
    replicatedJobs=Field(ListOf(ReplicatedJob), keep_empty=True),
    network=Field(Pointer(Network)),
    successPolicy=Field(Pointer(JobSetSuccessPolicy)),
    failurePolicy=Field(Pointer(FailurePolicy)),
    startupPolicy=Field(Pointer(StartupPolicy)),
    suspend=Field(Pointer(Boolean)),
    coordinator=Field(Pointer(Coordinator)),
    managedBy=Field(Pointer(String)),
    ttlSecondsAfterFinished=Field(Pointer(Int32), bounds=NonNegative),
    volumeClaimPolicies=Field(ListOf(VolumeClaimPolicy), max_items=50, since=since("0.11")),
)

Condition = Struct(
    "Condition",
    "A condition of a JobSet.",
    type=Field(String, always=True, required=True),
    status=Field(String, always=True, required=True),
    observedGeneration=Field(Int64),
    lastTransitionTime=Field(Time, always=True, required=True),
    reason=Field(String, always=True, required=True),
    message=Field(String, always=True, required=True),
)

ReplicatedJobStatus = Struct(
    "ReplicatedJobStatus",
    "The numbers of Jobs of one ReplicatedJob.",
    name=Field(String, always=True, required=True),
    ready=Field(Int32, always=True, required=True),
    succeeded=Field(Int32, always=True, required=True),
    failed=Field(Int32, always=True, required=True),
    active=Field(Int32, always=True, required=True),
    suspended=Field(Int32, always=True, required=True),
    jobRestarts=Field(ListOf(Int32), since=since("0.12")),
    jobRestartsCountTowardsMax=Field(ListOf(Int32), since=since("0.12")),
)

JobSetStatus = Struct(
    "JobSetStatus",
    "The status of a JobSet, which its controller writes.",
    conditions=Field(ListOf(Condition)),
    restarts=Field(Int32, always=True),
    restartsCountTowardsMax=Field(Int32),
    terminalState=Field(String),
    replicatedJobsStatus=Field(ListOf(ReplicatedJobStatus)),
    previousInPlaceRestartAttempt=Field(Pointer(Int32), since=since("0.11")),
    currentInPlaceRestartAttempt=Field(Pointer(Int32), since=since("0.11")),
)

JobSet = Struct(
    "JobSet",
    "A group of Jobs that start, fail and succeed together.",
    apiVersion=Field(String),
    kind=Field(String),
    metadata=Field(ObjectMeta),
    spec=Field(JobSetSpec),
    status=Field(JobSetStatus),
)
