"""The command line: one file a command."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line of this process, and exit with its code.

    A run is short, and what it makes is small: the garbage collector would go over everything that is
    imported several times, and taking the interpreter down tidily takes as long as judging a manifest.
    Both are left out. Together that is a fifth of the time that one file takes.
    """
    gc.disable()
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        # The reader has gone (`| head`): nothing is left to say, nor anybody to say it to.
        code = 1
    except KeyboardInterrupt:
        code = 130
    os._exit(code)


def run(arguments: list[str]) -> int:
    """Run a command line, and return its exit code.

    A well-formed ``jobsworth validate`` does not import click: see :mod:`jobsworth.cli.command`.

    Raises:
        SystemExit: the command line is wrong, or asks for help.
    """
    if arguments[:1] == ["validate"] and "_JOBSWORTH_COMPLETE" not in os.environ:
        from jobsworth.cli.command import UsageError, read
        from jobsworth.cli.commands import validate

        options = read(validate.COMMAND, arguments[1:])
        if options is not None:
            try:
                return validate.COMMAND.run(options)
            except UsageError as error:
                print(f"Error: {error}", file=sys.stderr)
                return 2
    from jobsworth.cli.click_application import application

    application(arguments, prog_name="jobsworth")
    return 0
