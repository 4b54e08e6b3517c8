"""``jobsworth validate``: the API server's verdict on manifests."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from jobsworth.cli.command import Command
from jobsworth.cli.comparison_options import (
    ComparisonOptions,
    ValidatedClusterOptions,
    asked_cluster,
    asks_cluster,
    check_comparison,
)
from jobsworth.cli.configuration_options import ConfigurationOptions, server_settings, with_rules
from jobsworth.cli.options import Options, arguments, flag, integer, nested, text, words
from jobsworth.cli.rendering_options import (
    RenderingOptions,
    check_rendering,
    results_of,
    sources_of,
    without_charts,
    without_repeated,
)
from jobsworth.cli.reporting import Reporter, ReportOptions, check, prints_json, reports_of
from jobsworth.cli.server_options import ServerOptions
from jobsworth.cli.terminal import Progress, wants_color
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.existing_objects import NO_OBJECTS, ExistingObjects
from jobsworth.files.file_evaluation import EvaluationOptions, FileEvaluator
from jobsworth.files.file_runs import evaluate_files, files_in
from jobsworth.files.named_paths import NamedPaths
from jobsworth.findings.result import EXIT_INVALID, INVALID, VALID, exit_code
from jobsworth.findings.summary import Omissions, Summary, count
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jobsworth.cli.comparison_options import AskedCluster
    from jobsworth.cli.fix_run import FixRun
    from jobsworth.files.baseline import Baseline
    from jobsworth.files.dry_runs import DryRuns
    from jobsworth.files.existing_objects import OldObjects
    from jobsworth.files.live_objects import LiveObjects
    from jobsworth.findings.result import Result

HERE = (".",)
"""The paths of a command line without any."""

YELLOW = "33;1"


class FixOptions(Options):
    """Options for fixes."""

    heading = "Fixes"

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

    heading = "Baseline"

    baseline = text(
        metavar="FILE",
        help="Do not report findings listed in this file; name the entries that no longer occur.",
    )
    write_baseline = flag(help="Create or update the --baseline file with all current findings.")


class InputOptions(Options):
    """Options for the files to read, and how."""

    heading = "Input"

    mixed = flag(
        help="Tolerate files that are not manifests, as in a hook: skip files without a Job, and skip "
        "templates ({{) with a note instead of an error."
    )
    exclude = words(
        metavar="PATTERN,...",
        help="Do not read these files: a name (vendor, '*.tpl.yaml') or a path from the current folder.",
    )
    hidden = flag(help="Also search hidden folders, such as .github, but not .git.")
    allow_empty = flag(help="Accept a PATH without any object, such as empty standard input.")
    fail_on_empty = flag(help="A PATH without a Job or CronJob is an error (exit code 2).")
    stdin_filename = text(
        metavar="FILE",
        help="The file that standard input (-) stands for: reports name it, and its configuration applies.",
    )
    jobset_version = text(
        metavar="VERSION",
        help="The version of JobSet in the cluster, 0.8 to 0.12; default: the newest.",
    )
    namespace = text(
        short="-n",
        metavar="NAME",
        help="The namespace of manifests that have none, for policies; default: default.",
    )


class ValidateOptions(Options):
    """The options of ``jobsworth validate``."""

    server = nested(ServerOptions)
    comparison = nested(ComparisonOptions)
    cluster = nested(ValidatedClusterOptions)
    input = nested(InputOptions)
    rendering = nested(RenderingOptions)
    fixing = nested(FixOptions)
    configuration = nested(ConfigurationOptions)
    report = nested(ReportOptions)
    known = nested(BaselineOptions)
    jobs = integer(short="-j", metavar="N", help="Maximum number of processes.")
    paths = arguments("[PATH...]")


def run(options: ValidateOptions) -> int:
    """Validate manifests, report the findings, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, or a configuration, the baseline or the git ref.
    """
    _check(options)
    with asked_cluster(options.comparison, options.cluster, options.input.namespace) as asked:
        return _validate(options, asked)


def _validate(options: ValidateOptions, asked: AskedCluster) -> int:
    configurations = _configurations(options)
    baseline = _baseline(options.known)
    paths, existing, failures = _manifests(options, configurations, asked.live)
    evaluator = _evaluator(options, configurations, existing, paths, asked.dry_runs)
    fixes = _fixes(options, evaluator, baseline)
    evaluate = evaluator.file if fixes is None else fixes.file
    progress, omissions = Progress(enabled=not options.report.quiet), Omissions()
    results: list[Result] = []
    with _reporter(options, progress, omissions) as reporter:
        for result in failures:
            results.append(result)
            reporter.add(result)
        files = files_in(
            paths,
            configurations.excludes,
            omissions,
            hidden=options.input.hidden,
            stdin_filename=options.input.stdin_filename or STDIN,
        )
        named = _named_paths(options, paths, configurations)

        def add(found: Iterable[Result]) -> None:
            for result in found:
                if baseline is not None:
                    baseline.take_known_from(result)
                results.append(result)
                reporter.add(result)

        sources = sources_of(options.rendering, paths)
        files = without_charts(files, sources)
        evaluated = evaluate_files(evaluate, files, _processes(options))
        for done, (file, of_file) in enumerate(zip(files, evaluated, strict=True), start=1):
            if isinstance(file, str):
                named.complete(file, of_file)
            add(of_file)
            progress.update(done, len(files))
        for source in sources:
            found = results_of(source, options.rendering, evaluator, options.input.namespace or "")
            named.complete(source.path, found)
            add(without_repeated(found, results))
        add(named.folders_without_object(omissions))
    diff_shown = fixes is not None and fixes.diff_shown
    code = max(exit_code(results), EXIT_INVALID if diff_shown else 0)
    if not options.report.quiet:
        if fixes is not None:
            for line in fixes.sentences(results):
                print(line, file=sys.stderr)
        summary = Summary(results, omissions, infos=options.report.info)
        if not prints_json(options.report):
            _print_summary(summary, options, nothing_wrong=code == 0)
            if code == EXIT_INVALID and not summary.findings["error"] and not diff_shown:
                print(_why_it_fails(results), file=sys.stderr)
        if options.input.namespace is None and configurations.have_policies:
            _print_note_on_namespaces(results)
        for note in configurations.notes:
            print(printable(f"note: {note}"), file=sys.stderr)
    if baseline is not None:
        for line in baseline.finish(write=options.known.write_baseline):
            if not options.report.quiet:
                print(line, file=sys.stderr)
    return code


def _check(options: ValidateOptions) -> None:
    """Check that the options are compatible.

    Raises:
        UsageError: they are not.
    """
    check(options.report)
    check_comparison(options.comparison, options.cluster)
    if options.cluster.server and (options.fixing.fix or options.fixing.diff):
        raise UsageError("--server reports, and fixes nothing: omit --fix and --diff")
    if options.fixing.unsafe and not (options.fixing.fix or options.fixing.diff):
        raise UsageError("--unsafe requires --fix or --diff")
    if options.input.stdin_filename is not None and STDIN not in options.paths:
        raise UsageError("--stdin-filename requires the path -, which is standard input")
    check_rendering(options.rendering)
    if options.input.fail_on_empty:
        for given, option in (
            (options.input.allow_empty, "--allow-empty"),
            (options.comparison.git_ref is not None, "--git-ref"),
        ):
            if given:
                raise UsageError(
                    f"{option} and --fail-on-empty exclude each other: use one of them"
                )
    if options.known.write_baseline and options.known.baseline is None:
        raise UsageError("--write-baseline requires --baseline FILE, the file to write")


def _configurations(options: ValidateOptions) -> Configurations:
    server = server_settings(options.server, allow_privileged=options.server.privileged)
    settings = with_rules(server, options.configuration).replace(
        fail_on=options.report.fail_on,
        namespace=options.input.namespace,
        jobset_version=_jobset_version(options.input.jobset_version),
    )
    return Configurations(
        settings,
        options.input.exclude,
        options.configuration.config,
        options.configuration.isolated,
    )


def _jobset_version(given: str | None) -> str | None:
    if given is None:
        return None
    from jobsworth.api.jobset.versions import UnknownJobSetVersion, known_version

    try:
        return known_version(given)
    except UnknownJobSetVersion as error:
        raise UsageError(f"--jobset-version: {error}") from None


def _baseline(options: BaselineOptions) -> Baseline | None:
    if options.baseline is None:
        return None
    from jobsworth.files.baseline import Baseline

    return Baseline(options.baseline, may_be_new=options.write_baseline)


def _manifests(
    options: ValidateOptions, configurations: Configurations, live: LiveObjects | None
) -> tuple[Sequence[str], OldObjects, list[Result]]:
    """Return the paths to validate, the existing objects, and errors from reading them."""
    if live is not None:
        return _paths(options), live, []
    against, git_ref = options.comparison.against, options.comparison.git_ref
    if git_ref is not None:
        from jobsworth.files.changed_files import changed_manifests

        paths, existing = changed_manifests(git_ref, options.paths, configurations)
        return paths, existing, []
    if against is None:
        return _paths(options), NO_OBJECTS, []
    from jobsworth.files.manifest_reading import read_existing

    objects, failures = read_existing(against)
    return _paths(options), ExistingObjects(objects), failures


def _paths(options: ValidateOptions) -> Sequence[str]:
    """Return the paths to validate: the current folder if the command line names nothing to validate."""
    named = options.rendering.helm or options.rendering.kustomize
    return options.paths or (() if named else HERE)


def _named_paths(
    options: ValidateOptions, paths: Sequence[str], configurations: Configurations
) -> NamedPaths:
    """Return the paths that must have an object: none with --mixed or --git-ref."""
    required = options.input.fail_on_empty
    lenient = options.input.mixed or options.input.allow_empty or options.comparison.git_ref
    return NamedPaths(
        () if lenient and not required else paths,
        configurations.of,
        requires_job=required,
        stdin_filename=options.input.stdin_filename,
    )


def _evaluator(
    options: ValidateOptions,
    configurations: Configurations,
    existing: OldObjects,
    paths: Sequence[str],
    dry_runs: DryRuns | None,
) -> FileEvaluator:
    evaluation = EvaluationOptions(
        validated_paths=paths,
        tolerate_templates=options.input.mixed,
        propose_changes=any(each.format == "sarif" for each in reports_of(options.report)),
        allow_empty=options.input.allow_empty,
        stdin_filename=options.input.stdin_filename or "",
        now=None if existing is NO_OBJECTS else _time_of_updates(options.comparison),
    )
    return FileEvaluator(configurations, existing, evaluation, dry_runs)


def _time_of_updates(options: ComparisonOptions) -> int:
    from jobsworth.cli.given_time import given_time

    return given_time("--at", options.at)


def _fixes(
    options: ValidateOptions, evaluator: FileEvaluator, baseline: Baseline | None
) -> FixRun | None:
    fixing = options.fixing
    if not (fixing.fix or fixing.diff):
        return None
    from jobsworth.cli.fix_run import FixRun
    from jobsworth.files.fixing.fixer import Fixer

    fixer = Fixer(
        evaluator,
        unsafe=fixing.unsafe,
        infos=options.report.info,
        baseline=baseline,
        paths=options.paths,
    )
    return FixRun(fixer, diff=fixing.diff, color=options.report.color)


def _reporter(options: ValidateOptions, progress: Progress, omissions: Omissions) -> Reporter:
    """Return the reporter: a diff takes the place of reports, and fixed standard input their stream."""
    if options.fixing.diff:
        return Reporter([], options.report, progress)
    fixed_input = options.fixing.fix and STDIN in options.paths
    out = sys.stderr if fixed_input else sys.stdout
    return Reporter(reports_of(options.report), options.report, progress, omissions, out)


def _processes(options: ValidateOptions) -> int:
    """Return the maximum number of processes: one prints diffs, and one asks a cluster."""
    if options.fixing.diff or asks_cluster(options.comparison, options.cluster):
        return 1
    return options.jobs or _cores()


def _print_summary(summary: Summary, options: ValidateOptions, *, nothing_wrong: bool) -> None:
    sentence = summary.sentence()
    unexpected = not summary.validated and nothing_wrong and not options.input.mixed
    if unexpected and wants_color(sys.stderr, options.report.color):
        sentence = f"\x1b[{YELLOW}m{sentence}\x1b[0m"
    print(sentence, file=sys.stderr)
    fixing = options.fixing
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


def _print_note_on_namespaces(results: Sequence[Result]) -> None:
    """Print the namespace in which policies evaluated objects without one, if there are any."""
    number = sum(result.status in (VALID, INVALID) and not result.namespace for result in results)
    if number:
        print(
            f"{count(number, 'object')} without a namespace: policies were evaluated in namespace "
            '"default"; set --namespace',
            file=sys.stderr,
        )


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
2 if a file is unreadable, the command line is wrong, or (--fail-on-empty) a PATH has no Job or CronJob.""",
    epilog="""\b
Examples:
  jobsworth validate job.yaml
  jobsworth validate --kubernetes-version 1.31 --feature-gates JobManagedBy=true manifests/
  jobsworth validate --against deployed/ manifests/   # can it be applied to the deployed objects?
  jobsworth validate --against live manifests/        # to the objects in the cluster?
  jobsworth validate --server manifests/              # would this cluster create them, and their Pods?
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
