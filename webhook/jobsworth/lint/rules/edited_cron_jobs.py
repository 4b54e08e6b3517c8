"""Rules for the update of a CronJob: the run that it starts although its time has passed, or gives up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.wording import duration

if TYPE_CHECKING:
    from jobsworth.lint.edited_schedule import EditedSchedule

_AN_HOUR = 3600
"""A run more or less of a CronJob that runs more often is not reported."""


@lint_rule(
    "JW423",
    "edit-starts-run",
    severity="warning",
    summary="An update of a CronJob starts a run whose time has passed.",
    confidence="certain",
    needs=needs.an_edited_cron_job,
)
def edit_starts_run(job: LintedJob) -> Iterator[Diagnostic]:
    edited = _edited(job)
    if edited is None or not edited.known:
        return
    started = edited.effect.started
    if started is not None:
        yield Diagnostic(edited.field, f"{edited.start(started)} {edited.advice(started)}")


@lint_rule(
    "JW424",
    "edit-may-start-run",
    severity="warning",
    summary="An update of a CronJob of unknown status may start a run whose time has passed.",
    needs=needs.an_edited_cron_job,
)
def edit_may_start_run(job: LintedJob) -> Iterator[Diagnostic]:
    edited = _edited(job)
    if edited is None or edited.known:
        return
    window = edited.window
    if window is None:
        return
    started = window.started
    yield Diagnostic(
        edited.field,
        f"{edited.start(started)} {edited.condition(window)} {edited.advice(started)}",
    )


@lint_rule(
    "JW425",
    "edit-skips-run",
    severity="info",
    summary="An update of a CronJob leaves out a run.",
    confidence="certain",
    needs=needs.an_edited_cron_job,
)
def edit_skips_run(job: LintedJob) -> Iterator[Diagnostic]:
    edited = _edited(job)
    if edited is None or not edited.known:
        return
    effect, following = edited.effect, edited.effect.following
    by_hand = f"If it is needed, create its Job: kubectl create job --from=cronjob/{job.name} NAME."
    if effect.given_up is not None:
        yield Diagnostic(
            edited.field,
            f"The run of {edited.local(effect.given_up)} waits for the end of a running Job, and does not "
            f"start after this edit. {by_hand}",
        )
    elif effect.left_out is not None and following is not None:
        yield Diagnostic(
            edited.field,
            f"The run of {edited.local(effect.left_out)} does not start, and the next one is that of "
            f"{edited.local(following.scheduled)}: {duration(edited.gap(following))} after the last one, "
            f"which is longer than with either schedule. {by_hand}",
        )


def _edited(job: LintedJob) -> EditedSchedule | None:
    """Return the edit of the CronJob; None if its runs are frequent, or a schedule cannot be parsed."""
    gap = job.shortest_gap
    if gap is None or gap < _AN_HOUR:
        return None
    from jobsworth.lint.edited_schedule import edited_schedule  # few runs have an update

    return edited_schedule(job)
