"""Calendars of a few CronJobs in the week in which Berlin's clocks go forward."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import jobsworth
from jobsworth.runs.calendar import (
    CalendarEntry,
    CronCalendar,
    calendar_of,
    read_entry,
)

MONDAY = int(datetime(2027, 3, 22, tzinfo=UTC).timestamp())


def an_entry(
    name: str,
    schedule: str,
    *,
    zone: str | None = None,
    job: dict[str, Any] | None = None,
    pod: dict[str, Any] | None = None,
    **spec: Any,
) -> CalendarEntry:
    container = {
        "name": "main",
        "image": "registry.example.com/report:1.0",
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}},
    }
    template = {"spec": {"restartPolicy": "Never", "containers": [container], **(pod or {})}}
    if zone is not None:
        spec["timeZone"] = zone
    manifest = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {
            "schedule": schedule,
            **spec,
            "jobTemplate": {"spec": {**(job or {}), "template": template}},
        },
    }
    return read_entry(jobsworth.default(manifest), MONDAY)


def a_calendar(*entries: CalendarEntry, days: int = 7, zone: str = "UTC") -> CronCalendar:
    return calendar_of(entries, MONDAY, days, zone)


def a_week() -> CronCalendar:
    """Twenty CronJobs, of which one is suspended, one has a long name, and two meet a change of the clocks."""
    entries = [
        an_entry(f"report-{number}", "0 * * * *", job={"parallelism": number % 3 + 1})
        for number in range(10)
    ]
    entries += [
        an_entry(f"backup-{number}", "30 2 * * *", zone="Europe/Berlin") for number in range(2)
    ]
    entries += [an_entry(f"often-{number}", "*/5 * * * *") for number in range(5)]
    long = "a-name-that-is-as-long-as-the-api-server-lets-a-cron-job-b"
    entries += [
        an_entry(long[:52], "15 6 * * 1-5", zone="America/Argentina/ComodRivadavia"),
        an_entry("paused", "0 0 * * *", suspend=True),
        an_entry("interval", "@every 90m"),
    ]
    return a_calendar(*entries, zone="Europe/Berlin")
