"""A run as text for the terminal: events, a chart of its Pods, the outcome, and further questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from jobsworth.controller.index_sets import IndexSet
from jobsworth.reports.timelines import cron_job_table, job_set_table
from jobsworth.reports.timelines.pod_chart import chart_lines
from jobsworth.reports.timelines.timeline_lines import timeline
from jobsworth.runs.job_measures import JobMeasures
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.run_statistics import summarize
from jobsworth.runs.virtual_time import HOUR, MINUTE, SECOND, clock, spoken
from jobsworth.runs.waiting import Waiting
from jobsworth.wording import plural

MAX_LINES = 60
MAX_TEXT = 60


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
    if record.kind == "JobSet":
        yield from _shortened(list(job_set_table.table_lines(record)))
        yield ""
        yield from job_set_table.job_set_chart_lines(record)
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


def outcome_lines(record: RunRecord) -> Iterator[str]:
    """Yield the outcome of a run, and what it cost."""
    summary = summarize(record)
    pods = [pod for job in record.jobs for pod in job.pods]
    if record.kind == "Job":
        job = record.job
        if job.by_user and job.deleted is not None:
            yield f"Deleted after {spoken(job.deleted - job.created)}: {job.reason}"
        elif job.finished is None:
            waits = job.reason if job.waiting is None else waiting_words(record, job.waiting)
            yield f"Unfinished after {spoken(record.end)}: {waits}"
        else:
            yield f"{job.outcome} after {spoken(job.finished - job.created)}: {job.reason}"
    elif record.kind == "JobSet":
        yield from job_set_table.outcome_lines(record)
    else:
        yield from cron_job_table.outcome_lines(record)
    counts = Counter(pod.counted for pod in pods)
    words = {
        "succeeded": "succeeded",
        "failed": "failed and counted",
        "ignored": "failed and ignored",
        "uncounted": "removed, not counted",
        "unknown": "gone, end unknown",
        "": "not ended",
    }
    parts = [f"{counts[key]} {words[key]}" for key in words if counts[key]]  # type: ignore[index]
    yield f"Pods       {len(pods)}{': ' if parts else ''}{', '.join(parts)}"
    if summary.measures is not None:
        yield from _work(summary.measures)
    indexes = failed_indexes(record)
    if indexes:
        yield f"Failed     {plural('index', len(record.job.failed_indexes))} {indexes} for good"
    what = "in Pods that did not succeed"
    if summary.job_set is not None and summary.job_set.restarts:
        what += ", or that a restart replaced"
    share = f" ({summary.wasted / summary.used:.0%})" if summary.used else ""
    yield (
        f"Pod-hours  {summary.used / HOUR:.1f}, of which {summary.wasted / HOUR:.1f}{share} {what}"
    )
    if summary.failures:
        rules = ", ".join(f"{rule}: {number}" for rule, number in summary.failures)
        yield f"Failures   {rules}"


def _work(measures: JobMeasures) -> Iterator[str]:
    done = measures.work_done
    if done is not None and measures.completions > 1:
        noun = "indexes" if measures.indexed else "completions"
        at = measures.to_90_percent
        reached = "; 90% never" if at is None else f"; 90% after {spoken(at)}"
        yield (
            f"Work       {measures.succeeded:,} of {measures.completions:,} {noun} succeeded "
            f"({share(done)}){reached}"
        )
    if measures.most_pods > 1:
        twice = f"; for {spoken(measures.overlap)} work ran twice" if measures.overlap else ""
        yield f"At once    at most {measures.most_pods:,} Pods{twice}"


def failed_indexes(record: RunRecord) -> str:
    """Return the indexes of a Job that failed for good, by number, shortened; empty if there are none."""
    if record.kind != "Job":
        return ""
    text = IndexSet.of([index for _, index in record.job.failed_indexes]).text
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT].rpartition(',')[0]},…"


def share(value: float) -> str:
    """Return a share in whole percent; 100% only if all is done.

    >>> share(0.9996), share(1)
    ('99%', '100%')
    """
    return f"{int(value * 100 + 1e-9)}%"


def waiting_words(record: RunRecord, waiting: Waiting) -> str:
    """Return what an unfinished Job waits for, with times since the start of the run."""
    return waiting.sentence(lambda time: clock(round((time - record.start) * SECOND)))


def suggestion_lines(record: RunRecord) -> Iterator[str]:
    """Yield a hint if no disruption hit a Pod of the run."""
    pods = [pod for job in record.jobs for pod in job.pods]
    if any(pod.cause for pod in pods):
        return
    ran = [(pod.started, pod.ended) for pod in pods if pod.started is not None]
    if not ran:
        return
    started, ended = ran[0]
    half = ((record.end if ended is None else ended) - started) // 2
    time = _written(started + half)
    yield ""
    yield (
        f"No disruption hit a Pod in this run. Ask what if: --drain {time}, --node-lost {time}, "
        f"--spot {_written(half)}, --image-typo,"
    )
    yield f"--controller-restart {time}. --runs 200 shows the chances, --print-scenario the scenario to edit."


def _written(milliseconds: int) -> str:
    """Return a time as an option takes it.

    >>> _written(90_000), _written(754_000)
    ('90s', '12m')
    """
    if milliseconds < 2 * MINUTE:
        return f"{max(1, milliseconds // SECOND)}s"
    return f"{milliseconds // MINUTE}m"
