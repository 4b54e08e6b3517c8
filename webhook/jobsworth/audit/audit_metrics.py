"""Prometheus metrics of the audit that runs continuously."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from jobsworth.audit import audit_events
from jobsworth.audit.audit_result import AuditResult, FindingKind
from jobsworth.policy.violation import Effect

COMPLETE, INCOMPLETE = ("complete", "failed")


class AuditMetrics(Collector):
    """The result of the last complete audit, and counts since the start.

    Args:
        interval: the time between the starts of two audits, in seconds.
        events: the Events written so far.

    Attributes:
        result: the result of the last complete audit.
        policies_active: False if the changed files of the policies were rejected.
    """

    def __init__(self, interval: float, events: audit_events.AuditEvents) -> None:
        self.result = AuditResult()
        self.policies_active = True
        self._interval = interval
        self._events = events
        self._shown: frozenset[str] = frozenset()
        self._new: Counter[tuple[str, Effect]] = Counter()
        self._audits: Counter[str] = Counter({COMPLETE: 0, INCOMPLETE: 0})
        self._seconds = self._finished = 0.0

    def completed(self, result: AuditResult, new: Counter[str], seconds: float, now: float) -> None:
        """Show the result of a complete audit.

        Args:
            new: the number of new violations by policy.
            seconds: the duration of the audit.
            now: the time in seconds since 1970.
        """
        counted = self._new.copy()
        for policy, enforcement in result.enforcement.items():
            # A counter that begins with 0 lets increase() see the first violation.
            counted[policy, enforcement] += new[policy]
        self._shown = result.namespaces_shown(self._shown)
        self._seconds, self._finished = seconds, now
        self._audits[COMPLETE] += 1
        # A scrape runs in another thread: replace values, do not change them.
        self._new, self.result = counted, result

    def failed(self) -> None:
        """Count an audit that did not complete."""
        self._audits[INCOMPLETE] += 1

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        result, shown = self.result, self._shown
        yield from self._policies(result, shown)
        objects = GaugeMetricFamily(
            "jobsworth_audit_objects", "Evaluated objects by kind.", labels=("kind",)
        )
        for kind in ("Job", "CronJob"):
            objects.add_metric([kind], result.objects[kind])
        findings = GaugeMetricFamily(
            "jobsworth_audit_findings",
            "Objects with a finding of the API server's validation or of a lint rule.",
            labels=FindingKind._fields,
        )
        for found, count in sorted(result.findings.items()):
            findings.add_metric(list(found), count)
        yield from (objects, findings)
        yield from self._process()

    def _policies(self, result: AuditResult, shown: frozenset[str]) -> Iterator[Metric]:
        applicable = GaugeMetricFamily(
            "jobsworth_audit_policy_objects",
            "Objects that a policy applies to, by result: compliant or violating.",
            labels=("policy", "enforcement", "result"),
        )
        violations = GaugeMetricFamily(
            "jobsworth_audit_violations",
            "Objects that violate a policy, by their namespace.",
            labels=("policy", "enforcement", "resource_namespace"),
        )
        new = CounterMetricFamily(
            "jobsworth_audit_new_violations_total",
            "Objects that violate a policy and did not in the audit before.",
            labels=("policy", "enforcement"),
        )
        for policy, enforcement in result.enforcement.items():
            violating = result.violating_objects(policy)
            compliant = max(0, result.applicable[policy] - violating)
            applicable.add_metric([policy, enforcement, "compliant"], compliant)
            applicable.add_metric([policy, enforcement, "violating"], violating)
        for (policy, namespace), count in sorted(result.bounded_violations(shown).items()):
            violations.add_metric([policy, result.enforcement[policy], namespace], count)
        for (policy, enforcement), count in sorted(self._new.items()):
            new.add_metric([policy, enforcement], count)
        yield from (applicable, violations, new)

    def _process(self) -> Iterator[Metric]:
        audits = CounterMetricFamily(
            "jobsworth_audit_runs_total",
            "Audits by result: complete or failed.",
            labels=("result",),
        )
        for each, count in self._audits.items():
            audits.add_metric([each], count)
        events = CounterMetricFamily(
            "jobsworth_audit_events_total",
            "Events about findings by result: created, deferred to a later audit, or failed.",
            labels=("result",),
        )
        for each in audit_events.RESULTS:
            events.add_metric([each], self._events.results[each])
        yield from (audits, events)
        for name, value, description in (
            (
                "jobsworth_audit_unevaluated_objects",
                self.result.unevaluated,
                "Objects that were not evaluated because of an internal error; the log names them.",
            ),
            ("jobsworth_audit_duration_seconds", self._seconds, "Duration of the last audit."),
            ("jobsworth_audit_interval_seconds", self._interval, "Time between two audits."),
            (
                "jobsworth_audit_last_success_timestamp_seconds",
                self._finished,
                "End of the last complete audit, in seconds since the epoch; 0 if there is none.",
            ),
        ):
            yield GaugeMetricFamily(name, description, value)
        loads = GaugeMetricFamily(
            "jobsworth_file_load_success",
            "1 if the files are active; 0 if the last changed files were rejected.",
            labels=("what",),
        )
        loads.add_metric(["policy"], int(self.policies_active))
        yield loads
