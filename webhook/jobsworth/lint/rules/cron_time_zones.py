"""Rules for the time zone of a CronJob."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jobsworth.api.formats.cron import Schedule
from jobsworth.api.formats.time_zones import known
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.schedule_timing import (
    MONTHS,
    every_day,
    every_hour,
    names_day,
)
from jobsworth.wording import clock

if TYPE_CHECKING:
    from jobsworth.api.formats.clock_changes import ClockChange


_WITHOUT_SUMMER_TIME = {"EST": "America/New_York", "MST": "America/Denver"}
"""Zone names without daylight saving time, and the zone that users usually mean by them."""


@lint_rule(
    "JW407",
    "no-time-zone",
    severity="info",
    summary="A schedule depends on the hour or the day, and timeZone is not set.",
    fixable="unsafe",
    needs=needs.a_cron_job,
)
def no_time_zone(job: LintedJob) -> Iterator[Diagnostic]:
    schedule = job.schedule
    if schedule is None or schedule.every is not None or not schedule.fires_ever():
        return
    has_zone = "timeZone" in (job.cron or {}) or schedule.time_zone is not None
    if has_zone or (every_hour(schedule) and every_day(schedule)):
        return
    yield Diagnostic(
        "spec.schedule",
        "The schedule is evaluated in the local time zone of kube-controller-manager. Set "
        "spec.timeZone.",
        Fix("Set timeZone: Etc/UTC", Edit("set", "spec.timeZone", "Etc/UTC"), safe=False),
    )


@lint_rule(
    "JW408",
    "clock-change",
    severity="info",
    summary="A run is scheduled in the hour that a daylight saving time change skips or repeats.",
    needs=needs.a_cron_job,
)
def clock_change(job: LintedJob) -> Iterator[Diagnostic]:
    schedule = job.schedule
    zone = (job.cron or {}).get("timeZone", "")
    if schedule is None or schedule.every is not None or not zone or every_hour(schedule):
        return
    from jobsworth.api.formats.clock_changes import changes

    effects = []
    for change in changes(zone):
        times = _times_hit(schedule, change)
        if times:
            verb = "is skipped" if change.skips else "starts twice"
            moved = "forward" if change.skips else "back"
            month = MONTHS[change.month - 1]
            effects.append(
                f"the run at {clock(times[0])} {verb} in {month}, when clocks go {moved}"
            )
    if effects:
        yield Diagnostic(
            "spec.schedule",
            f"In {zone}, {'; '.join(effects)}. Schedule the run at another hour, or use Etc/UTC.",
        )


def _times_hit(schedule: Schedule, change: ClockChange) -> list[int]:
    """Return the minutes of the day of isolated runs that clocks skip or show twice."""
    times = [
        minute
        for minute in change.minutes
        if minute % 60 in schedule.minutes
        and minute // 60 in schedule.hours
        # With another run an hour away, one run more or less is what an hourly schedule expects.
        and not {(minute // 60 - 1) % 24, (minute // 60 + 1) % 24} & schedule.hours
    ]
    named = times and any(
        names_day(schedule, change.month, day, change.weekday) for day in change.days
    )
    return times if named else []


@lint_rule(
    "JW418",
    "fixed-offset-zone",
    severity="warning",
    summary="A time zone is a fixed offset from UTC with a misleading name.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_cron_job,
)
def fixed_offset_zone(job: LintedJob) -> Iterator[Diagnostic]:
    zone = (job.cron or {}).get("timeZone", "")
    if zone in _WITHOUT_SUMMER_TIME:
        yield Diagnostic(
            "spec.timeZone",
            f"{zone} has no daylight saving time: in summer it is an hour behind local time. Use "
            f"{_WITHOUT_SUMMER_TIME[zone]} if you mean local time.",
        )
    offset = zone.removeprefix("Etc/GMT")
    if offset == zone or offset[:1] not in ("+", "-") or not offset[1:].strip("0"):
        return
    if zone not in known():
        return
    side, sign = ("behind", "-") if offset[0] == "+" else ("ahead of", "+")
    opposite = int(offset[1:]) if offset[0] == "+" else -int(offset[1:])
    from jobsworth.lint.places import place_at  # few zones are offsets

    found = place_at(job.written, opposite)
    if found is None:
        yield Diagnostic(
            "spec.timeZone",
            f"{zone} is {offset[1:]} h {side} UTC (UTC{sign}{offset[1:]} in other notations) and has no "
            "daylight saving time. Use a zone named after a city, such as Europe/Berlin.",
        )
        return
    place, word = found
    yield Diagnostic(
        "spec.timeZone",
        f"{zone} is {offset[1:]} h {side} UTC, because the sign of these names is inverted, but the manifest "
        f"names {word}, which is as far on the other side. Use {place.zone}.",
        Fix(f"Set timeZone: {place.zone}", Edit("set", "spec.timeZone", place.zone), safe=False),
    )


@lint_rule(
    "JW441",
    "container-time-zone",
    severity="warning",
    summary="A container has its own time zone, and the schedule of its CronJob has none.",
    fixable="unsafe",
    needs=needs.a_cron_job,
)
def container_time_zone(job: LintedJob) -> Iterator[Diagnostic]:
    schedule = job.schedule
    if schedule is None or schedule.every is not None or schedule.time_zone is not None:
        return
    if "timeZone" in (job.cron or {}) or (every_hour(schedule) and every_day(schedule)):
        return
    for _, container in job.containers:
        for variable in container.get("env", ()):
            zone = variable.get("value", "") if variable.get("name") == "TZ" else ""
            if "/" in zone and not zone.startswith("Etc/") and zone in known():
                yield Diagnostic(
                    "spec.schedule",
                    f"The program runs in the time zone {zone} (TZ), but its schedule is in that of the "
                    "kube-controller-manager, which is mostly UTC. Set spec.timeZone.",
                    Fix(f"Set timeZone: {zone}", Edit("set", "spec.timeZone", zone), safe=False),
                )
                return
