"""A run as one self-contained HTML page: chart, counters, conditions, and the same data as tables.

The page loads nothing; a Content Security Policy in it forbids that. The chart is drawn on a canvas, because
with 10,000 Pods every element in the document costs: a table shows 50 rows at a time.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jobsworth.printable import printable
from jobsworth.whatif.run_statistics import summarize
from jobsworth.whatif.timelines.timeline_lines import TimelineLine, failure, timeline
from jobsworth.whatif.timelines.timeline_text import outcome_lines
from jobsworth.whatif.virtual_time import HOUR, spoken

if TYPE_CHECKING:
    from jobsworth.whatif.run_record import JobRecord, PodRecord, RunRecord

_RESULTS = {"succeeded": 0, "failed": 1, "ignored": 2, "uncounted": 3, "": 4}
_TEMPLATE, _STYLE = "page.html", "page_style.css"
MAX_LINES = 2000
_PLACEHOLDER = re.compile(r"\{\{([a-z]+)\}\}")


def timeline_page(record: RunRecord, *, recorded_in: str = "") -> str:
    """Return the page.

    Args:
        recorded_in: the file or cluster of a recorded Job; empty for a simulated one.
    """
    template = (files(__package__) / _TEMPLATE).read_text(encoding="utf-8")
    outcome, *_ = outcome_lines(record)
    heading = f"{record.kind} {record.name}"
    parts = {
        "style": page_style(),
        "title": page_text(f"{heading}: {'recording' if recorded_in else 'simulation'}"),
        "heading": page_text(heading),
        "subtitle": page_text(
            f"Recorded in {recorded_in}"
            if recorded_in
            else f"Simulated in scenario {record.scenario}, seed {record.seed}"
        ),
        "outcome": page_text(outcome),
        "facts": "".join(
            f"<div><dt>{page_text(name)}</dt><dd>{page_text(value)}</dd></div>"
            for name, value in _facts(record)
        ),
        "row": _row_words(record),
        "command": "jobsworth replay" if recorded_in else "jobsworth simulate",
        "data": _embedded(_data(record)),
    }
    # In one pass: a value may hold what looks like a placeholder.
    return _PLACEHOLDER.sub(lambda found: parts[found[1]], template)


def page_text(text: str) -> str:
    """Return text of unknown origin for a page: it controls neither HTML, a terminal nor its direction."""
    return escape(printable(text))


def page_style() -> str:
    """Return the style sheet of all pages."""
    return (files(__package__) / _STYLE).read_text(encoding="utf-8")


def _row_words(record: RunRecord) -> str:
    if record.kind == "CronJob":
        return "run and index" if any(job.indexed for job in record.jobs) else "run"
    return "index" if record.job.indexed else "number"


def _facts(record: RunRecord) -> list[tuple[str, str]]:
    summary = summarize(record)
    facts = [
        ("Pods", str(summary.pods)),
        ("Failed Pods", str(sum(number for _, number in summary.failures))),
        ("Pod-hours", f"{summary.used / HOUR:.1f}"),
        ("of them wasted", f"{summary.wasted / HOUR:.1f}"),
        ("Simulated time", spoken(record.end)),
    ]
    if summary.failed_indexes:
        facts.append(("Failed indexes", str(summary.failed_indexes)))
    facts += [(f"Failures, {rule}", str(number)) for rule, number in summary.failures]
    return facts


def _embedded(data: dict[str, Any]) -> str:
    """Return JSON that cannot end the script element that it is in, with its texts escaped."""
    text = json.dumps(_printable(data), separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c")


def _printable(value: Any) -> Any:
    """Return a value of the page's data with its texts escaped; columns of numbers as they are."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {name: _printable(part) for name, part in value.items()}
    numbers = isinstance(value, list) and value and all(type(value[end]) is int for end in (0, -1))
    if isinstance(value, list) and not numbers:
        return [_printable(part) for part in value]
    return value


def _data(record: RunRecord) -> dict[str, Any]:
    rows: dict[tuple[int, int], int] = {}
    for job in record.jobs:
        for key in sorted({_row(job, pod) for pod in job.pods}):
            rows[key] = len(rows)
    several = record.kind == "CronJob"
    texts: dict[str, int] = {}
    columns: dict[str, list[int]] = {
        name: []
        for name in ("row", "attempt", "created", "started", "deleted", "ended", "result", "text")
    }
    names = []
    for job in record.jobs:
        for pod in job.pods:
            names.append(pod.name)
            text = texts.setdefault(_result(pod), len(texts))
            values = (
                rows[_row(job, pod)],
                pod.attempt,
                pod.created,
                _or_nothing(pod.started),
                _or_nothing(pod.deleted),
                _or_nothing(pod.ended),
                _RESULTS[pod.counted] if pod.ended is not None or pod.counted else 4,
                text,
            )
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
    return {
        "end": record.end,
        "rows": [_label(run, row, several=several) for run, row in rows],
        "names": names,
        "texts": list(texts),
        "pods": columns,
        "waits": [time for job in record.jobs for wait in job.waits(record.end) for time in wait],
        "counters": _counters(record),
        "conditions": [
            [each.at, job.name, _condition(each.type, each.status), each.reason, each.message]
            for job in record.jobs
            for each in job.conditions
        ],
        "lines": _lines(record),
    }


def _lines(record: RunRecord) -> list[list[Any]]:
    """Return the events; of thousands only those that the table of Pods does not have."""
    lines = timeline(record)
    if len(lines) > MAX_LINES:
        several = [line for line in lines if line.kind in ("event", "index", "condition")]
        note = f"{len(lines) - len(several)} creations, disruptions and ends: see the table of Pods"
        lines = [TimelineLine(0, record.end, "created", note), *several]
    return [[line.at, line.until, line.text] for line in lines]


def _row(job: JobRecord, pod: PodRecord) -> tuple[int, int]:
    return job.run, pod.attempt if pod.index is None else pod.index


def _label(run: int, row: int, *, several: bool) -> str:
    return f"{run}/{row}" if several else str(row)


def _or_nothing(time: int | None) -> int:
    return -1 if time is None else time


def _condition(kind: str, status: str) -> str:
    return kind if status == "True" else f"{kind}={status}"


def _result(pod: PodRecord) -> str:
    """Return the result of a Pod without its name, so that equal results are one text."""
    if pod.counted == "succeeded":
        return "succeeded"
    if pod.ended is None:
        return pod.phase
    return failure(pod).removeprefix(f"{pod.name} ")


def _counters(record: RunRecord) -> dict[str, Any]:
    """Return the counters of all Jobs, summed up, as columns."""
    names = ("active", "terminating", "succeeded", "failed")
    changes = sorted(
        (counters.at, job.run, counters[1:]) for job in record.jobs for counters in job.counters
    )
    latest: dict[int, tuple[int, ...]] = {}
    sums = [0] * len(names)
    columns: dict[str, Any] = {"at": [], **{name: [] for name in names}}
    for at, run, values in changes:
        before = latest.get(run, (0,) * len(names))
        latest[run] = values
        sums = [total + new - old for total, new, old in zip(sums, values, before, strict=True)]
        if columns["at"] and columns["at"][-1] == at:
            for column in columns.values():
                column.pop()
        columns["at"].append(at)
        for name, total in zip(names, sums, strict=True):
            columns[name].append(total)
    columns["most"] = max((max(columns[name], default=0) for name in names), default=0)
    return columns
