"""What was found, in the form and to the place that the command line asks for."""

from __future__ import annotations

import os
import sys

from jobsworth.cli.command import UsageError
from jobsworth.cli.options import Options, choice, flag, text
from jobsworth.reports.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TextIO

    from jobsworth.cli.progress import Progress


class Reporter:
    """A form of report.

    Args:
        module: the module of :mod:`jobsworth.reports` that renders it.
        whole: it is written once everything is known; otherwise each result by itself.
        counted: it can have statistics.
        takes: the settings that its renderer takes.
    """

    __slots__ = ("_module", "counted", "takes", "whole")

    def __init__(
        self,
        module: str,
        *,
        whole: bool = False,
        counted: bool = False,
        takes: tuple[str, ...] = (),
    ) -> None:
        self._module = module
        self.whole = whole
        self.counted = counted
        self.takes = takes

    def renderer(self, **settings: bool) -> Callable[[Any], Any]:
        """Return the function that renders a result, or all of them; only now it is imported."""
        from importlib import import_module

        render: Callable[..., Any] = import_module(f"jobsworth.reports.{self._module}").render
        taken = {name: settings[name] for name in self.takes}
        return lambda found: render(found, **taken)


REPORTERS = {
    "text": Reporter("text", counted=True, takes=("colour", "infos")),
    "concise": Reporter("concise", counted=True),
    "json": Reporter("json_report", whole=True, counted=True, takes=("statistics",)),
    "sarif": Reporter("sarif", whole=True),
    "junit": Reporter("junit", whole=True),
    "github": Reporter("github"),
    "table": Reporter("overview", whole=True),
}
"""The forms of reports by the name that --output has for them; ``table`` is for what a cluster stores."""


class ReportOptions(Options):
    """The options that say what to report, how, and to where."""

    output = choice(
        short="-o",
        default="text",
        choices=tuple(name for name in REPORTERS if name != "table"),
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
    if options.statistics and not REPORTERS[options.output].counted:
        counted = [name for name, reporter in REPORTERS.items() if reporter.counted]
        raise UsageError(f"--statistics goes with --output {', '.join(counted)}")


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
    reporter, quiet = REPORTERS[options.output], options.quiet
    if reporter.whole or options.statistics:
        found = list(results)
        shown = [result for result in found if not quiet or _is_wrong(result)]
        progress.clear()
        for line in _whole(reporter, shown, options.statistics):
            print(line, file=out)
        return found
    colour = out.isatty() and not os.environ.get("NO_COLOR")
    lines = reporter.renderer(colour=colour, infos=options.info)
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


def _whole(reporter: Reporter, results: Sequence[Result], statistics: bool) -> Iterable[str]:
    if statistics and "statistics" not in reporter.takes:
        from jobsworth.reports.statistics import table

        return table(results)
    rendered = reporter.renderer(statistics=statistics)(results)
    return [rendered] if isinstance(rendered, str) else rendered
