"""Objects of Kueue and of gang scheduling, as far as their conditions say why a Job waits."""

from __future__ import annotations

from jobsworth.api.core.stored_pod import PodCondition
from jobsworth.api.declare import Boolean, Field, Int32, ListOf, Pointer, String, Struct, Time
from jobsworth.api.meta.object_meta import ObjectMeta

AdmissionCheckState = Struct(
    "AdmissionCheckState",
    "An admission check of a Workload (kueue.x-k8s.io/v1beta1).",
    name=Field(String),
    state=Field(String),
    message=Field(String),
)
RequeueState = Struct(
    "RequeueState", "The next try of a Workload that was evicted.", requeueAt=Field(Pointer(Time))
)
QueueSpec = Struct(
    "QueueSpec",
    "The spec of a Workload, LocalQueue, ClusterQueue or PodGroup.",
    queueName=Field(String),
    priority=Field(Pointer(Int32)),
    active=Field(Pointer(Boolean)),
    clusterQueue=Field(String),
    stopPolicy=Field(String),
    minMember=Field(Int32),
)
QueueStatus = Struct(
    "QueueStatus",
    "The status of a Workload, LocalQueue, ClusterQueue or PodGroup.",
    conditions=Field(ListOf(PodCondition)),
    admissionChecks=Field(ListOf(AdmissionCheckState)),
    requeueState=Field(Pointer(RequeueState)),
    phase=Field(String),
)
QueueObject = Struct(
    "QueueObject",
    "A Workload, LocalQueue, ClusterQueue or PodGroup.",
    apiVersion=Field(String),
    kind=Field(String),
    metadata=Field(ObjectMeta),
    spec=Field(QueueSpec),
    status=Field(QueueStatus),
)
