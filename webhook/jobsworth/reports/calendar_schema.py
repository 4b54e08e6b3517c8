"""The JSON Schema of the JSON reports of ``jobsworth schedule``: of one schedule, and of a calendar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.reports.calendar_json import VERSION
from jobsworth.reports.report_schema_parts import (
    DIALECT,
    list_schema,
    number_schema,
    object_schema,
    text_or_null_schema,
    text_schema,
    time_schema,
    version_schema,
)

if TYPE_CHECKING:
    from typing import Any


def calendar_schema() -> dict[str, Any]:
    """Return the schema. It allows unknown keys: a later release may add some to the same version."""
    return {
        "$schema": DIALECT,
        "title": "The JSON reports of jobsworth schedule",
        "description": "Of one schedule, or the calendar of many CronJobs.",
        "type": "object",
        "required": ["version"],
        "properties": {"version": version_schema(VERSION)},
        "oneOf": [{"$ref": "#/$defs/schedule"}, {"$ref": "#/$defs/calendar"}],
        "$defs": {"schedule": _schedule(), "calendar": _calendar()},
    }


def _schedule() -> dict[str, Any]:
    run = object_schema({"local": time_schema("With the offset of then."), "utc": time_schema()})
    return object_schema(
        {
            "schedule": text_schema("As it was given."),
            "timeZone": text_schema("An IANA name."),
            "after": time_schema("The runs are after this time."),
            "runs": list_schema(
                run, "Fewer than requested if there are no more within five years."
            ),
        }
    )


def _calendar() -> dict[str, Any]:
    hour = object_schema(
        {
            "date": {"type": "string", "format": "date"},
            "hour": {**number_schema(""), "maximum": 23},
            "runs": number_schema(""),
        }
    )
    return object_schema(
        {
            "start": time_schema(),
            "end": time_schema("It is not part of the period."),
            "timeZone": text_schema("Of the hours."),
            "runs": number_schema("Of all CronJobs."),
            "mostRunsInAMinute": number_schema(""),
            "hours": list_schema(hour, "Those with runs, in their order."),
            "peaks": list_schema(_peak(), "The minutes with most Pods, the highest first."),
            "clockChanges": list_schema(_clock_change(), "In zones in which CronJobs run."),
            "cronJobs": list_schema(_cron_job(), "Suspended ones last."),
            "unknownTimeZones": list_schema(
                {"type": "string"},
                "Those that the time zone database of this machine does not have.",
            ),
        }
    )


def _requests() -> dict[str, Any]:
    return {
        "pods": number_schema("Pods that start at once."),
        "cpu": number_schema("Their requests, in thousandths of a CPU."),
        "memory": number_schema("Their requests, in bytes."),
    }


def _peak() -> dict[str, Any]:
    return object_schema(
        {
            "minutes": list_schema(time_schema(), "At which the same CronJobs start."),
            "runs": number_schema(""),
            **_requests(),
            "cronJobs": list_schema({"type": "string"}, ""),
        }
    )


def _clock_change() -> dict[str, Any]:
    effect = object_schema({"cronJob": {"type": "string"}, "effect": text_schema("In words.")})
    return object_schema(
        {
            "timeZone": {"type": "string"},
            "at": time_schema(),
            "seconds": {"type": "integer", "description": "Above 0: the clocks go forward."},
            "effects": list_schema(effect, "CronJobs of which it skips or repeats runs."),
            "unaffected": number_schema("Other CronJobs of the zone."),
        }
    )


def _cron_job() -> dict[str, Any]:
    return object_schema(
        {
            "cronJob": text_schema("Its namespace and name."),
            "place": text_or_null_schema("The file and line; null in a cluster."),
            "schedule": {"type": "string"},
            "timeZone": text_or_null_schema("spec.timeZone."),
            "concurrencyPolicy": {"enum": ["Allow", "Forbid", "Replace"]},
            "suspended": {"type": "boolean"},
            "runs": number_schema("In the period; 0 of a suspended one."),
            **_requests(),
        }
    )
