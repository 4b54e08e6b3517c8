"""Prometheus metrics, summed over all worker processes.

``prometheus_client`` keeps the values of each process in files of a shared folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import cast

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, values
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.review import KINDS
from jobsworth.policy.violation import Effect

BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0)
"""Bucket bounds of the latency histogram, in seconds: a review takes tenths of a millisecond, under overload
seconds."""

WORKERS = "jobsworth_serving_workers"
OTHER = "other"
MAX_POLICIES = 100
"""The largest number of policies with labels of their own; all others share the label ``other``."""

_COUNTERS = {
    "jobsworth_admission_requests_total": ("Admission requests by endpoint, operation, kind and verdict.",
        "endpoint", "operation", "kind", "verdict"),
    "jobsworth_admission_findings_total": ("Admission requests with a finding, by code.", "code"),
    "jobsworth_admission_violations_total": (
        "Admission requests that violate a policy, by policy and effect: deny, warn or audit.",
        "policy", "effect"),
    "jobsworth_admission_patches_total": ("Patched objects by kind.", "kind"),
    "jobsworth_admission_internal_errors_total": (
        "Admission requests that jobsworth could not review because of an internal error.",),
    "jobsworth_admission_unreadable_total": (
        "Admission requests that policies did not evaluate completely, by reason: a field of a later "
        "release (unknown_field), a value that cannot be decoded (wrong_type), another kind (kind).",
        "endpoint", "reason"),
    "jobsworth_policies_removed_total": (
        "Policies that are not active any more because changed files do not have them.",),
}  # fmt: skip
"""Documentation and labels of the counters."""

_GAUGES = {
    "jobsworth_file_load_duration_seconds":
        ("Duration of the last load of changed files, in seconds.", "what"),
    "jobsworth_file_load_success":
        ("1 if the files are active; 0 if the last changed files were rejected.", "what"),
    "jobsworth_policies": ("Active JobPolicy documents.",),
    "jobsworth_certificate_expiry_timestamp_seconds":
        ("Expiry of the serving certificate, in seconds since the epoch.",),
}  # fmt: skip
"""Documentation and labels of the gauges."""


class WebhookMetrics:
    """The metrics of the webhook. Create them once, before the process forks.

    Args:
        folder: the folder for the values of all processes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = self._folder
        values.ValueClass = values.MultiProcessValue()
        registry = CollectorRegistry()
        self._counters = {
            name: Counter(name, text, labels, registry=registry)
            for name, (text, *labels) in _COUNTERS.items()
        }
        self._gauges = {
            name: Gauge(name, text, labels, registry=registry, multiprocess_mode="mostrecent")
            for name, (text, *labels) in _GAUGES.items()
        }
        self._loads = Counter(
            "jobsworth_file_loads_total",
            "Loads of changed files (policy, certificate) by result.",
            ("what", "result"),
            registry=registry,
        )
        seconds = Histogram(
            "jobsworth_admission_duration_seconds",
            "Time from the end of the request body to the answer, in seconds.",
            ("endpoint",),
            buckets=BUCKETS,
            registry=registry,
        )
        # Looking up a metric by its labels takes longer than counting, so cache the few that exist.
        self._requests_of = cache(self._counters["jobsworth_admission_requests_total"].labels)
        self._findings_of = cache(self._counters["jobsworth_admission_findings_total"].labels)
        self._seconds_of = cache(seconds.labels)
        self._effects_of = cache(self._counters["jobsworth_admission_violations_total"].labels)
        self._policies: set[str] = set()
        self._serving = Gauge(
            WORKERS,
            "Worker processes that serve and do not drain.",
            registry=registry,
            multiprocess_mode="livesum",
        )

    def observe(self, outcome: ReviewOutcome) -> None:
        """Count a request."""
        endpoint, request, answer = outcome.endpoint, outcome.request, outcome.answer
        operation = "" if request is None else request.operation
        kind = (
            OTHER if request is None or request.kind[2] not in KINDS.values() else request.kind[2]
        )
        self._requests_of(endpoint, operation, kind, answer.verdict).inc()
        self._seconds_of(endpoint).observe(outcome.seconds)
        for code in answer.codes:
            self._findings_of(code).inc()
        for policy, effect in answer.violations:
            self._violations_of(policy, effect).inc()
        for reason in answer.unreadable:
            self._counters["jobsworth_admission_unreadable_total"].labels(endpoint, reason).inc()
        if answer.verdict == "patched":
            self._counters["jobsworth_admission_patches_total"].labels(kind).inc()
        elif answer.verdict == "failed":
            self._counters["jobsworth_admission_internal_errors_total"].inc()

    def expect_violations(self, policies: Iterable[tuple[str, Effect]]) -> None:
        """Begin to count violations with 0, so that ``increase()`` sees the first one."""
        for policy, effect in policies:
            self._violations_of(policy, effect)

    def _violations_of(self, policy: str, effect: Effect) -> Counter:
        if policy not in self._policies:
            if len(self._policies) >= MAX_POLICIES:
                policy = OTHER
            else:
                self._policies.add(policy)
        counter: Counter = self._effects_of(policy, effect)
        return counter

    def loaded(self, what: str, seconds: float, *, success: bool) -> None:
        """Count a load of changed files."""
        self._loads.labels(what, "loaded" if success else "rejected").inc()
        self._gauges["jobsworth_file_load_duration_seconds"].labels(what).set(seconds)
        self._gauges["jobsworth_file_load_success"].labels(what).set(int(success))

    def removed(self, policies: int) -> None:
        """Count policies that changed files do not have any more."""
        self._counters["jobsworth_policies_removed_total"].inc(policies)

    def activated(self, *, policies: int | None = None, expiry: float | None = None) -> None:
        """Record the number of active policies, or the expiry of the active certificate."""
        if policies is not None:
            self._gauges["jobsworth_policies"].set(policies)
        if expiry is not None:
            self._gauges["jobsworth_certificate_expiry_timestamp_seconds"].set(expiry)

    def serves(self, serves: bool) -> None:
        """Record whether this process serves; not while it drains."""
        self._serving.set(int(serves))

    def of_all_processes(self, state: Collector) -> CollectorRegistry:
        """Return the metrics of all processes.

        Args:
            state: metrics that all processes agree about.
        """
        registry = CollectorRegistry()
        registry.register(state)
        registry.register(_AllProcesses(Path(self._folder)))
        return registry


class _AllProcesses(Collector):
    """A collector of the files of all processes, but for those that a process is creating: they are empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        """Return the metrics, summed over the processes."""
        written = []
        for path in self._folder.glob("*.db"):
            with suppress(FileNotFoundError):  # of a process that has ended
                if path.stat().st_size:
                    written.append(str(path))
        return cast("Iterable[Metric]", MultiProcessCollector.merge(written))


def serving_workers(metrics: CollectorRegistry) -> float:
    """Return the number of worker processes that serve."""
    return metrics.get_sample_value(WORKERS) or 0
