"""``jobsworth explain``: the consequences of each failure of a Job's Pods."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

import click

from jobsworth.cli.command import Command
from jobsworth.cli.configuration_options import server_settings
from jobsworth.cli.failure_options import FailureOptions, failed_pods, failure_traces
from jobsworth.cli.options import Options, arguments, flag, given_time, group, option
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.server_options import ServerOptions
from jobsworth.cli.terminal import print_note, terminal_width
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.existing_objects import ExistingObjects
from jobsworth.files.explained_files import (
    ReadJob,
    documents_in,
    earlier_object,
    earlier_version,
    objects_of,
    runs_of_update,
)
from jobsworth.findings.result import Result
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.runs.explanation.explanation import (
    Explanation,
    FailureExplanation,
    explain,
    explained_rules,
)
from jobsworth.usage_error import InputError, UsageError

EXIT_DONE, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2


class ExplainJobOptions(Options):
    """The options of ``jobsworth explain``."""

    server = group(ServerOptions)
    failures = group(FailureOptions)
    table: bool = flag(
        "--table", help="Print the whole decision table, with a row for each exit code and cause."
    )
    against: str | None = option(
        "--against",
        metavar="OLD",
        help="Compare with the Jobs of the same kind, namespace and name in this file or folder.",
    )
    git_ref: str | None = option(
        "--git-ref",
        metavar="REF",
        help="Compare the Jobs that differ from this git commit with their versions there; without JOB, "
        "in the whole repository.",
    )
    output: str = option(
        "--output",
        "-o",
        default="text",
        type=click.Choice(("text", "markdown", "json")),
        help="Text, Markdown (for a pull request), or JSON.",
    )
    output_file: str | None = option(
        "--output-file",
        metavar="FILE",
        help="Write the explanation to this file instead of standard output.",
    )
    from_: str | None = option(
        "--from",
        "from_",
        metavar="TIME",
        help="Show the runs and clock changes of a CronJob after this time: 2027-03-27 or 2027-03-27T01:30Z; "
        "by default now.",
    )
    config: str | None = option(
        "--config", metavar="FILE", help="Use this configuration for every file."
    )
    isolated: bool = flag("--isolated", help="Use no configuration.")
    paths: tuple[str, ...] = arguments("paths", "[JOB...]")


def run(options: ExplainJobOptions) -> int:
    """Explain Jobs, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, a configuration, or a Pod.
    """
    _check(options)
    pods = [] if options.failures.pod is None else failed_pods(options.failures.pod)
    settings = server_settings(options.server, allow_privileged=options.server.privileged)
    configurations = Configurations(settings, file=options.config, isolated=options.isolated)
    reading = _Reading(configurations)
    paths, existing = _compared(reading, options)
    read = list(reading.jobs_in(paths))
    now = given_time("--from", options.from_)
    explanations: list[Explanation | FailureExplanation] = []
    if not read and reading.code == EXIT_DONE and options.git_ref is None:
        raise InputError("no Job, CronJob or JobSet found in these files")
    for each in read:
        old = earlier_object(each, existing, alone=len(read) == 1)
        if options.failures.exit_code or options.failures.condition or pods:
            traces = tuple(failure_traces(each.job, options.failures, pods))
            rules = explained_rules(each.job, each.lines)
            explanations.append(FailureExplanation(each.about, rules, traces))
        else:
            before, updates = earlier_version(each, old), runs_of_update(each, old, now)
            explained = explain(each.about, each.job, each.lines, now, before, updates=updates)
            explanations.append(explained)
    if options.git_ref is not None:
        explanations.sort(key=lambda each: not _differs(each))
    with _output(options.output_file) as out:
        for line in _rendered(explanations, options, terminal_width(out)):
            print(line, file=out)
    if options.git_ref is not None and not read:
        print_note(f"no Job, CronJob or JobSet differs from {options.git_ref}")
    return reading.code


class _Reading:
    """Reads Jobs, prints what is wrong with the others, and keeps the exit code."""

    def __init__(self, configurations: Configurations) -> None:
        self.configurations = configurations
        self.code = EXIT_DONE

    def jobs_in(self, paths: Sequence[str]) -> Iterator[ReadJob]:
        """Yield the valid Jobs and CronJobs under some paths."""
        for read in documents_in(self.configurations, paths):
            if read.job is not None:
                self._print(read.result)
                yield read.job
            elif read.result is None:
                print_note(f"error: {read.error}")
                self.code = EXIT_UNREADABLE
            else:
                self._print(read.result)
                print_note(f"{read.result.file}: not explained, because the API server rejects it")
                self.code = max(self.code, EXIT_INVALID)

    def _print(self, result: Result | None) -> None:
        if result is not None and result.findings:
            from jobsworth.reports.text import render

            color = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
            for line in render(result, color=color, width=terminal_width(sys.stderr)):
                print(line, file=sys.stderr)


def _compared(
    reading: _Reading, options: ExplainJobOptions
) -> tuple[Sequence[str], ExistingObjects | None]:
    """Return the files to explain, and the objects to compare them with; None without any."""
    if options.git_ref is not None:
        from jobsworth.files.changed_files import changes_since

        changes = changes_since(options.git_ref, options.paths, reading.configurations)
        return changes.manifests, changes.existing
    if options.against is None:
        return options.paths, None
    if options.against != STDIN and not os.path.lexists(options.against):
        raise InputError(f"--against: {options.against}: no such file or folder; check the path")
    return options.paths, objects_of(reading.jobs_in([options.against]))


def _check(options: ExplainJobOptions) -> None:
    if not options.paths and options.git_ref is None:
        raise UsageError(
            "Missing argument 'JOB...': name a file or folder, or - for standard input"
        )
    failures = options.failures
    single = bool(failures.exit_code or failures.condition)
    if single and failures.pod is not None:
        raise UsageError("--pod excludes --exit-code and --condition: the Pod has its own")
    if failures.pod == STDIN and STDIN in options.paths:
        raise UsageError("--pod: only one of the Job and the Pod can come from standard input")
    compared = options.against is not None or options.git_ref is not None
    if options.against is not None and options.git_ref is not None:
        raise UsageError("--git-ref and --against exclude each other: use one of them")
    if compared and (single or failures.pod is not None):
        raise UsageError("--against and --git-ref compare whole tables: omit the single failure")
    if options.table and (single or failures.pod is not None):
        raise UsageError("--table prints all failures: omit it, or the single failure")


def _differs(explanation: Explanation | FailureExplanation) -> bool:
    return not isinstance(explanation, Explanation) or (
        explanation.before is None or explanation.changed
    )


@contextmanager
def _output(path: str | None) -> Iterator[TextIO]:
    if path is None:
        as_utf8(sys.stdout)
        yield sys.stdout
        return
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            yield file
    except OSError as error:
        raise UsageError(f"--output-file: cannot write {path}: {error.strerror}") from None


def _rendered(
    explanations: Sequence[Explanation | FailureExplanation],
    options: ExplainJobOptions,
    width: int | None,
) -> Iterator[str]:
    if options.output == "json":
        from jobsworth.documents.declared import report_text
        from jobsworth.reports.explanation_report import explanation_report

        yield report_text(explanation_report(explanations))
        return
    if options.output == "markdown":
        from jobsworth.reports import explanation_markdown

        for each in explanations:
            if isinstance(each, Explanation):
                yield from explanation_markdown.render(each, only_table=options.table)
            else:
                yield from explanation_markdown.render_failures(each)
        return
    from jobsworth.reports import explanation_text

    for each in explanations:
        if isinstance(each, Explanation):
            yield from explanation_text.render(each, only_table=options.table, width=width)
        else:
            yield from explanation_text.render_failures(each, width=width)


COMMAND = Command(
    "explain",
    help="""Explain what happens to a Job when its Pods fail.

Without options: when a CronJob starts its Jobs, the Job's limits, the rules of its failure policy, and the
failures by what follows them. With --exit-code, --condition or --pod: the rule
that matches this failure, why earlier rules do not, and the consequences. With --against or --git-ref: the
behavior before and after, changes first. For a JobSet, each ReplicatedJob is explained, with what the JobSet
does with a failed Job; of a ScaledJob, RayJob or MPIJob, the Job that its operator creates.

JOB is a file, a folder, or - for standard input, with such objects. The decisions are those of the Job
controller. Exit codes: 0, 1 if the API server rejects a Job, 2 if a file is unreadable or the command line
is wrong.""",
    epilog="""\b
Examples:
  jobsworth explain job.yaml
  jobsworth explain job.yaml --exit-code 42
  jobsworth explain job.yaml --exit-code main=1,proxy=137
  kubectl get pod train-x7k2p -o yaml | jobsworth explain job.yaml --pod -
  jobsworth explain --table --output markdown manifests/
  jobsworth explain --against old.yaml new.yaml
  jobsworth explain --git-ref origin/main -o markdown   # for a pull request
""",
    options=ExplainJobOptions,
    run=run,
)
