"""Audit running Jobs continuously: report findings as metrics and Kubernetes events, change nothing.

A Job is evaluated when the watch first shows it, and again when its spec, labels or annotations change,
as if it were created now. Finished Jobs are ignored.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from jobsworth.audit.lifecycle import is_over
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import events_path
from jobsworth.controller.jobs import API_VERSION, KIND
from jobsworth.controller.times import write_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobsworth.client.api_interface import Api
    from jobsworth.findings.finding import Finding

COMPONENT = "jobsworth-audit"
REASON = "AuditFindings"
LONGEST_MESSAGE = 1000
EVENT_SEVERITIES = ("error", "warning")  # an info finding is not worth an event


class FindingLabels(NamedTuple):
    """The labels of the metric on findings."""

    namespace: str
    source: str
    severity: str
    code: str
    policy: str


class LiveAudit:
    """Evaluates Jobs from the watch in a separate thread, so that no watch and no sync waits for it.

    Args:
        evaluate: evaluates a stored Job, and returns its findings, each with the name of its policy
            (empty if it is from no policy).
        api: API client for writing events.
        clock: seconds since 1970.
        log: logs failed event writes.
    """

    def __init__(
        self,
        evaluate: Callable[[dict[str, Any]], list[tuple[str, Finding]]],
        api: Api,
        clock: Callable[[], float],
        log: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._evaluate = evaluate
        self._api = api
        self._clock = clock
        self._log = log
        self._changed = threading.Condition()
        self._pending: dict[str, dict[str, Any]] = {}
        self._evaluated: dict[str, tuple[Any, ...]] = {}
        self._found: dict[str, tuple[FindingLabels, ...]] = {}
        self._closed = False

    def observe(self, job: dict[str, Any]) -> None:
        """Enqueue a Job from the watch, if it is new or changed."""
        meta = job["metadata"]
        uid = meta["uid"]
        if is_over(job):
            self.forget(uid)
            return
        fingerprint = (meta.get("generation"), meta.get("labels"), meta.get("annotations"))
        with self._changed:
            if self._evaluated.get(uid) != fingerprint:
                self._evaluated[uid] = fingerprint
                self._pending[uid] = job
                self._changed.notify()

    def forget(self, uid: str) -> None:
        """Forget a Job that was deleted or has finished."""
        with self._changed:
            for kept in (self._pending, self._evaluated, self._found):
                kept.pop(uid, None)

    def run(self) -> None:
        """Evaluate enqueued Jobs until closed."""
        while (job := self._next()) is not None:
            self.evaluate(job)

    def close(self) -> None:
        """Stop evaluating."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def evaluate(self, job: dict[str, Any]) -> None:
        """Evaluate a Job, count its findings, and emit an event."""
        meta = job["metadata"]
        found = self._evaluate(job)
        kinds = {
            FindingLabels(meta["namespace"], finding.source, finding.severity, finding.code, policy)
            for policy, finding in found
        }
        with self._changed:
            if meta["uid"] in self._evaluated:  # it was not deleted meanwhile
                self._found[meta["uid"]] = tuple(kinds)
        reported = [finding for _, finding in found if finding.severity in EVENT_SEVERITIES]
        if reported:
            self._emit(meta, reported)

    def counted(self) -> tuple[Counter[FindingLabels], int]:
        """Return the number of Jobs by finding labels, and the number of evaluated Jobs."""
        with self._changed:
            found = Counter(kind for kinds in self._found.values() for kind in kinds)
            return found, len(self._found)

    def collector(self) -> AuditMetrics:
        """Return a collector for the metrics on findings."""
        return AuditMetrics(self)

    def _next(self) -> dict[str, Any] | None:
        with self._changed:
            while not self._pending and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            uid = next(iter(self._pending))
            return self._pending.pop(uid)

    def _emit(self, meta: dict[str, Any], found: list[Finding]) -> None:
        """Write one event with all findings; its name is a digest, so a restart does not repeat it."""
        event = _event(meta, found, write_time(int(self._clock())))
        try:
            self._api.create(events_path(meta["namespace"]), event)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                self._log(
                    f"cannot write the audit event of {meta['namespace']}/{meta['name']}: {error}"
                )


class AuditMetrics(Collector):
    """Prometheus metrics on the findings of an audit."""

    def __init__(self, audit: LiveAudit) -> None:
        self._audit = audit

    def collect(self) -> Iterator[Any]:
        found, evaluated = self._audit.counted()
        jobs = GaugeMetricFamily("jobsworth_audit_jobs", "Unfinished Jobs that were evaluated")
        jobs.add_metric([], evaluated)
        findings = GaugeMetricFamily(
            "jobsworth_audit_findings",
            "Unfinished Jobs with at least one finding",
            labels=FindingLabels._fields,
        )
        for kind, number in sorted(found.items()):
            findings.add_metric(list(kind), number)
        yield from (jobs, findings)


def _event(meta: dict[str, Any], found: list[Finding], now: str) -> dict[str, Any]:
    message = "; ".join(
        f"{finding.field}: {finding.message} [{finding.code}]" if finding.field
        else f"{finding.message} [{finding.code}]"
        for finding in found
    )  # fmt: skip
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + " …"
    digest = hashlib.sha256(f"{meta['uid']} {message}".encode()).hexdigest()[:16]
    namespace, name = meta["namespace"], meta["name"]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name[:220]}.{digest}", "namespace": namespace},
        "involvedObject": {
            "apiVersion": API_VERSION,
            "kind": KIND,
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
        "firstTimestamp": now,
        "lastTimestamp": now,
    }
