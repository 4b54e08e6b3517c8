"""What was found, in the form and to the place that the command line asks for."""

from __future__ import annotations

import os
import sys

from jobsworth.cli.command import UsageError
from jobsworth.cli.options import Options, choice, flag, text
from jobsworth.reports.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

    from jobsworth.cli.progress import Progress

    Lines = Callable[[Result], Iterator[str]]

WHOLE = ("json", "sarif", "junit", "table")
"""The reports that are written once everything is known; of the others, each result by itself."""

COUNTED = ("text", "concise", "json")
"""The reports that can have statistics."""


class ReportOptions(Options):
    """The options that say what to report, how, and to where."""

    output = choice(
        short="-o",
        default="text",
        choices=("text", "concise", "json", "sarif", "junit", "github"),
        help="How to report: with the source line, one line a finding, for programs, code scanning, "
        "test reports, or as annotations of a GitHub workflow.",
    )
    output_file = text(metavar="FILE", help="Write the report to this file instead.")
    statistics = flag(
        help="Report how often each code was found; without the findings, but for JSON."
    )
    info = flag(help="Show remarks (severity info) in the text report too.")
    quiet = flag(short="-q", help="Report only what is invalid, and no summary.")


def check(options: ReportOptions) -> None:
    """See whether the options for reports go together.

    Raises:
        UsageError: they do not.
    """
    if options.statistics and options.output not in COUNTED:
        raise UsageError(f"--statistics goes with --output {', '.join(COUNTED)}")


def report(results: Iterable[Result], options: ReportOptions, progress: Progress) -> list[Result]:
    """Report results, those of most forms as they come, and give them all.

    Raises:
        UsageError: the file for the report cannot be written.
    """
    if options.output_file is None:
        return _report(results, options, progress, sys.stdout)
    try:
        with open(options.output_file, "w", encoding="utf-8") as file:
            return _report(results, options, progress, file)
    except OSError as error:
        if error.filename not in (None, options.output_file):
            raise
        raise UsageError(
            f"--output-file: {options.output_file} cannot be written: {error.strerror}"
        ) from None


def _report(
    results: Iterable[Result], options: ReportOptions, progress: Progress, out: TextIO
) -> list[Result]:
    output, quiet = options.output, options.quiet
    if output in WHOLE or options.statistics:
        found = list(results)
        shown = [result for result in found if not quiet or _is_wrong(result)]
        progress.clear()
        for line in _whole(output, shown, options.statistics):
            print(line, file=out)
        return found
    lines = _lines(output, out, infos=options.info)
    found = []
    for result in results:
        found.append(result)
        if quiet and not _is_wrong(result):
            continue
        for line in lines(result):
            progress.clear()
            print(line, file=out)
    progress.clear()
    return found


def _is_wrong(result: Result) -> bool:
    return any(located.finding.severity == "error" for located in result.findings)


def _whole(output: str, results: Sequence[Result], statistics: bool) -> Iterable[str]:
    if output == "sarif":
        from jobsworth.reports import sarif

        return [sarif.render(results)]
    if output == "junit":
        from jobsworth.reports import junit

        return [junit.render(results)]
    if output == "json":
        from jobsworth.reports import json_report

        return [json_report.render(results, statistics=statistics)]
    if output == "table":
        from jobsworth.reports import overview

        return overview.render(results)
    from jobsworth.reports.statistics import table

    return table(results)


def _lines(output: str, out: TextIO, *, infos: bool) -> Lines:
    if output == "concise":
        from jobsworth.reports import concise

        return concise.render
    if output == "github":
        from jobsworth.reports import github

        return github.render
    from jobsworth.reports import text

    colour = out.isatty() and not os.environ.get("NO_COLOR")
    return lambda result: text.render(result, colour=colour, infos=infos)
