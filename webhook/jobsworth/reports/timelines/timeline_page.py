"""A run as one self-contained HTML page: measures, chart, counters, conditions, and the same data as tables.

The page loads nothing; a Content Security Policy in it forbids that. The chart is drawn on a canvas, because
with 10,000 Pods every element in the document costs: a table shows 50 rows at a time.
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
from jobsworth.reports.timelines.cron_job_table import note_lines, runs_words
from jobsworth.reports.timelines.local_times import local_time, zone_name
from jobsworth.reports.timelines.page_data import page_data
from jobsworth.reports.timelines.timeline_text import failed_indexes, outcome_lines, share
from jobsworth.runs.cause import MISSED
from jobsworth.runs.cron_job_measures import CronJobSummary, cron_job_summary
from jobsworth.runs.job_measures import JobMeasures
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.run_statistics import RunSummary, summarize
from jobsworth.runs.virtual_time import HOUR, spoken

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
