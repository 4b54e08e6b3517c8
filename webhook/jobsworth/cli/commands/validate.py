"""``jobsworth validate``: the API server's verdict on manifests."""

from __future__ import annotations

import os
import sys

from jobsworth.cli import reporting, server_options
from jobsworth.cli.command import Command, Option, UsageError
from jobsworth.cli.configuration import resolved_settings
from jobsworth.cli.configuration.resolved_settings import configurations_for
from jobsworth.cli.file_evaluation import Judge, judge_all, read_existing
from jobsworth.cli.inputs.existing_objects import Existing
from jobsworth.cli.reporting import report
from jobsworth.reports.result import ERROR, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from jobsworth.cli.fixing.fix_run import Fixer
    from jobsworth.cli.inputs.baseline import Baseline
    from jobsworth.reports.result import Result

EXIT_VALID, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2


def run(values: dict[str, Any]) -> int:
    """Judge manifests, report what was found, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, or a configuration.
    """
    reporting.check(values)
    baseline = _baseline(values)
    existing: Existing | None = None
    failures: list[Result] = []
    paths, configurations = values["paths"], configurations_for(values)
    if values["git_ref"] is not None:
        if values["against"] is not None:
            raise UsageError(
                "--git-ref and --against both say what to compare with: use one of them"
            )
        from jobsworth.cli.changed_files import changed_manifests

        paths, existing = changed_manifests(values["git_ref"], paths, configurations)
    elif values["against"] is not None:
        objects, failures = read_existing(values["against"])
        existing = Existing(objects)
    from jobsworth.cli.progress import Progress

    progress = Progress(enabled=not values["quiet"])
    changes = values["output"] == "sarif"
    # A baseline, and fixing, need every finding.
    needed = any(values[key] for key in ("baseline", "write_baseline", "fix", "diff", "statistics"))
    judge = Judge(
        configurations,
        existing,
        mixed=values["mixed"],
        changes=changes,
        only_invalid=values["quiet"] and not needed,
    )
    fixer = _fixer(judge, values)
    jobs = 1 if values["diff"] else values["jobs"] or _cores()
    judged = judge_all(fixer or judge, paths, jobs, progress.update)
    if fixer is None:
        results = report(_reported(failures, judged, baseline), values, progress)
    else:
        results = fixer.report(_reported(failures, judged, baseline), values, progress)
    told, summary = not values["quiet"], Summary(results, excluded=judge.excluded)
    if told and (values["output"] != "json" or values["output_file"] is not None):
        print(summary.sentence(), file=sys.stderr)
    if baseline is not None:
        for line in baseline.finish(write=values["write_baseline"]):
            if told:
                print(line, file=sys.stderr)
    if summary.documents[ERROR]:
        return EXIT_UNREADABLE
    # A near miss is no Job, and an error all the same.
    left = summary.findings["error"] or (fixer is not None and fixer.shown)
    return EXIT_INVALID if left else EXIT_VALID


def _fixer(judge: Judge, values: dict[str, Any]) -> Fixer | None:
    if not (values["fix"] or values["diff"]):
        if values["unsafe"]:
            raise UsageError("--unsafe goes with --fix or --diff")
        return None
    from jobsworth.cli.fixing.fix_run import Fixer

    return Fixer(judge, unsafe=values["unsafe"], diff=values["diff"])


def _baseline(values: dict[str, Any]) -> Baseline | None:
    if values["baseline"] is None:
        if values["write_baseline"]:
            raise UsageError("--write-baseline needs --baseline FILE, which it writes")
        return None
    from jobsworth.cli.inputs.baseline import Baseline

    return Baseline(values["baseline"], may_be_new=values["write_baseline"])


def _reported(
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
    options=(
        *server_options.OPTIONS,
        Option(
            "--against",
            metavar="PATH",
            help="Judge each document as an update of the one of the same kind, namespace and name here.",
        ),
        Option(
            "--git-ref",
            metavar="REF",
            help="Judge only what differs from this commit of git, as updates of what stands there; "
            "without PATH, in the whole repository.",
        ),
        Option(
            "--mixed",
            flag=True,
            help="The files are of all sorts, as in a hook: those without a Job are skipped unread, "
            "and templates ({{) with a note instead of failing.",
        ),
        Option(
            "--fix",
            flag=True,
            help="Mend in the files what has a safe fix, and report what is left; - is written to "
            "standard output.",
        ),
        Option("--unsafe", flag=True, help="Mend also what a fix may change the behaviour of."),
        Option(
            "--diff",
            flag=True,
            help="Show what --fix would change, and change nothing; the exit code is 1 if it would.",
        ),
        *resolved_settings.OPTIONS,
        *reporting.OPTIONS,
        Option(
            "--baseline",
            metavar="FILE",
            help="Do not report the findings that this file lists; name those that are gone.",
        ),
        Option(
            "--write-baseline",
            flag=True,
            help="Make the file of --baseline, or bring it up to date, with all that is found.",
        ),
        Option("--jobs", short="-j", integer=True, metavar="N", help="Processes to use, at most."),
    ),
    run=run,
    paths_unless="git_ref",
)
