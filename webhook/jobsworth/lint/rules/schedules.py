"""Rules about cron schedules: what they come to is not what they seem to say."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import examples
from jobsworth.lint.rule import Complaint, Rule
from jobsworth.lint.schedule_timing import (
    MONTHS,
    WEEKDAYS,
    listed,
    months_left_out,
    spelled,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import Subject

PAGE = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/"
SYNTAX = f"Kubernetes, CronJob, Schedule syntax, {PAGE}#schedule-syntax"
PARSER = "github.com/robfig/cron/v3, the parser of the CronJob controller, https://pkg.go.dev/github.com/robfig/cron/v3"
CONTROLLER = "pkg/controller/cronjob, Kubernetes 1.36"
FIELD = "spec.schedule"

_MINUTE = 10**9 * 60  # in nanoseconds
_UNITS = (
    ("minutes", 60, 0),
    ("hours", 24, 0),
    ("days of the month", 31, 1),
    ("months", 12, 1),
    ("weekdays", 7, 0),
)
"""What the five fields of a schedule count, how many of them there are, and the first."""


def _never_fires(job: Subject) -> Iterator[Complaint]:
    schedule = job.schedule
    # A CronJob that is suspended as well is kept to be started by hand.
    if schedule is None or schedule.fires_ever() or (job.cron or {}).get("suspend"):
        return
    yield Complaint(FIELD, "no such date or time ever comes: this CronJob never starts a Job")


def _skips_short_months(job: Subject) -> Iterator[Complaint]:
    schedule = job.schedule
    if schedule is None or schedule.every is not None or not schedule.fires_ever():
        return
    left_out = months_left_out(schedule)
    if not left_out or len(left_out) == len(schedule.months):
        return
    first = min(schedule.days_of_month)
    names = [MONTHS[month - 1] for month in left_out]
    if left_out[0] == 2 and first == 29:
        names[0] = "February of most years"
    yield Complaint(
        FIELD,
        f"no run in {listed(names)}, which {'have' if len(names) > 1 else 'has'} no day {first}: "
        "take day 28, or day 1 of the month that follows",
    )


def _dom_dow_or(job: Subject) -> Iterator[Complaint]:
    schedule = job.schedule
    if schedule is None or schedule.every is not None or not schedule.fires_ever():
        return
    if schedule.any_day_of_month or schedule.any_day_of_week:
        return
    all_dates = len(schedule.days_of_month) == 31
    all_weekdays = len(schedule.days_of_week) == len(WEEKDAYS)
    if all_dates and all_weekdays:
        return
    _, _, dates, _, weekdays = _fields(job)
    if all_dates or all_weekdays:
        effect = "which is every day"
    else:
        effect = "so also on days on which only one of them is true"
    yield Complaint(
        FIELD,
        f"it fires on days of the month {dates} and besides on weekdays {weekdays}, {effect}: "
        "leave one of them *, and let the program look at the other",
    )


def _every_minute_of_hour(job: Subject) -> Iterator[Complaint]:
    schedule = job.schedule
    if schedule is None or schedule.every is not None or not schedule.fires_ever():
        return
    hours = schedule.hours
    if len(schedule.minutes) < 60 or any((hour + 1) % 24 in hours for hour in hours):
        return
    _, *others = _fields(job)
    once = " ".join(["0", *others])
    yield Complaint(
        FIELD,
        f'* in the first field is every minute, 60 runs an hour; "{once}" is one',
        Fix("run once, at minute 0", Edit("set", FIELD, once), safe=False),
    )


def _uneven_step(job: Subject) -> Iterator[Complaint]:
    schedule = job.schedule
    if schedule is None or schedule.every is not None or not schedule.fires_ever():
        return
    minutes, hours, *_ = _fields(job)
    # Where no hour follows another, the gap behind the last minute is hours long anyway.
    if any((hour + 1) % 24 in schedule.hours for hour in schedule.hours):
        yield from _gap_at_the_end(minutes, "minutes", 60, "hour")
    if len(schedule.days_of_month) == 31 and len(schedule.days_of_week) == len(WEEKDAYS):
        yield from _gap_at_the_end(hours, "hours", 24, "day")


def _gap_at_the_end(field: str, unit: str, size: int, whole: str) -> Iterator[Complaint]:
    step = _step(field, size, 0)
    if step is None or step >= size or size % step == 0:
        return
    last = (size - 1) // step * step
    yield Complaint(
        FIELD,
        f"{field} begins anew with each {whole}: after {unit[:-1]} {last} the next run comes after "
        f"{size - last} {unit}, not {step}; {_near(step, size)}",
    )


def _near(step: int, size: int) -> str:
    even = [number for number in range(2, size) if size % number == 0]
    below = max((number for number in even if number < step), default=even[0])
    above = min((number for number in even if number > step), default=even[-1])
    steps = [f"*/{number}" for number in sorted({below, above})]
    return f"{listed(steps)} {'come' if len(steps) > 1 else 'comes'} out even"


def _step_too_large(job: Subject) -> Iterator[Complaint]:
    schedule = job.schedule
    if schedule is None or schedule.every is not None:
        return
    for field, (unit, size, first) in zip(_fields(job), _UNITS, strict=True):
        step = _step(field, size, first)
        if step is not None and step > size:
            yield Complaint(
                FIELD,
                f"{field} is the same as {first}: there are only {size} {unit}, and a step does "
                "not reach beyond them",
            )


def _step(field: str, size: int, first: int) -> int | None:
    """The step of a field that starts at its beginning; None for other fields."""
    begin, slash, step = field.partition("/")
    whole = ("*", "?", str(first), f"{first}-{first + size - 1}")
    return int(step) if slash and begin in whole and step.isdecimal() else None


def _every_descriptor(job: Subject) -> Iterator[Complaint]:
    schedule = job.schedule
    if schedule is None or schedule.every is None:
        return
    interval = spelled(schedule.every // 10**9)
    message = (
        f"it fires {interval} after the run before, and first {interval} after the CronJob was "
        "created, at no certain time of day; write minutes and hours in five fields"
    )
    if schedule.every < _MINUTE:
        message = (
            f"every {interval} is too often: Jobs are named by the minute, and of those that fall "
            "into one minute only the first is started"
        )
    yield Complaint(FIELD, message)


def _fields(job: Subject) -> list[str]:
    """The five fields of a schedule that has them; those that a descriptor stands for are stars."""
    words: list[str] = (job.cron or {}).get("schedule", "").split()
    if words and words[0].startswith(("TZ=", "CRON_TZ=")):
        words = words[1:]
    return words if len(words) == len(_UNITS) else ["*"] * len(_UNITS)


ZONE = "  timeZone: Etc/UTC\n"

RULES = (
    Rule(
        "JW401",
        "schedule-never-fires",
        severity="warning",
        summary="A schedule names no date or time that exists.",
        why="""\
The API server only looks at the form of a schedule. A 30 February passes, and then no Job is ever
started; the controller reports InvalidSchedule in an event that nobody reads, as nothing seems to
fail. A CronJob that is suspended as well is left alone: it serves as a template for `kubectl
create job --from`.""",
        sources=(f"{CONTROLLER}: utils.go, mostRecentScheduleTime", SYNTAX),
        bad=examples.cron_job('  schedule: "0 0 30 2 *"\n' + ZONE),
        good=examples.cron_job('  schedule: "0 0 28 2 *"\n' + ZONE),
        check=_never_fires,
    ),
    Rule(
        "JW402",
        "skips-short-months",
        severity="warning",
        summary="A schedule names a day of the month that some of its months do not have.",
        why="""\
A run on day 31 takes place seven times a year; in the other months it is not moved to the last
day, it is left out. There is no sign for the last day of a month in this syntax.""",
        sources=(SYNTAX, PARSER),
        bad=examples.cron_job('  schedule: "0 6 31 * *"\n' + ZONE),
        good=examples.cron_job('  schedule: "0 6 1 * *"\n' + ZONE),
        check=_skips_short_months,
    ),
    Rule(
        "JW403",
        "day-of-month-or-weekday",
        severity="warning",
        summary="A schedule restricts both the day of the month and the weekday.",
        why="""\
With both restricted, a day is taken that either of them names, not one that both do. What reads
as the first Monday of a month runs on each of its first seven days, and on every Monday.""",
        sources=(
            "kubernetes/kubernetes#125610, https://github.com/kubernetes/kubernetes/issues/125610",
            f"{PARSER}: spec.go, dayMatches",
        ),
        bad=examples.cron_job('  schedule: "0 6 1-7 * mon"\n' + ZONE),
        good=examples.cron_job('  schedule: "0 6 * * mon"\n' + ZONE),
        check=_dom_dow_or,
    ),
    Rule(
        "JW404",
        "every-minute-of-hour",
        severity="warning",
        summary="A schedule fires in every minute of a single hour.",
        why="""\
`* 3 * * *` reads as three o'clock, and is sixty runs from 3:00 to 3:59. Sixty nightly backups
start within an hour, most of them while others run.""",
        sources=(SYNTAX,),
        bad=examples.cron_job('  schedule: "* 3 * * *"\n' + ZONE),
        good=examples.cron_job('  schedule: "0 3 * * *"\n' + ZONE),
        check=_every_minute_of_hour,
        fixable="unsafe",
    ),
    Rule(
        "JW405",
        "uneven-step",
        severity="info",
        summary="A step does not divide the hour or the day, so that its last gap is shorter.",
        why="""\
`*/45` is not every 45 minutes: the step begins anew with each hour, and so it fires at minute 0
and at minute 45, with gaps of 45 and 15 minutes. A run that needs the longer gap meets the next
one.""",
        sources=(SYNTAX, PARSER),
        bad=examples.cron_job('  schedule: "*/45 * * * *"\n'),
        good=examples.cron_job('  schedule: "*/30 * * * *"\n'),
        check=_uneven_step,
    ),
    Rule(
        "JW406",
        "every-descriptor",
        severity="warning",
        summary="A schedule is an interval, `@every …`.",
        why="""\
The parser takes it, but Kubernetes does not document it among its descriptors. It has no place in
the day: runs are counted from the creation of the CronJob, so that to make it anew moves them
all. An interval below a minute is not kept, because the name of a Job is made of the minute in
which it is due.""",
        sources=(SYNTAX, f"{CONTROLLER}: utils.go, mostRecentScheduleTime and getJobFromTemplate2"),
        bad=examples.cron_job('  schedule: "@every 90m"\n'),
        good=examples.cron_job('  schedule: "0 */2 * * *"\n' + ZONE),
        check=_every_descriptor,
    ),
    Rule(
        "JW419",
        "step-too-large",
        severity="warning",
        summary="A step is larger than the field that it counts in.",
        why="""\
`*/90` in the minutes is not every 90 minutes. A step does not reach into the next hour, so what
is left of it is minute 0: once an hour.""",
        sources=(SYNTAX, PARSER),
        bad=examples.cron_job('  schedule: "*/90 * * * *"\n'),
        good=examples.cron_job('  schedule: "0 */2 * * *"\n' + ZONE),
        check=_step_too_large,
    ),
)
