"""Rules about the time zone of a CronJob."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.rule import Complaint, lint_rule
from jobsworth.lint.schedule_timing import (
    MONTHS,
    clock_time,
    every_day,
    every_hour,
    names_day,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.api.formats.clock_changes import ClockChange
    from jobsworth.api.formats.cron import Schedule
    from jobsworth.lint.linted_job import Subject


_WITHOUT_SUMMER_TIME = {"EST": "America/New_York", "MST": "America/Denver"}
"""Names that stand for winter time all the year, and the zone that people mean by them."""


@lint_rule(
    "JW407",
    "no-time-zone",
    severity="info",
    summary="A schedule depends on the hour or the day, and no time zone is named.",
    fixable="unsafe",
)
def no_time_zone(job: Subject) -> Iterator[Complaint]:
    schedule = job.schedule
    if schedule is None or schedule.every is not None or not schedule.fires_ever():
        return
    has_zone = "timeZone" in (job.cron or {}) or schedule.time_zone is not None
    if has_zone or (every_hour(schedule) and every_day(schedule)):
        return
    yield Complaint(
        "spec.schedule",
        "the hours are those of the machine that kube-controller-manager runs on: "
        "say in timeZone which are meant",
        Fix("set timeZone to UTC", Edit("set", "spec.timeZone", "Etc/UTC"), safe=False),
    )


@lint_rule(
    "JW408",
    "clock-change",
    severity="info",
    summary="A run is due at a time that clocks skip or show twice once a year.",
)
def clock_change(job: Subject) -> Iterator[Complaint]:
    schedule = job.schedule
    zone = (job.cron or {}).get("timeZone", "")
    if schedule is None or schedule.every is not None or not zone or every_hour(schedule):
        return
    from jobsworth.api.formats.clock_changes import changes

    effects = []
    for change in changes(zone):
        times = _times_hit(schedule, change)
        if times:
            verb = "left out" if change.skips else "started twice"
            moved = "forward" if change.skips else "back"
            month = MONTHS[change.month - 1]
            effects.append(
                f"the run at {clock_time(times[0])} is {verb} in {month}, when clocks go {moved}"
            )
    if effects:
        yield Complaint("spec.schedule", f"in {zone} {'; '.join(effects)}")


def _times_hit(schedule: Schedule, change: ClockChange) -> list[int]:
    """The minutes of the day at which it fires alone, and that clocks skip or show twice."""
    if not any(names_day(schedule, change.month, day, change.weekday) for day in change.days):
        return []
    return [
        minute
        for minute in change.minutes
        if minute % 60 in schedule.minutes
        and minute // 60 in schedule.hours
        # Beside a run an hour away, one more or less is no more than the clocks say.
        and not {(minute // 60 - 1) % 24, (minute // 60 + 1) % 24} & schedule.hours
    ]


@lint_rule(
    "JW418",
    "fixed-offset-zone",
    severity="info",
    summary="A time zone is a fixed offset from UTC whose name misleads.",
)
def fixed_offset_zone(job: Subject) -> Iterator[Complaint]:
    zone = (job.cron or {}).get("timeZone", "")
    if zone in _WITHOUT_SUMMER_TIME:
        yield Complaint(
            "spec.timeZone",
            f"{zone} is winter time all the year: in summer {_WITHOUT_SUMMER_TIME[zone]} is an hour "
            "ahead of it",
        )
    offset = zone.removeprefix("Etc/GMT")
    if offset != zone and offset[:1] in ("+", "-") and offset[1:].strip("0"):
        side, sign = ("behind", "-") if offset[0] == "+" else ("ahead of", "+")
        yield Complaint(
            "spec.timeZone",
            f"{zone} is {offset[1:]} h {side} UTC, elsewhere written UTC{sign}{offset[1:]}, and has "
            "no summer time: name a place, such as Europe/Berlin",
        )
