"""A diagnosis of a CronJob or JobSet as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.controller.times import write_time
from jobsworth.printable import printable
from jobsworth.reports.text_tables import aligned
from jobsworth.reports.why_text import job_lines
from jobsworth.whatif.why.diagnosis import Diagnosis
from jobsworth.whatif.why.owners.cron_job_diagnosis import CronJobDiagnosis

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobsworth.whatif.why.owners.job_set_diagnosis import JobSetDiagnosis

MAX_ROWS, MAX_EVENTS = 10, 5


def why_lines(
    found: Diagnosis | CronJobDiagnosis | JobSetDiagnosis, rule_places: Mapping[str, str]
) -> Iterator[str]:
    """Yield the lines about a Job, CronJob or JobSet.

    Args:
        rule_places: by name of a rule of a Job's failure policy, the file and line where it stands.
    """
    if isinstance(found, Diagnosis):
        yield from job_lines(found, rule_places)
        return
    yield printable(found.sentence)
    rows = _runs(found) if isinstance(found, CronJobDiagnosis) else _children(found)
    heading = "Last runs" if isinstance(found, CronJobDiagnosis) else "Jobs"
    if rows:
        yield ""
        yield heading
        for line in aligned(rows[:MAX_ROWS]):
            yield f"  {printable(line)}"
        if len(rows) > MAX_ROWS:
            yield f"  … {len(rows) - MAX_ROWS} more"
    if isinstance(found, CronJobDiagnosis) and found.events:
        yield ""
        yield "Events of the CronJob"
        for event in sorted(found.events, key=lambda each: each.at or 0)[-MAX_EVENTS:]:
            at = "-" if event.at is None else write_time(event.at)
            yield printable(f"  {at}  {event.reason}  {event.message}")
    if found.job is not None:
        yield ""
        yield from job_lines(found.job, rule_places)


def _runs(found: CronJobDiagnosis) -> list[tuple[str, ...]]:
    return [
        (
            each.name,
            each.title,
            each.state + (f" ({each.reason})" if each.reason else ""),
            "" if each.ended is None else f"ended {write_time(each.ended)}",
        )
        for each in found.runs
    ]


def _children(found: JobSetDiagnosis) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for each in sorted(found.jobs, key=lambda job: (job.failed_at is None, job.complete, job.name)):
        state = "active"
        if each.failed_at is not None:
            state = f"failed {write_time(each.failed_at)}"
        elif each.complete:
            state = "complete"
        elif each.suspended:
            state = "suspended"
        stalled = f"{each.stalled} active Pods are not ready" if each.stalled else ""
        rows.append((each.name, each.replicated_job, state, stalled))
    return rows
