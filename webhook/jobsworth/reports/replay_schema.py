"""The JSON Schema of the JSON report of ``jobsworth replay``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.reports.replay_json import VERSION
from jobsworth.reports.report_schema_parts import (
    DIALECT,
    FAILURE_EFFECTS,
    POD_FAILURE_ACTIONS,
    event_schema,
    list_schema,
    number_or_null_schema,
    number_schema,
    object_schema,
    or_null_schema,
    text_or_null_schema,
    text_schema,
    time_or_null_schema,
    time_schema,
    version_schema,
)

if TYPE_CHECKING:
    from typing import Any


def replay_schema() -> dict[str, Any]:
    """Return the schema. It allows unknown keys: a later release may add some to the same version."""
    return {
        "$schema": DIALECT,
        "title": "The JSON report of jobsworth replay",
        **object_schema(
            {
                "version": version_schema(VERSION),
                "kind": {"const": "Job"},
                "namespace": text_or_null_schema("The namespace of the Job; null if unknown."),
                "name": text_schema("The name of the Job."),
                "file": text_schema("The file of the Job, or the cluster."),
                "line": number_or_null_schema("The line at which it begins; null in a cluster."),
                "created": time_schema("When the Job was created."),
                "recorded_until": time_schema("The last time that anything is known of."),
                "outcome": text_schema("How the Job ended, in a sentence."),
                "end": or_null_schema(
                    _end(), "The end by the conditions; null while the Job goes on."
                ),
                "pods": list_schema({"$ref": "#/$defs/pod"}, "In the order of creation."),
                "rules": _rules(),
                "limits": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                    "description": "Each limit of the Job, with what counted towards it.",
                },
                "failed_indexes": {
                    "type": "object",
                    "additionalProperties": time_schema("When the index failed for good."),
                    "description": "By index.",
                },
                "unknown_pods": list_schema(_unknown_pod(), "Pods that only Events name."),
                "unknown": list_schema({"type": "string"}, "What the recording cannot say."),
                "events": list_schema({"$ref": "#/$defs/event"}, "About the Job."),
            },
            {"with": _comparison()},
        ),
        "$defs": {"pod": _pod(), "failure": _failure(), "event": event_schema()},
    }


def _end() -> dict[str, Any]:
    return object_schema(
        {
            "condition": {"enum": ["Complete", "Failed"]},
            "reason": {"type": "string"},
            "message": {"type": "string"},
            "decided": time_schema(
                "When the controller decided it: FailureTarget, SuccessCriteriaMet."
            ),
            "finished": time_or_null_schema(
                "When the Job got the condition; null while Pods terminate."
            ),
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
            "index": number_or_null_schema("The completion index; null without one."),
            "phase": {"type": "string"},
            "created": time_schema(),
            "scheduled": time_or_null_schema(),
            "started": time_or_null_schema("Its first container started."),
            "deleted": time_or_null_schema("Its deletion was requested."),
            "ended": time_or_null_schema("It became Succeeded or Failed."),
            "containers": list_schema(container, "Those that have ended."),
            "restarts": number_schema("Restarts of its containers in place."),
            "reason": text_or_null_schema("The reason of its status, such as Evicted."),
            "conditions": list_schema({"type": "string"}, "Each as type=status."),
            "disruption": text_or_null_schema("The reason of its condition DisruptionTarget."),
            "how": text_schema("How it ended, in words."),
            "failure": or_null_schema(
                {"$ref": "#/$defs/failure"}, "Null if it did not fail before the Job ended."
            ),
        }
    )


def _failure() -> dict[str, Any]:
    return object_schema(
        {
            "at": time_schema("When the controller took the Pod as failed."),
            "rule": number_or_null_schema("The index of the rule; null without a match."),
            "by_annotation": {
                "type": "boolean",
                "description": "The rule is one of the annotation that extends the API.",
            },
            "action": {"enum": [*POD_FAILURE_ACTIONS, None]},
            "effect": {"enum": [*FAILURE_EFFECTS]},
            "counts": {"type": "boolean", "description": "It counts towards the backoff limits."},
            "failures_of_job": number_schema("Those that count so far, with this one."),
            "failures_of_index": number_or_null_schema(
                "Those of its index; null without backoffLimitPerIndex."
            ),
            "text": text_schema("What the controller does, in words."),
        }
    )


def _rules() -> dict[str, Any]:
    rule = object_schema(
        {
            "rule": number_schema("Its index in its list."),
            "action": {"enum": [*POD_FAILURE_ACTIONS]},
            "requirement": text_schema("What it requires of a Pod, as a clause."),
        }
    )
    return list_schema(rule, "In the order of evaluation.")


def _unknown_pod() -> dict[str, Any]:
    return object_schema(
        {
            "name": {"type": "string"},
            "created": time_or_null_schema(),
            "events": list_schema({"$ref": "#/$defs/event"}, "Those about the Pod."),
        }
    )


def _comparison() -> dict[str, Any]:
    change = object_schema({"field": {"type": "string"}, "recorded": {}, "other": {}})
    compared = object_schema(
        {
            "pod": {"type": "string"},
            "at": time_schema(),
            "differs": {"type": "boolean"},
            "recorded": or_null_schema({"$ref": "#/$defs/failure"}, ""),
            "other": or_null_schema({"$ref": "#/$defs/failure"}, "Null after the other end."),
        }
    )
    parting = object_schema(
        {
            "at": time_schema(),
            "pod": text_or_null_schema("The failed Pod; null if they part without one."),
            "recorded": text_or_null_schema("What the recorded policy does."),
            "other": text_or_null_schema("What the other policy does."),
        }
    )
    end = object_schema(
        {
            "at": time_schema(),
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
            "parting": or_null_schema(parting, "Where the policies first differ; null if never."),
            "end": or_null_schema(end, "Null if the recording ends before the Job would."),
            "known_to_the_end": {"type": "boolean"},
            "pods_that_would_not_exist": list_schema({"type": "string"}, ""),
            "pod_seconds_less": number_schema("Seconds that Pods would run less."),
            "retried_indexes": list_schema({"type": "integer"}, "Failed, and would be retried."),
            "follows": list_schema({"type": "string"}, "What follows, in sentences."),
        }
    )
