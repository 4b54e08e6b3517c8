"""Errors in what a user gave: the message is for people, the exit code is 2."""

from __future__ import annotations

from jobsworth.printable import printable


class UsageError(Exception):
    """Raised for what a user gave and a command cannot use; the exit code is 2.

    Args:
        lines: the message; each line is escaped, because it may quote a file.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(map(printable, lines)))


class InputError(UsageError):
    """Raised for an invalid input file or system."""
