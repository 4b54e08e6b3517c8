"""``jobsworth schedule`` for many CronJobs: a calendar of those of a cluster, or of files and folders."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from jobsworth.cli.cluster_options import (
    ClusterOptions,
    reading_client,
    request_timeout_option,
    target_of,
)
from jobsworth.cli.options import Options, flag, group, number, option, words
from jobsworth.cli.output_files import STDOUT, write_lines
from jobsworth.cli.terminal import print_note, terminal_width
from jobsworth.installation import missing_extra
from jobsworth.printable import printable
from jobsworth.runs.calendar import CalendarEntry, CronCalendar
from jobsworth.usage_error import InputError, UsageError

EXIT_DONE, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2
MAX_DAYS = 31
FORMATS = ("text", "json", "html")


class CalendarOptions(Options):
    """Options for a calendar of many CronJobs."""

    heading = "Calendar"

    cluster = group(ClusterOptions)
    namespace: tuple[str, ...] = words(
        "--namespace",
        "-n",
        metavar="NAME,...",
        help="A calendar of the CronJobs of these namespaces.",
    )
    all_namespaces: bool = flag(
        "--all-namespaces", "-A", help="A calendar of the CronJobs of all namespaces."
    )
    days: int = option(
        "--days", default=7, type=number, metavar="N", help="The number of days of a calendar."
    )
    request_timeout: int = request_timeout_option()

    @property
    def of_cluster(self) -> bool:
        """True if they select CronJobs of a cluster."""
        named = self.cluster.kubeconfig or self.cluster.context
        return bool(self.all_namespaces or self.namespace or named)


class CalendarPeriod:
    """The period of a calendar.

    Args:
        start: seconds since 1970.
        zone: the name of the time zone of its hours.

    Raises:
        UsageError: it has too many days.
    """

    def __init__(self, start: int, days: int, zone: str) -> None:
        if days > MAX_DAYS:
            raise UsageError(f"--days must be at most {MAX_DAYS}")
        self.start = start
        self.days = days
        self.zone = zone


def print_calendar(
    options: CalendarOptions,
    paths: Sequence[str],
    period: CalendarPeriod,
    outputs: Sequence[tuple[str, str]],
) -> int:
    """Print a calendar, and return the exit code.

    Args:
        paths: files and folders; empty for the CronJobs of a cluster.
        outputs: the formats with their files.

    Raises:
        UsageError: an option's value or a configuration is wrong; there are too many runs.
    """
    from jobsworth.runs.calendar import TooManyStarts, calendar_of

    left_out: list[str] = []
    try:
        if options.of_cluster:
            entries = _of_cluster(options, period, left_out)
        else:
            entries = _of_files(paths, period, left_out)
    except _ClusterError as error:
        print(printable(f"Error: {error}"), file=sys.stderr)
        return EXIT_UNREADABLE
    try:
        calendar = calendar_of(entries, period.start, period.days, period.zone)
    except TooManyStarts as error:
        raise UsageError(str(error)) from None
    if paths and not entries and not left_out:
        raise InputError(f"no CronJob in {', '.join(paths)}")
    for name, file in outputs:
        write_lines(_rendered(name, file, calendar), file)
    for each in left_out:
        print_note(f"left out: {each}")
    if not entries and not left_out:
        print_note("no CronJobs found")
    return EXIT_INVALID if left_out or calendar.unknown_zones else EXIT_DONE


class _ClusterError(Exception):
    """A call to the cluster failed; the message is for users."""


def _of_files(
    paths: Sequence[str], period: CalendarPeriod, left_out: list[str]
) -> list[CalendarEntry]:
    from jobsworth.files.configuration.configurations import Configurations
    from jobsworth.files.configuration.settings import Settings
    from jobsworth.files.objects_in_files import entries_in

    configurations = Configurations(Settings())
    return list(entries_in(configurations, paths, period.start, left_out.append))


def _of_cluster(
    options: CalendarOptions, period: CalendarPeriod, left_out: list[str]
) -> list[CalendarEntry]:
    if options.namespace and options.all_namespaces:
        raise UsageError("--namespace and --all-namespaces exclude each other: use one of them")
    try:
        return list(_stored_entries(options, period, left_out))
    except ImportError as error:
        raise UsageError(missing_extra("connections to a cluster", "cluster", error.name)) from None


def _stored_entries(
    options: CalendarOptions, period: CalendarPeriod, left_out: list[str]
) -> Iterator[CalendarEntry]:
    from jobsworth.api.formats.cron import BadSchedule
    from jobsworth.audit.audited_objects import AuditScope
    from jobsworth.audit.cluster_audit import namespace_labels
    from jobsworth.audit.health_objects import stored_cron_jobs
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import rest_config
    from jobsworth.runs.calendar import read_entry

    try:
        with rest_config(target_of(options.cluster)) as config:
            named: list[str | None] = list(dict.fromkeys(options.namespace))
            namespaces = [None] if options.all_namespaces else named or [config.namespace]
            api = reading_client(config, timeout=options.request_timeout)
            stored_objects, scope = StoredObjects(api), AuditScope(namespaces)
            namespace_labels(stored_objects, scope, config.name, print_note, wanted=False)
            for stored in stored_cron_jobs(stored_objects, scope):
                try:
                    yield read_entry(stored, period.start)
                except BadSchedule as error:
                    meta = stored["metadata"]
                    left_out.append(f"{meta['namespace']}/{meta['name']}: {error}")
    except ApiError as error:
        advice = ": grant the verb list on cronjobs" if error.code == 403 else ""
        raise _ClusterError(f"{error.explanation or error}{advice}") from None


def _rendered(name: str, file: str, calendar: CronCalendar) -> Iterator[str]:
    if name == "json":
        from jobsworth.documents.declared import report_text
        from jobsworth.reports.schedule_report import calendar_report

        yield report_text(calendar_report(calendar))
    elif name == "html":
        from jobsworth.reports.calendar_page import calendar_page

        yield calendar_page(calendar)
    else:
        from jobsworth.reports import calendar_words

        width = terminal_width(sys.stdout) if file == STDOUT else None
        yield from calendar_words.render(calendar, width=width)
