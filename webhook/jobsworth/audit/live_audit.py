"""What is wrong with the Jobs that run already, as metrics and as Kubernetes events; nothing is changed.

A Job is judged when the watch first shows it, and again when its spec, labels or annotations change, as
if somebody created it today. Finished Jobs are past caring.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from jobsworth.audit.lifecycle import is_over
from jobsworth.client.errors import ApiError
from jobsworth.client.resources import events_path
from jobsworth.controller.jobs import API_VERSION, KIND
from jobsworth.controller.times import write_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobsworth.client.api import Api
    from jobsworth.findings.finding import Finding

COMPONENT = "jobsworth-audit"
REASON = "AuditFindings"
LONGEST_MESSAGE = 1000
EVENT_SEVERITIES = ("error", "warning")  # a mere hint is worth no event


class FindingLabels(NamedTuple):
    """What findings are counted by."""

    namespace: str
    source: str
    severity: str
    code: str
    policy: str


class Audit:
    """See above. Judging takes a thread of its own: no watch and no sync waits for it.

    Args:
        judge: says of a stored Job what is wrong with it: each time the name of the policy, empty
            where none speaks, and the finding.
        api: events are written there.
        clock: seconds since 1970.
        log: is told what could not be done.
    """

    def __init__(
        self,
        judge: Callable[[dict[str, Any]], list[tuple[str, Finding]]],
        api: Api,
        clock: Callable[[], float],
        log: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._judge = judge
        self._api = api
        self._clock = clock
        self._log = log
        self._changed = threading.Condition()
        self._pending: dict[str, dict[str, Any]] = {}
        self._judged: dict[str, tuple[Any, ...]] = {}
        self._found: dict[str, tuple[FindingLabels, ...]] = {}
        self._closed = False

    def look(self, job: dict[str, Any]) -> None:
        """A watch shows a Job."""
        meta = job["metadata"]
        uid = meta["uid"]
        if is_over(job):
            self.forget(uid)
            return
        print_of_it = (meta.get("generation"), meta.get("labels"), meta.get("annotations"))
        with self._changed:
            if self._judged.get(uid) != print_of_it:
                self._judged[uid] = print_of_it
                self._pending[uid] = job
                self._changed.notify()

    def forget(self, uid: str) -> None:
        """A Job has gone, or has finished."""
        with self._changed:
            for kept in (self._pending, self._judged, self._found):
                kept.pop(uid, None)

    def run(self) -> None:
        """Judge what is shown, until it is closed."""
        while (job := self._next()) is not None:
            self.judge(job)

    def close(self) -> None:
        """Judge no more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def judge(self, job: dict[str, Any]) -> None:
        """Judge a Job, count what is found, and tell it."""
        meta = job["metadata"]
        found = self._judge(job)
        kinds = {
            FindingLabels(meta["namespace"], finding.source, finding.severity, finding.code, policy)
            for policy, finding in found
        }
        with self._changed:
            if meta["uid"] in self._judged:  # it has not gone meanwhile
                self._found[meta["uid"]] = tuple(kinds)
        told = [finding for _, finding in found if finding.severity in EVENT_SEVERITIES]
        if told:
            self._tell(meta, told)

    def counted(self) -> tuple[Counter[FindingLabels], int]:
        """How many Jobs have findings of each kind, and how many have been judged."""
        with self._changed:
            found = Counter(kind for kinds in self._found.values() for kind in kinds)
            return found, len(self._found)

    def collector(self) -> AuditMetrics:
        """Return the metrics of what was found."""
        return AuditMetrics(self)

    def _next(self) -> dict[str, Any] | None:
        with self._changed:
            while not self._pending and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            uid = next(iter(self._pending))
            return self._pending.pop(uid)

    def _tell(self, meta: dict[str, Any], found: list[Finding]) -> None:
        """Write one event that says all; what was said before a restart is not said again."""
        event = _event(meta, found, write_time(int(self._clock())))
        try:
            self._api.create(events_path(meta["namespace"]), event)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                self._log(f"audit of {meta['namespace']}/{meta['name']}: no event: {error}")


class AuditMetrics(Collector):
    """What an audit has found, for Prometheus."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    def collect(self) -> Iterator[Any]:
        found, judged = self._audit.counted()
        jobs = GaugeMetricFamily("jobsworth_audit_jobs", "Unfinished Jobs that were judged")
        jobs.add_metric([], judged)
        findings = GaugeMetricFamily(
            "jobsworth_audit_findings",
            "Unfinished Jobs of which something is found",
            labels=FindingLabels._fields,
        )
        for kind, number in sorted(found.items()):
            findings.add_metric(list(kind), number)
        yield from (jobs, findings)


def _event(meta: dict[str, Any], found: list[Finding], now: str) -> dict[str, Any]:
    said = "; ".join(
        f"{finding.field}: {finding.message} [{finding.code}]" if finding.field
        else f"{finding.message} [{finding.code}]"
        for finding in found
    )  # fmt: skip
    if len(said) > LONGEST_MESSAGE:
        said = said[:LONGEST_MESSAGE] + " …"
    digest = hashlib.sha256(f"{meta['uid']} {said}".encode()).hexdigest()[:16]
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
        "message": said,
        "source": {"component": COMPONENT},
        "reportingComponent": COMPONENT,
        "count": 1,
        "firstTimestamp": now,
        "lastTimestamp": now,
    }
