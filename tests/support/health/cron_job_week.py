"""A week of 50 CronJobs, and what is done to them: failures, suspensions, blocked runs, deadlines, an absent controller.

The week has a change of the clocks in Europe. For all of them, the controller is away on Wednesday from 3:20 to 7:40.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from support.health.simulated_clusters import PlayedCronJob, play_cron_job

Object = dict[str, Any]

START = int(datetime(2026, 3, 23, tzinfo=UTC).timestamp())
"""A Monday."""
MINUTE, HOUR, DAY = 60, 3600, 86_400
WEEK = 7 * DAY
NOW = START + WEEK
AWAY = ((2 * DAY + 3 * HOUR + 20 * MINUTE, 2 * DAY + 7 * HOUR + 40 * MINUTE),)
KEEP = {"successfulJobsHistoryLimit": 100_000, "failedJobsHistoryLimit": 100_000}
FORBID, REPLACE = {"concurrencyPolicy": "Forbid"}, {"concurrencyPolicy": "Replace"}


@dataclass(frozen=True)
class Case:
    """A CronJob, and what happens to it.

    Attributes:
        spec: without its jobTemplate.
        more: further arguments of :func:`play_cron_job`.
    """

    spec: Object
    more: Object = field(default_factory=dict)


def hourly(**spec: Any) -> Object:
    return {"schedule": "0 * * * *", **spec}


def pods(duration: str, *cases: Object, **more: Any) -> Object:
    return {"pods": {"duration": duration, "cases": list(cases), **more}}


def failing(*runs: str) -> Object:
    cases = [{"runs": each, "exitCode": 1} for each in runs] or [{"exitCode": 1}]
    return {**pods("2m", *cases), "job": {"backoffLimit": 0}}


HANGS_SINCE_SATURDAY = pods("10m", {"from": f"{5 * DAY}s", "duration": "never"})

CASES: dict[str, Case] = {
    # Nothing happens to them, but for the absence of the controller.
    "hourly": Case(hourly(**KEEP)),
    "hourly-default-history": Case(hourly()),
    "half-hourly": Case({"schedule": "*/30 * * * *", **KEEP}),
    "daily": Case({"schedule": "30 4 * * *", **KEEP}),
    "daily-berlin": Case({"schedule": "30 2 * * *", "timeZone": "Europe/Berlin", **KEEP}),
    "daily-new-york": Case({"schedule": "30 2 * * *", "timeZone": "America/New_York", **KEEP}),
    "weekdays": Case({"schedule": "15 6 * * 1-5", **KEEP}),
    "weekly": Case({"schedule": "0 12 * * 6", **KEEP}),
    "monthly": Case({"schedule": "0 0 1 * *", **KEEP}),
    "every-five-minutes": Case({"schedule": "*/5 * * * *", **KEEP}),
    "every-minute": Case({"schedule": "* * * * *"}, pods("20s")),
    "interval": Case({"schedule": "@every 90m", **KEEP}),
    "with-ttl": Case(hourly(**KEEP), {"job": {"ttlSecondsAfterFinished": 2 * DAY}}),
    "no-history": Case(hourly(successfulJobsHistoryLimit=0, failedJobsHistoryLimit=0)),
    # Failures.
    "failing": Case(hourly(**KEEP), failing()),
    "failing-default-history": Case(hourly(), failing()),
    "failing-since-friday": Case({"schedule": "30 4 * * *", **KEEP}, failing("5-")),
    "failed-once": Case({"schedule": "30 4 * * *", **KEEP}, failing("3")),
    "failed-on-sunday": Case({"schedule": "30 4 * * *"}, failing("7")),
    "failing-every-second": Case(hourly(**KEEP), failing(*(f"{number}" for number in range(2, 168, 2)))),
    "failed-by-deadline": Case(
        hourly(**KEEP), {**pods("never"), "job": {"activeDeadlineSeconds": 600}}
    ),
    "failed-and-run-by-hand": Case(
        {"schedule": "30 4 * * *", **KEEP}, {**failing("1-6"), "run_now": (6 * DAY + 6 * HOUR,)}
    ),
    # Suspensions.
    "suspended": Case(hourly(suspend=True, **KEEP)),
    "suspended-on-thursday": Case(hourly(**KEEP), {"edits": ((3 * DAY + 60, {"suspend": True}),)}),
    "suspended-default-history": Case(hourly(), {"edits": ((3 * DAY + 60, {"suspend": True}),)}),
    "suspended-until-friday": Case(
        hourly(suspend=True, **KEEP), {"edits": ((4 * DAY + 300, {"suspend": False}),)}
    ),
    "suspended-and-resumed": Case(
        {"schedule": "*/30 * * * *", **KEEP},
        {"edits": ((DAY + 300, {"suspend": True}), (2 * DAY + 300, {"suspend": False}))},
    ),
    "suspended-with-deadline": Case(
        hourly(startingDeadlineSeconds=60, **KEEP),
        {"edits": ((DAY + 300, {"suspend": True}), (2 * DAY + 300, {"suspend": False}))},
    ),
    # Forbid.
    "forbid-short": Case(hourly(**FORBID, **KEEP)),
    "forbid-long": Case(hourly(**FORBID, **KEEP), pods("90m")),
    "forbid-very-long": Case(hourly(**FORBID, **KEEP), pods("5h20m")),
    "forbid-long-default-history": Case(hourly(**FORBID), pods("90m")),
    "forbid-with-deadline": Case(
        hourly(**FORBID, startingDeadlineSeconds=300, **KEEP), pods("90m")
    ),
    "forbid-hanging": Case(hourly(**FORBID, **KEEP), HANGS_SINCE_SATURDAY),
    "forbid-hanging-default-history": Case(hourly(**FORBID), HANGS_SINCE_SATURDAY),
    "forbid-hanging-with-deadline": Case(
        hourly(**FORBID, startingDeadlineSeconds=300, **KEEP), HANGS_SINCE_SATURDAY
    ),
    "forbid-wrong-image": Case(
        hourly(**FORBID, **KEEP), pods("2m", {"from": f"{6 * DAY}s", "cause": "ImagePull"})
    ),
    "forbid-unschedulable": Case(
        hourly(**FORBID, **KEEP), pods("2m", {"from": f"{6 * DAY}s", "cause": "Unschedulable"})
    ),
    "forbid-missing-config": Case(
        hourly(**FORBID, **KEEP), pods("2m", {"from": f"{6 * DAY}s", "cause": "MissingConfig"})
    ),
    "forbid-terminating": Case(
        hourly(**FORBID, **KEEP),
        {
            **pods(
                "5m",
                {"from": f"{6 * DAY + 11 * HOUR}s", "duration": "never", "termination": "never"},
            ),
            "job": {"activeDeadlineSeconds": 600},
        },
    ),
    "forbid-quota": Case(
        hourly(**FORBID, **KEEP),
        {
            **pods("2m"),
            "rejections": (
                {"from": f"{WEEK - 3 * HOUR}s", "until": f"{WEEK}s", "message": "exceeded quota: small"},
            ),
        },
    ),
    "forbid-suspended-jobs": Case(hourly(**FORBID, **KEEP), {"job": {"suspend": True}}),
    # Allow and Replace.
    "allow-overlapping": Case(hourly(**KEEP), pods("90m")),
    "allow-hanging": Case({"schedule": "0 */6 * * *", **KEEP}, pods("never")),
    "replace-short": Case(hourly(**REPLACE, **KEEP)),
    "replace-long": Case(hourly(**REPLACE, **KEEP), pods("90m")),
    # Deadlines, edits, manual runs.
    "deadline": Case(hourly(startingDeadlineSeconds=300, **KEEP)),
    "deadline-of-nothing": Case(hourly(startingDeadlineSeconds=0, **KEEP)),
    "edited-on-friday": Case(
        {"schedule": "0 1 * * *", **KEEP}, {"edits": ((4 * DAY + 3 * HOUR, {"schedule": "0 5 * * *"}),)}
    ),
    "run-by-hand": Case(
        {"schedule": "30 4 * * *", **KEEP}, {"run_now": (DAY + 100, 3 * DAY + 100)}
    ),
}  # fmt: skip


@cache
def played_week() -> dict[str, PlayedCronJob]:
    """Run all of them in virtual time."""
    return {
        name: play_cron_job(
            name, case.spec, start=START, seconds=WEEK, **{"away": AWAY, **case.more}
        )
        for name, case in CASES.items()
    }
