"""Write the report in the format and to the file that the command line selects."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from jobsworth.cli.command import UsageError
from jobsworth.cli.options import Options, choice, flag, text
from jobsworth.reports.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TextIO

    from jobsworth.cli.progress import Progress


class Reporter:
    """A report format.

    Args:
        module: the module of :mod:`jobsworth.reports` that renders it.
        whole: rendered once from all results; otherwise one result at a time.
        counted: supports statistics.
        takes: the names of its renderer's settings.
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
        """Import and return the function that renders one result, or all of them."""
        from importlib import import_module

        render: Callable[..., Any] = import_module(f"jobsworth.reports.{self._module}").render
        taken = {name: settings[name] for name in self.takes}
        return lambda found: render(found, **taken)


REPORTERS = {
    "text": Reporter("text", counted=True, takes=("color", "infos")),
    "concise": Reporter("concise", counted=True),
    "json": Reporter("json_report", whole=True, counted=True, takes=("statistics",)),
    "sarif": Reporter("sarif", whole=True),
    "junit": Reporter("junit", whole=True),
    "github": Reporter("github"),
    "table": Reporter("overview", whole=True),
}
"""Report formats by their ``--output`` name; ``table`` is for ``jobsworth audit`` only."""


class ReportOptions(Options):
    """Options for the report's content, format and destination."""

    output = choice(
        short="-o",
        default="text",
        choices=tuple(name for name in REPORTERS if name != "table"),
        help="Report format: text with source lines, one line per finding, JSON, SARIF (code scanning), "
        "JUnit XML (test reports), or GitHub workflow annotations.",
    )
    output_file = text(
        metavar="FILE", help="Write the report to this file instead of standard output."
    )
    statistics = flag(
        help="Report counts by code instead of findings; with JSON, in addition to them."
    )
    info = flag(help="Also show info findings in the text report.")
    quiet = flag(short="-q", help="Report only invalid objects, without a summary.")


def check(options: ReportOptions) -> None:
    """Check that the report options are compatible.

    Raises:
        UsageError: they are not.
    """
    if options.statistics and not REPORTERS[options.output].counted:
        counted = [name for name, reporter in REPORTERS.items() if reporter.counted]
        raise UsageError(f"--statistics requires --output {', '.join(counted)}")


def report(results: Iterable[Result], options: ReportOptions, progress: Progress) -> list[Result]:
    """Report results, in most formats as they arrive, and return all of them.

    Raises:
        UsageError: the file for the report cannot be written.
    """
    if options.output_file is None:
        return _report(results, options, progress, sys.stdout)
    try:
        with open(options.output_file, "w", encoding="utf-8", errors="backslashreplace") as file:
            return _report(results, options, progress, file)
    except OSError as error:
        if error.filename not in (None, options.output_file):
            raise
        raise UsageError(
            f"--output-file: cannot write {options.output_file}: {error.strerror}"
        ) from None


def as_utf8(out: TextIO) -> None:
    """Write UTF-8 to a stream in any locale, as JSON, YAML and XML require."""
    if isinstance(out, TextIOWrapper):
        out.reconfigure(encoding="utf-8", errors="backslashreplace")


def _report(
    results: Iterable[Result], options: ReportOptions, progress: Progress, out: TextIO
) -> list[Result]:
    reporter, quiet = REPORTERS[options.output], options.quiet
    if reporter.whole or options.statistics:
        found = list(results)
        shown = [result for result in found if not quiet or _is_wrong(result)]
        progress.clear()
        if reporter.whole:
            as_utf8(out)
        for line in _rendered_at_once(reporter, shown, options.statistics):
            print(line, file=out)
        return found
    color = out.isatty() and not os.environ.get("NO_COLOR")
    lines = reporter.renderer(color=color, infos=options.info)
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


def _rendered_at_once(
    reporter: Reporter, results: Sequence[Result], statistics: bool
) -> Iterable[str]:
    if statistics and "statistics" not in reporter.takes:
        from jobsworth.reports.statistics import table

        return table(results)
    rendered = reporter.renderer(statistics=statistics)(results)
    return [rendered] if isinstance(rendered, str) else rendered
