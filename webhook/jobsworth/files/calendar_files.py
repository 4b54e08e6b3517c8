"""The CronJobs of files and folders, as entries of a calendar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.explained_files import documents_in
from jobsworth.runs.calendar.calendar_entry import CalendarEntry, read_entry
from jobsworth.validation.engine import engine_for, kind_of


def entries_in(
    configurations: Configurations,
    paths: Sequence[str],
    start: int,
    leave_out: Callable[[str], None],
) -> Iterator[CalendarEntry]:
    """Yield the valid CronJobs under some paths.

    Args:
        start: the start of the calendar, in seconds since 1970.
        leave_out: reports a file that is unreadable, or a CronJob that the API server rejects.

    Raises:
        UsageError: a configuration is wrong.
    """
    for read in documents_in(configurations, paths):
        if read.job is None:
            if read.result is None:
                leave_out(str(read.error))
            elif read.result.kind == "CronJob":
                errors = [each for each in read.result.findings if each.finding.severity == "error"]
                line = errors[0].line if errors else 1
                words = (
                    f": {errors[0].finding.field}: {errors[0].finding.message}" if errors else ""
                )
                leave_out(f"{read.result.file}:{line}: the API server rejects this CronJob{words}")
            continue
        document = read.job.document
        if kind_of(document.value).name == "CronJob":
            defaulted = engine_for(read.job.server).default(document.value)
            place = f"{document.file}:{document.position('').line}"
            yield read_entry(defaulted, start, place=place)
