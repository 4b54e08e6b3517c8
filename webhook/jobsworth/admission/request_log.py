"""Structured logs on standard error: one JSON object per line.

Each line is one ``write`` call, so the lines of several processes do not interleave. The ``logging``
module of the standard library would take a tenth of the time of a request.
"""

from __future__ import annotations

import json
import logging
import os
import time
import traceback
from typing import Any

from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.review import AdmissionRequest

STANDARD_ERROR = 2
MAX_NAME_LETTERS = 256
"""The characters of a name in the log; names that an API server accepts have at most 253."""

_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode


class Log:
    """A log that writes JSON lines to standard error.

    Args:
        requests: True to log every request, False to log only requests that are not allowed.
    """

    __slots__ = ("_requests", "_second", "_stamp")

    def __init__(self, *, requests: bool = True) -> None:
        self._requests = requests
        self._second, self._stamp = 0, ""

    def event(self, level: str, message: str, **fields: Any) -> None:
        """Write a line with the time in UTC, the level, the message, and further fields."""
        line = {"time": self._now(), "level": level, "message": message, **fields}
        text = _encode(line)
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


class LogHandler(logging.Handler):
    """Writes the records of gunicorn as lines of a :class:`Log`."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        error = record.exc_info and "".join(traceback.format_exception(*record.exc_info))
        fields = {"process": record.process, **({"error": error} if error else {})}
        Log().event(record.levelname.lower(), record.getMessage(), **fields)
