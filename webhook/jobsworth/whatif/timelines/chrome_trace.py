"""A run as a Chrome trace, for chrome://tracing and https://ui.perfetto.dev.

Source: "Trace Event Format" of the Chromium project. A Job is a process, an index (or Pod) is a thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.whatif.timelines.timeline_lines import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.run_record import JobRecord, PodRecord, RunRecord

_MICROSECONDS = 1000


def chrome_trace(record: RunRecord) -> dict[str, Any]:
    """Return a run as a JSON object in the Trace Event Format."""
    events = [
        event
        for number, job in enumerate(record.jobs, 1)
        for event in _job(job, number, record.end)
    ]
    return {
        "displayTimeUnit": "ms",
        "otherData": {"scenario": record.scenario, "seed": str(record.seed)},
        "traceEvents": events,
    }


def _job(job: JobRecord, process: int, end: int) -> Iterator[dict[str, Any]]:
    yield _name("process_name", process, 0, f"Job {job.name}")
    rows = sorted({_row(pod) for pod in job.pods})
    for row in rows:
        label = f"index {row}" if job.indexed else f"Pod {row}"
        yield _name("thread_name", process, row + 1, label)
    for pod in job.pods:
        yield from _pod(pod, process, end)
    for start, stop in job.waits(end):
        yield _span("backoff", start, stop, process, 0)
    for condition in job.conditions:
        yield {
            "ph": "i",
            "s": "p",
            "name": f"{condition.type}: {condition.reason}",
            "pid": process,
            "tid": 0,
            "ts": condition.at * _MICROSECONDS,
        }
    for counters in job.counters:
        yield {
            "ph": "C",
            "name": "Pods",
            "pid": process,
            "tid": 0,
            "ts": counters.at * _MICROSECONDS,
            "args": {
                "active": counters.active,
                "terminating": counters.terminating,
                "succeeded": counters.succeeded,
                "failed": counters.failed,
            },
        }


def _pod(pod: PodRecord, process: int, end: int) -> Iterator[dict[str, Any]]:
    stop = end if pod.ended is None else pod.ended
    running = stop if pod.started is None else pod.started
    row = _row(pod) + 1
    if running > pod.created:
        yield _span("Pending", pod.created, running, process, row)
    if pod.started is None:
        return
    terminating = stop if pod.deleted is None else pod.deleted
    result = {
        "name": pod.name,
        "attempt": pod.attempt,
        "phase": pod.phase,
        "exitCode": pod.exit_code,
        "reason": pod.reason,
        "disruption": pod.cause,
        "result": verdict(pod),
    }
    name = pod.phase if pod.ended is not None else "Running"
    yield {**_span(name, pod.started, terminating, process, row), "args": result}
    if stop > terminating:
        yield _span("Terminating", terminating, stop, process, row)


def _row(pod: PodRecord) -> int:
    return pod.attempt if pod.index is None else pod.index


def _span(name: str, start: int, stop: int, process: int, thread: int) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": name,
        "pid": process,
        "tid": thread,
        "ts": start * _MICROSECONDS,
        "dur": (stop - start) * _MICROSECONDS,
    }


def _name(kind: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}
