"""Prometheus metrics of the health of CronJobs and Jobs.

Only objects with a problem have series, at most :data:`MAX_SERIES` a metric. A series ends when the problem
ends or the object is deleted, so an alert on it clears by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from jobsworth.runs.health.cluster_health import ClusterHealth
from jobsworth.runs.health.cron_job_health import CronJobHealth
from jobsworth.runs.health.evidence import StoredJob
from jobsworth.runs.health.problems import OVERDUE_AFTER

Series = dict[tuple[str, ...], float]

MAX_SERIES = 500
"""The largest number of series of a metric: those with the largest values, of failed Jobs the newest."""
MAX_REMEMBERED = 1000
"""The largest number of failed Jobs of a CronJob that are remembered after they are deleted."""
STATES = ("ok", "suspended", "failing", "overdue", "blocked")
CRON_JOB = ("resource_namespace", "cronjob")
OVERDUE = "jobsworth_cronjob_overdue_seconds"
FAILURES = "jobsworth_cronjob_consecutive_failures"
BLOCKED = "jobsworth_cronjob_blocked"
STUCK = "jobsworth_job_stuck_seconds"
FAILED = "jobsworth_job_failed_seconds"
OF_OWNER = ("resource_namespace", "owner", "reason")
METRICS: dict[str, tuple[str, tuple[str, ...]]] = {
    OVERDUE: (
        "Seconds since the first scheduled time after the last one for which a Job was created.",
        CRON_JOB,
    ),
    FAILURES: (
        "Scheduled Jobs that have failed since the last success.",
        CRON_JOB,
    ),
    BLOCKED: (
        "1 if a run is overdue, by what keeps it from starting.",
        (*CRON_JOB, "reason"),
    ),
    STUCK: (
        "Seconds for which a Job has waited for its Pods to start or to terminate; of an owner's Jobs the "
        "longest.",
        OF_OWNER,
    ),
    FAILED: (
        "Seconds since a Job without a CronJob failed, while no later success is known; of an owner's Jobs "
        "the newest failure.",
        OF_OWNER,
    ),
}
"""The metrics about single objects: description and labels, by name."""


class HealthMetrics(Collector):
    """The health by the last complete audit.

    Failed Jobs of CronJobs are remembered until a later success, because history limits delete them. Of
    others the later success is remembered, because its Job may be deleted before the failed one.
    """

    def __init__(self) -> None:
        self._series: dict[str, Series] = {name: {} for name in METRICS}
        self._states: dict[str, int] = dict.fromkeys(STATES, 0)
        self._failures: dict[str, dict[str, int]] = {}
        self._recovered: frozenset[str] = frozenset()

    def completed(self, health: ClusterHealth) -> None:
        """Show the health of a cluster."""
        series: dict[str, Series] = {name: {} for name in METRICS}
        states = dict.fromkeys(STATES, 0)
        failures: dict[str, dict[str, int]] = {}
        for each in health.cron_jobs:
            labels = (each.evidence.namespace, each.evidence.name)
            failed = self._failures_of(each)
            if failed:
                failures[each.evidence.uid] = failed
                series[FAILURES][labels] = len(failed)
            overdue = each.overdue_seconds(health.now)
            if overdue >= OVERDUE_AFTER:
                series[OVERDUE][labels] = overdue
                if each.block is not None:
                    series[BLOCKED][*labels, each.block.cause] = 1
            states[_state(each, overdue, len(failed))] += 1
        stuck = series[STUCK]
        for wait in health.stuck:
            job = wait.job
            key = _labels(job, wait.waiting.cause)
            stuck[key] = max(stuck.get(key, 0.0), wait.seconds(health.now))
        still = {each.job.uid for each in health.failed} & self._recovered
        for failure in health.failed:
            if failure.job.uid not in still:
                # The newest comes first.
                key = _labels(failure.job, failure.job.reason)
                series[FAILED].setdefault(key, failure.seconds(health.now))
        # A scrape runs in another thread: replace values, do not change them.
        self._series, self._states, self._failures = series, states, failures
        self._recovered = health.recovered | still

    def _failures_of(self, health: CronJobHealth) -> dict[str, int]:
        """Return the ends of the Jobs that have failed since the last success, also of deleted Jobs."""
        success = health.last_success
        known = {**self._failures.get(health.evidence.uid, {}), **dict(health.failures)}
        since = [(at, name) for name, at in known.items() if success is None or at > success]
        return {name: at for at, name in sorted(since)[-MAX_REMEMBERED:]}

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        shown, states = self._series, self._states
        omitted = GaugeMetricFamily(
            "jobsworth_health_omitted_objects",
            "Objects with a problem that have no series, because there are too many.",
            labels=("metric",),
        )
        for name, (description, labels) in METRICS.items():
            family = GaugeMetricFamily(name, description, labels=labels)
            sign = 1 if name == FAILED else -1
            worst = sorted(shown[name].items(), key=lambda each: (sign * each[1], each[0]))
            for values, value in worst[:MAX_SERIES]:
                family.add_metric(list(values), value)
            omitted.add_metric([name], max(0, len(worst) - MAX_SERIES))
            yield family
        by_state = GaugeMetricFamily(
            "jobsworth_cronjobs",
            "CronJobs by state; blocked comes before overdue, and that before failing.",
            labels=("state",),
        )
        for state, number in states.items():
            by_state.add_metric([state], number)
        yield from (by_state, omitted)


def _labels(job: StoredJob, reason: str) -> tuple[str, ...]:
    return job.namespace, job.owner or f"Job/{job.name}", reason


def _state(health: CronJobHealth, overdue: int, failures: int) -> str:
    if overdue >= OVERDUE_AFTER:
        return "overdue" if health.block is None else "blocked"
    if failures:
        return "failing"
    return "suspended" if health.suspended else "ok"
