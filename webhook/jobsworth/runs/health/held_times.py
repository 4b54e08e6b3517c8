"""Periods in which something kept the runs of a CronJob from starting: an unfinished Job, or a rejection."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from jobsworth.controller.cron_jobs.schedule_times import NEVER
from jobsworth.runs.health.evidence import CronJobEvidence

ON_TIME = 10
"""A Job that is created within so many seconds after its scheduled time is on time: times of objects have no
fractions of a second, and a busy controller may sync later."""


class Hold(NamedTuple):
    """A period in which no run starts, up to `until`, exclusive, and the Job that is the cause."""

    begun: int
    until: int
    name: str = ""


class Holds:
    """Disjoint periods, searched by time."""

    def __init__(self, holds: Iterable[Hold]) -> None:
        self._holds = sorted(holds)
        self._begins = [hold.begun for hold in self._holds]

    def at(self, time: int) -> Hold | None:
        """Return the period that has a time; None without one."""
        place = bisect_right(self._begins, time) - 1
        if place < 0 or time >= self._holds[place].until:
            return None
        return self._holds[place]


def jobs_in_the_way(evidence: CronJobEvidence) -> Iterator[Hold]:
    """Yield the periods in which a Job kept others from starting.

    A Job that is unfinished when a later one starts is none that the controller counts as active.
    """
    last = evidence.cron_job.status.last_schedule
    following = NEVER
    created = [run for run in evidence.runs.values() if run.created is not None]
    for run in sorted(created, key=lambda each: each.created or 0, reverse=True):
        begun = run.created or 0
        if run.ended is not None:
            yield Hold(begun, min(following, run.ended), run.name)
        elif run.stored and (following < NEVER or last is None or last <= begun):
            yield Hold(begun, following, run.name)
        following = begun


def rejections(evidence: CronJobEvidence) -> Iterator[Hold]:
    """Yield the periods in which, as Events show, the API server rejected Jobs."""
    periods = []
    for event in evidence.rejections:
        last = event.recorded.at
        if last is not None:
            first = last if event.recorded.first is None else event.recorded.first
            periods.append((first - ON_TIME, last + 1))
    until = -NEVER
    for first, end in sorted(periods):
        if end > until:
            yield Hold(max(first, until), end)
            until = end
