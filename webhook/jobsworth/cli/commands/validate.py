"""``jobsworth validate``: the API server's verdict on manifests."""

from __future__ import annotations

import os
import sys

from jobsworth.cli import reporting
from jobsworth.cli.command import Command, UsageError
from jobsworth.cli.configuration.resolved_settings import ConfigurationOptions, configurations_for
from jobsworth.cli.existing_objects import Existing
from jobsworth.cli.file_evaluation import Judge, judge_all, read_existing
from jobsworth.cli.options import Options, arguments, flag, integer, nested, text
from jobsworth.cli.reporting import ReportOptions, report
from jobsworth.cli.server_options import ServerOptions
from jobsworth.reports.result import ERROR, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from jobsworth.cli.configuration.resolved_settings import Configurations
    from jobsworth.cli.fixing.fix_run import Fixer
    from jobsworth.cli.inputs.baseline import Baseline
    from jobsworth.reports.result import Result

EXIT_VALID, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2


class ComparisonOptions(Options):
    """The options that say what manifests are updates of."""

    against = text(
        metavar="PATH",
        help="Judge each document as an update of the one of the same kind, namespace and name here.",
    )
    git_ref = text(
        metavar="REF",
        help="Judge only what differs from this commit of git, as updates of what stands there; "
        "without PATH, in the whole repository.",
    )


class FixOptions(Options):
    """The options that say what is fixed."""

    fix = flag(
        help="Mend in the files what has a safe fix, and report what is left; - is written to "
        "standard output."
    )
    unsafe = flag(help="Mend also what a fix may change the behaviour of.")
    diff = flag(
        help="Show what --fix would change, and change nothing; the exit code is 1 if it would."
    )


class BaselineOptions(Options):
    """The options that say which findings are known already."""

    baseline = text(
        metavar="FILE",
        help="Do not report the findings that this file lists; name those that are gone.",
    )
    write_baseline = flag(
        help="Make the file of --baseline, or bring it up to date, with all that is found."
    )


class ValidateOptions(Options):
    """The options of ``jobsworth validate``."""

    server = nested(ServerOptions)
    comparison = nested(ComparisonOptions)
    mixed = flag(
        help="The files are of all sorts, as in a hook: those without a Job are skipped unread, "
        "and templates ({{) with a note instead of failing."
    )
    fixing = nested(FixOptions)
    configuration = nested(ConfigurationOptions)
    report = nested(ReportOptions)
    known = nested(BaselineOptions)
    jobs = integer(short="-j", metavar="N", help="Processes to use, at most.")
    paths = arguments(unless="git_ref")


def run(options: ValidateOptions) -> int:
    """Judge manifests, report what was found, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, or a configuration.
    """
    reporting.check(options.report)
    comparison, fixing, known = options.comparison, options.fixing, options.known
    if comparison.against is not None and comparison.git_ref is not None:
        raise UsageError("--git-ref and --against both say what to compare with: use one of them")
    if fixing.unsafe and not (fixing.fix or fixing.diff):
        raise UsageError("--unsafe goes with --fix or --diff")
    if known.write_baseline and known.baseline is None:
        raise UsageError("--write-baseline needs --baseline FILE, which it writes")
    asked = Validation(
        configurations_for(
            options.configuration,
            release=options.server.kubernetes_version,
            gates=options.server.feature_gates,
            allow_privileged=options.server.allow_privileged,
        ),
        options.paths,
        comparison,
        mixed=options.mixed,
        fixing=fixing,
        known=known,
        jobs=1 if fixing.diff else options.jobs or _cores(),
        report=options.report,
    )
    return validate(asked)


class Validation:
    """A validation to run.

    Attributes:
        configurations: of the manifests.
        paths: files, folders, ``-``.
        comparison: what the manifests are updates of.
        mixed: the files are of all sorts: see :mod:`jobsworth.cli.inputs.tolerant`.
        fixing: what is fixed.
        known: which findings are known already.
        jobs: the greatest number of processes.
        report: how to report.
    """

    __slots__ = (
        "comparison", "configurations", "fixing", "jobs", "known", "mixed", "paths", "report",
    )  # fmt: skip

    def __init__(
        self,
        configurations: Configurations,
        paths: Sequence[str],
        comparison: ComparisonOptions,
        *,
        mixed: bool,
        fixing: FixOptions,
        known: BaselineOptions,
        jobs: int,
        report: ReportOptions,
    ) -> None:
        self.configurations = configurations
        self.paths = paths
        self.comparison = comparison
        self.mixed = mixed
        self.fixing = fixing
        self.known = known
        self.jobs = jobs
        self.report = report


def validate(asked: Validation) -> int:
    """Run a validation, and return the exit code.

    Raises:
        UsageError: a configuration is wrong, or the baseline, or what git is asked for.
    """
    baseline = _baseline(asked.known)
    paths, existing, failures = _manifests(asked)
    from jobsworth.cli.progress import Progress

    progress = Progress(enabled=not asked.report.quiet)
    judge = _judge(asked, existing)
    fixer = _fixer(judge, asked.fixing)
    judged = judge_all(fixer or judge, paths, asked.jobs, progress.update)
    left = _without_known(failures, judged, baseline)
    if fixer is None:
        results = report(left, asked.report, progress)
    else:
        results = fixer.report(left, asked.report, progress, paths)
    summary = Summary(results, excluded=judge.excluded)
    told, to_file = not asked.report.quiet, asked.report.output_file is not None
    if told and (asked.report.output != "json" or to_file):
        print(summary.sentence(), file=sys.stderr)
    if baseline is not None:
        for line in baseline.finish(write=asked.known.write_baseline):
            if told:
                print(line, file=sys.stderr)
    if summary.documents[ERROR]:
        return EXIT_UNREADABLE
    # A near miss is no Job, and an error all the same.
    wrong = summary.findings["error"] or (fixer is not None and fixer.shown)
    return EXIT_INVALID if wrong else EXIT_VALID


def _baseline(options: BaselineOptions) -> Baseline | None:
    if options.baseline is None:
        return None
    from jobsworth.cli.inputs.baseline import Baseline

    return Baseline(options.baseline, may_be_new=options.write_baseline)


def _manifests(asked: Validation) -> tuple[Sequence[str], Existing | None, list[Result]]:
    """The paths to judge, the objects that stand there already, and what could not be read of them."""
    against, git_ref = asked.comparison.against, asked.comparison.git_ref
    if git_ref is not None:
        from jobsworth.cli.changed_files import changed_manifests

        paths, existing = changed_manifests(git_ref, asked.paths, asked.configurations)
        return paths, existing, []
    if against is None:
        return asked.paths, None, []
    objects, failures = read_existing(against)
    return asked.paths, Existing(objects), failures


def _judge(asked: Validation, existing: Existing | None) -> Judge:
    fixing = asked.fixing.fix or asked.fixing.diff
    # A baseline, and fixing, need every finding.
    all_needed = asked.known.baseline is not None or fixing or asked.report.statistics
    return Judge(
        asked.configurations,
        existing,
        mixed=asked.mixed,
        changes=asked.report.output == "sarif",
        only_invalid=asked.report.quiet and not all_needed,
    )


def _fixer(judge: Judge, options: FixOptions) -> Fixer | None:
    if not (options.fix or options.diff):
        return None
    from jobsworth.cli.fixing.fix_run import Fixer

    return Fixer(judge, unsafe=options.unsafe, diff=options.diff)


def _without_known(
    failures: Iterable[Result], judged: Iterable[Result], baseline: Baseline | None
) -> Iterator[Result]:
    yield from failures
    for result in judged:
        if baseline is not None:
            baseline.take_known_from(result)
        yield result


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


COMMAND = Command(
    "validate",
    help="""Judge Jobs and CronJobs as the API server would.

PATH is a file, a folder (searched for .yaml, .yml and .json), or - for standard input. Documents that
are not a Job or CronJob are skipped. The exit code is 0 when everything is valid, 1 when something is
invalid, 2 when something could not be read or the command line is wrong.""",
    epilog="""\b
Examples:
  jobsworth validate job.yaml
  jobsworth validate --kubernetes-version 1.31 --feature-gates JobManagedBy=true manifests/
  jobsworth validate --against deployed/ manifests/   # can this be applied over what is deployed?
  jobsworth validate --git-ref origin/main            # what this branch changes, as updates of main
  kubectl get jobs -A -o yaml | jobsworth validate --output concise -
  jobsworth validate --diff manifests/                # what can be mended safely; --fix does it
  jobsworth validate --baseline known.json --write-baseline .   # adopt what is there, step by step
  jobsworth validate --output json manifests/ | jq '.results[] | select(.status == "invalid")'
""",
    options=ValidateOptions,
    run=run,
)
