"""``jobsworth wait``: wait until a Job has ended, or until it is known that it will not."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from jobsworth.cli.cluster_options import ClusterOptions
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag, group, option
from jobsworth.cli.output_files import STDOUT, write_lines
from jobsworth.cli.process_options import duration_in_seconds
from jobsworth.cli.terminal import print_note, terminal_width, wants_color
from jobsworth.installation import missing_extra
from jobsworth.live.wait_options import Progress
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from jobsworth.live.wait_functions import Waited

EXIT_UNREADABLE = 2
LINE_SECONDS = 10.0
"""Seconds between two lines of progress where there is no terminal."""


class WaitOptions(Options):
    """The options of ``jobsworth wait``."""

    cluster = group(ClusterOptions)
    namespace: str | None = option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="The namespace of the Job; default: that of the context.",
    )
    timeout: str | None = option(
        "--timeout", metavar="DURATION", help="Stop waiting after this time, such as 30m or 2h."
    )
    for_creation: str | None = option(
        "--for-creation",
        metavar="DURATION",
        help="Wait this long for a Job that does not exist yet, and follow one that is deleted and created "
        "again.",
    )
    stuck_after: str = option(
        "--stuck-after",
        default="2m",
        metavar="DURATION",
        help="How long the Job may stand still for an image that cannot be pulled, a missing ConfigMap or "
        "Secret, Pods that the API server rejects, parallelism 0, or a controller that does not act.",
    )
    unschedulable_after: str = option(
        "--unschedulable-after",
        default="10m",
        metavar="DURATION",
        help="How long it may stand still because no node has room, or Pods do not terminate.",
    )
    suspended: Literal["stop", "ok"] = option(
        "--suspended",
        default="stop",
        type=click.Choice(("stop", "ok")),
        help="ok: wait for a suspended Job to be resumed, as for one in a queue of Kueue.",
    )
    unreachable_after: str = option(
        "--unreachable-after",
        default="5m",
        metavar="DURATION",
        help="How long the API server may give no answer; the first must come within 10 s.",
    )
    quiet: bool = flag("--quiet", "-q", help="Do not show progress.")
    job: tuple[str, ...] = arguments("job", "job/NAME")


def run(options: WaitOptions) -> int:
    """Wait, print why the Job ended, and return the exit code.

    Raises:
        UsageError: an option's value is wrong.
    """
    try:
        return _wait(options)
    except BrokenPipeError:
        # Other commands end with 1 when the reader has gone: here it would be the outcome of the Job.
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        return EXIT_UNREADABLE


def _wait(options: WaitOptions) -> int:
    timeout = _seconds_if_given("--timeout", options.timeout)
    for_creation = _seconds_if_given("--for-creation", options.for_creation)
    stuck_after = duration_in_seconds("--stuck-after", options.stuck_after)
    unschedulable_after = duration_in_seconds("--unschedulable-after", options.unschedulable_after)
    unreachable_after = duration_in_seconds("--unreachable-after", options.unreachable_after)
    progress = _Progress(enabled=not options.quiet)
    try:
        from jobsworth.live.errors import ClusterError
        from jobsworth.live.job_reference import BadReference, check_joined
        from jobsworth.live.wait_functions import wait
    except ImportError as error:
        raise UsageError(missing_extra("connections to a cluster", "cluster", error.name)) from None
    try:
        check_joined(options.job)
        if len(options.job) != 1:
            raise UsageError(f"name one Job, not {len(options.job)}")
        waited = wait(
            options.job[0],
            namespace=options.namespace,
            context=options.cluster.context,
            kubeconfig=options.cluster.kubeconfig,
            timeout=timeout,
            for_creation=for_creation,
            stuck_after=stuck_after,
            unschedulable_after=unschedulable_after,
            suspended=options.suspended,
            unreachable_after=unreachable_after,
            on_progress=progress.show,
            on_note=progress.note,
        )
    except ImportError as error:
        raise UsageError(missing_extra("connections to a cluster", "cluster", error.name)) from None
    except BadReference as error:
        raise UsageError(str(error)) from None
    except ClusterError as error:
        progress.clear()
        print(printable(f"Error: {error}"), file=sys.stderr)
        return EXIT_UNREADABLE
    progress.clear()
    write_lines(_answer(waited, timeout, options.cluster), STDOUT)
    sys.stdout.flush()
    return waited.exit_code


def _answer(waited: Waited, timeout: float | None, cluster: ClusterOptions) -> Iterator[str]:
    """Yield the sentence; for a Job that is not Complete, the short answer of ``jobsworth why`` instead."""
    found = waited.diagnosis
    if found is None or waited.outcome == "Complete":
        yield printable(waited.sentence)
        return
    from jobsworth.live.wait_functions import after_timeout
    from jobsworth.reports.sections import Fact, text_lines
    from jobsworth.reports.why_sections import answer_section

    answer = answer_section(found)
    title = answer.title
    if waited.outcome == "Stuck" and waited.cause != found.cause:
        title = waited.sentence
    elif waited.outcome == "Timeout":
        title = after_timeout(timeout, title)
    job = found.recording.job
    command = ["jobsworth", "why", f"job/{job.name}", "-n", job.namespace]
    for name, value in (("--context", cluster.context), ("--kubeconfig", cluster.kubeconfig)):
        if value is not None:
            command += [name, value]
    more = Fact("More", "", shlex.join(command))
    section = replace(answer, title=title, facts=[*answer.facts, more])
    yield from text_lines([section], terminal_width(sys.stdout), color=wants_color(sys.stdout))


def _seconds_if_given(option: str, text: str | None) -> float | None:
    return None if text is None else duration_in_seconds(option, text)


class _Progress:
    """Shows progress on standard error: a line that changes on a terminal, else lines from time to time."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self._terminal = sys.stderr.isatty()
        self._next = 0.0

    def show(self, progress: Progress) -> None:
        """Show the progress."""
        if not self._enabled:
            return
        line = printable(progress_line(progress))
        if self._terminal:
            width = terminal_width(sys.stderr) or len(line)
            print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_SECONDS
            print(line, file=sys.stderr, flush=True)

    def note(self, words: str) -> None:
        """Print a note on a line of its own."""
        self.clear()
        print_note(f"note: {words}")

    def clear(self) -> None:
        """Remove the line of a terminal."""
        if self._enabled and self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def progress_line(progress: Progress) -> str:
    """Return the progress as a line, such as "train  0:01:30  3 of 10 indexes succeeded, 2 active".

    Args:
        progress: by the status of the Job.
    """
    from jobsworth.runs.virtual_time import SECOND, clock

    noun = "indexes" if progress.indexed else "Pods"
    of = "" if progress.wanted is None else f" of {progress.wanted}"
    parts = [f"{progress.succeeded}{of} {noun} succeeded"]
    for number, words in (
        (progress.failed, "failed"),
        (progress.active, "active"),
        (progress.pending, "pending"),
        (progress.terminating, "terminating"),
    ):
        if number:
            parts.append(f"{number} {words}")
    if progress.suspended:
        parts.append("suspended")
    return f"{progress.name}  {clock(round(progress.seconds * SECOND))}  {', '.join(parts)}"


COMMAND = Command(
    "wait",
    help="""Wait until a Job is Complete or Failed, or until it is known that it will be neither, and print
why.

It watches the Job, its Pending Pods and its Events, and survives restarts of the API server. A Job that is
deleted and created again is another Job: the wait ends, unless --for-creation is given. Progress is written
to standard error, the end to standard output: the sentence for a Job that is complete, else the short answer
of jobsworth why.

Exit codes: 0 the Job is complete; 1 it has failed; 2 the command line is wrong, there is no such Job, or the
cluster cannot be read; 3 it will be neither, unless something outside changes (its Pods cannot start or are
rejected, it is suspended, it was deleted); 4 the time of --timeout is over.""",
    epilog="""\b
Examples:
  jobsworth wait job/train -n batch --timeout 2h
  kubectl apply -f job.yaml && jobsworth wait job/migrate --for-creation 1m
  jobsworth wait job/train --suspended ok --unschedulable-after 1h
""",
    options=WaitOptions,
    run=run,
)
