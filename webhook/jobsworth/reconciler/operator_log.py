"""The reconciler's log: messages, finished Jobs and syncs, one line each, as text or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

from jobsworth.controller.jobs import Job
from jobsworth.controller.status import Status
from jobsworth.controller.times import write_time
from jobsworth.controller.well_known_names import COMPLETE, JOB_FAILED
from jobsworth.printable import printable
from jobsworth.reconciler.sync_outcome import SyncOutcome

LogFormat = Literal["text", "json"]
LogVerbosity = Literal["quiet", "jobs", "syncs"]


class OperatorLog:
    """Writes one line for each entry. Thread-safe if `write` is.

    Args:
        write: writes a line; it receives the line without its end.
        clock: seconds since 1970.
        verbosity: what to log besides messages: nothing, finished Jobs, or all syncs.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        clock: Callable[[], float],
        *,
        format: LogFormat = "text",
        verbosity: LogVerbosity = "jobs",
    ) -> None:
        self._write = write
        self._clock = clock
        self._line = _as_json if format == "json" else _as_text
        self._verbosity = verbosity

    def message(self, message: str) -> None:
        """Log a message for the operator."""
        self._log(message, {})

    def synced(self, outcome: SyncOutcome) -> None:
        """Log a sync, and the Job that it has finished, as far as the verbosity says."""
        job = outcome.job
        if job is None or self._verbosity == "quiet":
            return
        if self._verbosity == "syncs" and outcome.stale is None:
            result = "error" if outcome.errors else "success"
            fields = {
                "action": outcome.action,
                "result": result,
                "seconds": round(outcome.seconds, 3),
            }
            self._log("synced Job", _names(job) | fields)
        if outcome.finished is not None:
            self._log("Job finished", _names(job) | _end(outcome.finished))

    def _log(self, message: str, fields: dict[str, object]) -> None:
        self._write(self._line(write_time(int(self._clock())), message, fields))


def _names(job: Job) -> dict[str, object]:
    return {"job": job.key, "uid": job.uid}


def _end(status: Status) -> dict[str, object]:
    """Return the result of a finished Job; omit index lists that it does not have."""
    condition = next(
        condition
        for condition in status.conditions
        if condition.holds and condition.type in (COMPLETE, JOB_FAILED)
    )
    found = {
        "result": condition.type,
        "reason": condition.reason,
        "conditionMessage": condition.message,
        "succeeded": status.succeeded,
        "failed": status.failed,
        "completedIndexes": status.completed_indexes or None,
        "failedIndexes": status.failed_indexes or None,
        "seconds": None,
    }
    if status.start_time is not None and condition.changed is not None:
        found["seconds"] = condition.changed - status.start_time
    return {key: value for key, value in found.items() if value is not None}


def _as_text(time: str, message: str, fields: dict[str, object]) -> str:
    """Return the line as text; quote values with spaces.

    >>> _as_text("2026-01-01T00:00:00Z", "Job finished", {"job": "ns/a", "reason": "it is done"})
    '2026-01-01T00:00:00Z Job finished job=ns/a reason="it is done"'
    """
    shown = (f"{name}={_quoted(str(value))}" for name, value in fields.items())
    return printable(" ".join((time, message, *shown)))


def _as_json(time: str, message: str, fields: dict[str, object]) -> str:
    """Return the line as JSON.

    >>> _as_json("2026-01-01T00:00:00Z", "Job finished", {"job": "ns/a"})
    '{"time": "2026-01-01T00:00:00Z", "message": "Job finished", "job": "ns/a"}'
    """
    return json.dumps({"time": time, "message": message, **fields})


def _quoted(value: str) -> str:
    plain = value and not any(
        character in ' "=\\' or not character.isprintable() for character in value
    )
    return value if plain else json.dumps(value, ensure_ascii=False)
