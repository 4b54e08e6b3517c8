"""A recorded Job in the form of a simulated one, and a simulated one as a recording."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.controller import well_known_names
from jobsworth.controller.index_sets import IndexSet
from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import DISRUPTED, DISRUPTIONS
from jobsworth.runs.recorded.pod_facts import PodFacts, WaitingContainer
from jobsworth.runs.recorded.recording import EndedContainer, RecordedEvent, RecordedPod, Recording
from jobsworth.runs.recorded.recording_reader import end_of, index_in
from jobsworth.runs.replay.planner_replay import Replay
from jobsworth.runs.run_record import (
    ConditionChange,
    ControllerReason,
    Counted,
    Counters,
    EmittedEvent,
    JobRecord,
    PodRecord,
    RunRecord,
)
from jobsworth.runs.virtual_time import SECOND
from jobsworth.runs.why.pod_table import how_it_ended

_POD_REASONS = {
    Cause.NODE_PRESSURE: "Evicted",
    Cause.STORAGE_LIMIT: "Evicted",
    Cause.CRITICAL_POD: "Preempting",
    Cause.NODE_SHUTDOWN: "Terminated",
}
"""The reason of a Pod that the kubelet fails in place."""
_WAITING_REASONS = {
    Cause.IMAGE_PULL: "ImagePullBackOff",
    Cause.MISSING_CONFIG: "CreateContainerConfigError",
}
"""The reason of a container that does not start."""


def recorded_timeline(recording: Recording, replayed: Replay) -> RunRecord:
    """Return the recorded Job as a record of a run."""
    start, job, since = recording.created, recording.job, recording.time
    end = recording.end
    record = JobRecord(job.name, 1, 0, job.indexed, job.parallelism, job.completions)
    attempts: dict[int | None, int] = {}
    for pod in recording.pods:
        attempts[pod.index] = attempts.get(pod.index, 0) + 1
        record.pods.append(_pod(recording, replayed, pod, attempts[pod.index]))
    record.pods += _gone(recording, attempts)
    for counters in replayed.counters:
        values = counters.active, counters.terminating, counters.succeeded, counters.failed
        if not record.counters or record.counters[-1][1:] != values:
            record.counters.append(Counters(since(counters.at), *values))
        reasons = record.explanations
        if not reasons or reasons[-1].because != counters.because:
            reasons.append(ControllerReason(since(counters.at), counters.because))
    record.conditions = [
        ConditionChange(since(each.changed), each.type, each.status, each.reason, each.message)
        for each in job.status.conditions
        if each.changed is not None
    ]
    record.events = [
        EmittedEvent(since(each.at), each.type, each.reason, each.message)
        for each in recording.events
        if each.at is not None
    ]
    record.failed_indexes = [(since(at), index) for index, at in replayed.failed_indexes.items()]
    if end is not None and end.finished is not None:
        record.finished = since(end.finished)
    return RunRecord(
        job.name, "Job", "recording", 0, start, end=since(recording.until), jobs=[record]
    )


def _pod(recording: Recording, replayed: Replay, pod: RecordedPod, attempt: int) -> PodRecord:
    def since(at: int | None) -> int | None:
        return None if at is None else recording.time(at)

    failed = next((each for each in pod.containers if each.exit_code), None)
    created = since(pod.created) or 0
    record = PodRecord(pod.name, pod.index, attempt, created)
    record.scheduled = since(pod.scheduled)
    record.started = since(pod.started)
    record.restarts = [] if pod.restarted is None else [since(pod.restarted) or 0]
    record.deleted = since(pod.deleted)
    record.ended = since(pod.ended)
    record.phase = pod.view.phase
    record.counted = _counted(replayed, pod)
    failure = replayed.failure(pod)
    record.match = None if failure is None else failure.match
    if failed is not None:
        record.exit_code = failed.exit_code
        record.container = failed.name
        record.reason = pod.disruption or failed.reason
    elif pod.containers:
        record.exit_code, record.container = 0, pod.containers[0].name
        record.reason = pod.containers[0].reason
    else:
        record.reason = pod.disruption or how_it_ended(recording, pod)
    return record


def _gone(recording: Recording, attempts: dict[int | None, int]) -> Iterator[PodRecord]:
    """Yield the Pods that only Events name, up to the last Event about each."""
    job = recording.job
    done = IndexSet.read(job.status.completed_indexes, job.size)
    for pod in recording.unseen:
        if pod.created is None:
            continue
        number = index_in(pod.name, job)
        index = number if number >= 0 else None
        attempts[index] = attempts.get(index, 0) + 1
        times = {each.reason: each.at for each in reversed(pod.events) if each.at is not None}
        record = PodRecord(pod.name, index, attempts[index], recording.time(pod.created))
        if "Started" in times:
            record.started = recording.time(times["Started"])
        record.ended = recording.time(max((pod.created, *times.values())))
        known = index is not None and index in done and attempts[index] == 1
        record.counted = "succeeded" if known else "unknown"
        record.reason = "gone: only Events name it"
        yield record


def _counted(replayed: Replay, pod: RecordedPod) -> Counted:
    failure = replayed.failure(pod)
    if failure is not None:
        return "failed" if failure.match.counts else "ignored"
    if pod.view.phase == well_known_names.SUCCEEDED:
        return "succeeded"
    return "" if pod.ended is None else "uncounted"


def simulated_recording(run: RunRecord, record: JobRecord) -> Recording:
    """Return the recording of a Job of a simulated run, of which no Pod and no Event was lost."""
    assert record.job is not None

    def seconds(at: int) -> int:
        return run.start + at // SECOND

    events = tuple(
        RecordedEvent(seconds(each.at), "Job", record.name, each.type, each.reason, each.message, 1)
        for each in record.events
    )
    until = run.end if record.finished is None else record.finished
    return Recording(
        manifest=record.manifest,
        job=record.job,
        created=seconds(record.created),
        until=seconds(until),
        pods=tuple(_pod_of_simulation(run.start, each) for each in record.pods),
        unseen=(),
        events=events,
        end=end_of(record.job),
        file="",
        line=0,
        now=seconds(run.end),
    )


def _pod_of_simulation(start: int, record: PodRecord) -> RecordedPod:
    view = record.view
    assert view is not None

    def seconds(at: int | None) -> int | None:
        return None if at is None else start + at // SECOND

    inflicted = DISRUPTIONS.get(record.cause)
    disrupted = inflicted is not None and DISRUPTED in view.conditions
    containers: tuple[EndedContainer, ...] = ()
    if record.exit_code is not None and record.ended is not None:
        containers = (EndedContainer(record.container or "main", record.exit_code, record.reason),)
    reason = "" if containers else record.reason
    if inflicted is not None and inflicted.end == "failed":
        reason = _POD_REASONS.get(inflicted.failure.name, reason)
    return RecordedPod(
        view=view,
        created=view.created,
        scheduled=seconds(record.scheduled),
        started=seconds(record.started),
        restarted=seconds(max(record.restarts, default=None)),
        deleted=seconds(record.deleted),
        ended=seconds(record.ended),
        containers=containers,
        reason=reason,
        disruption=inflicted.reason if disrupted and inflicted is not None else "",
        scaled_down=record.counted == "uncounted",
        facts=_facts(record),
    )


def _facts(record: PodRecord) -> PodFacts:
    if record.started is not None or record.pending is None:
        return PodFacts(record.name)
    if record.pending == Cause.UNSCHEDULABLE:
        return PodFacts(record.name, unscheduled=("Unschedulable", ""))
    reason = _WAITING_REASONS[record.pending]
    return PodFacts(record.name, waiting=(WaitingContainer("main", "", reason, "", 0),))
