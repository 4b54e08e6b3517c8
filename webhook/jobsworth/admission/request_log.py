"""Structured logs on standard error: one JSON object per line, or a readable line on a terminal.

Each line is one ``write`` call, so the lines of several processes do not interleave. The ``logging``
module of the standard library would take a tenth of the time of a request.
"""

from __future__ import annotations

import json
import logging
import os
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.review import AdmissionRequest
from jobsworth.printable import printable

STANDARD_ERROR = 2
LISTENING = "Listening at: %s (%s)"
"""A record of gunicorn, which does not know that its workers serve TLS and so names http://. The event
``serving`` has the address."""

MAX_NAME_LETTERS = 256
"""The characters of a name in the log; names that an API server accepts have at most 253."""

_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode


class Log:
    """A log on standard error.

    Args:
        requests: True to log every request, False to log only requests that are not allowed.
        readable: True for readable lines, False for JSON.
    """

    __slots__ = ("_readable", "_requests", "_second", "_silent", "_stamp")

    def __init__(self, *, requests: bool = True, readable: bool = False) -> None:
        self._requests = requests
        self._readable = readable
        self._silent = False
        self._second, self._stamp = 0, ""

    @contextmanager
    def without_infos(self) -> Iterator[None]:
        """Return a context in which only warnings and errors are written."""
        self._silent = True
        try:
            yield
        finally:
            self._silent = False

    def event(self, level: str, message: str, **fields: Any) -> None:
        """Write a line with the time in UTC, the level, the message, and further fields."""
        if self._silent and level == "info":
            return
        line = {"time": self._now(), "level": level, "message": message, **fields}
        text = readable_line(line) if self._readable else _encode(line)
        try:
            os.write(STANDARD_ERROR, text.encode() + b"\n")
        except OSError:
            # The reader of the log is gone. Keep answering requests.
            return

    def request(self, outcome: ReviewOutcome) -> None:
        """Log a request."""
        answer = outcome.answer
        if answer.verdict in ("bad_request", "failed"):
            level = "error" if answer.verdict == "failed" else "warning"
        elif self._requests or not answer.response.allowed:
            level = "info"
        else:
            return
        self.event(
            level,
            outcome.endpoint,
            **(_described(outcome.request) if outcome.request else {}),
            verdict=answer.verdict,
            allowed=answer.response.allowed,
            codes=answer.codes,
            policies=answer.policies,
            **({"unreadable": answer.unreadable} if answer.unreadable else {}),
            patchOperations=len(answer.response.patch),
            milliseconds=round(outcome.seconds * 1000, 3),
            **({"error": outcome.error} if outcome.error else {}),
        )

    def _now(self) -> str:
        now = time.time()
        second = int(now)
        if second != self._second:
            self._stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
            self._second = second
        return f"{self._stamp}.{int(now * 1000) % 1000:03d}Z"


def _described(request: AdmissionRequest) -> dict[str, Any]:
    return {
        "uid": request.uid,
        "operation": request.operation,
        "kind": request.kind[2],
        "namespace": request.namespace[:MAX_NAME_LETTERS],
        "name": request.name[:MAX_NAME_LETTERS],
        "user": request.username[:MAX_NAME_LETTERS],
        "dryRun": request.dry_run,
    }


def readable_line(line: Mapping[str, Any]) -> str:
    """Return a line of the log for a terminal: the second, the message, and the fields with a value.

    >>> readable_line({"time": "2027-01-01T06:30:15.007Z", "level": "info", "message": "validate",
    ...     "name": "train", "codes": ("JP002",), "patchOperations": 0, "uid": "1"})
    '06:30:15 validate name=train codes=JP002'
    """
    level = "" if line["level"] == "info" else f"{line['level']}: "
    fields = (
        f"{name}={_readable(value)}"
        for name, value in line.items()
        if name not in _UNSHOWN and value
    )
    return printable(" ".join([line["time"][11:19], f"{level}{line['message']}", *fields]))


def _readable(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {part}" for key, part in value.items())
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


_UNSHOWN = ("time", "level", "message", "uid", "hash", "allowed", "process")
"""The fields that a terminal does not show: those that people do not compare, and those said otherwise."""


class LogHandler(logging.Handler):
    """Writes the records of gunicorn as lines of a :class:`Log`.

    Args:
        readable: True for readable lines, False for JSON.
    """

    def __init__(self, *, readable: bool = False) -> None:
        super().__init__()
        self._log = Log(readable=readable)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        if record.msg == LISTENING:
            return
        error = record.exc_info and "".join(traceback.format_exception(*record.exc_info))
        fields = {"process": record.process, **({"error": error} if error else {})}
        self._log.event(record.levelname.lower(), record.getMessage(), **fields)
