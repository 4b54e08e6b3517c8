"""Write the reports in the formats and to the files that the command line selects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from io import TextIOWrapper
from typing import Any, Self, TextIO

import click

from jobsworth.cli.options import Options, flag, option, texts
from jobsworth.cli.terminal import COLOR_CHOICES, ColorChoice, Progress, terminal_width, wants_color
from jobsworth.findings.finding import THRESHOLDS, Threshold
from jobsworth.findings.result import Result
from jobsworth.findings.summary import Omissions
from jobsworth.record import Record
from jobsworth.usage_error import UsageError


class ReportFormat:
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

    def renderer(self, **settings: Any) -> Callable[[Any], Any]:
        """Import and return the function that renders one result, or all of them."""
        render: Callable[..., Any] = __import__(
            f"jobsworth.reports.{self._module}", fromlist=("",)
        ).render
        taken = {name: settings[name] for name in self.takes}
        return lambda found: render(found, **taken)


REPORT_FORMATS = {
    "text": ReportFormat("text", counted=True, takes=("color", "infos", "verbose", "width")),
    "concise": ReportFormat("concise", counted=True, takes=("infos",)),
    "json": ReportFormat(
        "findings_report", whole=True, counted=True, takes=("statistics", "omissions")
    ),
    "sarif": ReportFormat("sarif", whole=True),
    "junit": ReportFormat("junit", whole=True),
    "github": ReportFormat("github", takes=("infos",)),
    "table": ReportFormat("overview", whole=True),
}
"""Report formats by their ``--output`` name; ``table`` is for ``jobsworth audit`` only."""

FORMATS = tuple(name for name in REPORT_FORMATS if name != "table")


def fail_on() -> Any:
    """Declare the lowest severity of what makes a run fail."""
    return option(
        "--fail-on",
        type=click.Choice(THRESHOLDS),
        help="The lowest severity that makes the exit code 1; default: error.",
    )


class ReportOptions(Options):
    """Options for the reports' content, format and destination, and for what makes the run fail."""

    heading = "Reports"

    formats = FORMATS

    output: tuple[str, ...] = texts(
        "--output",
        "-o",
        default=("text",),
        words=FORMATS,
        metavar="FORMAT[=FILE]",
        help="Report format: text with source lines, concise (one line per finding), json, sarif (code "
        "scanning), junit (test reports), or github (workflow annotations). With =FILE, write it to a file; "
        "may be given several times.",
    )
    output_file: str | None = option(
        "--output-file",
        metavar="FILE",
        help="Write the report to this file instead of standard output.",
    )
    fail_on: Threshold | None = fail_on()
    statistics: bool = flag(
        "--statistics",
        help="Report counts by code instead of findings; with JSON, in addition to them.",
    )
    info: bool = flag(
        "--info",
        help="Also show info findings in the text, concise and github reports, and fix them with --fix; the "
        "other formats have them always.",
    )
    verbose: bool = flag(
        "--verbose",
        "-v",
        help="Also show valid and skipped objects, and what was not read, in the text report.",
    )
    quiet: bool = flag(
        "--quiet", "-q", help="Report only objects that make the run fail, without a summary."
    )
    color: ColorChoice = option(
        "--color",
        default="auto",
        type=click.Choice(COLOR_CHOICES),
        help="Color the text report; auto: on a terminal, unless NO_COLOR is set, and where FORCE_COLOR or "
        "CLICOLOR_FORCE is.",
    )


class Report(Record):
    """A report to write.

    Attributes:
        format: the name of its format.
        file: its file; empty for standard output.
        option: the option that names the file, for errors.
    """

    format: str
    file: str = ""
    option: str = "--output"


def reports_of(options: ReportOptions) -> list[Report]:
    """Return the reports to write.

    Raises:
        UsageError: the options are not compatible.
    """
    reports = []
    for value in options.output:
        name, equals, file = value.partition("=")
        if name not in options.formats:
            from jobsworth.findings.near_names import did_you_mean

            hint = did_you_mean(name, options.formats) or f"use one of {', '.join(options.formats)}"
            raise UsageError(f'--output: unknown format "{name}": {hint}')
        if equals and not file:
            raise UsageError(f"--output: {value} names no file: write {name}=FILE")
        if options.statistics and not REPORT_FORMATS[name].counted:
            counted = [name for name, each in REPORT_FORMATS.items() if each.counted]
            raise UsageError(f"--statistics requires --output {', '.join(counted)}")
        reports.append(Report(name, file))
    printed = [index for index, each in enumerate(reports) if not each.file]
    if options.output_file is not None:
        if len(printed) != 1:
            raise UsageError("--output-file requires one --output without =FILE")
        reports[printed[0]] = Report(
            reports[printed[0]].format, options.output_file, "--output-file"
        )
    elif len(printed) > 1:
        both = " and ".join(reports[index].format for index in printed)
        raise UsageError(
            f"--output: {both} would both go to standard output: write "
            f"{reports[printed[-1]].format}=FILE"
        )
    files = [each.file for each in reports if each.file]
    if len(set(files)) < len(files):
        raise UsageError("--output: two reports would go to the same file: name two files")
    if options.verbose and options.quiet:
        raise UsageError("--verbose and --quiet exclude each other: use one of them")
    return reports


def check(options: ReportOptions) -> None:
    """Check that the report options are compatible.

    Raises:
        UsageError: they are not.
    """
    reports_of(options)


def prints_json(options: ReportOptions) -> bool:
    """Return True if a JSON report, which has a summary of its own, goes to standard output."""
    return any(each.format == "json" and not each.file for each in reports_of(options))


class Reporter:
    """Writes the reports of a run, most formats result by result. Use it in a ``with`` statement.

    Args:
        reports: the reports to write; without any, results are only taken.
        options: the content of the reports.
        progress: a progress bar, which is cleared before other output.
        omissions: what is not read; complete before the end.
        out: the stream of a report without a file; default: standard output.

    Raises:
        UsageError: a file for a report cannot be written.
    """

    def __init__(
        self,
        reports: Iterable[Report],
        options: ReportOptions,
        progress: Progress,
        omissions: Omissions | None = None,
        out: TextIO | None = None,
    ) -> None:
        self._quiet = options.quiet
        self._progress = progress
        self._files: list[TextIO] = []
        self._sinks: list[_Sink] = []
        self._broken: BrokenPipeError | None = None
        try:
            for each in reports:
                stream = out or sys.stdout
                if each.file:
                    stream = _opened(each)
                    self._files.append(stream)
                self._sinks.append(_Sink(each, options, stream, progress, omissions))
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Finish the reports, unless the run has failed."""
        try:
            if kind is None:
                self._progress.clear()
                for sink in list(self._sinks):
                    try:
                        sink.finish()
                    except BrokenPipeError as error:
                        self._stop(sink, error)
                if self._broken is not None:
                    raise self._broken
        finally:
            self._close()

    def add(self, result: Result) -> None:
        """Report a result; in formats that are rendered as a whole, at the end.

        Raises:
            UsageError: a file for a report cannot be written.
        """
        if self._quiet and not result.fails:
            return
        for sink in list(self._sinks):
            try:
                sink.add(result)
            except BrokenPipeError as error:
                self._stop(sink, error)

    def _stop(self, sink: _Sink, error: BrokenPipeError) -> None:
        """Leave out a report whose reader has gone, such as in ``| head``; the files are completed."""
        self._sinks.remove(sink)
        self._broken = error
        if not self._sinks:
            raise error

    def _close(self) -> None:
        for file in self._files:
            _close(file)


def _close(file: TextIO) -> None:
    try:  # noqa: SIM105
        file.close()
    except OSError:
        pass  # the sink has flushed it, or has reported why it could not


def _opened(report: Report) -> TextIO:
    try:
        return open(report.file, "w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise _unwritable(report, error) from None


def _unwritable(report: Report, error: OSError) -> UsageError:
    return UsageError(f"{report.option}: cannot write {report.file}: {error.strerror}")


class _Sink:
    """Writes one report, result by result or at its end."""

    def __init__(
        self,
        report: Report,
        options: ReportOptions,
        out: TextIO,
        progress: Progress,
        omissions: Omissions | None,
    ) -> None:
        format_ = REPORT_FORMATS[report.format]
        self._report = report
        self._out = out
        self._progress = progress
        self._shown: list[Result] | None = None
        self._omitted: Iterable[str] = ()
        if options.verbose and report.format == "text" and omissions is not None:
            from jobsworth.reports.text import omitted_lines

            self._omitted = omitted_lines(omissions)
        if options.statistics and "statistics" not in format_.takes:
            from jobsworth.reports.statistics import table

            self._lines: Callable[[Any], Any] = table
            self._shown = []
        else:
            self._lines = format_.renderer(
                color=wants_color(out, options.color),
                infos=options.info,
                verbose=options.verbose,
                width=terminal_width(out),
                statistics=options.statistics,
                omissions=omissions,
            )
            if format_.whole:
                self._shown = []
                as_utf8(out)

    def add(self, result: Result) -> None:
        if self._shown is not None:
            self._shown.append(result)
        else:
            lines = "\n".join((*self._lines(result), ""))  # one call, not one for each line
            if lines:
                self._write((lines[:-1],))

    def finish(self) -> None:
        if self._shown is not None:
            rendered = self._lines(self._shown)
            self._write([rendered] if isinstance(rendered, str) else rendered)
        self._write(self._omitted)
        self._flush()

    def _write(self, lines: Iterable[str]) -> None:
        try:
            self._progress.clear()
            self._out.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            self._fail(error)

    def _flush(self) -> None:
        if self._report.file:
            try:
                self._out.flush()
            except OSError as error:
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        if not self._report.file:
            raise error
        raise _unwritable(self._report, error) from None


def as_utf8(out: TextIO) -> None:
    """Write UTF-8 to a stream in any locale, as JSON, YAML and XML require."""
    if isinstance(out, TextIOWrapper):
        out.reconfigure(encoding="utf-8", errors="backslashreplace")
