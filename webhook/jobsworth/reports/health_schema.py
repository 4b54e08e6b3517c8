"""The JSON Schema of the JSON report of ``jobsworth audit --health``."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from jobsworth.findings.finding import SEVERITIES
from jobsworth.reports.health_json import VERSION
from jobsworth.reports.report_schema_parts import (
    DIALECT,
    list_schema,
    number_schema,
    object_schema,
    or_null_schema,
    text_or_null_schema,
    text_schema,
    time_or_null_schema,
    time_schema,
    version_schema,
)
from jobsworth.whatif.health.accounted_runs import STATES
from jobsworth.whatif.health.cron_job_health import BLOCK_REASONS
from jobsworth.whatif.health.problems import CODES
from jobsworth.whatif.health.run_reasons import REASON_WORDS
from jobsworth.whatif.waiting import WaitReason

if TYPE_CHECKING:
    from typing import Any


def health_schema() -> dict[str, Any]:
    """Return the schema. It allows unknown keys: a later release may add some to the same version."""
    return {
        "$schema": DIALECT,
        "title": "The JSON report of jobsworth audit --health",
        **object_schema(
            {
                "version": version_schema(VERSION),
                "cluster": text_schema("The name of the cluster."),
                "time": time_schema("When the objects were read."),
                "since": time_or_null_schema("The begin of the window."),
                "unseen": list_schema({"enum": ["pods", "events"]}, "What could not be listed."),
                "problems": list_schema(_problem(), "By object, the gravest first."),
                "cron_jobs": list_schema(_cron_job(), "By namespace and name."),
                "stuck_jobs": list_schema(_stuck(), "The longest first."),
                "failed_jobs": list_schema(
                    _failed(),
                    "Jobs without a CronJob that failed in the window and that no later success is known of, "
                    "the newest first.",
                ),
            }
        ),
    }


def _problem() -> dict[str, Any]:
    return object_schema(
        {
            "object": text_schema("namespace/Kind/name."),
            "severity": {"enum": list(SEVERITIES)},
            "code": {"enum": list(CODES)},
            "message": text_schema(""),
        }
    )


def _cron_job() -> dict[str, Any]:
    return object_schema(
        {
            "namespace": text_schema(""),
            "name": text_schema(""),
            "schedule": text_schema("spec.schedule."),
            "time_zone": text_or_null_schema("spec.timeZone."),
            "suspended": {"type": "boolean"},
            "unchanged_since": time_or_null_schema(
                "Since when its spec is as it is now; null if the object does not show it."
            ),
            "last_schedule_time": time_or_null_schema(
                "The last scheduled time that started a Job."
            ),
            "last_success": time_or_null_schema("When its last Job completed."),
            "next": time_or_null_schema("The next scheduled time."),
            "overdue_since": time_or_null_schema(
                "The first scheduled time after the last started one."
            ),
            "overdue_seconds": number_schema("0 if none is overdue."),
            "blocked": or_null_schema(_block(), "What keeps the overdue run from starting."),
            "consecutive_failures": number_schema("Known failed runs since the last success."),
            "more_failures_possible": {
                "type": "boolean",
                "description": "History limits or a TTL may have removed further failed Jobs.",
            },
            "failed_jobs": list_schema({"type": "string"}, "Those of consecutive_failures."),
            "manual_jobs": list_schema({"type": "string"}, "Jobs that a user has created from it."),
            "runs": or_null_schema(_window(), "The scheduled times of the window."),
        }
    )


def _block() -> dict[str, Any]:
    return object_schema(
        {
            "reason": {"enum": list(BLOCK_REASONS)},
            "job": text_or_null_schema("The unfinished Job in the way."),
            "pod": text_or_null_schema("A Pod that keeps it unfinished."),
            "since": time_or_null_schema(),
            "message": text_or_null_schema("Of an Event that shows the cause."),
        }
    )


def _window() -> dict[str, Any]:
    by_reason = {"type": "object", "additionalProperties": number_schema("")}
    return object_schema(
        {
            "since": time_schema(),
            "due": number_schema("The sum of the states."),
            **{state: number_schema("") for state in STATES},
            "late": number_schema(
                "Started ones that started late; they count in their state, too."
            ),
            "skipped_by_reason": by_reason,
            "unknown_by_reason": by_reason,
            "unscheduled": number_schema(
                "Jobs whose scheduled time the present schedule does not have."
            ),
            "incomplete": {"type": "boolean", "description": "Only the latest runs are counted."},
            "notable": list_schema(_run(), "Those that did not start, or not on time."),
        }
    )


def _run() -> dict[str, Any]:
    return object_schema(
        {
            "scheduled": time_schema(),
            "state": {"enum": list(STATES)},
            "reason": {"enum": [*REASON_WORDS, None]},
            "behind": text_or_null_schema("The unfinished Job that held it back."),
            "late_seconds": number_schema(""),
            "job": text_or_null_schema("Its Job."),
        }
    )


def _stuck() -> dict[str, Any]:
    return object_schema(
        {
            "namespace": text_schema(""),
            "name": text_schema(""),
            "owner": text_or_null_schema("Kind/name of its controller."),
            "reason": {"enum": list(get_args(WaitReason))},
            "since": time_or_null_schema(),
            "seconds": number_schema(""),
            "waiting_for": text_schema(""),
            "detail": text_or_null_schema(""),
            "ended_by": text_schema("What ends the wait, as a clause after when."),
            "pod": text_or_null_schema("One of the Pods that keep it waiting."),
            "pods": number_schema("How many there are."),
        }
    )


def _failed() -> dict[str, Any]:
    return object_schema(
        {
            "namespace": text_schema(""),
            "name": text_schema(""),
            "owner": text_or_null_schema("Kind/name of its controller."),
            "generate_name": text_or_null_schema("metadata.generateName."),
            "reason": text_or_null_schema("Of its Failed condition."),
            "message": text_or_null_schema("Of its Failed condition, shortened."),
            "failed": time_schema("When it got its Failed condition."),
            "seconds": number_schema("Since then."),
        }
    )
