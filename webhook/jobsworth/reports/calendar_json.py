"""The calendar of CronJobs as JSON. Times are those of the API, CPU in thousandths, memory in bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from jobsworth.controller.times import write_time
from jobsworth.printable import printable_json

if TYPE_CHECKING:
    from typing import Any

    from jobsworth.whatif.calendar.calendar_entry import CalendarEntry
    from jobsworth.whatif.calendar.cron_calendar import CronCalendar

VERSION = 1
"""The version of the structure; a new key keeps it."""


def render(calendar: CronCalendar) -> str:
    """Render the calendar as one object."""
    value: dict[str, Any] = {
        "version": VERSION,
        "start": write_time(calendar.start),
        "end": write_time(calendar.end),
        "timeZone": calendar.zone,
        "runs": calendar.total,
        "mostRunsInAMinute": calendar.busiest,
        "hours": [
            {"date": day, "hour": hour, "runs": number}
            for (day, hour), number in sorted(calendar.starts.items())
            if number
        ],
        "peaks": [
            {
                "minutes": [write_time(minute) for minute in peak.minutes],
                "runs": len(peak.entries),
                "pods": peak.pods,
                "cpu": peak.requests.cpu,
                "memory": peak.requests.memory,
                "cronJobs": [entry.title for entry in peak.entries],
            }
            for peak in calendar.peaks
        ],
        "clockChanges": [
            {
                "timeZone": found.zone,
                "at": write_time(found.change.at),
                "seconds": found.change.after - found.change.before,
                "effects": [
                    {"cronJob": entry.title, "effect": effect} for entry, effect in found.effects
                ],
                "unaffected": found.others,
            }
            for found in calendar.changes
        ],
        "cronJobs": [
            *(_entry(entry, number) for entry, number in calendar.runs),
            *(_entry(entry, 0) for entry in calendar.suspended),
        ],
        "unknownTimeZones": list(calendar.unknown_zones),
    }
    return printable_json(json.dumps(value, indent=2, ensure_ascii=False))


def _entry(entry: CalendarEntry, runs: int) -> dict[str, Any]:
    return {
        "cronJob": entry.title,
        "place": entry.place or None,
        "schedule": entry.cron_job.written,
        "timeZone": entry.zone or None,
        "concurrencyPolicy": entry.cron_job.concurrency,
        "suspended": entry.cron_job.suspended,
        "runs": runs,
        "pods": entry.pods,
        "cpu": entry.requests.cpu,
        "memory": entry.requests.memory,
    }
