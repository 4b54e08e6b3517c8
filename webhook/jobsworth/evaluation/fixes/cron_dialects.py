"""Schedules in the dialects of other schedulers, recognized by what only they have.

Sources: the manuals of Quartz (CronTrigger), Spring (CronExpression), Amazon EventBridge (rate and cron
expressions), Jenkins, Vixie cron (crontab(5)), robfig/cron and systemd.time(7).

>>> recognized("0 0 10 * * ?").schedule, recognized("rate(5 minutes)").schedule
('0 10 * * ?', '*/5 * * * *')
"""

from __future__ import annotations

import re

from jobsworth.api.formats.cron import BadSchedule, parse
from jobsworth.record import Record

FIELDS = ("minute", "hour", "day of month", "month", "day of week")
YEARS = range(1970, 2200)
MINUTES, HOURS = 60, 24

_RATE = re.compile(r"rate\(\s*(\d{1,6})\s+(minute|hour|day)s?\s*\)")
_EVERY = re.compile(
    r"(?:@?every)\s+(\d{1,6})\s*(s|m|h|d|seconds?|minutes?|mins?|hours?|days?)", re.IGNORECASE
)
_CALENDAR = re.compile(
    r"(?:OnCalendar=)?(?:(?P<days>[A-Za-z][A-Za-z.,]*)\s+)?(?P<date>[\d*]+-[\d*/,.]+-[\d*/,.]+\s+)?"
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::00)?"
)
_SPACE_IN_FIELD = re.compile(r"\s*([-,/])\s+|\s+([-,/])\s*")
_DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_COMMAND = re.compile(r"[A-Za-z_/.~$\"']\S*")
_ZONE = re.compile(r"UTC|[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_+\-0-9]*)+")
_HASHED = re.compile(r"H(?:\(\d+-\d+\))?(?:/\d+)?")


_CHOICES = ("7", "3", "1", "1", "1")
_NONE = "Kubernetes has no such schedule"
_WEEKDAYS = (
    f"{_NONE}; run on each of these weekdays, and let the program end at once in other weeks"
)
_LAST_DAY = (
    f"{_NONE}; run on the 1st, or on 28-31 and let the program end at once before the last day"
)
_COUNTED = "Kubernetes counts the days of the week from 0, Sunday, and Quartz from 1"


class Dialect(Record):
    """A schedule in another dialect.

    Attributes:
        hint: the dialect, and what Kubernetes has instead.
        schedule: the same schedule in the dialect of Kubernetes; empty where it has none.
        sure: the schedule has the same runs.
    """

    hint: str
    schedule: str = ""
    sure: bool = False


def recognized(schedule: str) -> Dialect | None:
    """Return the dialect of a schedule that Kubernetes rejects; None if it is of no known one."""
    text = schedule.strip()
    if not text or len(text) > 200:
        return None
    readers = (
        _with_comment,
        _with_zone,
        _wrapped,
        _descriptor,
        _calendar,
        _crontab_line,
        _with_spaces,
        _with_more_fields,
        _with_marks,
    )
    for find in readers:
        found = find(text)
        if found is not None:
            return (
                found
                if not found.schedule or _is_valid(found.schedule)
                else found.replace(schedule="")
            )
    return None


def _is_valid(schedule: str) -> bool:
    try:
        parse(schedule)
    except BadSchedule:
        return False
    return True


def _with_comment(text: str) -> Dialect | None:
    schedule, _, comment = text.partition(" #")
    if not comment.strip() or comment[0].isdecimal() or not _is_valid(schedule.strip()):
        return None
    hint = "the comment is inside the quotes: put it behind them"
    return Dialect(hint, schedule.strip())


def _with_zone(text: str) -> Dialect | None:
    schedule, zone = without_zone(text)
    if not zone or not _is_valid(schedule):
        return None
    return Dialect(f"a schedule has no time zone: set timeZone: {zone} instead")


def without_zone(schedule: str) -> tuple[str, str]:
    """Return a schedule without the time zone behind it, and the zone; empty if there is none.

    >>> without_zone("@daily Europe/Berlin"), without_zone("0 9 * * * /run.sh")
    (('@daily', 'Europe/Berlin'), ('0 9 * * * /run.sh', ''))
    """
    text, _, last = schedule.rpartition(" ")
    return (text.strip(), last) if _ZONE.fullmatch(last) else (schedule, "")


def _wrapped(text: str) -> Dialect | None:
    """Recognize rate(…), cron(…) and at(…) of Amazon EventBridge."""
    rate = _RATE.fullmatch(text)
    if rate is not None:
        meant = _interval(int(rate.group(1)), rate.group(2)[0])
        return Dialect(f"rate() is Amazon EventBridge syntax: {_instead(meant)}", meant)
    if text.startswith("cron(") and text.endswith(")"):
        fields = text[5:-1].split()
        what = "cron() is Amazon EventBridge syntax, with a year as the last field"
        *kept, year = fields or [""]
        rest = " ".join(kept)
        if len(fields) != len(FIELDS) + 1 or not _is_valid(rest):
            inner = _with_marks(rest)
            return Dialect(
                f"{what}; {inner.hint}" if inner is not None else f"{what}: {_instead('')}"
            )
        if _has_digit(kept[-1]):
            return Dialect(f"{what}; {_COUNTED.replace('Quartz', 'EventBridge')}")
        each_year = year in ("*", "?")
        lost = "" if each_year else ", which runs each year"
        return Dialect(f"{what}: write {rest}{lost}", rest, sure=each_year)
    if text.startswith("at(") and text.endswith(")"):
        return Dialect(
            "at() is Amazon EventBridge syntax: to run once, create a Job instead of a CronJob"
        )
    if text.startswith("rate("):
        return Dialect(f"rate() is Amazon EventBridge syntax: {_instead('')}")
    return None


def _instead(schedule: str) -> str:
    return f"write {schedule}" if schedule else f"write the five fields {', '.join(FIELDS)}"


def _interval(count: int, unit: str) -> str:
    """Return the schedule of an interval; empty where the fields cannot express it."""
    if unit == "m" and 0 < count < MINUTES and MINUTES % count == 0:
        return f"*/{count} * * * *" if count > 1 else "* * * * *"
    if unit == "m" and count == MINUTES:
        return "0 * * * *"
    if unit == "h" and 0 < count < HOURS and HOURS % count == 0:
        return f"0 */{count} * * *" if count > 1 else "0 * * * *"
    if (unit == "h" and count == HOURS) or (unit == "d" and count == 1):
        return "0 0 * * *"
    return ""


def _descriptor(text: str) -> Dialect | None:
    word = text.lower()
    if word in ("@reboot", "@restart", "@startup"):
        return Dialect(
            f"{word} is Vixie cron syntax: to run once, create a Job; to run at each start of "
            "a node, create a DaemonSet"
        )
    every = _EVERY.fullmatch(text)
    if every is None:
        return None
    count, unit = int(every.group(1)), every.group(2)[0].lower()
    if unit == "s":
        return Dialect("a CronJob runs at most once a minute: write a number of minutes")
    meant = _interval(count, unit)
    if meant:
        return Dialect(f"@every takes a duration such as 5m or 1h30m; better write {meant}", meant)
    count = count * HOURS if unit == "d" else count
    return Dialect(f"@every takes a duration: write @every {count}{'m' if unit == 'm' else 'h'}")


def _calendar(text: str) -> Dialect | None:
    """Recognize OnCalendar of systemd, such as ``Mon..Fri 02:30``."""
    found = _CALENDAR.fullmatch(text)
    if found is None:
        known = text.startswith(("*-*-*", "OnCalendar="))
        return Dialect(f"this is a calendar event of systemd: {_instead('')}") if known else None
    days = (found["days"] or "*").replace("..", "-")
    meant = f"{int(found['minute'])} {int(found['hour'])} * * {days}"
    if (found["date"] or "*-*-*").strip() != "*-*-*" or not _is_valid(meant):
        meant = ""
    return Dialect(f"this is a calendar event of systemd: {_instead(meant)}", meant)


def _with_spaces(text: str) -> Dialect | None:
    """Recognize a list, range or step with a space in it, which ends a field."""
    joined = _SPACE_IN_FIELD.sub(lambda found: found[1] or found[2], text)
    fields = joined.split()
    if joined == text or len(fields) not in (len(FIELDS) - 1, len(FIELDS)):
        return None
    field = next(each for each in fields if each not in text.split())
    hint = f"a space ends a field: write {field} without one"
    if len(fields) < len(FIELDS):
        fields.append("*")
        hint += f"; then a field is missing, as in {' '.join(fields)}"
        return Dialect(hint, " ".join(fields))
    return Dialect(hint, joined, sure=True)


def _crontab_line(text: str) -> Dialect | None:
    """Recognize a line of a crontab, which has a command after the schedule, in some files after a user."""
    fields = text.split()
    length = 1 if fields[0] in _DESCRIPTORS else len(FIELDS)
    schedule, rest = " ".join(fields[:length]), fields[length:]
    if not rest or not _is_valid(schedule) or not _COMMAND.fullmatch(rest[0]):
        return None
    if length > 1 and (_is_valid(f"* * * * {rest[0]}") or rest[0] in ("L", "W")):
        return None  # a day of the week, after seconds
    return Dialect(
        "this is a line of a crontab: the schedule ends before its command, which belongs into the container",
        schedule,
    )


def _with_more_fields(text: str) -> Dialect | None:
    """Recognize seconds and years, as in Quartz and Spring."""
    fields = text.split()
    if len(fields) not in (6, 7) or text.startswith(("@", "TZ=", "CRON_TZ=")):
        return None
    first, last = fields[0], fields[-1]
    year, seconds = True, True
    if len(fields) == len(FIELDS) + 1:
        aws = "?" in (fields[2], fields[4]) and "?" not in (fields[3], fields[5])
        year = _is_year(last) or aws
        seconds = not year
    names = [
        *([f"the first field, {first}, is seconds (Quartz, Spring)"] if seconds else []),
        *([f"the last field, {last}, is a year (Quartz, Amazon EventBridge)"] if year else []),
    ]
    what = f"{' and '.join(names)}; a schedule has five fields"
    kept = fields[seconds : seconds + len(FIELDS)]
    rest, days = " ".join(kept), kept[-1]
    if not _is_valid(rest):
        inner = _with_marks(rest)
        return Dialect(what if inner is None else f"{what}; {inner.hint}")
    if _has_digit(days):
        if year or "?" in kept:
            return Dialect(f"{what}; {_COUNTED}")
        return Dialect(f"{what}: write {rest}, unless it is a Quartz schedule; {_COUNTED}", rest)
    if seconds and not first.isdecimal():
        return Dialect(f"{what}, and runs at most once a minute: write {rest}", rest)
    each_year = last in ("*", "?")
    lost = "" if not year or each_year else ", which runs each year"
    sure = (not seconds or not first.strip("0")) and (not year or each_year)
    return Dialect(f"{what}: write {rest}{lost}", rest, sure=sure)


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _is_year(text: str) -> bool:
    first = re.split("[-,/]", text)[0]
    return len(first) == 4 and first.isdecimal() and first.isascii() and int(first) in YEARS


def _with_marks(text: str) -> Dialect | None:
    """Recognize L, W, # and H in the fields."""
    fields = text.split()
    if len(fields) != len(FIELDS):
        return None
    if any(map(_HASHED.fullmatch, fields)):
        example = " ".join(map(_chosen, fields, _CHOICES))
        return Dialect(
            f"H is Jenkins syntax, whose value Jenkins chooses: choose one, such as {example}"
        )
    day, weekday = fields[2].upper(), fields[4].upper()
    if "#" in weekday:
        return Dialect(f"# is Quartz syntax for the nth weekday of a month: {_WEEKDAYS}")
    if day in ("L", "LW") or day.startswith("L-"):
        return Dialect(f"L is Quartz syntax for the last day of a month: {_LAST_DAY}")
    if re.fullmatch(r"\d{1,2}W", day):
        return Dialect(f"W is Quartz syntax for the weekday nearest to a day: {_NONE}; write a day")
    if re.fullmatch(r"(?:\d|[A-Z]{3})?L", weekday):
        return Dialect(f"L is Quartz syntax for the last such weekday of a month: {_WEEKDAYS}")
    return None


def _chosen(field: str, choice: str) -> str:
    if _HASHED.fullmatch(field) is None:
        return field
    _, slash, step = field.partition("/")
    return f"*/{step}" if slash else choice
