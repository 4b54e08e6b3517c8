"""A recorded Job in the form of a simulated one, so that the same timelines show both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.controller import well_known_names
from jobsworth.whatif.replay.replay_wording import how_it_ended
from jobsworth.whatif.run_record import (
    ConditionChange,
    ControllerReason,
    Counters,
    EmittedEvent,
    JobRecord,
    PodRecord,
    RunRecord,
)
from jobsworth.whatif.virtual_time import SECOND

if TYPE_CHECKING:
    from jobsworth.whatif.replay.planner_replay import Replay
    from jobsworth.whatif.replay.recording import RecordedPod, Recording
    from jobsworth.whatif.run_record import Counted


def replayed_timeline(recording: Recording, replayed: Replay) -> RunRecord:
    """Return the recorded Job as a record of a run."""
    start, job = recording.created, recording.job
    end = recording.end

    def since(at: int) -> int:
        return max(0, at - start) * SECOND

    record = JobRecord(job.name, 1, 0, job.indexed, job.parallelism, job.completions)
    attempts: dict[int | None, int] = {}
    for pod in recording.pods:
        attempts[pod.index] = attempts.get(pod.index, 0) + 1
        record.pods.append(_pod(recording, replayed, pod, attempts[pod.index]))
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
        return None if at is None else max(0, at - recording.created) * SECOND

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


def _counted(replayed: Replay, pod: RecordedPod) -> Counted:
    failure = replayed.failure(pod)
    if failure is not None:
        return "failed" if failure.match.counts else "ignored"
    if pod.view.phase == well_known_names.SUCCEEDED:
        return "succeeded"
    return "" if pod.ended is None else "uncounted"
