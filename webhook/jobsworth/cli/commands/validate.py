"""``jobsworth validate``: the API server's verdict on manifests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.cli.command import Command
from jobsworth.cli.configuration_options import ConfigurationOptions, server_settings, with_rules
from jobsworth.cli.options import Options, arguments, flag, group, number, option, words
from jobsworth.cli.reporting import Reporter, ReportOptions, check, prints_json, reports_of
from jobsworth.cli.server_options import ServerOptions
from jobsworth.cli.terminal import Progress, wants_color
from jobsworth.cli.validation_notes import (
    note_on_ambiguous_objects,
    note_on_default_namespace,
    note_on_new_objects,
    note_on_other_namespaces,
    note_on_rendered_objects,
    why_it_fails,
)
from jobsworth.cli.validation_options import (
    AskedCluster,
    ComparisonOptions,
    RenderingOptions,
    ValidatedClusterOptions,
    asked_cluster,
    asks_cluster,
    check_comparison,
    check_rendering,
    render_options,
    sources_of,
)
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.existing_objects import NO_OBJECTS, ExistingObjects, OldObjects
from jobsworth.files.file_evaluation import EvaluationOptions, FileEvaluator
from jobsworth.files.validation_run import ValidatedPaths, ValidationRun
from jobsworth.findings.result import EXIT_INVALID, Result, exit_code
from jobsworth.findings.summary import Omissions, Summary
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from jobsworth.cli.fix_run import FixRun
    from jobsworth.files.baseline import Baseline
    from jobsworth.files.dry_runs import DryRuns
    from jobsworth.files.live_objects import LiveObjects
    from jobsworth.files.rendering import Source

HERE = (".",)
"""The paths of a command line without any."""

YELLOW = "33;1"


class FixOptions(Options):
    """Options for fixes."""

    heading = "Fixes"

    fix: bool = flag(
        "--fix",
        help="Apply safe fixes in place and report the remaining findings; with -, write the fixed "
        "manifests to standard output.",
    )
    unsafe: bool = flag("--unsafe", help="Also apply fixes that may change how the Job behaves.")
    diff: bool = flag(
        "--diff",
        help="Print the changes of --fix as a diff without writing files; exit with 1 if there are any.",
    )


class BaselineOptions(Options):
    """Options for the baseline of known findings."""

    heading = "Baseline"

    baseline: str | None = option(
        "--baseline",
        metavar="FILE",
        help="Do not report findings listed in this file; name the entries that no longer occur.",
    )
    write_baseline: bool = flag(
        "--write-baseline", help="Create or update the --baseline file with all current findings."
    )


class InputOptions(Options):
    """Options for the files to read, and how."""

    heading = "Input"

    mixed: bool = flag(
        "--mixed",
        help="Tolerate files that are not manifests, as in a hook: skip files without a Job, and skip "
        "templates ({{) with a note instead of an error.",
    )
    exclude: tuple[str, ...] = words(
        "--exclude",
        metavar="PATTERN,...",
        help="Do not read these files: a name (vendor, '*.tpl.yaml') or a path from the current folder.",
    )
    hidden: bool = flag(
        "--hidden", help="Also search hidden folders, such as .github, but not .git."
    )
    allow_empty: bool = flag(
        "--allow-empty", help="Accept a PATH without any object, such as empty standard input."
    )
    fail_on_empty: bool = flag(
        "--fail-on-empty", help="A PATH without a Job or CronJob is an error (exit code 2)."
    )
    stdin_filename: str | None = option(
        "--stdin-filename",
        metavar="FILE",
        help="The file that standard input (-) stands for: reports name it, and its configuration applies.",
    )
    jobset_version: str | None = option(
        "--jobset-version",
        metavar="VERSION",
        help="The version of JobSet in the cluster, 0.8 to 0.12; default: the newest.",
    )
    namespace: str | None = option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="The namespace of manifests that have none, for policies; default: default.",
    )


class ValidateOptions(Options):
    """The options of ``jobsworth validate``."""

    fixing = group(FixOptions)
    report = group(ReportOptions)
    input = group(InputOptions)
    rendering = group(RenderingOptions)
    configuration = group(ConfigurationOptions)
    known = group(BaselineOptions)
    comparison = group(ComparisonOptions)
    cluster = group(ValidatedClusterOptions)
    server = group(ServerOptions)
    jobs: int | None = option(
        "--jobs", "-j", type=number, metavar="N", help="Maximum number of processes."
    )
    paths: tuple[str, ...] = arguments("paths", "[PATH...]")


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
    paths, existing, failures, sources = _manifests(options, configurations, asked.live)
    evaluator = _evaluator(options, configurations, existing, paths, asked.dry_runs)
    fixes = _fixes(options, evaluator, baseline)
    run = ValidationRun(
        evaluator,
        configurations,
        _validated_paths(options, paths),
        evaluate=None if fixes is None else fixes.file,
        processes=_processes(options),
        sources=sources,
        renders=options.rendering.render,
        rendering=render_options(options.rendering, options.input.namespace or ""),
        baseline=baseline,
    )
    progress = Progress(enabled=not options.report.quiet)
    results: list[Result] = []
    with _reporter(options, progress, run.omissions) as reporter:
        for result in chain(failures, run.results(progress.update)):
            results.append(result)
            reporter.add(result)
    code = exit_code(results)
    if fixes is not None and fixes.diff_shown:
        code = max(code, EXIT_INVALID)
    summary = Summary(results, run.omissions, infos=options.report.info)
    lines = [
        *_closing_lines(
            options,
            summary,
            results,
            code=code,
            fixes=fixes,
            configurations=configurations,
            existing=existing,
            sources=sources,
        )
    ]
    if baseline is not None:
        lines += baseline.finish(write=options.known.write_baseline)
    for line in () if options.report.quiet else lines:
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


class _Manifests(NamedTuple):
    """What to validate.

    Attributes:
        paths: the files and folders.
        existing: the objects that they update.
        failures: errors from reading these.
        sources: the charts and overlays to render.
    """

    paths: Sequence[str]
    existing: OldObjects
    failures: list[Result]
    sources: list[Source]


def _manifests(
    options: ValidateOptions, configurations: Configurations, live: LiveObjects | None
) -> _Manifests:
    against, git_ref = options.comparison.against, options.comparison.git_ref
    if git_ref is not None:
        from jobsworth.files.changed_files import changes_since

        changes = changes_since(git_ref, options.paths, configurations)
        sources = sources_of(options.rendering, changes.within, changes.files)
        return _Manifests(changes.manifests, changes.existing, [], sources)
    paths = _paths(options)
    sources = sources_of(options.rendering, paths)
    if live is not None:
        return _Manifests(paths, live, [], sources)
    if against is None:
        return _Manifests(paths, NO_OBJECTS, [], sources)
    from jobsworth.files.manifest_reading import read_existing

    objects, failures = read_existing(against)
    return _Manifests(paths, ExistingObjects(objects), failures, sources)


def _paths(options: ValidateOptions) -> Sequence[str]:
    """Return the paths to validate: the current folder if the command line names nothing to validate."""
    named = options.rendering.helm or options.rendering.kustomize
    return options.paths or (() if named else HERE)


def _validated_paths(options: ValidateOptions, paths: Sequence[str]) -> ValidatedPaths:
    """Return the paths of the run; none of them must have an object with --mixed or --git-ref."""
    given = options.input
    lenient = given.mixed or given.allow_empty or options.comparison.git_ref is not None
    return ValidatedPaths(
        paths=paths,
        required=() if lenient and not given.fail_on_empty else paths,
        requires_job=given.fail_on_empty,
        hidden=given.hidden,
        stdin_filename=given.stdin_filename,
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
        only_failing=options.report.quiet and not _needs_every_finding(options),
        allow_empty=options.input.allow_empty,
        stdin_filename=options.input.stdin_filename or "",
        now=None if existing is NO_OBJECTS else _time_of_updates(options.comparison),
    )
    return FileEvaluator(configurations, existing, evaluation, dry_runs)


def _needs_every_finding(options: ValidateOptions) -> bool:
    """Return True for a run that does something with the findings in what does not fail."""
    fixing = options.fixing
    return fixing.fix or fixing.diff or options.known.baseline is not None


def _time_of_updates(options: ComparisonOptions) -> int:
    from jobsworth.cli.options import given_time

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


def _closing_lines(
    options: ValidateOptions,
    summary: Summary,
    results: Sequence[Result],
    *,
    code: int,
    fixes: FixRun | None,
    configurations: Configurations,
    existing: OldObjects,
    sources: Sequence[Source],
) -> Iterator[str]:
    """Yield what follows the reports: what was fixed, the summary, and notes on the run."""
    if fixes is not None:
        yield from fixes.sentences(results)
    git_ref = options.comparison.git_ref
    if git_ref is not None and not results:
        yield printable(f"no manifest differs from {git_ref}: nothing was validated")
    elif not prints_json(options.report):
        yield from _summary_lines(options, summary, nothing_wrong=code == 0)
        diff_shown = fixes is not None and fixes.diff_shown
        if code == EXIT_INVALID and not summary.findings["error"] and not diff_shown:
            yield why_it_fails(results)
    namespace = options.input.namespace
    if namespace is None and configurations.have_policies:
        yield from note_on_default_namespace(results)
    elif namespace is not None:
        yield from note_on_other_namespaces(results, namespace)
    if options.comparison.against is not None:
        yield from note_on_new_objects(results, existing, options.comparison.against)
    if git_ref is not None and isinstance(existing, ExistingObjects):
        yield from note_on_ambiguous_objects(results, existing, git_ref)
    if git_ref is not None and sources:
        yield from note_on_rendered_objects(results, [each.path for each in sources], git_ref)
    for note in configurations.notes:
        yield printable(f"note: {note}")


def _summary_lines(
    options: ValidateOptions, summary: Summary, *, nothing_wrong: bool
) -> Iterator[str]:
    git_ref = options.comparison.git_ref
    sentence = summary.sentence(printable(f" in what differs from {git_ref}") if git_ref else "")
    unexpected = not summary.validated and nothing_wrong and not options.input.mixed
    if unexpected and wants_color(sys.stderr, options.report.color):
        sentence = f"\x1b[{YELLOW}m{sentence}\x1b[0m"
    yield sentence
    fixing = options.fixing
    fixes = summary.fixes_sentence(
        fixing=fixing.fix or fixing.diff, unsafe=fixing.unsafe, diff=fixing.diff
    )
    if fixes:
        yield fixes


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # os.sched_getaffinity is missing on macOS and Windows
        return os.cpu_count() or 1


COMMAND = Command(
    "validate",
    help="""Validate Jobs and CronJobs as the API server would.

PATH is a file, a folder (searched for .yaml, .yml and .json), or - for standard input; without it, the
current folder. Documents that
are not a Job or CronJob are skipped. Exit codes: 0 if all objects are valid, 1 if an object is invalid,
2 if a file is unreadable, the command line is wrong, or (--fail-on-empty) a PATH has no Job or CronJob.""",
    epilog="""\b
Examples:
  jobsworth validate job.yaml
  jobsworth validate --kubernetes-version 1.31 manifests/
  jobsworth validate --against deployed/ manifests/   # as updates of these
  jobsworth validate --against live manifests/   # as updates of the cluster's
  jobsworth validate --server manifests/   # also asks the cluster: dry runs
  jobsworth validate --git-ref origin/main   # the changes of this branch
  helm template charts/etl | jobsworth validate -   # or --helm charts/etl
  jobsworth validate --profile baseline manifests/   # a ready-made policy
  jobsworth validate --diff manifests/   # safe fixes; --fix applies them
  jobsworth validate --baseline known.json --write-baseline .
  jobsworth validate -o json . | jq '.results[] | select(.findings != [])'
""",
    options=ValidateOptions,
    run=run,
)
