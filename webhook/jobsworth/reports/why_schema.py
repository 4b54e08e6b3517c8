"""The JSON Schema of the JSON report of ``jobsworth why``, and of the functions that return it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.reports.report_schema_parts import (
    DIALECT,
    FAILURE_EFFECTS,
    POD_FAILURE_ACTIONS,
    event_schema,
    list_schema,
    number_schema,
    object_schema,
    text_or_null_schema,
    text_schema,
    time_or_null_schema,
    time_schema,
    version_schema,
)
from jobsworth.reports.why_json import VERSION

if TYPE_CHECKING:
    from typing import Any

OUTCOMES = ("Complete", "Failed", "Unfinished")


def why_schema() -> dict[str, Any]:
    """Return the schema. It allows unknown keys: a later release may add some to the same version."""
    return {
        "$schema": DIALECT,
        "title": "The JSON report of jobsworth why",
        "type": "object",
        "required": ["version", "kind"],
        "properties": {
            "version": version_schema(VERSION),
            "kind": {"enum": ["Job", "CronJob", "JobSet"]},
        },
        "oneOf": [
            {"$ref": "#/$defs/job"},
            {"$ref": "#/$defs/cron_job"},
            {"$ref": "#/$defs/job_set"},
        ],
        "$defs": {
            "job": _job(),
            "cron_job": _cron_job(),
            "job_set": _job_set(),
            "event": event_schema(),
        },
    }


def _identity(kind: str) -> dict[str, Any]:
    return {
        "kind": {"const": kind},
        "namespace": text_or_null_schema("Its namespace; null if unknown."),
        "name": text_schema("Its name."),
        "uid": text_or_null_schema("Its UID; null if unknown."),
        "cause": text_schema(
            "The cause as a stable name, such as oom, exit-code, eviction, imagePull, unschedulable, "
            "suspended, running; gone if the Pods that would show it are gone."
        ),
        "sentence": text_schema("The cause in one sentence."),
    }


def _job() -> dict[str, Any]:
    rule = object_schema(
        {
            "name": text_schema("Such as rules[0]; annotation rules[0] for one of the annotation."),
            "action": {"enum": [*POD_FAILURE_ACTIONS]},
            "requirement": text_schema("What a failed Pod must have, as a clause."),
            "matched": number_schema("Failed Pods that it matched, of those that were read."),
            "place": text_or_null_schema("The file and line where it stands, if known."),
        }
    )
    log = object_schema(
        {
            "pod": {"type": "string"},
            "container": {"type": "string"},
            "lines": list_schema({"type": "string"}, "The last lines."),
            "problem": text_or_null_schema("Why the log cannot be read; null if it was."),
        }
    )
    advice = object_schema(
        {
            "text": text_schema("What to change."),
            "code": text_or_null_schema("The lint rule that says so."),
            "field": text_or_null_schema("The field to change."),
        }
    )
    return object_schema(
        {
            **_identity("Job"),
            "outcome": {"enum": [*OUTCOMES]},
            "reason": text_or_null_schema("Of its condition; null while it goes on."),
            "created": time_schema("When the Job was created."),
            "finished": time_or_null_schema("When it got the condition Complete or Failed."),
            "status": _status(),
            "failures": list_schema(_failures(), "Failed Pods with the same cause and fate."),
            "waiting": {"anyOf": [_waiting(), {"type": "null"}]},
            "pods": list_schema(_pod(), "Rows in words; many Pods alike share a row."),
            "all_pods_read": {"type": "boolean", "description": "False for a Job with very many."},
            "rules": list_schema(rule, "Those of the failure policy."),
            "logs": list_schema(log, "Ends of logs of failed containers; not escaped."),
            "events": list_schema({"$ref": "#/$defs/event"}, "About the Job."),
            "unknown": list_schema({"type": "string"}, "What is not known, in sentences."),
            "advice": list_schema(advice, "What to change."),
        }
    )


def _status() -> dict[str, Any]:
    return object_schema(
        {
            "active": number_schema(""),
            "ready": _number_or_null(),
            "terminating": _number_or_null(),
            "succeeded": number_schema(""),
            "failed": number_schema(""),
            "completed_indexes": text_or_null_schema("Such as 0,3-5."),
            "failed_indexes": text_or_null_schema("Such as 0,3-5."),
        }
    )


def _failures() -> dict[str, Any]:
    return object_schema(
        {
            "cause": text_schema("The name of the cause."),
            "how": text_schema("A clause, with a Pod as its subject."),
            "fate": {"enum": [*FAILURE_EFFECTS]},
            "rule": text_or_null_schema("The rule that matched; null if none did."),
            "number": number_schema("Of Pods."),
            "indexes": text_or_null_schema("Their completion indexes, such as 0,3-5."),
            "pods": list_schema({"type": "string"}, "Names; at most 100."),
        }
    )


def _waiting() -> dict[str, Any]:
    return object_schema(
        {
            "for": text_schema("What the Job waits for, as a noun phrase."),
            "detail": text_or_null_schema("Where this shows."),
            "since": time_or_null_schema("When the wait began."),
            "ended_by": text_schema("What ends it, as a clause after when."),
            "ends_at": time_or_null_schema("When that happens at the latest."),
            "deadline": time_or_null_schema("When activeDeadlineSeconds fails the Job."),
            "hangs": {"type": "boolean", "description": "No timer of the controller ends it."},
        }
    )


def _pod() -> dict[str, Any]:
    names = ("name", "completion_index", "node", "created", "started", "ended", "how", "followed")
    return object_schema({name: {"type": "string"} for name in names})


def _cron_job() -> dict[str, Any]:
    run = object_schema(
        {
            "name": {"type": "string"},
            "scheduled": time_schema(
                "The time for which it was created; if by hand, that of its creation."
            ),
            "by_hand": {"type": "boolean", "description": "A user created it from the CronJob."},
            "state": {"enum": ["failed", "active", "complete"]},
            "reason": text_or_null_schema("Of its condition."),
            "ended": time_or_null_schema("When it got the condition Complete or Failed."),
        }
    )
    return object_schema(
        {
            **_identity("CronJob"),
            "runs": list_schema(run, "The Jobs that exist, newest first; at most 100."),
            "missed": time_or_null_schema("The last scheduled time that has passed without a Job."),
            "next_run": time_or_null_schema("The next scheduled time."),
            "events": list_schema({"$ref": "#/$defs/event"}, "About the CronJob."),
            "job": _job_or_null(),
        }
    )


def _job_set() -> dict[str, Any]:
    child = object_schema(
        {
            "name": {"type": "string"},
            "replicated_job": text_or_null_schema("The name of its ReplicatedJob."),
            "failed": time_or_null_schema("When it failed."),
            "complete": {"type": "boolean"},
            "suspended": {"type": "boolean"},
            "pods_not_ready": number_schema("Active Pods that are not ready, by its status."),
        }
    )
    return object_schema(
        {
            **_identity("JobSet"),
            "outcome": {"enum": [*OUTCOMES]},
            "reason": text_or_null_schema("Of its condition; null while it goes on."),
            "restarts": number_schema("By its status."),
            "jobs": list_schema(child, "Its Jobs that exist; at most 100."),
            "job": _job_or_null(),
        }
    )


def _job_or_null() -> dict[str, Any]:
    return {
        "anyOf": [{"$ref": "#/$defs/job"}, {"type": "null"}],
        "description": "The Job that decides; null without one.",
    }


def _number_or_null() -> dict[str, Any]:
    return {"type": ["integer", "null"], "minimum": 0}
