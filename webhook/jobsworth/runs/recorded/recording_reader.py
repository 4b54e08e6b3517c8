"""Read a recording from objects, as ``kubectl get job,pods,events -o yaml`` prints them, with the defaults of
its Job.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job import CONTROLLER_UID_LABEL, JOB_NAME_LABEL, LEGACY_JOB_NAME_LABEL
from jobsworth.controller import well_known_names
from jobsworth.controller.jobs import Job, read_job
from jobsworth.controller.pods import POD_FAILED, UNKNOWN_INDEX, Pod, read_pod
from jobsworth.controller.settings import OURS, settings_of
from jobsworth.controller.times import read_time
from jobsworth.runs.recorded.pod_facts import PodFacts, read_pod_facts
from jobsworth.runs.recorded.queue_facts import read_queue_facts
from jobsworth.runs.recorded.recorded_events import (
    CLAIM,
    ROUTINE_CLAIM_REASONS,
    events_near,
    same_namespace,
)
from jobsworth.runs.recorded.recording import (
    EndedContainer,
    RecordedEnd,
    RecordedEvent,
    RecordedPod,
    Recording,
    UnseenPod,
)
from jobsworth.validation.engine import engine_for

Object = dict[str, Any]

DISRUPTION_TARGET = "DisruptionTarget"
CREATED, DELETED = "SuccessfulCreate", "SuccessfulDelete"
_MESSAGES = {CREATED: "Created pod: ", DELETED: "Deleted pod: "}
_ENDED = (well_known_names.SUCCEEDED, well_known_names.FAILED)
_UNEXPECTED_TIMES = "has no creation time: record it with kubectl get -o yaml"


class BadRecording(Exception):
    """Raised for objects that are no recording of a Job."""


def read_recording(
    manifest: Object,
    pods: Iterable[Object],
    events: Iterable[Object],
    *,
    file: str = "",
    line: int = 0,
    now: int | None = None,
    partial: bool = False,
    denied: Iterable[str] = (),
    queue: Iterable[Object] = (),
) -> Recording:
    """Read a recording.

    Args:
        manifest: the Job with defaults, and with its status.
        pods: Pods, also of other Jobs, which are left out. Of several versions of a Pod the last counts.
        events: Events, also about other objects.
        now: the time of the recording, if it is known; not before the last time that is known of the Job.
        partial: there may be more Pods than these.
        denied: the kinds of objects that could not be listed.
        queue: Workloads, queues and PodGroups, also of other Jobs.

    Raises:
        BadRecording: the Job was never created, or a time is missing.
    """
    pods = list(pods)
    job = read_job(manifest, settings_of(manifest["spec"].get("managedBy")))
    written = events_near(events, "Job", manifest["metadata"])
    about = [each for each in written if each.kind == "Job" and each.name == job.name]
    deleted = set(_named_by(about, DELETED))
    found = [
        _pod(versions, scaled_down=versions[-1]["metadata"].get("name") in deleted)
        for versions in _versions(each for each in pods if _belongs(each, job))
    ]
    seen = {pod.name for pod in found}
    end = end_of(job)
    others = {each["metadata"].get("name") or "" for each in pods}
    created = read_time(manifest["metadata"].get("creationTimestamp")) or job.status.start_time
    unseen = tuple(_unseen(job, created or 0, about, written, seen | others))
    stopped = [] if end is None else _stopped(job, end, unseen, about)
    found = sorted((*found, *stopped), key=lambda pod: (pod.created, pod.name))
    names = seen | {pod.name for pod in unseen}
    unseen = tuple(pod for pod in unseen if pod.name not in {each.name for each in stopped})
    if created is None and not found:
        raise BadRecording(
            f"Job {job.name} has no creation time, no status and no Pods, so nothing of it was recorded. "
            "Record it with kubectl get job,pods,events -o yaml"
        )
    start = min([pod.created for pod in found] + ([] if created is None else [created]))
    times = [pod.last for pod in found]
    times += [each.at for each in about if each.at is not None]
    times += [] if end is None else [end.decided if end.finished is None else end.finished]
    if now is not None and (end is None or end.finished is None):
        times.append(now)
    until = max([start, *times])
    return Recording(
        manifest=manifest,
        job=job,
        created=start,
        until=until,
        pods=tuple(found),
        unseen=unseen,
        events=tuple(sorted(about, key=lambda each: each.at or 0)),
        end=end,
        file=file,
        line=line,
        pod_events=_by_pod(written, names, found),
        partial=partial,
        denied=frozenset(denied),
        now=until if now is None else max(now, until),
        queue=read_queue_facts(
            queue, manifest, [each for each in pods if _belongs(each, job)], written
        ),
    )


def _by_pod(
    events: Iterable[RecordedEvent], names: set[str], pods: Sequence[RecordedPod]
) -> dict[str, list[RecordedEvent]]:
    """Return the Events about Pods, by name, each with the last one about each claim of the Pod."""
    found: dict[str, list[RecordedEvent]] = {}
    of_claims: dict[str, RecordedEvent] = {}
    for event in events:
        if event.kind == "Pod" and event.name in names:
            found.setdefault(event.name, []).append(event)
        elif event.kind == CLAIM:
            last = of_claims.get(event.name, event)
            of_claims[event.name] = max(last, event, key=_rank)
    for pod in pods:
        for claim in pod.facts.claims:
            if claim in of_claims:
                found.setdefault(pod.name, []).append(of_claims[claim])
    return found


def _rank(event: RecordedEvent) -> tuple[bool, int]:
    """Return a key for the Event about a claim that says most: the last, but those of the routine."""
    return event.reason not in ROUTINE_CLAIM_REASONS, event.at or 0


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


def _ended(pod: Pod, status: Object) -> int:
    """Return when a Pod became Succeeded or Failed: with the last of its containers.

    The finish time of KEP-3850 is that of the app containers; if an init container failed, it is the
    creation of the Pod. Sidecars end after the app containers (KEP-753).
    """
    ends = [
        time
        for name in ("containerStatuses", "initContainerStatuses")
        for each in status.get(name) or ()
        if (
            time := read_time(((each.get("state") or {}).get("terminated") or {}).get("finishedAt"))
        )
    ]
    return max([pod.finished_at, *ends])


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
        if (time := read_time((state.get(phase) or {}).get("startedAt")))  # 0 after a StartError
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
        ended=_ended(view, status) if ended else None,
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
        facts=read_pod_facts(last),
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
    job: Job,
    begun: int,
    about: Sequence[RecordedEvent],
    every: Sequence[RecordedEvent],
    seen: set[str],
) -> Iterator[UnseenPod]:
    """Yield the Pods that only Events name: those about the Job, or about Pods with a name of its form.

    The API server keeps Events for an hour, so that the Event about the creation of a Pod may be gone.
    """
    created = {
        each.message.removeprefix(_MESSAGES[CREATED]).strip(): each.at
        for each in about
        if each.reason == CREATED and each.message.startswith(_MESSAGES[CREATED])
    }
    of_pods: dict[str, list[RecordedEvent]] = {}
    for each in every:
        if each.kind == "Pod":
            of_pods.setdefault(each.name, []).append(each)
    formed = (
        name
        for name, events in of_pods.items()
        if job.name in jobs_of(name) and all((each.at or 0) >= begun for each in events)
    )
    for name in dict.fromkeys((*created, *_named_by(about, DELETED), *formed)):
        if name not in seen:
            yield UnseenPod(name, created.get(name), tuple(of_pods.get(name, ())))


def _stopped(
    job: Job, end: RecordedEnd, unseen: Iterable[UnseenPod], about: Sequence[RecordedEvent]
) -> list[RecordedPod]:
    """Return the Pods that only Events name, and that the Job controller deleted because the Job had ended.

    Source: deleteActivePods of the Job controller, whose deletions emit SuccessfulDelete (Kubernetes 1.36).
    """
    deleted = {
        each.message.removeprefix(_MESSAGES[DELETED]).strip(): each.at
        for each in about
        if each.reason == DELETED and each.message.startswith(_MESSAGES[DELETED])
    }
    found = []
    for pod in unseen:
        at = deleted.get(pod.name)
        if at is None or at < end.decided - 1:
            continue  # it was surplus
        at = max(at, end.decided)
        times = {each.reason: each.at for each in reversed(pod.events) if each.at is not None}
        created = pod.created if pod.created is not None else min((*times.values(), at))
        view = Pod(
            namespace=job.namespace,
            name=pod.name,
            uid=f"event/{pod.name}",
            phase=well_known_names.FAILED,
            state=POD_FAILED,
            gone_by=at,
            created=created,
            finished_at=at,
            index=index_in(pod.name, job),
        )
        found.append(
            RecordedPod(
                view=view,
                created=created,
                scheduled=times.get("Scheduled"),
                started=times.get("Started"),
                deleted=at,
                scaled_down=True,
                facts=PodFacts(pod.name),
                gone=True,
            )
        )
    return found


_NAME = re.compile(r"(.+?)(-[0-9]{1,9})?-[a-z0-9]{5}")
"""The name of a Job, the completion index that may follow it, and the suffix of its Pods."""


def jobs_of(pod: str) -> set[str]:
    """Return the names of the Jobs that may have created a Pod, by its name.

    >>> sorted(jobs_of("train-7-x2k9q")), sorted(jobs_of("train"))
    (['train', 'train-7'], [])
    """
    found = _NAME.fullmatch(pod)
    return set() if found is None else {found[1], f"{found[1]}{found[2] or ''}"}


_INDEX = re.compile(r"-([0-9]{1,9})-[a-z0-9]+\Z")
"""The completion index in the name of a Pod of an Indexed Job."""


def index_in(name: str, job: Job) -> int:
    """Return the completion index that the name of a Pod has; UNKNOWN_INDEX without one."""
    found = _INDEX.search(name) if job.indexed else None
    return UNKNOWN_INDEX if found is None else int(found[1])


def end_of(job: Job) -> RecordedEnd | None:
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


class UnreadableSpec(BadRecording):
    """Raised for a Job whose spec cannot be decoded.

    Attributes:
        problems: each with its field.
    """

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def stored_manifest(value: Object, server: ApiServer) -> Object:
    """Return a stored Job with the defaults of its spec, without fields of later releases.

    Args:
        value: the Job as its API server returns it.
        server: knows the fields and defaults.

    Raises:
        UnreadableSpec: a field has a value of a wrong type.
    """
    engine = engine_for(server)
    decoded = engine.decode_object(value)
    if decoded.unreadable:
        raise UnreadableSpec([f"{each.field}: {each.message}" for each in decoded.findings])
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": value.get("metadata") or {},
        "spec": engine.created_job(decoded)["spec"],
        "status": value.get("status") or {},
    }
