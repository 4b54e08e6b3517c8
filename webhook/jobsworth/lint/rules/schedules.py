"""Rules for cron schedules that fire at other times than their text suggests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from jobsworth.api.formats import cron
from jobsworth.api.formats.cron import Schedule
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Check, Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.schedule_timing import MONTHS, WEEKDAYS, months_left_out
from jobsworth.wording import duration, listing
from kube_cel.formats.bounded_cache import bounded_cache
from kube_cel.formats.go_numbers import capped

FIELD = "spec.schedule"
MAX_NAME_LENGTH = 60

_MINUTE = 10**9 * 60  # in nanoseconds
_UNITS = (
    ("minutes", 60, 0),
    ("hours", 24, 0),
    ("days of the month", 31, 1),
    ("months", 12, 1),
    ("weekdays", 7, 0),
)
"""The unit, number of values and first value of each of the five fields of a schedule."""


def of_schedule(check: Callable[[Schedule, list[str]], Iterator[Diagnostic]]) -> Check:
    """Make a check of CronJobs from one that depends on nothing but the schedule.

    Manifests repeat schedules, so its results are remembered by their text.

    Args:
        check: takes the parsed schedule and its five fields as text; a descriptor such as ``@daily`` has
            five stars.
    """
    results = bounded_cache(lambda text: tuple(check(cron.parse(text), _fields(text))))

    def check_job(job: LintedJob) -> Iterable[Diagnostic]:
        return results(job.cron["schedule"]) if job.cron and job.schedule is not None else ()

    check_job.__name__ = check.__name__
    return check_job


@lint_rule(
    "JW401",
    "schedule-never-fires",
    severity="warning",
    summary="A schedule matches no existing date.",
    confidence="certain",
    needs=needs.a_cron_job,
)
def schedule_never_fires(job: LintedJob) -> Iterator[Diagnostic]:
    # Users keep a suspended CronJob with such a schedule to start it by hand.
    if job.schedule is None or job.schedule.fires_ever() or (job.cron or {}).get("suspend"):
        return
    yield Diagnostic(
        FIELD,
        "The CronJob never starts a Job: the schedule matches no existing date. Correct the day or month; if "
        "you start its Jobs by hand only, set suspend: true.",
    )


@lint_rule(
    "JW402",
    "skips-short-months",
    severity="warning",
    summary="A schedule names a day of the month that some of its months do not have.",
    needs=needs.a_cron_job,
)
@of_schedule
def skips_short_months(schedule: Schedule, fields: list[str]) -> Iterator[Diagnostic]:
    if schedule.every is not None or not schedule.fires_ever():
        return
    left_out = months_left_out(schedule)
    if not left_out or len(left_out) == len(schedule.months):
        return
    first = min(schedule.days_of_month)
    names = [MONTHS[month - 1] for month in left_out]
    if left_out[0] == 2 and first == 29:
        names[0] = "February of most years"
    yield Diagnostic(
        FIELD,
        f"No run in {listing(names)}, which {'have' if len(names) > 1 else 'has'} no day {first}. "
        "Use day 28, or day 1 of the next month.",
    )


@lint_rule(
    "JW403",
    "day-of-month-or-weekday",
    severity="warning",
    summary="A schedule restricts both the day of the month and the weekday.",
    needs=needs.a_cron_job,
)
@of_schedule
def day_of_month_or_weekday(schedule: Schedule, fields: list[str]) -> Iterator[Diagnostic]:
    if schedule.every is not None or not schedule.fires_ever():
        return
    if schedule.any_day_of_month or schedule.any_day_of_week:
        return
    all_dates = len(schedule.days_of_month) == 31
    all_weekdays = len(schedule.days_of_week) == len(WEEKDAYS)
    if all_dates and all_weekdays:
        return
    _, _, dates, _, weekdays = fields
    either = "so a day that matches either is enough"
    effect = "that is, every day" if all_dates or all_weekdays else either
    yield Diagnostic(
        FIELD,
        f"The schedule fires on days of the month {dates} and also on weekdays {weekdays}, {effect}. "
        "Set one of the two fields to *, and check the other in the program.",
    )


@lint_rule(
    "JW404",
    "every-minute-of-hour",
    severity="warning",
    summary="A schedule fires in every minute of a single hour, or of hours that `*/1` names.",
    fixable="unsafe",
    needs=needs.a_cron_job,
)
@of_schedule
def every_minute_of_hour(schedule: Schedule, fields: list[str]) -> Iterator[Diagnostic]:
    if schedule.every is not None or not schedule.fires_ever():
        return
    hours = schedule.hours
    each_hour = fields[1] == "*/1"  # it says "every hour"
    single = each_hour or not any((hour + 1) % 24 in hours for hour in hours)
    if len(schedule.minutes) < 60 or not single:
        return
    _, hour, *others = fields
    once = " ".join(["0", "*" if each_hour else hour, *others])
    yield Diagnostic(
        FIELD,
        "The * in the first field means every minute: 60 runs in each hour that matches. Use "
        f'"{once}" for one run in each.',
        Fix(f"Set schedule: {once}", Edit("set", FIELD, once), safe=False),
    )


@lint_rule(
    "JW422",
    "every-minute-of-day",
    severity="warning",
    summary="A schedule fires in every minute of single days.",
    fixable="unsafe",
    needs=needs.a_cron_job,
)
@of_schedule
def every_minute_of_day(schedule: Schedule, fields: list[str]) -> Iterator[Diagnostic]:
    if schedule.every is not None or not schedule.fires_ever():
        return
    if len(schedule.minutes) < 60 or len(schedule.hours) < 24 or not _single_days(schedule):
        return
    _, _, *others = fields
    once = " ".join(["0", "0", *others])
    yield Diagnostic(
        FIELD,
        "The first two fields, *, mean every minute: 1,440 runs on each day that matches. Use "
        f'"{once}" for one run on each.',
        Fix(f"Set schedule: {once}", Edit("set", FIELD, once), safe=False),
    )


def _single_days(schedule: Schedule) -> bool:
    """Return True if a schedule names days of which no two are adjacent."""
    dates, weekdays = schedule.days_of_month, schedule.days_of_week
    adjacent_dates = any(date + 1 in dates for date in dates)
    adjacent_weekdays = any((weekday + 1) % 7 in weekdays for weekday in weekdays)
    return (
        (schedule.any_day_of_month or not adjacent_dates)
        and (schedule.any_day_of_week or not adjacent_weekdays)
        and not (schedule.any_day_of_month and schedule.any_day_of_week)
    )


EXPECTED = {
    "hourly": 3600,
    "daily": 86_400,
    "nightly": 86_400,
    "weekly": 7 * 86_400,
    "monthly": 28 * 86_400,
    "quarterly": 90 * 86_400,
    "yearly": 365 * 86_400,
}
"""Words for how often a CronJob runs, with the seconds between two runs at least."""
OFTEN = 4
"""A schedule contradicts such a word if it fires this many times as often or as seldom."""


@lint_rule(
    "JW427",
    "schedule-contradicts-name",
    severity="warning",
    summary="A name or label says how often a CronJob runs, and its schedule fires much more or less often.",
    needs=needs.a_cron_job,
)
def schedule_contradicts_name(job: LintedJob) -> Iterator[Diagnostic]:
    gap = job.shortest_gap
    if gap is None or job.cron is None:
        return
    labels: dict[str, str] = job.written["metadata"].get("labels", {})
    said = {
        word: text
        for text in (*labels.values(), job.name)
        for word in _first_and_last(text)
        if word in EXPECTED
    }
    if len(said) != 1:
        return
    ((word, text),) = said.items()
    if gap * OFTEN <= EXPECTED[word]:
        how = f"fires every {duration(gap)}"
    elif gap >= EXPECTED[word] * OFTEN and word != "yearly":
        how = f"has {duration(gap)} between two runs"
    else:
        return
    yield Diagnostic(
        FIELD,
        f"{text[:MAX_NAME_LENGTH]} says {word}, and the schedule {how}. Correct the schedule, or the name.",
    )


def _first_and_last(text: str) -> set[str]:
    """Return the first and the last word of a name, which say how often it runs.

    >>> sorted(_first_and_last("payment-sessions-hourly")), sorted(_first_and_last("daily"))
    (['hourly', 'payment'], ['daily'])
    """
    words = text.lower().replace("_", "-").split("-")
    return {words[0], words[-1]}


@lint_rule(
    "JW405",
    "uneven-step",
    severity="info",
    summary="A step does not divide the hour or the day, so its last interval is shorter.",
    confidence="opinion",
    needs=needs.a_cron_job,
)
@of_schedule
def uneven_step(schedule: Schedule, fields: list[str]) -> Iterator[Diagnostic]:
    if schedule.every is not None or not schedule.fires_ever():
        return
    minutes, hours, *_ = fields
    # Without adjacent hours, the interval after the last minute is hours long anyway.
    if any((hour + 1) % 24 in schedule.hours for hour in schedule.hours):
        yield from _gap_at_the_end(minutes, "minutes", 60, "hour")
    if len(schedule.days_of_month) == 31 and len(schedule.days_of_week) == len(WEEKDAYS):
        yield from _gap_at_the_end(hours, "hours", 24, "day")


@lint_rule(
    "JW426",
    "step-above-half",
    severity="warning",
    summary="A step of more than half an hour, or half a day, fires twice with two different intervals.",
    needs=needs.a_cron_job,
)
@of_schedule
def step_above_half(schedule: Schedule, fields: list[str]) -> Iterator[Diagnostic]:
    if schedule.every is not None or not schedule.fires_ever():
        return
    minutes, hours, *_ = fields
    if any((hour + 1) % 24 in schedule.hours for hour in schedule.hours):
        yield from _gap_at_the_end(minutes, "minutes", 60, "hour", above_half=True)
    if len(schedule.days_of_month) == 31 and len(schedule.days_of_week) == len(WEEKDAYS):
        yield from _gap_at_the_end(hours, "hours", 24, "day", above_half=True)


def _gap_at_the_end(
    field: str, unit: str, size: int, whole: str, *, above_half: bool = False
) -> Iterator[Diagnostic]:
    step = _step(field, size, 0)
    if step is None or step >= size or size % step == 0 or (2 * step > size) is not above_half:
        return
    last = (size - 1) // step * step
    yield Diagnostic(
        FIELD,
        f"{field} restarts with each {whole}: the run after {unit[:-1]} {last} follows after "
        f"{size - last} {unit}, not {step}. {_near(step, size)}",
    )


def _near(step: int, size: int) -> str:
    even = [number for number in range(2, size) if size % number == 0]
    below = max((number for number in even if number < step), default=even[0])
    above = min((number for number in even if number > step), default=even[-1])
    steps = [f"*/{number}" for number in sorted({below, above})]
    return f"Use a step that divides it: {' or '.join(steps)}."


@lint_rule(
    "JW419",
    "step-too-large",
    severity="warning",
    summary="A step is larger than the range of its field.",
    confidence="certain",
    needs=needs.a_cron_job,
)
@of_schedule
def step_too_large(schedule: Schedule, fields: list[str]) -> Iterator[Diagnostic]:
    if schedule.every is not None:
        return
    for field, (unit, size, first) in zip(fields, _UNITS, strict=True):
        step = _step(field, size, first)
        if step is not None and step > size:
            yield Diagnostic(
                FIELD,
                f"{field} is the same as {first}: the field has only {size} {unit}, and a step does not "
                f"extend beyond them. Use a step below {size}.",
            )


def _step(field: str, size: int, first: int) -> int | None:
    """Return the step of a field that starts at its first value; None for other fields."""
    begin, slash, step = field.partition("/")
    whole = ("*", "?", str(first), f"{first}-{first + size - 1}")
    return capped(step) if slash and begin in whole and step.isdecimal() else None


@lint_rule(
    "JW406",
    "every-descriptor",
    severity="warning",
    summary="A schedule is an interval, `@every …`.",
    needs=needs.a_cron_job,
)
@of_schedule
def every_descriptor(schedule: Schedule, fields: list[str]) -> Iterator[Diagnostic]:
    if schedule.every is None:
        return
    interval = duration(schedule.every // 10**9)
    message = (
        f"The schedule fires {interval} after the creation of the CronJob and after each run, at no fixed "
        "time of day. Use a schedule of five fields."
    )
    if schedule.every < _MINUTE:
        message = (
            f"An interval of {interval} is too short: Job names contain the minute, so only the first run "
            "of each minute starts. Use an interval of 1 min or more."
        )
    yield Diagnostic(FIELD, message)


def _fields(schedule: str) -> list[str]:
    """Return the five fields of a schedule; five stars for a descriptor such as ``@daily``."""
    words = schedule.split()
    if words and words[0].startswith(("TZ=", "CRON_TZ=")):
        words = words[1:]
    return words if len(words) == len(_UNITS) else ["*"] * len(_UNITS)
