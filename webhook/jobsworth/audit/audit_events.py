"""Kubernetes Events about the findings of an audit: one for each object and set of findings.

An Event reports errors, and violations of policies that warn. Violations of policies that only audit, and
lint findings below an error, appear in the metrics.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import events_path
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.controller.times import write_time
from jobsworth.findings.finding import Finding, Reported

COMPONENT = "jobsworth-audit"
REASON = "AuditFindings"
MAX_MESSAGE_LENGTH = 1000
EVENTS_PER_SECOND, BURST = 10.0, 300
"""Limits on the Events that are written; a later audit writes the others."""
CREATED, DEFERRED, FAILED = RESULTS = ("created", "deferred", "failed")


class AuditEvents:
    """Writes the Events of successive audits.

    Args:
        now: returns the time in seconds since 1970.
        limit: limits the rate.

    Attributes:
        results: the number of Events by result, since the start.
        error: the last error; empty if none occurred in the audit.
    """

    def __init__(
        self, api: Api, now: Callable[[], float], limit: TokenBucket | None = None
    ) -> None:
        self._api = api
        self._now = now
        self._limit = limit or TokenBucket(EVENTS_PER_SECOND, BURST)
        self._written: dict[str, str] = {}
        self._current: dict[str, str] = {}
        self.results: Counter[str] = Counter()
        self.error = ""

    def begin(self) -> None:
        """Begin an audit."""
        self._current, self.error = {}, ""

    def end(self, *, complete: bool) -> None:
        """End the audit; forget the objects that a complete audit did not report."""
        self._written = self._current if complete else {**self._written, **self._current}

    def report(self, stored: dict[str, Any], reported: Sequence[Reported]) -> None:
        """Write one Event with the findings of an object, unless it was written before."""
        found = [finding for policy, finding in reported if _is_worth_an_event(policy, finding)]
        if not found:
            return
        uid, message = stored["metadata"]["uid"], _message(found)
        # The name of the Event is a digest, so that a restarted process does not repeat it.
        digest = hashlib.sha256(f"{uid} {message}".encode()).hexdigest()[:16]
        if self._written.get(uid) == digest:
            self._current[uid] = digest
        elif not self._limit.take():
            self.results[DEFERRED] += 1
        else:
            self._write(stored, message, digest)

    def _write(self, stored: dict[str, Any], message: str, digest: str) -> None:
        meta = stored["metadata"]
        event = _event(stored, message, digest, self._now())
        try:
            self._api.create(events_path(meta["namespace"]), event)
        except ApiError as error:
            if error.reason != "AlreadyExists" and not error.namespace_terminating:
                self.results[FAILED] += 1
                self.error = f"{meta['namespace']}/{stored['kind']}/{meta['name']}: {error}"
                return
        else:
            self.results[CREATED] += 1
        self._current[meta["uid"]] = digest


def _is_worth_an_event(policy: str, finding: Finding) -> bool:
    return finding.severity == "error" or (bool(policy) and finding.severity == "warning")


def _message(found: list[Finding]) -> str:
    message = "; ".join(
        f"{finding.field}: {finding.message} [{finding.code}]" if finding.field
        else f"{finding.message} [{finding.code}]"
        for finding in found
    )  # fmt: skip
    return message if len(message) <= MAX_MESSAGE_LENGTH else message[:MAX_MESSAGE_LENGTH] + " …"


def _event(stored: dict[str, Any], message: str, digest: str, now: float) -> dict[str, Any]:
    meta = stored["metadata"]
    namespace, name, time = meta["namespace"], meta["name"], write_time(int(now))
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name[:220]}.{digest}", "namespace": namespace},
        "involvedObject": {
            "apiVersion": stored["apiVersion"],
            "kind": stored["kind"],
            "namespace": namespace,
            "name": name,
            "uid": meta["uid"],
        },
        "type": "Warning",
        "reason": REASON,
        "message": message,
        "source": {"component": COMPONENT},
        "reportingComponent": COMPONENT,
        "count": 1,
        "firstTimestamp": time,
        "lastTimestamp": time,
    }
