"""The plain rules of operators' webhooks and controllers: those about fields beside each other.

Each yields the errors of one rule in the operator's words. Values of other types than the rule is about
have no error here: the CRD reports them.

Sources: Training Operator 1.9.0 ``pkg/webhooks``; KubeRay 1.7.0
``ray-operator/controllers/ray/utils/validation.go``; MPI Operator 0.8.0
``pkg/apis/kubeflow/validation``; LeaderWorkerSet 0.10.0 ``pkg/webhooks/leaderworkerset_webhook.go``; Kubeflow
Trainer 2.3.0 ``pkg/webhooks/trainingruntime_webhook.go``; Volcano 1.15.1 ``pkg/webhooks/admission``; Argo
Workflows ``workflow/validate/validate.go`` (``ValidateCronWorkflow``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jobsworth.api.field_errors import FieldError, forbidden, invalid, required
from jobsworth.api.formats import cron
from jobsworth.kinds.children import templates_at
from jobsworth.kinds.operator_kinds import OperatorKind
from kube_cel.formats.names import dns_1035_label

Check = Callable[[dict[str, Any], OperatorKind], Iterator[FieldError]]

ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
_CONTAINERS_OF_STEPS = {
    "dataset-initializer": "dataset-initializer",
    "model-initializer": "model-initializer",
    "trainer": "node",
}
"""The container that a step of a TrainJob needs."""


def rule_errors(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    """Yield the errors of the operator of a kind.

    Args:
        value: the object, as JSON decodes it.
        kind: its entry.
    """
    yield from _name(value, kind)
    for check in CHECKS.get(f"{kind.group}/{kind.kind}", ()):
        yield from check(value, kind)


def _name(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    name = _at(value, "metadata.name")
    if not isinstance(name, str) or not name:
        return
    if kind.max_name and len(name) > kind.max_name:
        yield invalid("metadata.name", name, f"should be no more than {kind.max_name} characters")
    elif kind.is_label:
        for detail in dns_1035_label(name):
            yield invalid("metadata.name", name, f"should match: {detail}")


def _container(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    for found in templates_at(value, kind.required[-1]):
        path = f"{found.path}.spec.containers"
        containers = _at(found.value, "spec.containers")
        names = [_at(each, "name") for each in containers] if isinstance(containers, list) else []
        if names and kind.container not in names:
            detail = f"must have at least one container with name {kind.container}"
            yield required(path, detail)


def _one_master(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    path = f"{kind.required[0]}.Master"
    master = _at(value, path)
    if isinstance(master, dict) and master.get("replicas") != 1:
        yield forbidden(f"{path}.replicas", "must be 1")


def _elastic_worker(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    roles = _at(value, kind.required[0])
    if _at(value, "spec.elasticPolicy") and isinstance(roles, dict) and "Worker" not in roles:
        yield required(f"{kind.required[0]}.Worker", "must be configured if elastic policy is used")


def _launcher(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    if value.get("apiVersion") != "kubeflow.org/v2beta1":
        return
    roles = _at(value, kind.required[0])
    if isinstance(roles, dict) and "Launcher" not in roles:
        yield required(f"{kind.required[0]}.Launcher", "must have Launcher replica spec")
    for role, fewest, detail in (
        ("Launcher", 1, "must be 1"),
        ("Worker", 1, "must be greater than or equal to 1"),
    ):
        path = f"{kind.required[0]}.{role}.replicas"
        replicas = _at(value, path)
        if isinstance(replicas, int) and (
            replicas < fewest or (role == "Launcher" and replicas > 1)
        ):
            yield invalid(path, replicas, detail)


def _of_ray_job(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return
    ends = spec.get("shutdownAfterJobFinishes") is True
    ttl = spec.get("ttlSecondsAfterFinished")
    if isinstance(ttl, int) and ttl > 0 and not ends:
        yield forbidden(
            "spec.ttlSecondsAfterFinished",
            "a RayJob with shutdownAfterJobFinishes set to false cannot have TTLSecondsAfterFinished",
        )
    if spec.get("suspend") is True and not ends:
        yield forbidden(
            "spec.suspend",
            "a RayJob with shutdownAfterJobFinishes set to false is not allowed to be suspended",
        )
    selects = bool(spec.get("clusterSelector"))
    if not spec.get("rayClusterSpec") and not selects:
        detail = "one of RayClusterSpec or ClusterSelector must be set"
        yield required("spec.rayClusterSpec", detail)
    retries = spec.get("backoffLimit")
    if isinstance(retries, int) and retries > 0 and selects:
        yield forbidden(
            "spec.backoffLimit", "BackoffLimit is incompatible with ClusterSelector mode"
        )
    for name in ("activeDeadlineSeconds", "preRunningDeadlineSeconds"):
        if isinstance(spec.get(name), int) and spec[name] <= 0:
            yield invalid(f"spec.{name}", spec[name], "must be a positive integer")
    if spec.get("submissionMode") == "SidecarMode" and spec.get("submitterPodTemplate"):
        detail = "SidecarMode doesn't support SubmitterPodTemplate"
        yield forbidden("spec.submitterPodTemplate", detail)


def _size(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    size = _at(value, "spec.leaderWorkerTemplate.size")
    if isinstance(size, int) and size < 1:
        detail = "size must be equal or greater than 1"
        yield invalid("spec.leaderWorkerTemplate.size", size, detail)
    group = _at(value, "spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize")
    if isinstance(size, int) and isinstance(group, int) and group > 0:
        path = "spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize"
        if size < group:
            yield invalid(path, group, "subGroupSize cannot be larger than size")
        elif size % group and (size - 1) % group:
            yield invalid(path, group, "size or size - 1 must be divisible by subGroupSize")


def _steps(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    for found in templates_at(value, "spec.template.spec.replicatedJobs[*].template"):
        labels = _at(found.value, "metadata.labels")
        step = labels.get(ANCESTOR) if isinstance(labels, dict) else None
        replicas = found.siblings.get("replicas", 1)
        if step not in _CONTAINERS_OF_STEPS:
            continue
        if replicas != 1:
            yield invalid(f"{found.holder}.replicas", replicas, "always must be 1")
        containers = _at(found.value, "spec.template.spec.containers")
        names = [_at(each, "name") for each in containers] if isinstance(containers, list) else []
        if names and _CONTAINERS_OF_STEPS[step] not in names:
            path = f"{found.path}.spec.template.spec.containers"
            yield required(path, f"must have a container with name {_CONTAINERS_OF_STEPS[step]}")


def _available(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    step = "spec.jobTemplate.spec" if kind.kind == "CronJob" else "spec"
    names: set[str] = set()
    total = 0
    tasks = _at(value, f"{step}.tasks")
    for index, task in enumerate(tasks if isinstance(tasks, list) else ()):
        replicas, fewest, name = (_at(task, part) for part in ("replicas", "minAvailable", "name"))
        replicas = replicas if isinstance(replicas, int) else 1
        total += replicas
        path = f"{step}.tasks[{index}]"
        if isinstance(fewest, int) and fewest > replicas:
            yield invalid(
                f"{path}.minAvailable", fewest, "'minAvailable' is greater than 'replicas'"
            )
        if isinstance(name, str) and name:
            if name in names:
                yield invalid(f"{path}.name", name, "duplicated task name")
            names.add(name)
    fewest = _at(value, f"{step}.minAvailable")
    if isinstance(fewest, int) and isinstance(tasks, list) and fewest > total:
        detail = "job 'minAvailable' should not be greater than total replicas in tasks"
        yield invalid(f"{step}.minAvailable", fewest, detail)


def schedule_errors(value: Any, path: str) -> Iterator[FieldError]:
    """Yield the errors about cron schedules, which operators parse with the same library as Kubernetes.

    Args:
        value: the object, as JSON decodes it.
        path: the field path of the schedules; ``[*]`` for each item of a list.
    """
    for found in templates_at(value, path):
        if not isinstance(found.value, str) or not found.value:
            continue
        try:
            cron.parse(found.value)
        except cron.BadSchedule as error:
            yield invalid(found.path, found.value, str(error))


def _schedule(value: dict[str, Any], kind: OperatorKind) -> Iterator[FieldError]:
    return schedule_errors(value, "spec.schedule")


_TRAINING = "kubeflow.org"
CHECKS: dict[str, tuple[Check, ...]] = {
    f"{_TRAINING}/PyTorchJob": (_container, _one_master, _elastic_worker),
    f"{_TRAINING}/TFJob": (_container,),
    f"{_TRAINING}/XGBoostJob": (_container, _one_master),
    f"{_TRAINING}/JAXJob": (_container,),
    f"{_TRAINING}/PaddleJob": (_container,),
    f"{_TRAINING}/MPIJob": (_launcher,),
    "ray.io/RayJob": (_of_ray_job,),
    "ray.io/RayCronJob": (_schedule,),
    "leaderworkerset.x-k8s.io/LeaderWorkerSet": (_size,),
    "trainer.kubeflow.org/TrainingRuntime": (_steps,),
    "trainer.kubeflow.org/ClusterTrainingRuntime": (_steps,),
    "batch.volcano.sh/Job": (_available,),
    "batch.volcano.sh/CronJob": (_schedule, _available),
}
"""The rules by group and kind."""


def _at(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value
