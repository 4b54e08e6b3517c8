"""The reconciler's metrics, with the names and labels of the upstream Job controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from jobsworth.controller import well_known_names
from jobsworth.controller.signals import Count
from jobsworth.policy.violation import EFFECTS
from jobsworth.reconciler.sync_outcome import SyncOutcome
from jobsworth.reconciler.work_queue import WorkQueue

SYNC_LABELS = ("completion_mode", "result", "action")
COUNTERS: dict[str, tuple[tuple[str, ...], str]] = {
    well_known_names.SYNCS: (SYNC_LABELS, "Job syncs"),
    well_known_names.JOBS_FINISHED: (("completion_mode", "result", "reason"), "Finished Jobs"),
    well_known_names.PODS_FINISHED: (
        ("completion_mode", "result"),
        "Finished Pods that are counted",
    ),
    well_known_names.FINISHED_INDEXES: (
        ("status", "backoffLimit"),
        "Finished indexes of Indexed Jobs",
    ),
    well_known_names.FAILURES_HANDLED: (("action",), "Failed Pods that a failure policy matched"),
    well_known_names.TERMINATED_PODS: (
        ("event",),
        "Terminated Pods that gained or lost the tracking finalizer",
    ),
    well_known_names.PODS_CREATED: (("reason", "status"), "Pods created by the Job controller"),
    well_known_names.STALE_SYNCS: (
        ("group", "resource"),
        "Syncs skipped because a cache was stale",
    ),
    well_known_names.JOBS_OF_OTHERS: (
        ("controller_name",),
        "Jobs whose managedBy names another controller; counted with --adopt-unmanaged",
    ),
    well_known_names.POLICY_VIOLATIONS: (
        ("policy", "effect"),
        "Reports about stored Jobs that violate a policy, by the effect on a request",
    ),
    well_known_names.POLICY_HOLDS: (
        ("policy", "action"),
        "Jobs that were suspended until they satisfy a policy, and resumed",
    ),
    well_known_names.POLICY_DEFAULTS: (
        ("kind", "result"),
        "Stored objects that lack defaults of policies with reconcile: apply",
    ),
}
"""Labels and help text of each counter. Source: Kubernetes 1.36, ``pkg/controller/job/metrics``; those
about policies are ours."""

BUCKETS = tuple(0.004 * 2**power for power in range(15))


class ReconcilerMetrics:
    """All metrics of one reconciler.

    Attributes:
        registry: the registry to expose.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._loads: Gauge | None = None  # exposed once there are policies
        prefix = well_known_names.METRICS_PREFIX
        self._counters = {
            name: Counter(prefix + name, text, labels, registry=self.registry)
            for name, (labels, text) in COUNTERS.items()
        }
        # From 0 on: adds minus deletes is wrong while one of the two series is missing.
        for event in ("add", "delete"):
            self._counters[well_known_names.TERMINATED_PODS].labels(event)
        # Counters with bound labels: a few recur all the time, so look each up only once.
        self._counted: dict[tuple[str, tuple[tuple[str, str], ...]], Counter] = {}
        self._sync_seconds = Histogram(
            prefix + well_known_names.SYNC_SECONDS,
            "Duration of a Job sync in seconds",
            SYNC_LABELS,
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._requests = Counter(
            "rest_client_requests_total",
            "Calls to the API server",
            ("code", "method"),
            registry=self.registry,
        )
        self.leading = Gauge(
            "leader_election_master_status",
            "1 while this process is the leader",
            ("name",),
            registry=self.registry,
        )

    def policies_loaded(self, success: bool) -> None:
        """Show if the files of the policies are active."""
        if self._loads is None:
            self._loads = Gauge(
                "jobsworth_file_load_success",
                "1 if the files are active; 0 if the last changed files were rejected.",
                ("what",),
                registry=self.registry,
            )
        self._loads.labels("policy").set(int(success))

    def policies_active(self, names: Iterable[str]) -> None:
        """Show the series of these policies, from 0 on: an alert cannot see that a series begins at 1."""
        for name in names:
            for effect in EFFECTS:
                self._counters[well_known_names.POLICY_VIOLATIONS].labels(name, effect)
            for action in well_known_names.HOLD_ACTIONS:
                self._counters[well_known_names.POLICY_HOLDS].labels(name, action)
        for kind, result in product(("CronJob", "Job"), well_known_names.DEFAULTS_RESULTS):
            self._counters[well_known_names.POLICY_DEFAULTS].labels(kind, result)

    def count(self, count: Count) -> None:
        """Increment a counter."""
        counter = self._counted.get((count.metric, count.labels))
        if counter is None:
            values = (value for _, value in count.labels)
            counter = self._counters[count.metric].labels(*values)
            self._counted[count.metric, count.labels] = counter
        counter.inc(count.amount)

    def synced(self, outcome: SyncOutcome) -> None:
        """Record the outcome and the duration of a sync."""
        if outcome.stale is not None:
            group = "batch" if outcome.stale == "jobs" else ""
            self._counters[well_known_names.STALE_SYNCS].labels(group, outcome.stale).inc()
            return
        if outcome.job is None:
            return
        result = "error" if outcome.errors else "success"
        labels = (outcome.job.completion_mode, result, outcome.action)
        self._counters[well_known_names.SYNCS].labels(*labels).inc()
        self._sync_seconds.labels(*labels).observe(outcome.seconds)

    def called(self, method: str, code: int) -> None:
        """Count a call to the API server by its response code."""
        self._requests.labels(str(code or "<error>"), method).inc()

    def show_queues(self, queues: Mapping[str, WorkQueue]) -> None:
        """Expose metrics of these work queues, by their names."""
        self.registry.register(_Queues(queues))

    def show_kept_pods(self, kept_since: Mapping[str, int], clock: Callable[[], float]) -> None:
        """Expose the age of the oldest terminated Pod that keeps its finalizer; 0 without one.

        Args:
            kept_since: when each of them ended, by UID.
            clock: seconds since 1970, as these times.
        """
        oldest = Gauge(
            well_known_names.METRICS_PREFIX + well_known_names.OLDEST_KEPT,
            "Seconds since the end of the oldest terminated Pod that keeps its finalizer; 0 without one",
            registry=self.registry,
        )

        def age() -> float:
            ends = list(kept_since.values())  # a copy: informers change it meanwhile
            return max(0.0, clock() - min(ends)) if ends else 0.0

        oldest.set_function(age)


class _Queues(Collector):
    def __init__(self, queues: Mapping[str, WorkQueue]) -> None:
        self._queues = queues

    def collect(self) -> Iterator[Any]:
        depth = GaugeMetricFamily("workqueue_depth", "Keys in the queue", labels=["name"])
        added = CounterMetricFamily("workqueue_adds", "Keys added to the queue", labels=["name"])
        retried = CounterMetricFamily("workqueue_retries", "Retries requested", labels=["name"])
        for name, queue in self._queues.items():
            depth.add_metric([name], len(queue))
            added.add_metric([name], queue.added)
            retried.add_metric([name], queue.retried)
        yield from (depth, added, retried)
