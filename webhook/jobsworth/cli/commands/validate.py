"""``jobsworth validate``: the API server's verdict on manifests."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from jobsworth.cli import reporting
from jobsworth.cli.command import Command
from jobsworth.cli.configuration_options import ConfigurationOptions, configurations_for
from jobsworth.cli.options import Options, arguments, flag, integer, nested, text, words
from jobsworth.cli.reporting import ReportOptions, report
from jobsworth.cli.server_options import ServerOptions
from jobsworth.cli.terminal import wants_color
from jobsworth.files.existing_objects import ExistingObjects
from jobsworth.files.file_evaluation import FileEvaluator
from jobsworth.files.file_runs import evaluate_all
from jobsworth.findings.result import EXIT_INVALID, INVALID, VALID, exit_code
from jobsworth.findings.summary import Omissions, Summary, count
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from jobsworth.cli.fix_run import Fixer
    from jobsworth.files.baseline import Baseline
    from jobsworth.files.configuration.resolved_settings import Configurations
    from jobsworth.findings.result import Result

HERE = (".",)
"""The paths of a command line without any."""

YELLOW = "33;1"


class ComparisonOptions(Options):
    """Options for the existing objects that manifests update."""

    against = text(
        metavar="PATH",
        help="Validate each document as an update of the object with the same kind, namespace and name here.",
    )
    git_ref = text(
        metavar="REF",
        help="Validate only the manifests that differ from this git commit, as updates of their "
        "versions there; without PATH, in the whole repository.",
    )


class FixOptions(Options):
    """Options for fixes."""

    fix = flag(
        help="Apply safe fixes in place and report the remaining findings; with -, write the fixed "
        "manifests to standard output."
    )
    unsafe = flag(help="Also apply fixes that may change how the Job behaves.")
    diff = flag(
        help="Print the changes of --fix as a diff without writing files; exit with 1 if there are any."
    )


class BaselineOptions(Options):
    """Options for the baseline of known findings."""

    baseline = text(
        metavar="FILE",
        help="Do not report findings listed in this file; name the entries that no longer occur.",
    )
    write_baseline = flag(help="Create or update the --baseline file with all current findings.")


class InputOptions(Options):
    """Options for the files to read, and how."""

    mixed = flag(
        help="Tolerate files that are not manifests, as in a hook: skip files without a Job, and skip "
        "templates ({{) with a note instead of an error."
    )
    exclude = words(
        metavar="PATTERN,...",
        help="Do not read these files: a name (vendor, '*.tpl.yaml') or a path from the current folder.",
    )
    hidden = flag(help="Also search hidden folders, such as .github, but not .git.")
    allow_empty = flag(help="Accept standard input without any object.")
    namespace = text(
        short="-n",
        metavar="NAME",
        help="The namespace of manifests that have none, for policies; default: default.",
    )


class ValidateOptions(Options):
    """The options of ``jobsworth validate``."""

    server = nested(ServerOptions)
    comparison = nested(ComparisonOptions)
    input = nested(InputOptions)
    fixing = nested(FixOptions)
    configuration = nested(ConfigurationOptions)
    report = nested(ReportOptions)
    known = nested(BaselineOptions)
    jobs = integer(short="-j", metavar="N", help="Maximum number of processes.")
    paths = arguments("[PATH...]")


def run(options: ValidateOptions) -> int:
    """Validate manifests, report the findings, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, or a configuration.
    """
    reporting.check(options.report)
    comparison, fixing, known = options.comparison, options.fixing, options.known
    if comparison.against is not None and comparison.git_ref is not None:
        raise UsageError("--git-ref and --against exclude each other: use one of them")
    if fixing.unsafe and not (fixing.fix or fixing.diff):
        raise UsageError("--unsafe requires --fix or --diff")
    if known.write_baseline and known.baseline is None:
        raise UsageError("--write-baseline requires --baseline FILE, the file to write")
    validation = ValidationInput(
        configurations_for(
            options.configuration,
            release=options.server.kubernetes_version,
            gates=options.server.feature_gates,
            allow_privileged=options.server.privileged,
            fail_on=options.report.fail_on,
            namespace=options.input.namespace,
            exclude=options.input.exclude,
        ),
        options.paths or (() if comparison.git_ref is not None else HERE),
        comparison,
        options.input,
        fixing=fixing,
        known=known,
        jobs=1 if fixing.diff else options.jobs or _cores(),
        report=options.report,
    )
    return validate(validation)


class ValidationInput:
    """A validation to run.

    Attributes:
        configurations: of the manifests.
        paths: files, folders, ``-``.
        comparison: the existing objects that the manifests update.
        input: the files to read, and how; :mod:`jobsworth.files.context.mixed_files` explains ``mixed``.
        fixing: the fixes to apply or show.
        known: the baseline of known findings.
        jobs: the maximum number of processes.
        report: the report's content, format and destination.
    """

    __slots__ = (
        "comparison", "configurations", "fixing", "input", "jobs", "known", "paths", "report",
    )  # fmt: skip

    def __init__(
        self,
        configurations: Configurations,
        paths: Sequence[str],
        comparison: ComparisonOptions,
        input: InputOptions,
        *,
        fixing: FixOptions,
        known: BaselineOptions,
        jobs: int,
        report: ReportOptions,
    ) -> None:
        self.configurations = configurations
        self.paths = paths
        self.comparison = comparison
        self.input = input
        self.fixing = fixing
        self.known = known
        self.jobs = jobs
        self.report = report


def validate(validation: ValidationInput) -> int:
    """Run a validation, and return the exit code.

    Raises:
        UsageError: a configuration, the baseline or the git ref is invalid.
    """
    baseline = _baseline(validation.known)
    paths, existing, failures = _manifests(validation)
    from jobsworth.cli.terminal import Progress

    report_options = validation.report
    progress = Progress(enabled=not report_options.quiet)
    evaluator = _evaluator(validation, existing, paths)
    fixer = _fixer(evaluator, validation, baseline)
    omissions = Omissions()
    evaluated = evaluate_all(
        fixer or evaluator,
        paths,
        validation.jobs,
        progress.update,
        hidden=validation.input.hidden,
        omissions=omissions,
    )
    remaining = _without_known(failures, evaluated, baseline)
    if fixer is None:
        results = report(remaining, report_options, progress, omissions)
    else:
        results = fixer.report(remaining, report_options, progress, paths, omissions)
    code = exit_code(results)
    if fixer is not None and fixer.shown:
        code = max(code, EXIT_INVALID)
    if not report_options.quiet and not reporting.prints_json(report_options):
        summary = Summary(results, omissions, infos=report_options.info)
        _print_summary(summary, validation, nothing_wrong=code == 0)
        unexplained = code == EXIT_INVALID and not summary.findings["error"]
        if unexplained and not (fixer is not None and fixer.shown):
            print(_why_it_fails(results), file=sys.stderr)
    if not report_options.quiet:
        note = _note_on_namespaces(results, validation)
        if note:
            print(note, file=sys.stderr)
    if baseline is not None:
        for line in baseline.finish(write=validation.known.write_baseline):
            if not report_options.quiet:
                print(line, file=sys.stderr)
    return code


def _note_on_namespaces(results: Sequence[Result], validation: ValidationInput) -> str:
    """Return which namespace policies took for objects without one, if a policy was evaluated."""
    if validation.input.namespace is not None or not validation.configurations.have_policies:
        return ""
    number = sum(result.status in (VALID, INVALID) and not result.namespace for result in results)
    if not number:
        return ""
    return (
        f"{count(number, 'object')} without a namespace: policies took default; "
        "name it with --namespace"
    )


def _print_summary(summary: Summary, validation: ValidationInput, *, nothing_wrong: bool) -> None:
    sentence = summary.sentence()
    unexpected = not summary.validated and nothing_wrong and not validation.input.mixed
    if unexpected and wants_color(sys.stderr, validation.report.color):
        sentence = f"\x1b[{YELLOW}m{sentence}\x1b[0m"
    print(sentence, file=sys.stderr)
    fixing = validation.fixing
    fixes = summary.fixes_sentence(
        fixing=fixing.fix or fixing.diff, unsafe=fixing.unsafe, diff=fixing.diff
    )
    if fixes:
        print(fixes, file=sys.stderr)


def _why_it_fails(results: Sequence[Result]) -> str:
    """Explain the exit code of a run that fails although there is no error."""
    failing = [result for result in results if result.fails]
    number = sum(len(result.failing) for result in failing)
    noun = "finding" if number == 1 else "findings"
    return f"exit code 1: {number} {noun} of at least severity {failing[0].fail_on} (--fail-on)"


def _baseline(options: BaselineOptions) -> Baseline | None:
    if options.baseline is None:
        return None
    from jobsworth.files.baseline import Baseline

    return Baseline(options.baseline, may_be_new=options.write_baseline)


def _manifests(
    validation: ValidationInput,
) -> tuple[Sequence[str], ExistingObjects | None, list[Result]]:
    """Return the paths to validate, the existing objects, and errors from reading them."""
    against, git_ref = validation.comparison.against, validation.comparison.git_ref
    if git_ref is not None:
        from jobsworth.files.changed_files import changed_manifests

        paths, existing = changed_manifests(git_ref, validation.paths, validation.configurations)
        return paths, existing, []
    if against is None:
        return validation.paths, None, []
    from jobsworth.files.manifest_reading import read_existing

    objects, failures = read_existing(against)
    return validation.paths, ExistingObjects(objects), failures


def _evaluator(
    validation: ValidationInput, existing: ExistingObjects | None, paths: Sequence[str]
) -> FileEvaluator:
    fixing = validation.fixing.fix or validation.fixing.diff
    # A baseline and fixes require every finding.
    all_needed = validation.known.baseline is not None or fixing or validation.report.statistics
    formats = [each.format for each in reporting.reports_of(validation.report)]
    return FileEvaluator(
        validation.configurations,
        existing,
        mixed=validation.input.mixed,
        changes="sarif" in formats,
        only_failing=validation.report.quiet and not all_needed,
        allow_empty=validation.input.allow_empty,
        together=paths,
    )


def _fixer(
    evaluator: FileEvaluator, validation: ValidationInput, baseline: Baseline | None
) -> Fixer | None:
    options = validation.fixing
    if not (options.fix or options.diff):
        return None
    from jobsworth.cli.fix_run import Fixer

    return Fixer(
        evaluator,
        unsafe=options.unsafe,
        diff=options.diff,
        paths=validation.paths,
        infos=validation.report.info,
        color=validation.report.color,
        baseline=baseline,
    )


def _without_known(
    failures: Iterable[Result], evaluated: Iterable[Result], baseline: Baseline | None
) -> Iterator[Result]:
    yield from failures
    for result in evaluated:
        if baseline is not None:
            baseline.take_known_from(result)
        yield result


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # os.sched_getaffinity is missing on macOS and Windows
        return os.cpu_count() or 1


COMMAND = Command(
    "validate",
    help="""Validate Jobs and CronJobs as the API server would.

PATH is a file, a folder (searched for .yaml, .yml and .json), or - for standard input. Documents that
are not a Job or CronJob are skipped. Exit codes: 0 if all objects are valid, 1 if an object is invalid,
2 if a file is unreadable or the command line is wrong.""",
    epilog="""\b
Examples:
  jobsworth validate job.yaml
  jobsworth validate --kubernetes-version 1.31 --feature-gates JobManagedBy=true manifests/
  jobsworth validate --against deployed/ manifests/   # can it be applied to the deployed objects?
  jobsworth validate --git-ref origin/main            # the changes of this branch, as updates of main
  kubectl get jobs -A -o yaml | jobsworth validate --output concise -
  jobsworth validate --profile baseline manifests/    # as a cluster with the profile would warn
  jobsworth validate --diff manifests/                # show safe fixes; --fix applies them
  jobsworth validate --baseline known.json --write-baseline .   # accept today's findings
  jobsworth validate --output json manifests/ | jq '.results[] | select(.status == "invalid")'
""",
    options=ValidateOptions,
    run=run,
)
