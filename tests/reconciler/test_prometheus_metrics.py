"""The reconciler's metrics about policies: series that exist before the first thing that they count."""

from __future__ import annotations

import pytest

from jobsworth.controller.signals import Count

pytest.importorskip("prometheus_client")

from jobsworth.reconciler.prometheus_metrics import ReconcilerMetrics

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
