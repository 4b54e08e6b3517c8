"""Evaluate files in several processes, and yield their results in the order of the files."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread

import jobsworth.evaluation.evaluator  # noqa: F401  # before the fork: imported once for all processes
from jobsworth.findings.result import Result
from jobsworth.usage_error import InputError

Evaluate = Callable[[str], list[Result]]

START_METHOD = "fork" if sys.platform == "linux" else "spawn"
"""A fork takes a few milliseconds, a new interpreter 100. It is safe while this process has one thread; on
macOS, the system's libraries may have started others."""


def in_order(
    evaluate: Evaluate, files: Sequence[str], processes: int, *, files_at_a_time: int
) -> Iterator[list[Result]]:
    """Yield the results of each file.

    Args:
        evaluate: evaluates a file; it must be picklable.
        files: the files.
        processes: the number of processes to start.
        files_at_a_time: the number of files that a process takes at once.

    Raises:
        UsageError: a configuration is wrong.
        InputError: a process was killed.
    """
    gc.freeze()  # so that collections neither traverse nor unshare what is imported
    gc.enable()
    # A worker that is not forked starts as `python -c`, which puts the current folder on sys.path. It is
    # mostly a checkout, and not always a trusted one.
    before = os.environ.get("PYTHONSAFEPATH", "")
    os.environ["PYTHONSAFEPATH"] = "1"
    pool = ProcessPoolExecutor(processes, get_context(START_METHOD), _adopt, (evaluate,))
    try:
        yield from pool.map(_evaluated, files, chunksize=files_at_a_time)
    except BrokenProcessPool:
        raise InputError(
            "a process of this command was killed; run it with --jobs 1 to need less memory"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
        os.environ["PYTHONSAFEPATH"] = before  # empty is as good as unset


_adopted: list[Evaluate] = []


def _adopt(evaluate: Evaluate) -> None:
    """Keep the function in a worker process, so that every file uses its compiled rules."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command reports an interrupt, and ends them
    Thread(target=_end_with_the_command, daemon=True).start()
    gc.freeze()
    _adopted.append(evaluate)


def _end_with_the_command() -> None:
    """End this worker when the command was killed; it would wait for files forever."""
    command = parent_process()
    assert command is not None
    command.join()
    os._exit(1)


def _evaluated(file: str) -> list[Result]:
    return _adopted[0](file)
