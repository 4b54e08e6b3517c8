"""The text report of ``jobsworth audit --health``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.printable import printable
from jobsworth.reports.text_tables import aligned, wrapped_line
from jobsworth.whatif.health.problems import problems_by_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.health.cluster_health import ClusterHealth
    from jobsworth.whatif.health.cron_job_health import CronJobHealth

_HEADER = (
    "CRONJOB", "SCHEDULE", "DUE", "SUCCEEDED", "FAILED", "RUNNING", "ENDED", "LATE", "SKIPPED", "WAITING",
    "UNKNOWN",
)  # fmt: skip
_STATES = ("succeeded", "failed", "running", "started", "late", "skipped", "waiting", "unknown")


def render(health: ClusterHealth, *, infos: bool, width: int | None) -> Iterator[str]:
    """Return the lines: a table of the CronJobs, and the problems of each object.

    Args:
        infos: also show info problems.
        width: the columns of the terminal; None for no limit.
    """
    if health.cron_jobs and health.since is not None:
        yield from aligned([_HEADER, *map(_row, health.cron_jobs)], width)
    objects = [(name, found) for name, found in problems_by_object(health) if found]
    for name, found in objects:
        shown = [each for each in found if infos or each.severity != "info"]
        if not shown:
            continue
        yield ""
        yield printable(name)
        for problem in shown:
            line = printable(f"  {problem.severity}: {problem.message} [{problem.code}]")
            yield from wrapped_line(line, width)


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
