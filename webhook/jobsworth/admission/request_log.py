"""Structured logs: one JSON object a line, on standard error.

A line is one write, so that the lines of several processes do not mix. The standard library's logging
would take a tenth of the time that a request takes.
"""

from __future__ import annotations

import json
import logging
import os
import time
import traceback
from typing import Any

from gunicorn.glogging import Logger

from jobsworth.admission.outcome import Outcome

STANDARD_ERROR = 2


class Log:
    """Writes lines to a file descriptor.

    Args:
        descriptor: where to; standard error by default.
        requests: whether a line is written for every request, or only for those that are not allowed.
    """

    __slots__ = ("_descriptor", "_requests", "_second", "_stamp")

    def __init__(self, descriptor: int = STANDARD_ERROR, *, requests: bool = True) -> None:
        self._descriptor = descriptor
        self._requests = requests
        self._second, self._stamp = 0, ""

    def event(self, level: str, message: str, **fields: Any) -> None:
        """Write a line: the time in UTC, the level, the message, and whatever else is known."""
        line = {"time": self._now(), "level": level, "message": message, **fields}
        text = json.dumps(line, separators=(",", ":"), default=str)
        try:
            os.write(self._descriptor, text.encode() + b"\n")
        except OSError:
            # Whoever read the log is gone. That is no reason to refuse requests.
            return

    def request(self, outcome: Outcome) -> None:
        """Write the line about a request."""
        if outcome.verdict in ("bad_request", "failed"):
            level = "error" if outcome.verdict == "failed" else "warning"
        elif self._requests or not outcome.allowed:
            level = "info"
        else:
            return
        error = {"error": outcome.error} if outcome.error else {}
        self.event(
            level,
            outcome.door,
            uid=outcome.uid,
            operation=outcome.operation,
            kind=outcome.kind,
            namespace=outcome.namespace,
            name=outcome.name,
            user=outcome.user,
            dryRun=outcome.dry_run,
            verdict=outcome.verdict,
            allowed=outcome.allowed,
            codes=outcome.codes,
            policies=outcome.policies,
            **({"unreadable": outcome.unreadable} if outcome.unreadable else {}),
            patchOperations=outcome.operations,
            milliseconds=round(outcome.seconds * 1000, 3),
            **error,
        )

    def _now(self) -> str:
        now = time.time()
        second = int(now)
        if second != self._second:
            self._stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
            self._second = second
        return f"{self._stamp}.{int(now * 1000) % 1000:03d}Z"


class _AsJson(logging.Formatter):
    """Formats gunicorn's own records like the other lines."""

    def format(self, record: logging.LogRecord) -> str:
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            "process": record.process,
        }
        if record.exc_info:
            line["error"] = "".join(traceback.format_exception(*record.exc_info))
        return json.dumps(line, separators=(",", ":"), default=str)


class GunicornLog(Logger):  # type: ignore[misc]
    """gunicorn's log, in the format of ours."""

    def setup(self, cfg: Any) -> None:
        """Take the configuration, as gunicorn asks for it."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(_AsJson())
