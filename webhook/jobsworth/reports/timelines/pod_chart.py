"""A chart of the Pods of a Job as text: a row for each index, a mark for the end of each attempt.

The legend has the marks that occur.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from jobsworth.runs.run_record import JobRecord, PodRecord
from jobsworth.runs.virtual_time import clock

MAX_ROWS = 24
CHART_WIDTH = 72
LINE_WIDTH, MIN_WIDTH = 78, 40
"""Columns that a row may have with its label, beside an indent of 2; of the chart, at least so many."""
LEGEND = {
    ".": "pending",
    "=": "running",
    "r": "restarted in place",
    "~": "terminating",
    "o": "succeeded",
    "x": "failed",
    "i": "failed and ignored",
    "-": "not counted",
    "?": "gone, end unknown",
}
SEVERAL = "2 to 9, + so many ends in one column; behind the row, the ends by kind"
_MARKS = {
    "succeeded": "o",
    "failed": "x",
    "ignored": "i",
    "uncounted": "-",
    "unknown": "?",
    "": "x",
}


def chart_rows(job: JobRecord) -> tuple[dict[int, list[PodRecord]], int]:
    """Return the Pods of each row, by index or by number, and the number of rows that are left out."""
    rows: dict[int, list[PodRecord]] = {}
    for number, pod in enumerate(job.pods, 1):
        rows.setdefault(number if pod.index is None else pod.index, []).append(pod)
    shown = sorted(rows)
    if len(shown) > MAX_ROWS:
        shown = sorted(sorted(shown, key=lambda row: (-_interest(rows[row]), row))[:MAX_ROWS])
    return {row: rows[row] for row in shown}, len(rows) - len(shown)


def chart_lines(job: JobRecord, end: int) -> Iterator[str]:
    """Yield a chart of the Pods of a Job; without Pods, nothing."""
    rows, left_out = chart_rows(job)
    if not rows or not end:
        return
    label, noun = ("index", "indexes") if job.indexed else ("Pod", "Pods")
    drawn = {str(row): pods for row, pods in rows.items()}
    yield from row_lines(label, drawn, end, f"{left_out} more {noun}" if left_out else "")


def row_lines(
    label: str,
    rows: dict[str, list[PodRecord]],
    end: int,
    more: str,
    legend: Mapping[str, str] = LEGEND,
) -> Iterator[str]:
    """Yield a chart with a row for each key.

    Args:
        label: the kind of the rows.
        rows: what runs in each row.
        more: the rows that are left out; empty if there are none.
        legend: the meaning of each mark; those that occur are explained.
    """
    width = max(map(len, (label, *rows)))
    columns = max(MIN_WIDTH, min(CHART_WIDTH, LINE_WIDTH - width - 2))
    yield f"{label:>{width}}  {clock(0)}{clock(end):>{columns - len(clock(0))}}"
    several = False
    drawn: set[str] = set()
    for row, runs in rows.items():
        cells, crowded = _drawn(runs, end, columns)
        several |= crowded
        drawn.update(cells)
        drawn.update(_MARKS[pod.counted] for pod in runs if pod.ended is not None)
        counts = f"  {_counts(runs)}" if crowded else ""
        yield f"{row:>{width}}  {cells}{counts}"
    if more:
        yield f"{'…':>{width}}  {more}"
    explained = "   ".join(f"{mark} {words}" for mark, words in legend.items() if mark in drawn)
    yield f"{'':>{width}}  {explained}"
    if several:
        yield f"{'':>{width}}  {SEVERAL}"


def _interest(pods: list[PodRecord]) -> int:
    return sum(pod.counted != "succeeded" for pod in pods)


def _drawn(pods: list[PodRecord], end: int, columns: int) -> tuple[str, bool]:
    """Return the row of some Pods, and True if several of them ended in one column.

    Restarts and ends are drawn last, so that no later attempt hides them.
    """

    def column(time: int) -> int:
        return min(time * columns // end, columns - 1)

    cells = [" "] * columns
    ends: dict[int, list[str]] = {}
    for pod in pods:
        stop = column(end if pod.ended is None else pod.ended)
        for start, mark in ((pod.created, "."), (pod.started, "="), (pod.deleted, "~")):
            if start is not None:
                first = column(start)
                cells[first : stop + 1] = mark * (stop + 1 - first)
        if pod.ended is not None:
            ends.setdefault(stop, []).append(_MARKS[pod.counted])
    for restart in (time for pod in pods for time in pod.restarts):
        cells[column(restart)] = "r"
    for cell, marks in ends.items():
        cells[cell] = marks[0] if len(marks) == 1 else str(len(marks)) if len(marks) < 10 else "+"
    return "".join(cells).rstrip(), any(len(marks) > 1 for marks in ends.values())


def _counts(pods: list[PodRecord]) -> str:
    counts = Counter(_MARKS[pod.counted] for pod in pods if pod.ended is not None)
    return " ".join(f"{counts[mark]}{mark}" for mark in "oxi-" if counts[mark])
