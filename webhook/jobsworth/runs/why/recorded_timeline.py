"""A recorded Job in the form of a simulated one, so that the same timelines show both."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.controller import well_known_names
from jobsworth.controller.index_sets import IndexSet
from jobsworth.runs.recorded.recording import RecordedPod, Recording
from jobsworth.runs.recorded.recording_reader import index_in
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
from jobsworth.runs.why.pod_table import how_it_ended


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
