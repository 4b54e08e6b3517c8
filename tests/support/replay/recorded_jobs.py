"""Recordings: of simulated runs, whose whole truth is known, and written by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

from jobsworth.controller.times import write_time
from jobsworth.runs.failure_causes import DISRUPTIONS
from jobsworth.runs.recorded.recording import Recording
from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.run_record import PodRecord, RunRecord

Object = dict[str, Any]

START = 1_798_761_600  # 2027-01-01T00:00:00Z
GRACE = 30
UID = "job-uid"
INDEX = "batch.kubernetes.io/job-completion-index"
FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"


def at(seconds: float) -> str:
    """Return a time after the start as the API writes it."""
    return write_time(START + int(seconds))


def pod(
    name: str,
    created: int = 0,
    ended: int | None = None,
    code: int | None = 0,
    *,
    started: int | None = None,
    deleted: int | None = None,
    index: int | None = None,
    failures: int | None = None,
    ignored: int = 0,
    disruption: str = "",
    reason: str = "",
    container: str = "main",
    job: str = "train",
) -> Object:
    """Return a Pod as the API server has it; times are seconds after the start."""
    meta: Object = {
        "name": name,
        "namespace": "batch",
        "uid": f"uid-{name}",
        "creationTimestamp": at(created),
        "labels": {"batch.kubernetes.io/job-name": job},
        "ownerReferences": [
            {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": UID, "controller": True}
        ],
    }
    annotations = {}
    if index is not None:
        annotations[INDEX] = str(index)
    if failures is not None:
        annotations |= {FAILURES: str(failures), IGNORED: str(ignored)}
    if annotations:
        meta["annotations"] = annotations
    if deleted is not None:
        meta["deletionTimestamp"] = at(deleted + GRACE)
        meta["deletionGracePeriodSeconds"] = GRACE
    conditions = []
    if disruption:
        conditions.append({"type": "DisruptionTarget", "status": "True", "reason": disruption})
    begun = {"startedAt": at(created if started is None else started)}
    status: Object = {"phase": "Running", "conditions": conditions}
    state: Object = {"running": begun}
    if ended is not None:
        conditions.append({"type": "Ready", "status": "False", "lastTransitionTime": at(ended)})
        status["phase"] = "Succeeded" if code == 0 else "Failed"
        state = {
            "terminated": {
                **begun,
                "exitCode": code,
                "reason": reason or ("Error" if code else "Completed"),
                "finishedAt": at(ended),
            }
        }
    if code is not None and (started is not None or ended is not None):
        status["containerStatuses"] = [{"name": container, "restartCount": 0, "state": state}]
    elif reason:
        status["reason"] = reason
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {}, "status": status}


def event(
    reason: str, message: str, seconds: int, about: str = "train", kind: str = "Job"
) -> Object:
    """Return an Event as kubectl prints it."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{about}.{seconds}", "namespace": "batch"},
        "involvedObject": {"kind": kind, "name": about, "namespace": "batch"},
        "type": "Normal",
        "reason": reason,
        "message": message,
        "lastTimestamp": at(seconds),
        "count": 1,
    }


def created(name: str, seconds: int) -> Object:
    """Return the Event about the creation of a Pod."""
    return event("SuccessfulCreate", f"Created pod: {name}", seconds)


def stored(manifest: Object, end: tuple[int, str, str] | None = None, **status: Any) -> Object:
    """Return a Job as the API server has it.

    Args:
        end: seconds after the start, the terminal condition and its reason.
    """
    conditions = []
    if end is not None:
        seconds, kind, reason = end
        interim = "FailureTarget" if kind == "Failed" else "SuccessCriteriaMet"
        conditions = [
            {
                "type": each,
                "status": "True",
                "reason": reason,
                "message": "as recorded",
                "lastTransitionTime": at(seconds),
            }
            for each in (interim, kind)
        ]
    return {
        **manifest,
        "metadata": {**manifest["metadata"], "uid": UID, "creationTimestamp": at(0)},
        "status": {"conditions": conditions, "startTime": at(0), **status},
    }


def recording(job: Object, *pods: Object, events: tuple[Object, ...] = ()) -> Recording:
    return read_recording(job, pods, events, file="recording.yaml", line=1)


def recorded_run(manifest: Object, record: RunRecord) -> Recording:
    """Return the recording of a simulated run of which no Pod was lost."""
    job = record.job
    failed = sum(each.counted == "failed" for each in job.pods)
    counts: Counter[tuple[int | None, str]] = Counter()
    pods = []
    for each in job.pods:
        failures = counts[each.index, "failed"], counts[each.index, "ignored"]
        pods.append(_of_simulated(each, failures if job.indexed else (None, 0)))
        counts[each.index, each.counted] += 1
    value = stored(manifest, failed=failed)
    value["status"]["conditions"] = [
        {
            "type": each.type,
            "status": each.status,
            "reason": each.reason,
            "message": each.message,
            "lastTransitionTime": at(each.at / 1000),
        }
        for each in job.conditions
    ]
    events = tuple(created(each.name, each.created // 1000) for each in job.pods)
    return recording(value, *pods, events=events)


def _of_simulated(given: PodRecord, counts: tuple[int | None, int]) -> Object:
    cause = DISRUPTIONS.get(given.cause)

    def seconds(time: int | None) -> int | None:
        return None if time is None else time // 1000

    return pod(
        given.name,
        given.created // 1000,
        seconds(given.ended),
        given.exit_code,
        started=seconds(given.started),
        deleted=seconds(given.deleted),
        index=given.index,
        failures=counts[0],
        ignored=counts[1],
        disruption="" if cause is None else cause.reason,
        reason=given.reason,
        container=given.container or "main",
    )
