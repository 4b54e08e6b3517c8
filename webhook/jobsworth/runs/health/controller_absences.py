"""Recognize absences of the CronJob controller: nothing that it does is stored while runs of several CronJobs
were due.

One CronJob alone does not show it: a user may have deleted its Job.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from jobsworth.runs.cause import Cause
from jobsworth.runs.health.accounted_runs import AccountedRun, AccountedWindow
from jobsworth.runs.health.evidence import CronJobEvidence, StoredEvent
from jobsworth.runs.health.held_times import ON_TIME

WITNESSES = 2
"""The least number of CronJobs whose runs did not start."""
COMPONENT_REASONS = frozenset(
    ("SuccessfulCreate", "SuccessfulDelete", "SawCompletedJob", "JobAlreadyActive", "MissSchedule")
)
"""Reasons of Events that only a running CronJob controller emits about a CronJob."""


class Absence(NamedTuple):
    """A period in which no CronJob started a Job. Times are seconds since 1970.

    Attributes:
        begin: the first time at which a run was due and did not start.
        end: the next sign of life of the controller; None without one.
        cron_jobs: how many CronJobs had runs due.
    """

    begin: int
    end: int | None
    cron_jobs: int


def signs_of_life(evidences: Iterable[CronJobEvidence], events: Iterable[StoredEvent]) -> list[int]:
    """Return the times at which the CronJob controller did anything that is stored."""
    found = {
        run.created
        for evidence in evidences
        for run in evidence.runs.values()
        if run.created is not None
    }
    for event in events:
        at, reason = event.recorded.at, event.recorded.reason
        if event.recorded.kind == "CronJob" and reason in COMPONENT_REASONS and at is not None:
            found.add(at)
    return sorted(found)


def with_absences(
    windows: Mapping[str, AccountedWindow], signs: list[int]
) -> tuple[dict[str, AccountedWindow], tuple[Absence, ...]]:
    """Return the windows, by the UIDs of their CronJobs, with the runs that absences explain; and these."""
    witnesses: dict[int, dict[str, int]] = {}
    for uid, window in windows.items():
        for run, gap in _in_gaps(window.runs, signs):
            witnesses.setdefault(gap, {}).setdefault(uid, run.scheduled)
    absences = {
        gap: Absence(min(first.values()), signs[gap] if gap < len(signs) else None, len(first))
        for gap, first in sorted(witnesses.items())
        if len(first) >= WITNESSES
    }
    explained = {
        uid: _explained(window, signs, absences) if absences else window
        for uid, window in windows.items()
    }
    return explained, tuple(absences.values())


def _in_gaps(runs: Iterable[AccountedRun], signs: list[int]) -> Iterator[tuple[AccountedRun, int]]:
    """Yield the unexplained runs at whose time the controller shows no sign, with the number of the gap."""
    for run in runs:
        if run.unexplained:
            gap = bisect_left(signs, run.scheduled)
            if bisect_right(signs, run.scheduled + ON_TIME) == gap:
                yield run, gap


def _explained(
    window: AccountedWindow, signs: list[int], absences: Collection[int]
) -> AccountedWindow:
    away = {run.scheduled for run, gap in _in_gaps(window.runs, signs) if gap in absences}
    return replace(
        window,
        runs=tuple(_away(run) if run.scheduled in away else run for run in window.runs),
    )


def _away(run: AccountedRun) -> AccountedRun:
    state = "Skipped" if run.state == "Unknown" else run.state
    return replace(run, cause=Cause.CONTROLLER_AWAY, state=state)
