"""The command line: one module per command."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

ISSUES = "https://github.com/jobsworth/jobsworth/issues"
"""The issue tracker for bugs in jobsworth."""

NO_OUTPUT = "Error: standard output cannot be written"

EXIT_BROKEN_PIPE, EXIT_FAILED, EXIT_INTERRUPTED = 1, 2, 130


def main() -> NoReturn:
    """Run the command line of this process, and exit with its code.

    It exits without cleanup: docs/decisions/0003-end-the-process-without-cleanup.md.

    No exception leaves it as a traceback, neither unexpected errors nor a failing output.
    """
    from jobsworth.cli.failures import (
        report,  # before it is needed: no file may be left to open then
    )

    gc.disable()
    sys.unraisablehook = _unraisable
    # Python has None for a stream that is closed, and print() takes that for standard output.
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    ended: SystemExit | None = None
    try:
        if sys.stdout is None:
            print(f"{NO_OUTPUT}: it is closed", file=sys.stderr, flush=True)
            os._exit(EXIT_FAILED)
        # For names that the locale's encoding does not have.
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        try:
            code = run(sys.argv[1:])
        except SystemExit as wanted:
            ended = wanted
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        # The reader has closed the pipe (`| head`).
        code = EXIT_BROKEN_PIPE
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except BaseException as error:
        code = report(error)
    else:
        if ended is not None:
            raise ended  # so that threads and exit handlers end normally
    os._exit(code)


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning of the core, such as that of an unknown release, without the place in the code."""
    print(f"warning: {message}", file=sys.stderr)


def _unraisable(unraisable: UnraisableHookArgs) -> None:
    """Exit on an interrupt where Python cannot raise it, as in a callback of the import system.

    Python would print it with a traceback and continue.
    """
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        os._exit(EXIT_INTERRUPTED)
    sys.__unraisablehook__(unraisable)


def _option_like_path(arguments: list[str]) -> str | None:
    """Return the first argument that is read as an option, and is the name of an existing path.

    pre-commit and scripts pass on the file names of a pull request, whose author could otherwise choose
    options: docs/advisories/JOBSWORTH-2026-002.md. This does not depend on how a command reads its options.
    """
    for argument in arguments:
        if argument == "--":
            return None
        if argument.startswith("-") and argument != "-" and os.path.lexists(argument):
            return argument
    return None


def run(arguments: list[str]) -> int:
    """Run a command line, and return the exit code of ``jobsworth validate``.

    Raises:
        SystemExit: another command has ended; its threads and exit handlers must end normally.
    """
    ambiguous = _option_like_path(arguments)
    if ambiguous is not None:
        from jobsworth.printable import printable

        print(
            printable(
                f"Error: the argument {ambiguous} is both an option and the name of an existing file. "
                f"For the file, write ./{ambiguous}, or put -- before the file names. "
                "For the option, rename the file."
            ),
            file=sys.stderr,
        )
        return EXIT_FAILED
    from jobsworth.cli.click_application import run_by_click

    warnings.showwarning = _print_warning
    code = run_by_click(arguments)
    if arguments[:1] == ["validate"]:
        return code
    raise SystemExit(code)
