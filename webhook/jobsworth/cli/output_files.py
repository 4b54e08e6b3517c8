"""Outputs of a command in several formats: ``--output FORMAT[=FILE]``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from jobsworth.cli.reporting import as_utf8
from jobsworth.usage_error import UsageError

STDOUT = "-"


def outputs_of(given: Sequence[str], formats: Sequence[str]) -> list[tuple[str, str]]:
    """Return each format with its file; :data:`STDOUT` is standard output.

    Args:
        given: the values of ``--output``; if there are none, the text goes to standard output.
        formats: the names of the formats.

    Raises:
        UsageError: a format is unknown.
    """
    outputs = []
    for each in given or ("text",):
        name, _, file = each.partition("=")
        if name not in formats:
            raise UsageError(f'--output: "{name}" is none of {", ".join(formats)}')
        outputs.append((name, file or STDOUT))
    return outputs


def write_lines(lines: Iterable[str], file: str) -> None:
    """Write lines to a file, or to standard output.

    Raises:
        UsageError: the file cannot be written.
    """
    if file == STDOUT:
        as_utf8(sys.stdout)
        for line in lines:
            print(line)
        return
    try:
        with open(file, "w", encoding="utf-8", errors="backslashreplace") as out:
            out.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise UsageError(f"--output: cannot write {file}: {error.strerror}") from None
