"""The measures of a run as facts of its page: a name and a value each, those that say something."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from jobsworth.whatif.miss_reasons import WORDS
from jobsworth.whatif.run_statistics import summarize
from jobsworth.whatif.timelines.timeline_text import share
from jobsworth.whatif.virtual_time import HOUR, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.cron_job_measures import CronJobSummary
    from jobsworth.whatif.job_measures import JobMeasures
    from jobsworth.whatif.run_record import RunRecord
    from jobsworth.whatif.run_statistics import RunSummary

Fact = tuple[str, str]


def page_facts(record: RunRecord, *, recorded: bool) -> Iterator[Fact]:
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
        yield "Failed indexes", f"{summary.failed_indexes:,}"
    yield "Pod-hours", f"{summary.used / HOUR:.1f}"
    yield "Pod-hours without success", _wasted(summary)
    yield "Recorded time" if recorded else "Simulated time", spoken(record.end)


def _of_job(measures: JobMeasures) -> Iterator[Fact]:
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


def _of_cron_job(run: CronJobSummary) -> Iterator[Fact]:
    yield "Runs due", f"{run.due:,}"
    yield "On time", f"{run.on_time:,}"
    if run.late:
        yield "Late", f"{run.late:,}, by up to {spoken(run.delay)}"
    yield from ((f"Missed: {WORDS[reason]}", f"{number:,}") for reason, number in run.missed)
    counts = {
        "complete": run.complete,
        "failed": run.failed,
        "replaced": run.replaced,
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
