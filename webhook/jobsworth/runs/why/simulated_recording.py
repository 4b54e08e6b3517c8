"""A simulated Job as a recording, so that a diagnosis and a comparison read it like one of a cluster."""

from __future__ import annotations

from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import DISRUPTED, DISRUPTIONS
from jobsworth.runs.recorded.pod_facts import PodFacts, WaitingContainer
from jobsworth.runs.recorded.recording import EndedContainer, RecordedEvent, RecordedPod, Recording
from jobsworth.runs.recorded.recording_reader import end_of
from jobsworth.runs.run_record import JobRecord, PodRecord, RunRecord
from jobsworth.runs.virtual_time import SECOND

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
        pods=tuple(_pod(run.start, each) for each in record.pods),
        unseen=(),
        events=events,
        end=end_of(record.job),
        file="",
        line=0,
        now=seconds(run.end),
    )


def _pod(start: int, record: PodRecord) -> RecordedPod:
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
