"""``jobsworth validate``: the API server's verdict on manifests."""

from __future__ import annotations

import os
import sys

from jobsworth.cli import server
from jobsworth.cli.command import Command, Option
from jobsworth.cli.judging import Judge, judge_all, read_existing
from jobsworth.reports.result import ERROR, INVALID, Result, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

EXIT_VALID, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2


def run(values: dict[str, Any]) -> int:
    """Judge manifests, print what was found, and return the exit code.

    Raises:
        UsageError: an option's value is wrong.
    """
    api_server = server.server_of(values)
    existing, failures = {}, []
    if values["against"] is not None:
        existing, failures = read_existing(values["against"])
    from jobsworth.cli.progress import Progress

    progress = Progress(enabled=not values["quiet"])
    judged = judge_all(
        Judge(api_server, existing), values["paths"], values["jobs"] or _cores(), progress.update
    )
    results = _printed([*failures], judged, values, progress)
    statuses = {result.status for result in results}
    if not values["quiet"] and values["output"] != "json":
        print(Summary(results).sentence(), file=sys.stderr)
    if ERROR in statuses:
        return EXIT_UNREADABLE
    return EXIT_INVALID if INVALID in statuses else EXIT_VALID


def _printed(
    failures: list[Result], judged: Iterable[Result], values: dict[str, Any], progress: Progress
) -> list[Result]:
    """Print results as they come, and return them all."""
    if values["output"] == "json":
        from jobsworth.reports.json_report import render

        results = [*failures, *judged]
        progress.clear()
        if values["quiet"]:
            shown = [result for result in results if result.status in (INVALID, ERROR)]
            print(render(shown))
        else:
            print(render(results))
        return results
    lines = _renderer(values["output"])
    results = []
    for group in (failures, judged):
        for result in group:
            results.append(result)
            if values["quiet"] and result.status not in (INVALID, ERROR):
                continue
            for line in lines(result):
                progress.clear()
                print(line)
    progress.clear()
    return results


def _renderer(output: str) -> Callable[[Result], Iterator[str]]:
    if output == "concise":
        from jobsworth.reports import concise

        return concise.render
    from jobsworth.reports import text

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return lambda result: text.render(result, colour=colour)


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
  kubectl get jobs -A -o yaml | jobsworth validate --output concise -
  jobsworth validate --output json manifests/ | jq '.results[] | select(.status == "invalid")'
""",
    options=(
        *server.OPTIONS,
        Option(
            "--against",
            metavar="PATH",
            help="Judge each document as an update of the one of the same kind, namespace and name here.",
        ),
        Option(
            "--output",
            short="-o",
            default="text",
            choices=("text", "concise", "json"),
            help="How to report: with the source line, one line a finding, or JSON.",
        ),
        Option("--jobs", short="-j", integer=True, metavar="N", help="Processes to use, at most."),
        Option(
            "--quiet", short="-q", flag=True, help="Report only what is invalid, and no summary."
        ),
    ),
    run=run,
)

if TYPE_CHECKING:
    from jobsworth.cli.progress import Progress
