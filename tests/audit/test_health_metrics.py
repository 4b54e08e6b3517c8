"""Metrics of the health of CronJobs: series for problems only, which end with the problem."""

from __future__ import annotations

from typing import Any

import pytest

from support.health.health_objects import (
    HOUR,
    NOON,
    a_cron_job,
    a_job,
    a_job_without_cron_job,
    a_pod,
    health,
)

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


FAILED = "jobsworth_job_failed_seconds"
BACKOFF = "BackoffLimitExceeded"


def test_a_failed_job_has_a_series_with_its_owner_and_reason() -> None:
    metrics = HealthMetrics()
    alone = a_job_without_cron_job("migrate")
    owned = a_job_without_cron_job("train-0", owner="JobSet/train", ended=NOON - HOUR)
    metrics.completed(health(jobs=(alone, owned)))
    assert values(metrics, FAILED) == {
        ("batch", "Job/migrate", BACKOFF): 2 * HOUR,
        ("batch", "JobSet/train", BACKOFF): HOUR,
    }


def test_the_newest_failed_job_of_an_owner_counts() -> None:
    metrics = HealthMetrics()
    jobs = [
        a_job_without_cron_job(f"queue-{hours}", owner="ScaledJob/queue", ended=NOON - hours * HOUR)
        for hours in (3, 1, 2)
    ]
    metrics.completed(health(jobs=tuple(jobs)))
    assert values(metrics, FAILED) == {("batch", "ScaledJob/queue", BACKOFF): HOUR}


@pytest.mark.parametrize("ending", ["deleted", "succeeded", "recreated", "older than the window"])
def test_the_series_of_a_failed_job_ends_by_itself(ending: str) -> None:
    metrics = HealthMetrics()
    failed = a_job_without_cron_job("load-a", generate_name="load-")
    metrics.completed(health(jobs=(failed,)))
    assert values(metrics, FAILED)
    later = a_job_without_cron_job(
        "load-b", "Complete", created=NOON - HOUR, ended=NOON, generate_name="load-"
    )
    again = a_job_without_cron_job("load-a", "", created=NOON, uid="another")
    after = {
        "deleted": health(),
        "succeeded": health(jobs=(failed, later)),
        "recreated": health(jobs=(again,)),
        "older than the window": health(jobs=(failed,), since=NOON - HOUR),
    }
    metrics.completed(after[ending])
    assert values(metrics, FAILED) == {}


def test_a_recovered_job_stays_so_when_the_later_one_is_deleted() -> None:
    metrics = HealthMetrics()
    failed = a_job_without_cron_job("load-a", generate_name="load-")
    later = a_job_without_cron_job(
        "load-b", "Complete", created=NOON - HOUR, ended=NOON, generate_name="load-"
    )
    metrics.completed(health(jobs=(failed, later)))
    for _ in range(2):
        metrics.completed(health(jobs=(failed,)))
        assert values(metrics, FAILED) == {}


def test_of_too_many_failed_jobs_the_newest_have_series() -> None:
    metrics = HealthMetrics()
    jobs = [
        a_job_without_cron_job(f"j{number}", ended=NOON - number)
        for number in range(MAX_SERIES + 7)
    ]
    metrics.completed(health(jobs=tuple(jobs)))
    shown = values(metrics, FAILED)
    assert len(shown) == MAX_SERIES
    assert max(shown.values()) == MAX_SERIES - 1
    assert values(metrics, "jobsworth_health_omitted_objects")[FAILED,] == 7


def test_a_failed_job_of_a_cron_job_has_no_series_of_its_own() -> None:
    metrics = HealthMetrics()
    metrics.completed(health(a_cron_job(last=NOON - HOUR), jobs=(failed(1),)))
    assert values(metrics, FAILED) == {}
