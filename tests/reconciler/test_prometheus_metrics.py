"""The values of the reconciler's metrics, and series that exist before the first thing that they count."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.signals import Count

pytest.importorskip("prometheus_client")

from jobsworth.client.api_errors import ApiError
from jobsworth.controller import well_known_names
from jobsworth.reconciler.prometheus_metrics import COUNTERS, ReconcilerMetrics
from jobsworth.reconciler.work_queue import WorkQueue
from support.controller.simulated_reconciler import SimulatedReconciler

VIOLATIONS = "job_controller_policy_violations_total"
HOLDS = "job_controller_policy_holds_total"
DEFAULTS = "job_controller_policy_defaults_total"


@pytest.fixture
def metrics() -> ReconcilerMetrics:
    return ReconcilerMetrics()


def test_the_series_of_an_active_policy_begin_at_0_so_that_the_first_violation_is_an_increase(
    metrics: ReconcilerMetrics,
) -> None:
    metrics.policies_active(["retries"])
    value = metrics.registry.get_sample_value
    for effect in ("audit", "warn", "deny"):
        assert value(VIOLATIONS, {"policy": "retries", "effect": effect}) == 0
    for action in ("suspended", "resumed"):
        assert value(HOLDS, {"policy": "retries", "action": action}) == 0
    for kind in ("CronJob", "Job"):
        for result in ("applied", "planned", "conflict", "failed"):
            assert value(DEFAULTS, {"kind": kind, "result": result}) == 0


def test_a_reloaded_policy_keeps_its_counts(metrics: ReconcilerMetrics) -> None:
    metrics.policies_active(["retries"])
    labels = {"policy": "retries", "effect": "deny"}
    metrics.count(Count("policy_violations_total", tuple(labels.items())))
    metrics.policies_active(["retries", "other"])
    assert metrics.registry.get_sample_value(VIOLATIONS, labels) == 1


def test_without_policies_there_are_no_series_about_them(metrics: ReconcilerMetrics) -> None:
    names = [family.name for family in metrics.registry.collect() if family.samples]
    assert not any("policy_" in name and "failure_policy" not in name for name in names)


@pytest.mark.parametrize("metric", COUNTERS)
def test_a_counter_grows_by_the_amount_under_its_labels(
    metrics: ReconcilerMetrics, metric: str
) -> None:
    labels = {name: f"a {name}" for name in COUNTERS[metric][0]}
    for amount in (1, 4):
        metrics.count(Count(metric, tuple(labels.items()), amount))
    shown = well_known_names.METRICS_PREFIX + metric
    assert metrics.registry.get_sample_value(shown, labels) == 5


def test_a_sync_counts_its_own_seconds_and_not_the_wait_for_the_queue(
    metrics: ReconcilerMetrics,
) -> None:
    simulation = SimulatedReconciler()
    simulation.create()
    simulation.deliver()
    reconciler = simulation.reconciler
    take, sync = reconciler.queue.take, reconciler.syncer.sync

    def after_a_wait(timeout: float | None = None) -> str | None:
        simulation.now += 0.5
        return take(timeout)

    def slow(key: str) -> Any:
        simulation.now += 0.25
        return sync(key)

    reconciler.queue.take = after_a_wait  # type: ignore[method-assign]
    reconciler.syncer.sync = slow  # type: ignore[method-assign]
    outcome = reconciler.process_next_job()
    assert outcome is not None
    metrics.synced(outcome)
    labels = {"completion_mode": "NonIndexed", "result": "success", "action": "pods_created"}
    value = metrics.registry.get_sample_value
    assert value("job_controller_job_sync_duration_seconds_sum", labels) == 0.25
    assert value("job_controller_job_sync_duration_seconds_count", labels) == 1
    assert value("job_controller_job_syncs_total", labels) == 1


def test_a_sync_with_errors_and_a_skipped_one_are_counted_as_such(
    metrics: ReconcilerMetrics,
) -> None:
    simulation = SimulatedReconciler()
    simulation.create()
    (outcome, *_) = simulation.settle()
    outcome.errors.append(ApiError(500, "InternalError", "no"))
    metrics.synced(outcome)
    value = metrics.registry.get_sample_value
    labels = {"completion_mode": "NonIndexed", "result": "error", "action": "pods_created"}
    assert value("job_controller_job_syncs_total", labels) == 1
    for stale, group in (("jobs", "batch"), ("pods", "")):
        outcome.stale = stale
        metrics.synced(outcome)
        resource = {"group": group, "resource": stale}
        assert value("job_controller_stale_sync_skips_total", resource) == 1
    assert value("job_controller_job_syncs_total", labels) == 1


def test_calls_leadership_policy_files_and_queues_have_their_values(
    metrics: ReconcilerMetrics,
) -> None:
    value = metrics.registry.get_sample_value
    for code in (201, 201, 0):
        metrics.called("POST", code)
    assert value("rest_client_requests_total", {"code": "201", "method": "POST"}) == 2
    assert value("rest_client_requests_total", {"code": "<error>", "method": "POST"}) == 1
    for leads in (1, 0):
        metrics.leading.labels("lease").set(leads)
        assert value("leader_election_master_status", {"name": "lease"}) == leads
    for loaded in (True, False):
        metrics.policies_loaded(loaded)
        assert value("jobsworth_file_load_success", {"what": "policy"}) == loaded
    queue = WorkQueue()
    metrics.show_queues({"job": queue})
    for key in ("a", "a", "b", "c"):
        queue.add(key)
    queue.take(0)
    queue.retry("a")
    assert value("workqueue_depth", {"name": "job"}) == 2
    assert value("workqueue_adds_total", {"name": "job"}) == 3
    assert value("workqueue_retries_total", {"name": "job"}) == 1


def test_adds_minus_deletes_is_the_number_of_terminated_pods_that_keep_the_finalizer(
    metrics: ReconcilerMetrics,
) -> None:
    simulation = SimulatedReconciler()
    simulation.create(completions=3, parallelism=3)
    simulation.settle()
    for pod in simulation.running()[:2]:
        simulation.end(pod)
    simulation.deliver()
    counts = simulation.sink.counts
    name = well_known_names.TERMINATED_PODS
    assert (counts[name, "add"], counts.get((name, "delete"), 0)) == (2, 0)
    simulation.run(5)
    assert counts[name, "add"] == counts[name, "delete"] == 2


def test_the_age_of_the_oldest_pod_that_keeps_the_finalizer_grows_until_it_is_released(
    metrics: ReconcilerMetrics,
) -> None:
    simulation = SimulatedReconciler()
    simulation.create(completions=3, parallelism=3)
    simulation.settle()
    kept = simulation.reconciler.event_handlers.kept_since
    now = [simulation.now]
    metrics.show_kept_pods(kept, lambda: now[0])

    def age() -> float | None:
        return metrics.registry.get_sample_value(
            "job_controller_oldest_terminated_pod_tracking_finalizer_seconds"
        )

    assert age() == 0
    simulation.end(simulation.running()[0])
    simulation.deliver()
    now[0] += 900
    assert age() == 900
    simulation.end(simulation.running()[0])
    simulation.deliver()
    now[0] += 60
    assert age() == 960
    simulation.run(5)
    assert (age(), kept) == (0, {})
