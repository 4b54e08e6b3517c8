"""What a queue says of a Job: the conditions of Kueue's Workload and its queues, and of PodGroups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from jobsworth.controller.times import read_time, write_time
from jobsworth.runs.recorded.pod_facts import short
from jobsworth.runs.recorded.recorded_events import same_namespace
from jobsworth.runs.recorded.recording import QueueFacts, RecordedEvent

Object = dict[str, Any]

KINDS = ("Workload", "LocalQueue", "ClusterQueue", "PodGroup")
GROUPS = ("kueue.x-k8s.io/", "scheduling.k8s.io/", "scheduling.x-k8s.io/", "scheduling.volcano.sh/")
KUEUE = "kueue.x-k8s.io"
_POD_GROUP_LABELS = ("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io")
_POD_GROUP_ANNOTATIONS = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
_UNSCHEDULED = (
    ("PodGroupInitiallyScheduled", False),
    ("PodGroupScheduled", False),
    ("Scheduled", False),
    ("Unschedulable", True),
)
"""Conditions of a PodGroup that waits, with their value: Kubernetes 1.37 and 1.36, coscheduling, Volcano."""


class _Condition(NamedTuple):
    holds: bool
    message: str
    at: int | None


def read_queue_facts(
    objects: Iterable[Object],
    owner: Object,
    pods: Sequence[Object],
    events: Iterable[RecordedEvent],
) -> QueueFacts | None:
    """Return what the queue of an object says of it; None if nothing is known.

    Args:
        objects: of the kinds :data:`KINDS`, also of others, whose shape was checked.
        owner: a Job or JobSet.
        pods: its Pods, which may name their PodGroup.
        events: of its namespace, also about other objects.
    """
    near = [each for each in objects if _near(each, owner)]
    group = _pod_group(near, owner, pods)
    workload = next((each for each in near if of_kueue(each) and _owns(owner, each)), None)
    if workload is not None and not _condition(workload, "Admitted").holds:
        return _of_workload(workload, near)
    if group is not None:
        return group
    return None if workload is not None else _of_events(owner, events)


def _of_workload(workload: Object, near: Sequence[Object]) -> QueueFacts:
    spec, status = workload.get("spec") or {}, workload.get("status") or {}
    reserved, evicted = _condition(workload, "QuotaReserved"), _condition(workload, "Evicted")
    queue = spec.get("queueName") or ""
    lacks = [reserved.message] if not reserved.holds else list(_waiting_checks(status))
    if spec.get("active") is False:
        lacks.insert(0, "it is deactivated (spec.active is false)")
    if evicted.holds:
        lacks.append(f"evicted: {evicted.message}")
    requeued = read_time((status.get("requeueState") or {}).get("requeueAt"))
    if requeued is not None:
        lacks.append(f"it is queued again at {write_time(requeued)}")
    lacks += _stopped_queues(queue, near)
    lacks.append(_position(workload, near))
    since = reserved.at or evicted.at or read_time(workload["metadata"].get("creationTimestamp"))
    words = "; ".join(filter(None, lacks))
    return QueueFacts("Workload", workload["metadata"].get("name") or "", queue, since, words)


def _waiting_checks(status: Object) -> Iterator[str]:
    for each in status.get("admissionChecks") or ():
        if each.get("state") != "Ready":
            message = f": {short(each['message'])}" if each.get("message") else ""
            yield f"admission check {each.get('name')} is {each.get('state')}{message}"


def _stopped_queues(queue: str, near: Sequence[Object]) -> Iterator[str]:
    """Yield which of the queues of a Workload admits nothing."""
    wanted = {"LocalQueue": queue}
    for kind in ("LocalQueue", "ClusterQueue"):
        for each in near:
            if (each["kind"], each["metadata"].get("name")) != (kind, wanted.get(kind)):
                continue
            spec, active = each.get("spec") or {}, _condition(each, "Active")
            wanted["ClusterQueue"] = spec.get("clusterQueue") or ""
            title = f"{kind} {each['metadata'].get('name')}"
            if spec.get("stopPolicy") not in (None, "", "None"):
                yield f"{title} is stopped (spec.stopPolicy is {spec['stopPolicy']})"
            elif not active.holds and active.message:
                yield f"{title} is not active: {active.message}"


def _position(workload: Object, near: Sequence[Object]) -> str:
    """Return the place of a Workload among the pending ones of its queue; empty if it is alone."""
    queue = (workload.get("spec") or {}).get("queueName")
    pending = sorted(
        (
            each
            for each in near
            if of_kueue(each)
            and (each.get("spec") or {}).get("queueName") == queue
            and not _condition(each, "QuotaReserved").holds
            and not _condition(each, "Finished").holds
        ),
        key=_order,
    )
    if workload not in pending or len(pending) < 2:
        return ""
    return (
        f"position {pending.index(workload) + 1} of {len(pending)} pending Workloads of its queue"
    )


def _order(workload: Object) -> tuple[int, int]:
    priority = (workload.get("spec") or {}).get("priority") or 0
    return -priority, read_time(workload["metadata"].get("creationTimestamp")) or 0


def _pod_group(near: Sequence[Object], owner: Object, pods: Sequence[Object]) -> QueueFacts | None:
    names = {name for _, name in named_groups(pods)}
    for each in near:
        name = each["metadata"].get("name") or ""
        if each["kind"] != "PodGroup" or not (name in names or _owns(owner, each)):
            continue
        for kind, holds in _UNSCHEDULED:
            found = _condition(each, kind)
            if found.message and found.holds == holds:
                return QueueFacts("PodGroup", name, "", found.at, found.message)
        phase = (each.get("status") or {}).get("phase")
        if phase in ("Pending", "PreScheduling", "Inqueue"):
            least = (each.get("spec") or {}).get("minMember") or 1
            return QueueFacts("PodGroup", name, "", None, f"{phase}, with minMember {least}")
    return None


def named_groups(pods: Iterable[Object]) -> Iterator[tuple[str, str]]:
    """Yield the PodGroups that Pods name: the API group and the name of each."""
    for pod in pods:
        meta, spec = pod["metadata"], pod.get("spec") or {}
        group = spec.get("schedulingGroup")
        if isinstance(group, dict) and group.get("podGroupName"):
            yield "scheduling.k8s.io", str(group["podGroupName"])
        labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
        for label in _POD_GROUP_LABELS:
            if labels.get(label):
                yield "scheduling.x-k8s.io", str(labels[label])
        for annotation in _POD_GROUP_ANNOTATIONS:
            if annotations.get(annotation):
                yield "scheduling.volcano.sh", str(annotations[annotation])


def of_kueue(value: Object) -> bool:
    """Return True for a Workload of Kueue: scheduling.k8s.io has a kind of this name, too."""
    return value["kind"] == "Workload" and str(value.get("apiVersion")).startswith(KUEUE)


def _of_events(owner: Object, events: Iterable[RecordedEvent]) -> QueueFacts | None:
    """Return the last Event about the Workload of an object, which Kueue names by its kind and name."""
    prefix = f"{str(owner.get('kind') or '').lower()}-{owner['metadata'].get('name')}-"
    about = [each for each in events if each.kind == "Workload" and each.name.startswith(prefix)]
    last = max(about, key=lambda each: each.at or 0, default=None)
    if last is None or last.reason in ("Admitted", "Started"):
        return None
    return QueueFacts("Workload", last.name, "", last.first or last.at, short(last.message))


def _near(value: Object, owner: Object) -> bool:
    return value["kind"] == "ClusterQueue" or same_namespace(
        value["metadata"], owner["metadata"].get("namespace")
    )


def _owns(owner: Object, value: Object) -> bool:
    meta = owner["metadata"]
    wanted = meta.get("uid") or "", owner.get("kind"), meta.get("name")
    return any(
        (wanted[0] and each.get("uid") == wanted[0])
        or (each.get("kind"), each.get("name")) == wanted[1:]
        for each in value["metadata"].get("ownerReferences") or ()
    )


def _condition(value: Object, kind: str) -> _Condition:
    for each in (value.get("status") or {}).get("conditions") or ():
        if each.get("type") == kind:
            at = read_time(each.get("lastTransitionTime"))
            return _Condition(each.get("status") == "True", short(each.get("message")), at)
    return _Condition(False, "", None)
