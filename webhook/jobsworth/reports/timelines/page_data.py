"""The data of the page of a run: columns of numbers for its chart, and the rows of its tables.

Times are milliseconds since the start of the run; -1 stands for none.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from jobsworth.reports.timelines.cron_job_table import RunRow, run_rows
from jobsworth.reports.timelines.local_times import offset_changes
from jobsworth.reports.timelines.timeline_lines import TimelineLine, failure, timeline
from jobsworth.runs.run_record import PodRecord, RunRecord
from jobsworth.runs.virtual_time import SECOND

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
