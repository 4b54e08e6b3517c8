"""Option values and log lines of the commands that run until SIGTERM."""

from __future__ import annotations

import os
import sys

from jobsworth.listen_address import BadAddress, parse_address
from jobsworth.printable import printable
from jobsworth.usage_error import InputError, UsageError


def require_posix(command: str) -> None:
    """Check that the system is one that the servers run on: they fork, and lock files.

    Raises:
        InputError: the system is Windows.
    """
    if not hasattr(os, "fork"):
        raise InputError(
            f"jobsworth {command} requires a POSIX system, such as Linux or macOS; on Windows, run it in "
            "WSL or from the container image"
        )


def listen_address(text: str) -> tuple[str, int | None]:
    """Parse ``--monitor-bind``: host and port; the port is None for ``0``, which disables the endpoints.

    Raises:
        UsageError: the text is not an address.
    """
    if text == "0":
        return "", None
    try:
        return parse_address(text)
    except BadAddress as error:
        raise UsageError(f"--monitor-bind: {error}, or 0 to disable") from None


def duration_in_seconds(option: str, text: str) -> float:
    """Parse a duration such as ``10s``, ``1h30m`` or ``7d`` into seconds.

    Raises:
        UsageError: the text is not a duration greater than zero.
    """
    from jobsworth.findings.durations import nanoseconds_of
    from kube_cel.formats.duration import BadDuration

    try:
        nanoseconds = nanoseconds_of(text)
    except BadDuration:
        raise UsageError(
            f'{option} "{text}" is not a duration; use for example 10s, 1h30m or 7d'
        ) from None
    if nanoseconds <= 0:
        raise UsageError(
            f'{option} "{text}" must be greater than zero; use for example 10s, 1h30m or 7d'
        )
    return nanoseconds / 1e9


def log_line(message: str) -> None:
    """Write a line with the time to standard error."""
    import time

    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    print(printable(f"{stamp} {message}"), file=sys.stderr, flush=True)
