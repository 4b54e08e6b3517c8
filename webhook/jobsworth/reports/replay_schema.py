"""The JSON Schema of the JSON report of ``jobsworth replay``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.reports.replay_json import VERSION
from jobsworth.reports.report_schema_parts import (
    list_schema,
    number_schema,
    object_schema,
    text_or_null_schema,
    text_schema,
)

if TYPE_CHECKING:
    from typing import Any

EFFECTS = ("fails the Job", "fails the index", "counted", "ignored")
ACTIONS = ("FailJob", "FailIndex", "Ignore", "Count")


def replay_schema() -> dict[str, Any]:
    """Return the schema. It allows unknown keys: a later release may add some to the same version."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON report of jobsworth replay",
        **object_schema(
            {
                "version": {"const": VERSION, "description": "The version of this structure."},
                "kind": {"const": "Job"},
                "namespace": text_or_null_schema("The namespace of the Job; null if unknown."),
                "name": text_schema("The name of the Job."),
                "file": text_schema("The file of the Job, or the cluster."),
                "line": _nullable("integer", "The line at which it begins; null in a cluster."),
                "created": _time("When the Job was created."),
                "recorded_until": _time("The last time that anything is known of."),
                "outcome": text_schema("How the Job ended, in a sentence."),
                "end": _or_null(_end(), "The end by the conditions; null while the Job goes on."),
                "pods": list_schema({"$ref": "#/$defs/pod"}, "In the order of creation."),
                "rules": _rules(),
                "limits": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                    "description": "Each limit of the Job, with what counted towards it.",
                },
                "failed_indexes": {
                    "type": "object",
                    "additionalProperties": _time("When the index failed for good."),
                    "description": "By index.",
                },
                "unknown_pods": list_schema(_unknown_pod(), "Pods that only Events name."),
                "unknown": list_schema({"type": "string"}, "What the recording cannot say."),
                "events": list_schema({"$ref": "#/$defs/event"}, "About the Job."),
            },
            {"with": _comparison()},
        ),
        "$defs": {"pod": _pod(), "failure": _failure(), "event": _event()},
    }


def _end() -> dict[str, Any]:
    return object_schema(
        {
            "condition": {"enum": ["Complete", "Failed"]},
            "reason": {"type": "string"},
            "message": {"type": "string"},
            "decided": _time("When the controller decided it: FailureTarget, SuccessCriteriaMet."),
            "finished": _time_or_null("When the Job got the condition; null while Pods terminate."),
        }
    )


def _pod() -> dict[str, Any]:
    container = object_schema(
        {
            "name": {"type": "string"},
            "exit_code": {"type": "integer"},
            "reason": {"type": "string"},
        }
    )
    return object_schema(
        {
            "name": {"type": "string"},
            "index": _nullable("integer", "The completion index; null without one."),
            "phase": {"type": "string"},
            "created": _time(""),
            "scheduled": _time_or_null(""),
            "started": _time_or_null("Its first container started."),
            "deleted": _time_or_null("Its deletion was requested."),
            "ended": _time_or_null("It became Succeeded or Failed."),
            "containers": list_schema(container, "Those that have ended."),
            "restarts": number_schema("Restarts of its containers in place."),
            "reason": text_or_null_schema("The reason of its status, such as Evicted."),
            "conditions": list_schema({"type": "string"}, "Each as type=status."),
            "disruption": text_or_null_schema("The reason of its condition DisruptionTarget."),
            "how": text_schema("How it ended, in words."),
            "failure": _or_null(
                {"$ref": "#/$defs/failure"}, "Null if it did not fail before the Job ended."
            ),
        }
    )


def _failure() -> dict[str, Any]:
    return object_schema(
        {
            "at": _time("When the controller took the Pod as failed."),
            "rule": _nullable("integer", "The index of the rule; null without a match."),
            "by_annotation": {
                "type": "boolean",
                "description": "The rule is one of the annotation that extends the API.",
            },
            "action": {"enum": [*ACTIONS, None]},
            "effect": {"enum": [*EFFECTS]},
            "counts": {"type": "boolean", "description": "It counts towards the backoff limits."},
            "failures_of_job": number_schema("Those that count so far, with this one."),
            "failures_of_index": _nullable(
                "integer", "Those of its index; null without backoffLimitPerIndex."
            ),
            "text": text_schema("What the controller does, in words."),
        }
    )


def _rules() -> dict[str, Any]:
    rule = object_schema(
        {
            "rule": number_schema("Its index in its list."),
            "action": {"enum": [*ACTIONS]},
            "requirement": text_schema("What it requires of a Pod, as a clause."),
        }
    )
    return list_schema(rule, "In the order of evaluation.")


def _unknown_pod() -> dict[str, Any]:
    return object_schema(
        {
            "name": {"type": "string"},
            "created": _time_or_null(""),
            "events": list_schema({"$ref": "#/$defs/event"}, "Those about the Pod."),
        }
    )


def _event() -> dict[str, Any]:
    return object_schema(
        {
            "at": _time_or_null("When it happened last."),
            "type": {"type": "string"},
            "reason": {"type": "string"},
            "message": {"type": "string"},
            "count": number_schema("How often it happened."),
        }
    )


def _comparison() -> dict[str, Any]:
    change = object_schema({"field": {"type": "string"}, "recorded": {}, "other": {}})
    compared = object_schema(
        {
            "pod": {"type": "string"},
            "at": _time(""),
            "differs": {"type": "boolean"},
            "recorded": _or_null({"$ref": "#/$defs/failure"}, ""),
            "other": _or_null({"$ref": "#/$defs/failure"}, "Null after the other end."),
        }
    )
    parting = object_schema(
        {
            "at": _time(""),
            "pod": text_or_null_schema("The failed Pod; null if they part without one."),
            "recorded": text_or_null_schema("What the recorded policy does."),
            "other": text_or_null_schema("What the other policy does."),
        }
    )
    end = object_schema(
        {
            "at": _time(""),
            "condition": {"enum": ["Complete", "Failed"]},
            "reason": {"type": "string"},
            "message": {"type": "string"},
        }
    )
    return object_schema(
        {
            "name": text_schema("The file of the other policy."),
            "changes": list_schema(change, "The fields that differ; null for an absent one."),
            "rules": _rules(),
            "failures": list_schema(compared, "In the order of time."),
            "parting": _or_null(parting, "Where the policies first differ; null if never."),
            "end": _or_null(end, "Null if the recording ends before the Job would."),
            "known_to_the_end": {"type": "boolean"},
            "pods_that_would_not_exist": list_schema({"type": "string"}, ""),
            "pod_seconds_less": number_schema("Seconds that Pods would run less."),
            "retried_indexes": list_schema({"type": "integer"}, "Failed, and would be retried."),
            "follows": list_schema({"type": "string"}, "What follows, in sentences."),
        }
    )


def _time(description: str) -> dict[str, Any]:
    return {"type": "string", "format": "date-time", "description": description}


def _time_or_null(description: str) -> dict[str, Any]:
    return {"type": ["string", "null"], "format": "date-time", "description": description}


def _nullable(kind: str, description: str) -> dict[str, Any]:
    return {"type": [kind, "null"], "minimum": 0, "description": description}


def _or_null(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}], "description": description}
