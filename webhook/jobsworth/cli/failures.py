"""Reports an exception that no command expects, in one line."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from errno import EBADF, EDQUOT, EFBIG, EIO, ENOSPC

from jobsworth.cli import EXIT_FAILED, EXIT_INTERRUPTED, ISSUES, NO_OUTPUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TRACEBACK = "JOBSWORTH_TRACEBACK"
"""The environment variable with which the traceback is printed, too."""

LONGEST_MESSAGE = 500

UNWRITABLE = (EBADF, EDQUOT, EFBIG, EIO, ENOSPC)
"""The errors of a file that takes no more; where they name no file, it is standard output."""


def report(error: BaseException) -> int:
    """Print on standard error what ended a command, and return the exit code."""
    if any(isinstance(each, KeyboardInterrupt) for each in _with_causes(error)):
        return EXIT_INTERRUPTED
    if os.environ.get(TRACEBACK):
        import traceback

        traceback.print_exception(error)
    with suppress(OSError):  # then the exit code is all that is left to tell it
        print(_line(error), file=sys.stderr, flush=True)
    return EXIT_FAILED


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and those that it was made of: a metaclass wraps an interrupt in one of its own."""
    each: BaseException | None = error
    while each is not None:
        yield each
        each = each.__cause__ or each.__context__


def _line(error: BaseException) -> str:
    if isinstance(error, OSError):
        if error.filename is not None:
            return f"Error: {error.filename}: {error.strerror}"
        if error.errno in UNWRITABLE:
            return f"{NO_OUTPUT}: {error.strerror}"
    message = " ".join(str(error).split())[:LONGEST_MESSAGE]
    return (
        f"internal error: {type(error).__name__}: {message}\n"
        f"This is a bug in jobsworth. Please report it at {ISSUES}, with the command line and, if you "
        f"can, the manifest; {TRACEBACK}=1 adds a traceback."
    )
