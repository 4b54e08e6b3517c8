"""The text report of ``jobsworth health``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import quote

from jobsworth.printable import printable
from jobsworth.reports.sections import Fact, fact_lines
from jobsworth.reports.text import painted
from jobsworth.reports.text_tables import aligned, wrapped_line
from jobsworth.runs.health.cluster_health import ClusterHealth
from jobsworth.runs.health.cron_job_health import CronJobHealth
from jobsworth.runs.health.problems import Problem, problems_by_object
from jobsworth.runs.why.summary import MAX_WORDS, brief

_HEADER = (
    "CRONJOB", "SCHEDULE", "DUE", "SUCCEEDED", "FAILED", "RUNNING", "ENDED", "LATE", "SKIPPED", "WAITING",
    "UNKNOWN",
)  # fmt: skip
_IDENTIFIERS = (0, 1)
"""Columns that are copied: names and schedules."""
_STATES = ("succeeded", "failed", "running", "started", "late", "skipped", "waiting", "unknown")


def render(
    health: ClusterHealth,
    *,
    infos: bool,
    width: int | None,
    color: bool = False,
    files: Sequence[str] = (),
) -> Iterator[str]:
    """Return the lines: a table of the CronJobs, without the states of no run, and the problems.

    Args:
        infos: also show info problems.
        width: the columns of the terminal; None for no limit.
        color: use terminal colors.
        files: those that were read; none for a cluster.
    """
    first = True
    if health.cron_jobs and health.since is not None:
        rows = [_HEADER, *map(_row, health.cron_jobs)]
        kept = [
            number for number, cells in enumerate(zip(*rows, strict=True)) if {*cells[1:]} != {"-"}
        ]
        shown_rows = [tuple(row[number] for number in kept) for row in rows]
        yield from aligned(shown_rows, width, unbroken=_IDENTIFIERS)
        first = False
    told = {
        f"{each.evidence.namespace}/Job/{each.block.job}"
        for each in health.cron_jobs
        if each.block is not None and each.block.wait is not None
    }
    """Jobs in the way of a CronJob, which says what they wait for."""
    for name, found in problems_by_object(health):
        if name in told:
            continue
        shown = [each for each in found if infos or each.severity != "info"]
        if not shown:
            continue
        if not first:
            yield ""
        first = False
        for problem in shown:
            command = _why(name, files) if problem is shown[0] else ""
            yield from _problem_lines(name, problem, command, width, color=color)


def _problem_lines(
    name: str, problem: Problem, command: str, width: int | None, *, color: bool
) -> Iterator[str]:
    whole = problem.headline or problem.message
    words = brief(whole, MAX_WORDS - 3)
    why = problem.why or ("" if words == whole else whole)
    headline = printable(f"{problem.severity}: {name}: {words} [{problem.code}]")
    for line in wrapped_line(headline, width, hanging=2):
        yield painted(line, problem.severity) if color else line
    facts = (
        Fact("Cause", why),
        Fact("Fix", *problem.fix),
        Fact("Next", problem.following),
        Fact("More", "", command),
    )
    for fact in facts:
        if fact.text or fact.command:
            yield from fact_lines(fact, width, color=color)


def _why(name: str, files: Sequence[str]) -> str:
    """Return the command that explains an object; empty for another kind."""
    namespace, kind, object_name = (*name.split("/"), "")[:3]
    if kind not in ("CronJob", "Job") or "-" in files:
        return ""
    reference = quote(f"{kind.lower()}/{object_name}")
    within = f" -n {quote(namespace)}" if namespace else ""
    if files:
        return f"jobsworth why --job {reference}{within} {' '.join(map(quote, files))}"
    return f"jobsworth why {reference}{within}"


def _row(health: CronJobHealth) -> tuple[str, ...]:
    cron_job = health.evidence.cron_job
    zone = f" ({cron_job.time_zone})" if cron_job.time_zone else ""
    suspended = ", suspended" if health.suspended else ""
    assert health.window is not None
    counted = health.window.counts()
    shown = [counted[state] for state in _STATES]
    return (
        printable(f"{health.evidence.namespace}/{cron_job.name}"),
        printable(f"{cron_job.written}{zone}{suspended}"),
        str(len(health.window.runs)),
        *(str(number) if number else "-" for number in shown),
    )
