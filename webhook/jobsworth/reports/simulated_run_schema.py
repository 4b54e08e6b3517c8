"""The JSON Schema of one run of ``jobsworth simulate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from jobsworth.reports.report_schema_parts import (
    amount_or_null_schema,
    amount_schema,
    list_schema,
    map_schema,
    number_or_null_schema,
    number_schema,
    object_schema,
    or_null_schema,
    text_or_null_schema,
    text_schema,
)
from jobsworth.whatif import cron_job_measures, job_set_measures
from jobsworth.whatif.miss_reasons import MissReason
from jobsworth.whatif.run_record import Counted, Outcome

if TYPE_CHECKING:
    from typing import Any

_MILLISECONDS = "Milliseconds since the start of the scenario."


def run_definitions() -> dict[str, Any]:
    """Return the definitions ``run`` and those to which it refers."""
    return {"run": _run(), "job": _job(), "pod": _pod(), "event": _event()}


def _run() -> dict[str, Any]:
    return object_schema(
        {
            "kind": {"enum": ["Job", "CronJob", "JobSet"]},
            "name": text_schema("Of the object."),
            "scenario": text_schema("The name of the scenario."),
            "seed": _integer("The seed of all that is left to chance."),
            "start": _integer("When the scenario begins, in seconds since 1970."),
            "end": _integer("The last Job had finished, or the time given was over."),
            "outcome": {
                "enum": [*get_args(Outcome), None],
                "description": "Null for a CronJob, which does not end.",
            },
            "reason": text_or_null_schema(
                "The reason of the terminal condition; without one, what the Job waits for."
            ),
            "podHours": amount_schema("Hours for which Pods ran."),
            "wastedPodHours": amount_schema("Of Pods whose work was lost."),
            "failuresByRule": map_schema(
                number_schema("Failed Pods."), "By rule of the failure policy."
            ),
            "measures": or_null_schema(_measures(), "Null for other kinds than Job."),
            "jobs": list_schema({"$ref": "#/$defs/job"}, "In the order of creation."),
            "mostJobObjects": number_schema("The greatest number of Jobs that exist at a time."),
            "missed": list_schema(_missed(), "Of a CronJob: runs that were due and did not start."),
            "events": list_schema({"$ref": "#/$defs/event"}, "About the CronJob or JobSet."),
            "occurrences": list_schema(
                _occurrence(), "Interventions of the scenario that no Pod or condition shows."
            ),
        },
        {"cronJob": _cron_job(), "jobSet": _job_set()},
    )


def _measures() -> dict[str, Any]:
    return object_schema(
        {
            "completions": number_or_null_schema("Null for a work queue."),
            "succeeded": number_schema("Succeeded completions."),
            "workDone": amount_or_null_schema("The share of the completions that succeeded."),
            "timeTo90": number_or_null_schema("Until 90 % had succeeded; null if they never had."),
            "mostPods": number_schema("The greatest number of Pods that run at a time."),
            "overlap": number_schema("The time in which two Pods of one index ran."),
        }
    )


def _cron_job() -> dict[str, Any]:
    measures = {name: number_schema("") for name in cron_job_measures.MEASURES}
    return object_schema(
        {
            **measures,
            "manual": number_schema("Jobs that a user created from it."),
            "missedByReason": map_schema(number_schema(""), "By reason.", get_args(MissReason)),
        }
    )


def _job_set() -> dict[str, Any]:
    decision = object_schema(
        {
            "at": _integer(_MILLISECONDS),
            "job": text_schema("The Job that failed."),
            "replicatedJob": text_schema("Its ReplicatedJob."),
            "jobReason": text_schema("The reason of its Failed condition."),
            "rule": text_schema("The name of the rule that matches; empty without one."),
            "action": text_or_null_schema(
                "The action of the rule; null if nothing is left to restart."
            ),
            "counted": {"type": "boolean", "description": "It counts towards maxRestarts."},
            "jobSetReason": text_or_null_schema(
                "The reason for which the JobSet fails; null for a restart."
            ),
        }
    )
    return object_schema(
        {
            "finished": number_or_null_schema("When it got its terminal condition."),
            "jobsPerAttempt": number_schema(""),
            "maxRestarts": number_or_null_schema("Null without a failure policy."),
            **{name: amount_schema("") for name in job_set_measures.MEASURES},
            "decisions": list_schema(decision, "About failed Jobs."),
        }
    )


def _missed() -> dict[str, Any]:
    return object_schema(
        {
            "at": _integer("When it became clear."),
            "scheduled": _integer("When the run was due."),
            "reason": {"enum": list(get_args(MissReason))},
            "why": text_schema("The reason in words, with what kept it from starting."),
        }
    )


def _occurrence() -> dict[str, Any]:
    return object_schema(
        {
            "at": _integer(_MILLISECONDS),
            "until": _integer("Its end; equal to at if it has none."),
            "kind": {"enum": ["edit", "away", "back", "rejections", "capacity", "note"]},
            "words": {"type": "string"},
        }
    )


def _event() -> dict[str, Any]:
    return object_schema(
        {
            "at": _integer(_MILLISECONDS),
            "type": {"enum": ["Normal", "Warning"]},
            "reason": {"type": "string"},
            "message": {"type": "string"},
        }
    )


def _job() -> dict[str, Any]:
    condition = object_schema(
        {
            "at": _integer(_MILLISECONDS),
            "type": {"type": "string"},
            "status": {"enum": ["True", "False", "Unknown"]},
            "reason": {"type": "string"},
            "message": {"type": "string"},
        }
    )
    counters = object_schema(
        {
            "at": _integer(_MILLISECONDS),
            **{
                name: number_schema("") for name in ("active", "terminating", "succeeded", "failed")
            },
        }
    )
    index = object_schema({"at": _integer(_MILLISECONDS), "index": number_schema("")})
    because = object_schema({"at": _integer(_MILLISECONDS), "because": {"type": "string"}})
    return object_schema(
        {
            "name": {"type": "string"},
            "run": number_schema(
                "From 1: of a CronJob the number of the Job, of a JobSet that of the attempt."
            ),
            "created": _integer(_MILLISECONDS),
            "scheduled": _integer_or_null(
                "Of a CronJob: when it was due; null if a user created it."
            ),
            "finished": _integer_or_null("It got its terminal condition."),
            "deleted": _integer_or_null("The CronJob or JobSet controller deleted it."),
            "removed": _integer_or_null(
                "It was deleted after its end: by its TTL or a history limit."
            ),
            "outcome": {"enum": list(get_args(Outcome))},
            "reason": text_schema(
                "Of the terminal condition; without one, what the Job waits for."
            ),
            "waiting": or_null_schema(_waiting(), "Null if it has finished or was deleted."),
            "failedIndexes": list_schema(index, "When each failed for good."),
            "conditions": list_schema(condition, "In the order of time."),
            "events": list_schema({"$ref": "#/$defs/event"}, "About the Job."),
            "counters": list_schema(counters, "Its status; an entry for each change."),
            "controller": list_schema(
                because, "The reason for the controller's decisions, from a time on."
            ),
            "pods": list_schema({"$ref": "#/$defs/pod"}, "In the order of creation."),
        },
        {
            "replicatedJob": text_schema("Of a JobSet: the name of its ReplicatedJob."),
            "late": text_or_null_schema("Of a CronJob: why it was not created when it was due."),
            "earliest": _integer_or_null(
                "Of a late Job: the first resync that could have created it."
            ),
        },
    )


def _waiting() -> dict[str, Any]:
    return object_schema(
        {
            "waitingFor": {"type": "string"},
            "detail": text_or_null_schema(""),
            "since": _integer_or_null(_MILLISECONDS),
            "endedBy": text_schema("What ends the wait, as a clause after when."),
            "endsAt": _integer_or_null("When it ends by itself."),
            "deadline": _integer_or_null("When activeDeadlineSeconds ends the Job."),
            "hangs": {"type": "boolean", "description": "Nothing in the Job's spec ends the wait."},
        }
    )


def _pod() -> dict[str, Any]:
    return object_schema(
        {
            "name": {"type": "string"},
            "index": number_or_null_schema("The completion index; null without one."),
            "attempt": number_schema("Of its index, or of the Job, from 1."),
            "phase": {"enum": ["Pending", "Running", "Succeeded", "Failed", "Unknown"]},
            "created": _integer(_MILLISECONDS),
            "scheduled": _integer_or_null("It got a place on a node."),
            "pending": text_or_null_schema("The cause for which it stays Pending."),
            "started": _integer_or_null("It began to run."),
            "restarts": list_schema(_integer(_MILLISECONDS), "Restarts of its container in place."),
            "deleted": _integer_or_null("Its deletion was requested."),
            "ended": _integer_or_null("It became Succeeded or Failed."),
            "disruption": text_or_null_schema("The disruption that ended it."),
            "exitCode": number_or_null_schema("Null if no container ended."),
            "reason": text_or_null_schema("Of the container's termination, or of the Pod."),
            "container": text_or_null_schema("That container."),
            "counted": {
                "enum": [*filter(None, get_args(Counted)), None],
                "description": "How the Job counts it; null if it does not yet.",
            },
            "rule": text_or_null_schema("Of a failed Pod: the rule that decided."),
        }
    )


def _integer(description: str) -> dict[str, Any]:
    return {"type": "integer", "description": description}


def _integer_or_null(description: str) -> dict[str, Any]:
    return {"type": ["integer", "null"], "description": description}
