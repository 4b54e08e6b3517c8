"""What was found, in the form and to the place that the command line asks for."""

from __future__ import annotations

import os
import sys

from jobsworth.cli.command import Option, UsageError
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

OPTIONS = (
    Option(
        "--output",
        short="-o",
        default="text",
        choices=tuple(name for name in REPORTERS if name != "table"),
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
    if values["statistics"] and not REPORTERS[values["output"]].counted:
        counted = [name for name, reporter in REPORTERS.items() if reporter.counted]
        raise UsageError(f"--statistics goes with --output {', '.join(counted)}")


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
    reporter, quiet = REPORTERS[values["output"]], values["quiet"]
    if reporter.whole or values["statistics"]:
        found = list(results)
        shown = [result for result in found if not quiet or _is_wrong(result)]
        progress.clear()
        for line in _whole(reporter, shown, values["statistics"]):
            print(line, file=out)
        return found
    colour = out.isatty() and not os.environ.get("NO_COLOR")
    lines = reporter.renderer(colour=colour, infos=values["info"])
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
