"""The kinds of operators as whole objects: what their CRDs and webhooks say, as data.

The fields are those of every version that was read, so that a field of one of them is not reported. An
unknown field is reported only where its meaning is clear: a later version may have it. Each row was read from
the CRD and the webhook of the operator in the version that
:data:`~jobsworth.kinds.kind_table.VERSIONS` names.
"""

from __future__ import annotations

from collections.abc import Mapping

from jobsworth.record import Record

_NO_PLACES: Mapping[str, str] = {}


class OperatorKind(Record, kw_only=True):
    """A kind as a whole object.

    Attributes:
        group, kind: of its CRD.
        versions: those that have the templates of the table.
        fields: the fields of its spec; empty if they are not compared.
        required: the field paths that the CRD or the webhook requires, with ``[*]`` and ``{*}`` for what has
            them.
        inside: the field path that has a field which users write in the spec, by its name.
        container: the name of a container that each template needs; empty for none.
        is_label: the name must be a DNS-1035 label: a Service or a Pod has it.
        max_name: the maximum number of characters of the name; 0 for no limit of its own.
    """

    group: str
    kind: str
    versions: tuple[str, ...]
    fields: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    inside: Mapping[str, str] = _NO_PLACES
    container: str = ""
    is_label: bool = False
    max_name: int = 0


_RUN_POLICY = dict.fromkeys(
    (
        "activeDeadlineSeconds", "backoffLimit", "cleanPodPolicy", "managedBy", "schedulingPolicy", "suspend",
        "ttlSecondsAfterFinished",
    ),
    "spec.runPolicy",
)  # fmt: skip
_IN_JOB = dict.fromkeys(
    (
        "activeDeadlineSeconds", "backoffLimit", "backoffLimitPerIndex", "completionMode", "completions",
        "maxFailedIndexes", "parallelism", "podFailurePolicy", "podReplacementPolicy", "successPolicy",
        "template", "ttlSecondsAfterFinished",
    ),
    "spec.jobTargetRef",
)  # fmt: skip


def _of_training(kind: str, replicas: str, container: str, *more: str) -> OperatorKind:
    return OperatorKind(
        group="kubeflow.org",
        kind=kind,
        versions=("v1",),
        fields=(replicas, "runPolicy", *more),
        required=(f"spec.{replicas}", f"spec.{replicas}.{{*}}.template"),
        inside=_RUN_POLICY,
        container=container,
        is_label=True,
    )


def _of_ray(kind: str, cluster: str, max_name: int, *fields: str, **more: object) -> OperatorKind:
    step = f"spec.{cluster}"
    return OperatorKind(
        group="ray.io",
        kind=kind,
        versions=("v1", "v1alpha1"),
        fields=fields,
        required=(
            f"{step}headGroupSpec",
            f"{step}headGroupSpec.template",
            f"{step}workerGroupSpecs[*].template",
            *([step.removesuffix(".")] if kind in ("RayCronJob", "RayService") else ()),
        ),
        is_label=True,
        max_name=max_name,
        **more,  # type: ignore[arg-type]
    )


_OF_RAY_CLUSTER = (
    "authOptions", "autoscalerOptions", "enableInTreeAutoscaling", "gcsFaultToleranceOptions",
    "headGroupSpec", "headServiceAnnotations", "historyServerOptions", "managedBy", "networkPolicy",
    "rayVersion", "suspend", "tlsOptions", "upgradeStrategy", "workerGroupSpecs",
)  # fmt: skip
_OF_VOLCANO = (
    "maxRetry", "minAvailable", "minSuccess", "networkTopology", "plugins", "policies", "priorityClassName",
    "queue", "runningEstimate", "schedulerName", "tasks", "ttlSecondsAfterFinished", "volumes",
)  # fmt: skip

OPERATOR_KINDS: tuple[OperatorKind, ...] = (
    OperatorKind(
        group="keda.sh",
        kind="ScaledJob",
        versions=("v1alpha1",),
        fields=(
            "envSourceContainerName", "failedJobsHistoryLimit", "jobTargetRef", "maxReplicaCount",
            "minReplicaCount", "pollingInterval", "rollout", "rolloutStrategy", "scalingStrategy",
            "successfulJobsHistoryLimit", "triggers",
        ),
        required=("spec.jobTargetRef", "spec.triggers"),
        inside=_IN_JOB,
    ),
    _of_training("PyTorchJob", "pytorchReplicaSpecs", "pytorch", "elasticPolicy", "nprocPerNode"),
    _of_training("TFJob", "tfReplicaSpecs", "tensorflow", "enableDynamicWorker", "successPolicy"),
    _of_training("XGBoostJob", "xgbReplicaSpecs", "xgboost"),
    _of_training("JAXJob", "jaxReplicaSpecs", "jax"),
    _of_training("PaddleJob", "paddleReplicaSpecs", "paddle", "elasticPolicy"),
    _of_training(
        "MPIJob", "mpiReplicaSpecs", "", "cleanPodPolicy", "launcherCreationPolicy", "mainContainer",
        "mpiImplementation", "runLauncherAsWorker", "slotsPerWorker", "sshAuthMountPath",
    ).replace(versions=("v1", "v2beta1")),
    _of_ray("RayCluster", "", 53, *_OF_RAY_CLUSTER),
    _of_ray(
        "RayJob", "rayClusterSpec.", 47, "activeDeadlineSeconds", "backoffLimit", "clusterSelector",
        "deletionStrategy", "entrypoint", "entrypointNumCpus", "entrypointNumGpus", "entrypointResources",
        "jobId", "managedBy", "metadata", "preRunningDeadlineSeconds", "rayClusterSpec", "runtimeEnvYAML",
        "shutdownAfterJobFinishes", "submissionMode", "submitterConfig", "submitterPodTemplate", "suspend",
        "ttlSecondsAfterFinished",
        inside=dict.fromkeys(_OF_RAY_CLUSTER, "spec.rayClusterSpec"),
    ),
    _of_ray(
        "RayService", "rayClusterConfig.", 47, "deploymentUnhealthySecondThreshold",
        "excludeHeadPodFromServeSvc", "managedBy", "rayClusterConfig", "rayClusterDeletionDelaySeconds",
        "serveConfigV2", "serveService", "serviceUnhealthySecondThreshold", "suspend", "upgradeStrategy",
        inside=dict.fromkeys(_OF_RAY_CLUSTER, "spec.rayClusterConfig"),
    ),
    _of_ray(
        "RayCronJob", "jobTemplate.rayClusterSpec.", 36, "jobTemplate", "schedule", "suspend", "timeZone",
    ).replace(required=("spec.jobTemplate", "spec.schedule")),
    OperatorKind(
        group="leaderworkerset.x-k8s.io",
        kind="LeaderWorkerSet",
        versions=("v1",),
        fields=("leaderWorkerTemplate", "networkConfig", "replicas", "rolloutStrategy", "startupPolicy"),
        required=("spec.leaderWorkerTemplate", "spec.leaderWorkerTemplate.workerTemplate"),
        inside=dict.fromkeys(
            ("leaderTemplate", "resizePolicy", "restartPolicy", "size", "subGroupPolicy",
             "volumeClaimTemplates", "workerTemplate"),
            "spec.leaderWorkerTemplate",
        ),
        is_label=True,
    ),
    OperatorKind(
        group="batch.volcano.sh",
        kind="Job",
        versions=("v1alpha1",),
        fields=_OF_VOLCANO,
        required=("spec.tasks", "spec.tasks[*].template"),
    ),
    OperatorKind(
        group="batch.volcano.sh",
        kind="CronJob",
        versions=("v1alpha1",),
        fields=(
            "concurrencyPolicy", "failedJobsHistoryLimit", "jobTemplate", "schedule",
            "startingDeadlineSeconds", "successfulJobsHistoryLimit", "suspend", "timeZone",
        ),
        required=(
            "spec.jobTemplate", "spec.schedule", "spec.jobTemplate.spec.tasks",
            "spec.jobTemplate.spec.tasks[*].template",
        ),
        max_name=52,
    ),
    OperatorKind(
        group="flow.volcano.sh",
        kind="JobTemplate",
        versions=("v1alpha1",),
        fields=_OF_VOLCANO,
        required=("spec.tasks[*].template",),
    ),
    *(
        OperatorKind(
            group="trainer.kubeflow.org",
            kind=kind,
            versions=("v1alpha1",),
            fields=("mlPolicy", "podGroupPolicy", "template"),
        )
        for kind in ("TrainingRuntime", "ClusterTrainingRuntime")
    ),
    *(
        OperatorKind(
            group="sparkoperator.k8s.io", kind=kind, versions=(version,),
            required=tuple(f"spec.{name}" for name in required),
        )
        for kind, version, required in (
            ("SparkApplication", "v1beta2", ("driver", "executor", "sparkVersion", "type")),
            ("ScheduledSparkApplication", "v1beta2", ("schedule", "template")),
            ("SparkConnect", "v1alpha1", ("executor", "server", "sparkVersion")),
        )
    ),
    OperatorKind(
        group="disaggregatedset.x-k8s.io", kind="DisaggregatedSet", versions=("v1", "v1alpha1"),
    ),
)  # fmt: skip
"""The kinds whose objects are validated as a whole."""

_KINDS = {(each.group, each.kind): each for each in OPERATOR_KINDS}


def operator_kind(api_version: object, kind: object) -> OperatorKind | None:
    """Return the entry of a kind, whatever the version; None for other kinds.

    >>> entry = operator_kind("kubeflow.org/v1alpha2", "MPIJob")
    >>> entry is not None and entry.versions
    ('v1', 'v2beta1')
    """
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return None
    return _KINDS.get((api_version.rpartition("/")[0], kind))
