"""The command line: one file a command."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line of this process, and exit with its code.

    A well-formed ``jobsworth validate`` does not import click: see :mod:`jobsworth.cli.command`.
    """
    try:
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone (`| head`): nothing is left to say, nor anybody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["validate"] and "_JOBSWORTH_COMPLETE" not in os.environ:
        from jobsworth.cli import validate
        from jobsworth.cli.command import UsageError, read

        values = read(validate.COMMAND, arguments[1:])
        if values is not None:
            try:
                return validate.COMMAND.run(values)
            except UsageError as error:
                print(f"Error: {error}", file=sys.stderr)
                return 2
    from jobsworth.cli.application import application

    application(arguments, prog_name="jobsworth")
    return 0
