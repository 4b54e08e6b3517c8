"""``jobsworth schedule``: the next runs of a cron schedule, or a calendar of many CronJobs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from jobsworth import validate_text
from jobsworth.api.formats import time_zones
from jobsworth.api.formats.cron import BadSchedule, parse
from jobsworth.api.formats.cron_times import next_times
from jobsworth.cli.command import Command
from jobsworth.cli.cron_calendars import (
    FORMATS,
    CalendarOptions,
    CalendarPeriod,
    print_calendar,
)
from jobsworth.cli.options import Options, arguments, group, number, option, words
from jobsworth.cli.output_files import STDOUT, outputs_of
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.terminal import print_note
from jobsworth.controller.times import problem_of_time
from jobsworth.printable import printable
from jobsworth.usage_error import InputError, UsageError
from jobsworth.wording import duration

EXIT_DONE, EXIT_INVALID = 0, 1

MAX_RUNS = 10_000
DEFAULT_ZONE = "UTC"
ENDINGS = (".yaml", ".yml", ".json")
"""Endings of the names of files; no schedule has one."""


class ScheduleOptions(Options):
    """The options of ``jobsworth schedule``."""

    time_zone: str | None = option(
        "--time-zone",
        metavar="TZ",
        help="The CronJob's timeZone, such as Europe/Berlin, or that of a calendar's hours; default: "
        "UTC, the zone of most clusters.",
    )
    from_: str | None = option(
        "--from",
        "from_",
        metavar="TIME",
        help="Begin after this time: 2027-03-27, 2027-03-27T01:30 in the time zone, or with an offset; "
        "default: now; for a calendar, the start of the day.",
    )
    count: int = option(
        "--count", default=10, type=number, metavar="N", help="Print this many runs."
    )
    output: tuple[str, ...] = words(
        "--output",
        "-o",
        metavar="FORMAT[=FILE]",
        help="text, json, or html for a calendar; several may be given.",
    )
    calendar = group(CalendarOptions)
    expression: tuple[str, ...] = arguments("expression", "[EXPRESSION|FILE...]")


@dataclass(frozen=True, slots=True)
class CronRuns:
    """The next runs of a schedule.

    Attributes:
        zone: the name of the time zone.
        runs: in that time zone; fewer than requested if there are no more within five years.
    """

    schedule: str
    zone: str
    start: datetime
    runs: tuple[datetime, ...]


def run(options: ScheduleOptions) -> int:
    """Print the next runs of a schedule or a calendar, and return the exit code.

    Raises:
        UsageError: an option's value is wrong.
        InputError: a file does not exist, or the time zone database is missing.
    """
    outputs = outputs_of(options.output, FORMATS)
    for each in options.expression:
        if each.endswith(ENDINGS) and not os.path.lexists(each):
            raise InputError(f"{each}: no such file or folder; check the path")
    paths = [each for each in options.expression if each == "-" or os.path.lexists(each)]
    if not options.expression and not options.calendar.of_cluster:
        raise UsageError(
            "name a schedule in quotes, files with CronJobs, or -A for those of a cluster"
        )
    # The shell makes each asterisk of a schedule without quotes all files of a folder.
    only_files = len(set(paths)) == len(options.expression)
    if options.calendar.of_cluster or only_files:
        if options.calendar.of_cluster and options.expression:
            raise UsageError("a calendar is of a cluster, or of files: omit one of them")
        return print_calendar(options.calendar, paths, _period(options), outputs)
    if len(options.expression) != 1:
        raise UsageError('quote the expression: jobsworth schedule "30 2 * * *"')
    ((format_, file),) = outputs if len(outputs) == 1 else (("", ""),)
    if format_ not in ("text", "json") or file != STDOUT:
        raise UsageError("--output: for one expression, use text or json, without a file")
    if options.count > MAX_RUNS:
        raise UsageError(f"--count must be at most {MAX_RUNS}")
    (expression,) = options.expression
    try:
        schedule = parse(expression)
    except BadSchedule as error:
        print_note(f"error: invalid schedule: {error}")
        for line in _advice("spec.schedule", {"schedule": expression}):
            print_note(line)
        return EXIT_INVALID
    if schedule.time_zone is not None and options.time_zone is not None:
        raise UsageError("--time-zone: the expression has a time zone itself; write only one")
    written = "" if schedule.time_zone == "Local" else schedule.time_zone  # that of the controller
    name = options.time_zone or written or DEFAULT_ZONE
    zone = _zone(name)
    start = _start(options.from_, zone)
    found = next_times(schedule.replace(time_zone=name), start, options.count)
    runs = CronRuns(expression, name, start, tuple(found))
    as_utf8(sys.stdout)
    for line in _json(runs) if format_ == "json" else _text(runs):
        print(line)
    if len(found) < options.count:
        what = "further run" if found else "run"
        print(f"no {what} within five years", file=sys.stderr)
    return EXIT_DONE if found else EXIT_INVALID


def _period(options: ScheduleOptions) -> CalendarPeriod:
    name = options.time_zone or DEFAULT_ZONE
    start = _start(options.from_, _zone(name))
    if options.from_ is None:
        start = start.replace(hour=0, minute=0, second=0, microsecond=0)
    return CalendarPeriod(int(start.timestamp()), options.calendar.days, name)


def _zone(name: str) -> ZoneInfo:
    problems = time_zones.validate(name)
    if problems:
        advice = _advice("spec.timeZone", {"schedule": "@daily", "timeZone": name})
        raise UsageError("; ".join([f"--time-zone: {problems[-1]}", *advice]))
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError, ValueError):
        raise InputError(
            f"this machine has no time zone database with {name}: run pip install tzdata"
        ) from None


def _advice(field: str, spec: dict[str, str]) -> Iterator[str]:
    """Yield the hint and the fix that ``jobsworth validate`` has for a field of a CronJob.

    Args:
        field: the field path.
        spec: the fields of the CronJob's spec.
    """
    container = {"name": "main", "image": "registry.example.com/main:1"}
    pod = {"restartPolicy": "Never", "containers": [container]}
    cron_job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "schedule"},
        "spec": {**spec, "jobTemplate": {"spec": {"template": {"spec": pod}}}},
    }
    for located in validate_text(json.dumps(cron_job)):
        finding = located.finding
        if finding.source != "api" or finding.field != field:
            continue
        if finding.hint:
            yield f"hint: {finding.hint}"
        if finding.fix is not None:
            yield f"fix: {finding.fix.title} ({'safe' if finding.fix.safe else 'unsafe'})"


def _start(text: str | None, zone: ZoneInfo) -> datetime:
    if text is None:
        return datetime.now(zone)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f'--from: "{text}" is not a time such as 2027-03-27, 2027-03-27T01:30 or 2027-03-27T01:30:00Z'
        ) from None
    problem = problem_of_time(moment.replace(tzinfo=moment.tzinfo or zone).timestamp())
    if problem:
        raise UsageError(f"--from: {problem}")
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)


def _text(runs: CronRuns) -> Iterator[str]:
    start = _local(runs.start)
    yield printable(f"{runs.schedule}  ({runs.zone}), after {start}")
    yield from _lines(runs.start, runs.runs)


def _lines(start: datetime, runs: Sequence[datetime]) -> Iterator[str]:
    for before, run_ in pairwise((start, *runs)):
        shift = (run_.utcoffset() or timedelta()) - (before.utcoffset() or timedelta())
        if shift:
            way = "forward" if shift > timedelta() else "back"
            yield f"  -- clocks go {way} by {duration(int(abs(shift).total_seconds()))} --"
        yield f"{_local(run_)}  {run_.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _local(time: datetime) -> str:
    offset = time.isoformat(timespec="seconds")[19:]
    return f"{time:%a %Y-%m-%d %H:%M:%S} {offset}"


def _json(runs: CronRuns) -> Iterator[str]:
    from jobsworth.documents.declared import report_text
    from jobsworth.reports.schedule_report import schedule_report

    yield report_text(schedule_report(runs.schedule, runs.zone, runs.start, runs.runs))


COMMAND = Command(
    "schedule",
    help="""Print the next runs of a cron schedule, as the CronJob controller computes them, or a calendar.

EXPRESSION is a CronJob's schedule, in quotes. With -A, -n, or files and folders instead, the calendar of
all their CronJobs: how many start in each hour, the minutes with most Pods, and what changes of the clocks
do. Around clock changes, runs are skipped or repeated as in a
cluster. An interval (@every 90m) is counted from --from; the controller counts it from the last run.
Exit codes: 0, 1 if the schedule is invalid or never fires, 2 if the command line is wrong.""",
    epilog="""\b
Examples:
  jobsworth schedule "30 4 * * mon-fri"
  jobsworth schedule "30 2 * * *" --time-zone Europe/Berlin --count 3
  jobsworth schedule "0 0 29 2 *" --output json
  jobsworth schedule -A -o html=calendar.html   # the CronJobs of a cluster
  jobsworth schedule manifests/ --from 2027-03-22 --time-zone Europe/Berlin
""",
    options=ScheduleOptions,
    run=run,
)
