"""A run as one self-contained HTML page: measures, chart, counters, conditions, and the same data as tables.

The page loads nothing; a Content Security Policy in it forbids that. The chart is drawn on a canvas, because
with 10,000 Pods every element in the document costs: a table shows 50 rows at a time. Times in its data are
milliseconds since the start of the run; -1 stands for none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from jobsworth.printable import printable
from jobsworth.reports.pages import rendered
from jobsworth.reports.sections import Section
from jobsworth.reports.timelines.cron_job_table import RunRow, note_lines, run_rows, runs_words
from jobsworth.reports.timelines.local_times import local_time, offset_changes, zone_name
from jobsworth.reports.timelines.timeline_lines import TimelineLine, failure, timeline
from jobsworth.reports.timelines.timeline_text import failed_indexes, outcome_lines, share
from jobsworth.runs.cause import MISSED
from jobsworth.runs.cron_job_measures import CronJobSummary, cron_job_summary
from jobsworth.runs.job_measures import JobMeasures
from jobsworth.runs.run_record import PodRecord, RunRecord
from jobsworth.runs.run_statistics import RunSummary, summarize
from jobsworth.runs.virtual_time import HOUR, SECOND, spoken

MAX_LINES = 2000
_RESULTS = {"succeeded": 0, "failed": 1, "ignored": 2, "uncounted": 3, "": 5, "unknown": 5}
_RUNNING = 4
_COLUMNS = ("row", "attempt", "created", "started", "deleted", "ended", "result", "text")


def page_data(record: RunRecord) -> dict[str, Any]:
    """Return the data of a page."""
    chart = _Chart(record)
    dated = record.kind == "CronJob"
    return {
        "end": record.end,
        "dated": dated,
        "start": record.start * SECOND,
        "offsets": [part for change in offset_changes(record) for part in change] if dated else [],
        "by": _row_name(record),
        "rows": chart.labels,
        "due": chart.due,
        "described": chart.described,
        "names": chart.names,
        "texts": list(chart.texts),
        "pods": chart.columns,
        "restarts": chart.restarts,
        "waits": [time for job in record.jobs for wait in job.waits(record.end) for time in wait],
        "marks": [
            [each.at, each.until, each.kind]
            for each in record.occurrences
            if each.kind in ("edit", "away", "rejections", "capacity")
        ],
        "counters": _counters(record),
        "conditions": [
            [each.at, job.name, _condition(each.type, each.status), each.reason, each.message]
            for job in record.jobs
            for each in job.conditions
        ],
        "runs": [[row.due, row.start, row.result] for row in chart.runs],
        "lines": _lines(record),
    }


def _row_name(record: RunRecord) -> str:
    """Return the name of a row of the chart; empty if each Pod has one of its own."""
    if record.kind == "CronJob":
        return "run"
    return "index" if record.job.indexed else ""


class _Chart:
    """The rows of the chart and the Pods in them.

    A Job has a row for each index, or for each Pod. A CronJob has one for each scheduled time, also a missed
    one; more than one for the indexes, or the Pods at once, of a Job.

    Attributes:
        labels: of the rows.
        due: when the run of a row was due.
        described: of a row of a CronJob: the run in words.
        texts: the results of Pods, each with its position.
        restarts: a position of a Pod and the time of a restart in place, by turns.
    """

    def __init__(self, record: RunRecord) -> None:
        self.labels: list[str] = []
        self.due: list[int] = []
        self.described: list[str] = []
        self.names: list[str] = []
        self.texts: dict[str, int] = {}
        self.columns: dict[str, list[int]] = {name: [] for name in _COLUMNS}
        self.restarts: list[int] = []
        self.runs = run_rows(record) if record.kind == "CronJob" else []
        if record.kind == "CronJob":
            self._add_runs(record)
            return
        rows = {
            key: self._row(str(key)) for key in sorted({_own_row(pod) for pod in record.job.pods})
        }
        for pod in record.job.pods:
            self._add(pod, rows[_own_row(pod)])

    def _add_runs(self, record: RunRecord) -> None:
        minutes = Counter(run.due[:20] for run in self.runs)
        for run in self.runs:
            # The hour that a clock change repeats has two times with one name.
            label = f"{run.due[4:20]}{run.due[23:]}" if minutes[run.due[:20]] > 1 else run.due[4:20]
            job = None if run.job is None else record.jobs[run.job]
            if job is None or not job.pods:
                self._row(label, run)
                continue
            lanes = [pod.index or 0 for pod in job.pods] if job.indexed else _lanes(job.pods)
            rows = {
                lane: self._row(f"{label} · {lane}" if job.indexed else label, run)
                for lane in sorted(set(lanes))
            }
            for pod, lane in zip(job.pods, lanes, strict=True):
                self._add(pod, rows[lane])

    def _row(self, label: str, run: RunRow | None = None) -> int:
        self.labels.append(label)
        self.due.append(-1 if run is None else run.at)
        self.described.append("" if run is None else f"{run.due}: {run.start}, {run.result}")
        return len(self.labels) - 1

    def _add(self, pod: PodRecord, row: int) -> None:
        for time in pod.restarts:
            self.restarts += (len(self.names), time)
        self.names.append(pod.name)
        values = (
            row,
            pod.attempt,
            pod.created,
            _or_nothing(pod.started),
            _or_nothing(pod.deleted),
            _or_nothing(pod.ended),
            _RESULTS[pod.counted] if pod.ended is not None or pod.counted else _RUNNING,
            self.texts.setdefault(_result(pod), len(self.texts)),
        )
        for column, value in zip(self.columns.values(), values, strict=True):
            column.append(value)


def _own_row(pod: PodRecord) -> int:
    return pod.attempt if pod.index is None else pod.index


def _lanes(pods: list[PodRecord]) -> list[int]:
    """Return the lane of each Pod, the first that is free when it is created."""
    busy: list[int | None] = []
    lanes = []
    for pod in pods:
        free = (
            lane for lane, until in enumerate(busy) if until is not None and until <= pod.created
        )
        lane = next(free, len(busy))
        busy[lane : lane + 1] = [pod.ended]
        lanes.append(lane)
    return lanes


def _lines(record: RunRecord) -> list[list[Any]]:
    """Return the events; of thousands only those that the table of Pods does not have."""
    lines = timeline(record)
    if len(lines) > MAX_LINES:
        of_pods = ("begun", "created", "disrupted", "ended", "ended at once", "succeeded")
        several = [line for line in lines if line.kind not in of_pods]
        note = f"{len(lines) - len(several)} creations, disruptions and ends: see the table of Pods"
        lines = [TimelineLine(0, record.end, "created", note), *several]
    return [[line.at, line.until, line.text] for line in lines]


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


_Fact = tuple[str, str]


MAX_NOTES = 10


BADGES = {
    "Complete": "succeeded",
    "Failed": "failed",
    "Unfinished": "running",
    "Deleted": "uncounted",
}
"""The color of each outcome of a Job."""


def timeline_page(
    record: RunRecord, *, recorded_in: str = "", sections: Iterable[Section] = ()
) -> str:
    """Return the page.

    Args:
        recorded_in: the file or cluster of a recorded Job; empty for a simulated one.
        sections: to show below the outcome.
    """
    from markupsafe import Markup

    heading, outcome = f"{record.kind} {record.name}", _outcome(record)
    state, _, rest = outcome.partition(" ")
    badge = BADGES.get(state, "")
    return rendered(
        "timeline.html",
        title=f"{heading}: {'recording' if recorded_in else 'simulation'}",
        heading=heading,
        subtitle=_source(record, recorded_in),
        badge=badge,
        state=state if badge else "",
        outcome=rest if badge else outcome,
        sections=sections,
        facts=_page_facts(record, recorded=bool(recorded_in)),
        row=_row_words(record),
        notes=islice(note_lines(record), MAX_NOTES),
        command="jobsworth why" if recorded_in else "jobsworth simulate",
        data=Markup(_embedded(page_data(record))),
    )


def _row_words(record: RunRecord) -> str:
    """Return what the rows of the chart are, to follow "Pods"."""
    if record.kind == "CronJob":
        return " by run and index" if any(job.indexed for job in record.jobs) else " by run"
    return " by index" if record.job.indexed else ""


def _outcome(record: RunRecord) -> str:
    if record.kind == "CronJob":
        return runs_words(cron_job_summary(record), "runs due")
    return next(outcome_lines(record))


def _source(record: RunRecord, recorded_in: str) -> str:
    """Return where the run is from, and what its times mean."""
    begin = local_time(record, 0)
    if recorded_in:
        return f"Recorded in {recorded_in}. Times count from the creation of the Job, {begin}."
    source = f"Simulated in scenario {record.scenario}, seed {record.seed}"
    if record.kind == "Job":
        return f"{source}. Times count from the start."
    zones = dict.fromkeys(
        zone_name(record, at) for at in (0, *(at for at, _ in record.zone_changes))
    )
    end = local_time(record, record.end)
    return f"{source}, from {begin} to {end}. Times are those of {', then '.join(zones)}."


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


def _page_facts(record: RunRecord, *, recorded: bool) -> Iterator[_Fact]:
    """Yield the facts of a run.

    Args:
        recorded: the run is that of a recorded Job.
    """
    summary = summarize(record)
    if summary.measures is not None:
        yield from _of_job(summary.measures)
    if summary.cron_job is not None:
        yield from _of_cron_job(summary.cron_job)
    yield "Pods", f"{summary.pods:,}"
    yield "Failed Pods", _failed_pods(record)
    yield from ((f"Failures, {rule}", f"{number:,}") for rule, number in summary.failures)
    if summary.failed_indexes:
        indexes = failed_indexes(record)
        yield "Failed indexes", f"{summary.failed_indexes:,}{f': {indexes}' if indexes else ''}"
    yield "Pod-hours", f"{summary.used / HOUR:.1f}"
    yield "Pod-hours without success", _wasted(summary)
    yield "Recorded time" if recorded else "Simulated time", spoken(record.end)


def _of_job(measures: JobMeasures) -> Iterator[_Fact]:
    done, at = measures.work_done, measures.to_90_percent
    if done is not None and measures.completions > 1:
        noun = "indexes" if measures.indexed else "completions"
        yield (
            "Work done",
            f"{measures.succeeded:,} of {measures.completions:,} {noun} ({share(done)})",
        )
        yield "90% done", "never" if at is None else f"after {spoken(at)}"
    if measures.most_pods > 1:
        yield "Most Pods at once", f"{measures.most_pods:,}"
    if measures.overlap:
        yield "Work done twice at once", f"for {spoken(measures.overlap)}"


def _of_cron_job(run: CronJobSummary) -> Iterator[_Fact]:
    yield "Runs due", f"{run.due:,}"
    yield "On time", f"{run.on_time:,}"
    if run.late:
        yield "Late", f"{run.late:,}, by up to {spoken(run.delay)}"
    yield from ((f"Missed: {MISSED[reason]}", f"{number:,}") for reason, number in run.missed)
    counts = {
        "complete": run.complete,
        "failed": run.failed,
        "replaced": run.replaced,
        "deleted by a user": run.deleted,
        "unfinished": run.unfinished,
    }
    yield "Jobs", _shares(run.jobs, counts)
    if run.manual:
        yield "Jobs created by a user", f"{run.manual:,}"
    if run.jobs:
        yield "Longest Job", spoken(run.longest)
    if run.overlapping:
        yield "Jobs beside an earlier one", f"{run.overlapping:,}, for {spoken(run.overlap)}"
    if run.most_pods > 1:
        yield "Most Pods at once", f"{run.most_pods:,}"


def _failed_pods(record: RunRecord) -> str:
    """Return the number of failed Pods, and how the Job counted them: ``13, all ignored``."""
    failed = [pod for job in record.jobs for pod in job.pods if pod.failed]
    counts = Counter(pod.counted for pod in failed)
    parts = {
        "counted": counts["failed"],
        "ignored": counts["ignored"],
        "not counted yet": counts[""],
    }
    return _shares(len(failed), parts)


def _shares(total: int, counts: dict[str, int]) -> str:
    """Return a number, and its parts.

    >>> _shares(13, {"ignored": 13}), _shares(3, {"counted": 1, "ignored": 2}), _shares(1, {"failed": 1})
    ('13, all ignored', '3: 1 counted, 2 ignored', '1, failed')
    """
    parts = [(number, words) for words, number in counts.items() if number]
    if len(parts) == 1:
        return f"{total:,}, {'all ' if total > 1 else ''}{parts[0][1]}"
    listed = ", ".join(f"{number:,} {words}" for number, words in parts)
    return f"{total:,}: {listed}" if listed else f"{total:,}"


def _wasted(summary: RunSummary) -> str:
    of = f" ({summary.wasted / summary.used:.0%})" if summary.used else ""
    return f"{summary.wasted / HOUR:.1f}{of}"
