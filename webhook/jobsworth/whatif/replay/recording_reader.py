"""Read a recording from objects, as ``kubectl get job,pods,events -o yaml`` prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.batch.job import (
    CONTROLLER_UID_LABEL,
    JOB_NAME_LABEL,
    LEGACY_JOB_NAME_LABEL,
)
from jobsworth.controller import well_known_names
from jobsworth.controller.jobs import read_job
from jobsworth.controller.pods import read_pod
from jobsworth.controller.settings import OURS, settings_of
from jobsworth.controller.times import read_time
from jobsworth.whatif.explanation.pod_document import shape_problem
from jobsworth.whatif.replay.recorded_events import events_near, same_namespace
from jobsworth.whatif.replay.recording import (
    EndedContainer,
    RecordedEnd,
    RecordedEvent,
    RecordedPod,
    Recording,
    UnseenPod,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from jobsworth.controller.jobs import Job

    Object = dict[str, Any]

DISRUPTION_TARGET = "DisruptionTarget"
CREATED, DELETED = "SuccessfulCreate", "SuccessfulDelete"
_MESSAGES = {CREATED: "Created pod: ", DELETED: "Deleted pod: "}
_ENDED = (well_known_names.SUCCEEDED, well_known_names.FAILED)
_UNEXPECTED_TIMES = "has no creation time: record it with kubectl get -o yaml"

_CONDITION = {"type": str, "status": str, "reason": str, "message": str, "lastTransitionTime": str}
_JOB_SHAPE: dict[str, Any] = {
    "metadata": {
        "name": str,
        "namespace": str,
        "uid": str,
        "creationTimestamp": str,
        "deletionTimestamp": str,
        "deletionGracePeriodSeconds": int,
        "finalizers": [str],
        "labels": {"*": str},
        "annotations": {"*": str},
        "ownerReferences": [{"kind": str, "name": str, "uid": str}],
    },
    "status": {
        "conditions": [_CONDITION],
        "startTime": str,
        "completionTime": str,
        "active": int,
        "ready": int,
        "terminating": int,
        "succeeded": int,
        "failed": int,
        "completedIndexes": str,
        "failedIndexes": str,
        "uncountedTerminatedPods": {"succeeded": [str], "failed": [str]},
    },
}


class BadRecording(Exception):
    """Raised for objects that are no recording of a Job."""


def job_problem(value: object) -> str | None:
    """Return why the metadata or the status of a Job cannot be read; None if they can."""
    return shape_problem(value, _JOB_SHAPE)


def read_recording(
    manifest: Object,
    pods: Iterable[Object],
    events: Iterable[Object],
    *,
    file: str = "",
    line: int = 0,
    now: int | None = None,
) -> Recording:
    """Read a recording.

    Args:
        manifest: the Job with defaults, and with its status.
        pods: Pods, also of other Jobs, which are left out. Of several versions of a Pod the last counts.
        events: Events, also about other objects.
        now: the time of the recording, if it is known.

    Raises:
        BadRecording: the Job was never created, or a time is missing.
    """
    job = read_job(manifest, settings_of(manifest["spec"].get("managedBy")))
    written = events_near(events, "Job", manifest["metadata"])
    about = [each for each in written if each.kind == "Job" and each.name == job.name]
    deleted = set(_named_by(about, DELETED))
    found = [
        _pod(versions, scaled_down=versions[-1]["metadata"].get("name") in deleted)
        for versions in _versions(each for each in pods if _belongs(each, job))
    ]
    found.sort(key=lambda pod: (pod.created, pod.name))
    created = read_time(manifest["metadata"].get("creationTimestamp")) or job.status.start_time
    if created is None and not found:
        raise BadRecording(
            f"Job {job.name} has no creation time, no status and no Pods, so nothing of it was recorded. "
            "Record it with kubectl get job,pods,events -o yaml"
        )
    start = min([pod.created for pod in found] + ([] if created is None else [created]))
    end = _end(job)
    times = [pod.last for pod in found]
    times += [each.at for each in about if each.at is not None]
    times += [] if end is None else [end.decided if end.finished is None else end.finished]
    if now is not None and (end is None or end.finished is None):
        times.append(now)
    seen = {pod.name for pod in found}
    return Recording(
        manifest=manifest,
        job=job,
        created=start,
        until=max([start, *times]),
        pods=tuple(found),
        unseen=tuple(_unseen(about, written, seen)),
        events=tuple(sorted(about, key=lambda each: each.at or 0)),
        end=end,
        file=file,
        line=line,
    )


def _belongs(pod: Object, job: Job) -> bool:
    """Return True for a Pod of the Job; without UIDs, the label with the name of the Job decides."""
    meta = pod["metadata"]
    if not same_namespace(meta, job.namespace):
        return False
    owner = read_pod(pod, OURS).controller
    if owner is not None and job.uid:
        return owner.uid == job.uid
    labels: Mapping[str, Any] = meta.get("labels") or {}
    uid = labels.get(CONTROLLER_UID_LABEL)
    if uid and job.uid:
        return bool(uid == job.uid)  # not the orphan of an earlier Job of this name
    return any(labels.get(label) == job.name for label in (JOB_NAME_LABEL, LEGACY_JOB_NAME_LABEL))


def _versions(pods: Iterable[Object]) -> Iterator[list[Object]]:
    """Yield the versions of each Pod, oldest first."""
    by_pod: dict[str, list[Object]] = {}
    for each in pods:
        meta = each["metadata"]
        by_pod.setdefault(meta.get("uid") or meta.get("name") or "", []).append(each)
    for versions in by_pod.values():
        yield sorted(versions, key=_version)


def _version(pod: Object) -> int:
    text = pod["metadata"].get("resourceVersion") or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def _pod(versions: Sequence[Object], *, scaled_down: bool) -> RecordedPod:
    last = versions[-1]
    view = read_pod(last, OURS)
    if not view.created:
        raise BadRecording(f"Pod {view.name or '(unnamed)'} {_UNEXPECTED_TIMES}")
    status: Object = last.get("status") or {}
    statuses = [
        *(status.get("containerStatuses") or ()),
        *(status.get("initContainerStatuses") or ()),
    ]
    conditions: list[Object] = status.get("conditions") or []
    starts = [
        time
        for container in status.get("containerStatuses") or ()
        for state in (container.get("state") or {}, container.get("lastState") or {})
        for phase in ("running", "terminated")
        if (time := read_time((state.get(phase) or {}).get("startedAt"))) is not None
    ]
    disrupted = _condition(conditions, DISRUPTION_TARGET)
    scheduled = _condition(conditions, "PodScheduled")
    requested = [time for each in versions if (time := deletion_time(each["metadata"])) is not None]
    ended = view.phase in _ENDED
    return RecordedPod(
        view=view,
        created=view.created,
        scheduled=read_time(scheduled.get("lastTransitionTime")),
        started=min(starts, default=None),
        restarted=max(starts) if view.restarts and len(starts) > 1 else None,
        deleted=min(requested, default=None),
        ended=view.finished_at if ended else None,
        containers=tuple(
            EndedContainer(
                each.get("name") or "",
                terminated.get("exitCode") or 0,
                terminated.get("reason") or "",
            )
            for each in statuses
            if (terminated := (each.get("state") or {}).get("terminated"))
        ),
        reason=status.get("reason") or "",
        disruption=(disrupted.get("reason") or "no reason") if disrupted else "",
        scaled_down=scaled_down,
    )


def _condition(conditions: Iterable[Object], kind: str) -> Object:
    """Return the condition of a type that is True; empty without one."""
    return next(
        (each for each in conditions if (each.get("type"), each.get("status")) == (kind, "True")),
        {},
    )


def deletion_time(meta: Object) -> int | None:
    """Return when the deletion of an object was requested; None if it was not."""
    time = read_time(meta.get("deletionTimestamp"))
    return None if time is None else time - (meta.get("deletionGracePeriodSeconds") or 0)


def _named_by(events: Iterable[RecordedEvent], reason: str) -> Iterator[str]:
    """Yield the Pods that Events about the Job name."""
    prefix = _MESSAGES[reason]
    for event in events:
        if event.reason == reason and event.message.startswith(prefix):
            yield event.message.removeprefix(prefix).strip()


def _unseen(
    about: Sequence[RecordedEvent], every: Sequence[RecordedEvent], seen: set[str]
) -> Iterator[UnseenPod]:
    created = {
        each.message.removeprefix(_MESSAGES[CREATED]).strip(): each.at
        for each in about
        if each.reason == CREATED and each.message.startswith(_MESSAGES[CREATED])
    }
    for name in dict.fromkeys((*created, *_named_by(about, DELETED))):
        if name not in seen:
            events = tuple(each for each in every if each.kind == "Pod" and each.name == name)
            yield UnseenPod(name, created.get(name), events)


def _end(job: Job) -> RecordedEnd | None:
    """Return the end of a Job by its conditions; None while it goes on."""
    status = job.status
    for success, decision, terminal in (
        (False, well_known_names.FAILURE_TARGET, well_known_names.JOB_FAILED),
        (True, well_known_names.SUCCESS_CRITERIA_MET, well_known_names.COMPLETE),
    ):
        met, ended = (status.condition(kind) for kind in (decision, terminal))
        holding = [each for each in (met, ended) if each is not None and each.holds]
        if not holding:
            continue
        times = [each.changed for each in holding if each.changed is not None]
        finished = ended.changed if ended is not None and ended.holds else None
        if not times:
            raise BadRecording(f"the condition {holding[0].type} of Job {job.name} has no time")
        return RecordedEnd(min(times), finished, success, holding[-1].reason, holding[-1].message)
    return None
