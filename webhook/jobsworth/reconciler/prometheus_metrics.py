"""The reconciler's metrics, with the names and labels that dashboards of the Job controller know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from jobsworth.controller import well_known_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobsworth.controller.signals import Count
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
        "Ended Pods that gained or lost the tracking finalizer",
    ),
    well_known_names.PODS_CREATED: (("reason", "status"), "Pods created by the Job controller"),
    well_known_names.STALE_SYNCS: (
        ("group", "resource"),
        "Syncs put off because a cache was behind",
    ),
}
"""Of each counter its labels and what it counts. Source: Kubernetes 1.36, ``pkg/controller/job/metrics``."""

BUCKETS = tuple(0.004 * 2**power for power in range(15))


class Metrics:
    """All metrics of one reconciler.

    Attributes:
        registry: to be exposed.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        prefix = well_known_names.METRICS_PREFIX
        self._counters = {
            name: Counter(prefix + name, text, labels, registry=self.registry)
            for name, (labels, text) in COUNTERS.items()
        }
        # The same few again and again: they are looked up but once.
        self._counted: dict[tuple[str, tuple[tuple[str, str], ...]], Counter] = {}
        self._sync_seconds = Histogram(
            prefix + well_known_names.SYNC_SECONDS,
            "How long a sync took",
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

    def count(self, count: Count) -> None:
        """A counter goes up."""
        counter = self._counted.get((count.metric, count.labels))
        if counter is None:
            values = (value for _, value in count.labels)
            counter = self._counters[count.metric].labels(*values)
            self._counted[count.metric, count.labels] = counter
        counter.inc(count.amount)

    def synced(self, outcome: SyncOutcome, seconds: float) -> None:
        """A sync has ended."""
        if outcome.stale is not None:
            group = "batch" if outcome.stale == "jobs" else ""
            self._counters[well_known_names.STALE_SYNCS].labels(group, outcome.stale).inc()
            return
        if outcome.job is None:
            return
        result = "error" if outcome.errors else "success"
        labels = (outcome.job.completion_mode, result, outcome.action)
        self._counters[well_known_names.SYNCS].labels(*labels).inc()
        self._sync_seconds.labels(*labels).observe(seconds)

    def called(self, method: str, code: int) -> None:
        """A call was answered."""
        self._requests.labels(str(code or "<error>"), method).inc()

    def show_queues(self, queues: Mapping[str, WorkQueue]) -> None:
        """Also expose how these queues do, by their names."""
        self.registry.register(_Queues(queues))


class _Queues(Collector):
    def __init__(self, queues: Mapping[str, WorkQueue]) -> None:
        self._queues = queues

    def collect(self) -> Iterator[Any]:
        depth = GaugeMetricFamily("workqueue_depth", "Keys in line", labels=["name"])
        added = CounterMetricFamily("workqueue_adds", "Keys put in line", labels=["name"])
        retried = CounterMetricFamily("workqueue_retries", "Retries asked for", labels=["name"])
        for name, queue in self._queues.items():
            depth.add_metric([name], len(queue))
            added.add_metric([name], queue.added)
            retried.add_metric([name], queue.retried)
        yield from (depth, added, retried)
