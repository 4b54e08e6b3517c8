"""Metrics of the health of CronJobs: series for problems only, which end with the problem."""

from __future__ import annotations

from typing import Any

import pytest

from support.health.health_objects import HOUR, NOON, a_cron_job, a_job, a_pod, health

pytest.importorskip("prometheus_client")

from jobsworth.audit.health_metrics import MAX_SERIES, HealthMetrics

Values = dict[tuple[str, ...], float]


def values(metrics: HealthMetrics, name: str) -> Values:
    return {
        tuple(sample.labels.values()): sample.value
        for family in metrics.collect()
        for sample in family.samples
        if sample.name == name
    }


def failed(hours: int) -> dict[str, Any]:
    return a_job(NOON - hours * HOUR, "Failed")


FAILURES = "jobsworth_cronjob_consecutive_failures"


def test_failures_count_up_although_history_limits_delete_jobs() -> None:
    metrics = HealthMetrics()
    for hours in (3, 2, 1):
        cron_job = a_cron_job(last=NOON - hours * HOUR)
        metrics.completed(health(cron_job, jobs=(failed(hours),)))
    assert values(metrics, FAILURES) == {("batch", "report"): 3}


def test_a_success_ends_the_series_although_its_job_is_gone() -> None:
    metrics = HealthMetrics()
    metrics.completed(health(a_cron_job(last=NOON - HOUR), jobs=(failed(1),)))
    assert values(metrics, FAILURES)
    later = a_cron_job(last=NOON, successful=NOON + 60)
    metrics.completed(health(later, jobs=(failed(1),), now=NOON + 120))
    assert values(metrics, FAILURES) == {}


def test_a_deleted_cron_job_ends_the_series() -> None:
    metrics = HealthMetrics()
    metrics.completed(health(a_cron_job(last=NOON - HOUR), jobs=(failed(1),)))
    metrics.completed(health())
    assert values(metrics, FAILURES) == {}


def test_a_blocked_cron_job_has_a_reason() -> None:
    job = a_job(NOON - 12 * HOUR, "", active=1)
    waiting = {"state": {"waiting": {"reason": "ErrImagePull"}}, "name": "main"}
    pod = a_pod(job, status={"containerStatuses": [waiting]})
    name = job["metadata"]["name"]
    cron_job = a_cron_job(last=NOON - 12 * HOUR, active=(name,), concurrencyPolicy="Forbid")
    metrics = HealthMetrics()
    metrics.completed(health(cron_job, jobs=(job,), pods=(pod,)))
    assert values(metrics, "jobsworth_cronjob_overdue_seconds") == {("batch", "report"): 11 * HOUR}
    assert values(metrics, "jobsworth_cronjob_blocked") == {("batch", "report", "ImagePull"): 1}
    stuck = {("batch", "CronJob/report", "ImagePull"): 12 * HOUR}
    assert values(metrics, "jobsworth_job_stuck_seconds") == stuck
    assert values(metrics, "jobsworth_cronjobs")["blocked",] == 1


def test_the_number_of_series_is_bounded_and_the_rest_is_counted() -> None:
    metrics = HealthMetrics()
    some = [a_cron_job(f"c{number}", last=NOON - 5 * HOUR) for number in range(MAX_SERIES + 7)]
    metrics.completed(health(*some))
    assert len(values(metrics, "jobsworth_cronjob_overdue_seconds")) == MAX_SERIES
    omitted = values(metrics, "jobsworth_health_omitted_objects")
    assert omitted["jobsworth_cronjob_overdue_seconds",] == 7
    assert omitted[FAILURES,] == 0


def test_healthy_cron_jobs_have_no_series_of_their_own() -> None:
    metrics = HealthMetrics()
    metrics.completed(health(a_cron_job(last=NOON), a_cron_job("off", suspend=True)))
    states = values(metrics, "jobsworth_cronjobs")
    assert (states["ok",], states["suspended",]) == (1, 1)
    assert values(metrics, "jobsworth_cronjob_overdue_seconds") == {}
