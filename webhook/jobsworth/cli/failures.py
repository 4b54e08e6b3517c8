"""Report an unexpected exception in one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from errno import EBADF, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOENT, ENOSPC

from jobsworth.cli import EXIT_FAILED, EXIT_INTERRUPTED, ISSUES, NO_OUTPUT
from jobsworth.printable import printable

TRACEBACK = "JOBSWORTH_TRACEBACK"
"""The environment variable that adds the traceback."""

MAX_MESSAGE_LENGTH = 500

TOO_MANY_FILES = (
    "Error: too many open files: raise the limit (ulimit -n), or use fewer processes (--jobs 1)"
)

UNWRITABLE = (EBADF, EDQUOT, EFBIG, EIO, ENOSPC)
"""Errors from a full or closed output; without a file name, it is standard output."""


def report(error: BaseException) -> int:
    """Print the exception that ended a command to standard error, and return the exit code."""
    if any(isinstance(each, KeyboardInterrupt) for each in _with_causes(error)):
        return EXIT_INTERRUPTED
    if os.environ.get(TRACEBACK):
        import traceback

        traceback.print_exception(error)
    with suppress(OSError):  # then only the exit code remains
        print(_line(error), file=sys.stderr, flush=True)
    return EXIT_FAILED


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """Return an exception and its causes: a metaclass may wrap an interrupt in its own exception."""
    each: BaseException | None = error
    while each is not None:
        yield each
        each = each.__cause__ or each.__context__


def _has_current_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _line(error: BaseException) -> str:
    if isinstance(error, OSError):
        if error.errno in (EMFILE, ENFILE):
            return TOO_MANY_FILES
        if error.errno == ENOENT and not _has_current_folder():
            return "Error: the current folder does not exist any more: change to another folder"
        if error.filename is not None:
            return printable(f"Error: {os.fsdecode(error.filename)}: {error.strerror}")
        if error.errno in UNWRITABLE:
            return f"{NO_OUTPUT}: {error.strerror}"
    message = printable(" ".join(str(error)[:MAX_MESSAGE_LENGTH].split()))
    return (
        f"internal error: {type(error).__name__}: {message}\n"
        f"This is a bug in jobsworth. Please report it at {ISSUES}, with the command line and, if you "
        f"can, the manifest; {TRACEBACK}=1 adds a traceback."
    )
