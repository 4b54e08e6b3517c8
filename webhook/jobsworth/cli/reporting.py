"""What was found, in the form and to the place that the command line asks for."""

from __future__ import annotations

import os
import sys

from jobsworth.cli.command import Option, UsageError
from jobsworth.reports.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, TextIO

    from jobsworth.cli.progress import Progress

    Lines = Callable[[Result], Iterator[str]]

WHOLE = ("json", "sarif", "junit", "table")
"""The reports that are written once everything is known; of the others, each result by itself."""

COUNTED = ("text", "concise", "json")
"""The reports that can have statistics."""

OPTIONS = (
    Option(
        "--output",
        short="-o",
        default="text",
        choices=("text", "concise", "json", "sarif", "junit", "github"),
        help="How to report: with the source line, one line a finding, for programs, code scanning, "
        "test reports, or as annotations of a GitHub workflow.",
    ),
    Option("--output-file", metavar="FILE", help="Write the report to this file instead."),
    Option(
        "--statistics",
        flag=True,
        help="Report how often each code was found; without the findings, but for JSON.",
    ),
    Option("--info", flag=True, help="Show remarks (severity info) in the text report too."),
    Option("--quiet", short="-q", flag=True, help="Report only what is invalid, and no summary."),
)


def check(values: dict[str, Any]) -> None:
    """See whether the options for reports go together.

    Raises:
        UsageError: they do not.
    """
    if values["statistics"] and values["output"] not in COUNTED:
        raise UsageError(f"--statistics goes with --output {', '.join(COUNTED)}")


def report(results: Iterable[Result], values: dict[str, Any], progress: Progress) -> list[Result]:
    """Report results, those of most forms as they come, and give them all.

    Raises:
        UsageError: the file for the report cannot be written.
    """
    if values["output_file"] is None:
        return _report(results, values, progress, sys.stdout)
    try:
        file = open(values["output_file"], "w", encoding="utf-8")  # noqa: SIM115 - closed below
    except OSError as error:
        raise UsageError(
            f"--output-file: {values['output_file']} cannot be written: {error.strerror}"
        ) from None
    with file:
        return _report(results, values, progress, file)


def _report(
    results: Iterable[Result], values: dict[str, Any], progress: Progress, out: TextIO
) -> list[Result]:
    output, quiet = values["output"], values["quiet"]
    if output in WHOLE or values["statistics"]:
        found = list(results)
        shown = [result for result in found if not quiet or _is_wrong(result)]
        progress.clear()
        for line in _whole(output, shown, values["statistics"]):
            print(line, file=out)
        return found
    lines = _lines(output, out, infos=values["info"])
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
