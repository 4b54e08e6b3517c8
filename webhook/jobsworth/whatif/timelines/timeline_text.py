"""A run as text for the terminal: its events, a chart of its Pods, and the outcome."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from jobsworth.whatif.run_statistics import summarize
from jobsworth.whatif.timelines import cron_job_table
from jobsworth.whatif.timelines.timeline_lines import timeline
from jobsworth.whatif.virtual_time import HOUR, clock, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.run_record import JobRecord, PodRecord, RunRecord

MAX_LINES = 60
MAX_ROWS = 24
CHART_WIDTH = 72
LEGEND = (
    ". pending   = running   ~ terminating   o succeeded   x failed   i ignored   - not counted"
)
_MARKS = {"succeeded": "o", "failed": "x", "ignored": "i", "uncounted": "-", "": "x"}


def run_lines(record: RunRecord) -> Iterator[str]:
    """Yield the lines of the report of a run."""
    yield f"{record.kind} {record.name}, scenario {record.scenario}, seed {record.seed}"
    yield ""
    if record.kind == "CronJob":
        yield from _shortened(list(cron_job_table.table_lines(record)))
        yield ""
        notes = list(cron_job_table.note_lines(record))
        if notes:
            yield from _shortened(notes)
            yield ""
        yield from outcome_lines(record)
        return
    yield from _shortened(list(_event_lines(record)))
    yield ""
    yield from chart_lines(record.job, record.end)
    yield ""
    yield from outcome_lines(record)


def _shortened(lines: list[str]) -> Iterator[str]:
    left_out = len(lines) - MAX_LINES
    for number, line in enumerate(lines):
        if left_out > 0 and MAX_LINES // 2 <= number < MAX_LINES // 2 + left_out:
            if number == MAX_LINES // 2:
                yield f"{'…':>10}  {left_out} lines left out; --output json has everything"
            continue
        yield line


def _event_lines(record: RunRecord) -> Iterator[str]:
    for line in timeline(record):
        until = f" (until {clock(line.until)})" if line.until != line.at else ""
        yield f"{clock(line.at):>10}  {line.text}{until}"


def chart_lines(job: JobRecord, end: int) -> Iterator[str]:
    """Yield a chart of the Pods of a Job."""
    rows: dict[int, list[PodRecord]] = {}
    for number, pod in enumerate(job.pods, 1):
        rows.setdefault(number if pod.index is None else pod.index, []).append(pod)
    shown = sorted(rows)
    if len(shown) > MAX_ROWS:
        shown = sorted(sorted(shown, key=lambda row: (-_interest(rows[row]), row))[:MAX_ROWS])
    if not shown or not end:
        return
    label = "index" if job.indexed else "Pod"
    width = max(len(label), *(len(str(row)) for row in shown))
    yield f"{label:>{width}}  {clock(0)}{clock(end):>{CHART_WIDTH - len(clock(0))}}"
    for row in shown:
        cells = [" "] * CHART_WIDTH
        for pod in rows[row]:
            _draw(pod, cells, end)
        yield f"{row:>{width}}  {''.join(cells).rstrip()}"
    if len(shown) < len(rows):
        noun = "indexes" if job.indexed else "Pods"
        yield f"{'…':>{width}}  {len(rows) - len(shown)} more {noun}"
    yield f"{'':>{width}}  {LEGEND}"


def _interest(pods: list[PodRecord]) -> int:
    return sum(pod.counted != "succeeded" for pod in pods)


def _draw(pod: PodRecord, cells: list[str], end: int) -> None:
    """Draw a Pod: its phases, and the mark of its end."""

    def column(time: int) -> int:
        return min(time * CHART_WIDTH // end, CHART_WIDTH - 1)

    stop = end if pod.ended is None else pod.ended
    phases = ((pod.created, "."), (pod.started, "="), (pod.deleted, "~"))
    for start, mark in phases:
        if start is not None:
            for cell in range(column(start), column(stop) + 1):
                cells[cell] = mark
    if pod.ended is not None:
        cells[column(stop)] = _MARKS[pod.counted]


def outcome_lines(record: RunRecord) -> Iterator[str]:
    """Yield the outcome of a run, and what it cost."""
    summary = summarize(record)
    pods = [pod for job in record.jobs for pod in job.pods]
    if record.kind == "Job":
        job = record.job
        if job.finished is None:
            yield f"Unfinished after {spoken(record.end)}: {job.reason}"
        else:
            yield f"{job.outcome} after {spoken(job.finished - job.created)}: {job.reason}"
    else:
        yield from cron_job_table.outcome_lines(record)
    counts = Counter(pod.counted for pod in pods)
    words = {
        "succeeded": "succeeded",
        "failed": "failed and counted",
        "ignored": "failed and ignored",
        "uncounted": "removed, not counted",
        "": "not ended",
    }
    parts = [f"{counts[key]} {words[key]}" for key in words if counts[key]]  # type: ignore[index]
    yield f"Pods       {len(pods)}{': ' if parts else ''}{', '.join(parts)}"
    share = f" ({summary.wasted / summary.used:.0%})" if summary.used else ""
    yield (
        f"Pod-hours  {summary.used / HOUR:.1f}, of which {summary.wasted / HOUR:.1f}{share} "
        "in Pods that did not succeed"
    )
    if summary.failures:
        rules = ", ".join(f"{rule}: {number}" for rule, number in summary.failures)
        yield f"Failures   {rules}"
