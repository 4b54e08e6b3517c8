"""A diagnosis as JSON. Times are those of the API; null for what is unknown or does not apply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from jobsworth.controller.times import write_time
from jobsworth.printable import printable_json
from jobsworth.reports.replay_json import event_value
from jobsworth.whatif.explanation.outcome_wording import requirement, rule_name
from jobsworth.whatif.why.diagnosis import Diagnosis
from jobsworth.whatif.why.owners.cron_job_diagnosis import CronJobDiagnosis
from jobsworth.whatif.why.pod_table import pod_rows
from jobsworth.whatif.why.unknowns import unknowns

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from jobsworth.whatif.waiting import Waiting
    from jobsworth.whatif.why.failure_groups import FailureGroup
    from jobsworth.whatif.why.owners.job_set_diagnosis import JobSetDiagnosis

VERSION = 1
"""The version of the structure; a new key keeps it."""
MAX_NAMES, MAX_EVENTS = 100, 50


def render(value: dict[str, Any]) -> str:
    """Render a report as one object."""
    return printable_json(json.dumps({"version": VERSION, **value}, indent=2, ensure_ascii=False))


def job_value(diagnosis: Diagnosis, rule_places: Mapping[str, str]) -> dict[str, Any]:
    """Return the report about a Job.

    Args:
        rule_places: by name of a rule of its failure policy, the file and line where it stands.
    """
    snapshot = diagnosis.snapshot
    recording, status = snapshot.recording, snapshot.recording.job.status
    end = recording.end
    return {
        "kind": "Job",
        "namespace": recording.job.namespace or None,
        "name": recording.job.name,
        "uid": recording.job.uid or None,
        "outcome": diagnosis.outcome,
        "reason": diagnosis.reason or None,
        "cause": diagnosis.cause,
        "sentence": diagnosis.sentence,
        "created": write_time(recording.created),
        "finished": None if end is None else _time(end.finished),
        "status": {
            "active": status.active,
            "ready": status.ready,
            "terminating": status.terminating,
            "succeeded": status.succeeded,
            "failed": status.failed,
            "completed_indexes": status.completed_indexes or None,
            "failed_indexes": status.failed_indexes or None,
        },
        "failures": [_failure(each) for each in diagnosis.groups],
        "waiting": None if diagnosis.waiting is None else _waiting(diagnosis.waiting),
        "pods": [each._asdict() for each in pod_rows(diagnosis)],
        "all_pods_read": not snapshot.partial,
        "rules": list(_rules(diagnosis, rule_places)),
        "logs": [
            {
                "pod": each.pod,
                "container": each.container,
                "lines": list(each.lines),
                "problem": each.problem or None,
            }
            for each in snapshot.logs
        ],
        "events": [event_value(each) for each in recording.events[-MAX_EVENTS:]],
        "unknown": list(unknowns(snapshot)),
        "advice": [
            {"text": each.text, "code": each.code or None, "field": each.field or None}
            for each in diagnosis.advice
        ],
    }


def _failure(group: FailureGroup) -> dict[str, Any]:
    return {
        "cause": group.cause.name,
        "how": group.cause.clause("a Pod", plural=False),
        "fate": group.fate,
        "rule": group.rule or None,
        "number": len(group.pods),
        "indexes": group.indexes.text or None,
        "pods": [each.name for each in group.pods[:MAX_NAMES]],
    }


def _waiting(waiting: Waiting) -> dict[str, Any]:
    return {
        "for": waiting.waiting_for,
        "detail": waiting.detail or None,
        "since": _time(waiting.since),
        "ended_by": waiting.ended_by,
        "ends_at": _time(waiting.ends_at),
        "deadline": _time(waiting.deadline),
        "hangs": waiting.hangs,
    }


def _rules(diagnosis: Diagnosis, places: Mapping[str, str]) -> list[dict[str, Any]]:
    policy = diagnosis.snapshot.recording.job.failure_policy
    found = []
    for rule in () if policy is None else policy.rules:
        name = rule_name(rule.position, by_annotation=hasattr(rule, "reasons"))
        found.append(
            {
                "name": name,
                "action": rule.action,
                "requirement": requirement(rule),
                "matched": sum(len(each.pods) for each in diagnosis.groups if each.rule == name),
                "place": places.get(name),
            }
        )
    return found


def _time(at: float | None) -> str | None:
    return None if at is None else write_time(round(at))


def why_value(
    found: Diagnosis | CronJobDiagnosis | JobSetDiagnosis, rule_places: Mapping[str, str]
) -> dict[str, Any]:
    """Return the report about a Job, CronJob or JobSet.

    Args:
        rule_places: by name of a rule of a Job's failure policy, the file and line where it stands.
    """
    if isinstance(found, Diagnosis):
        return job_value(found, rule_places)
    common = {
        "namespace": found.namespace or None,
        "name": found.name,
        "uid": found.uid or None,
        "cause": found.cause,
        "sentence": found.sentence,
        "job": None if found.job is None else job_value(found.job, rule_places),
    }
    if isinstance(found, CronJobDiagnosis):
        return {
            "kind": "CronJob",
            **common,
            "runs": [
                {
                    "name": each.name,
                    "scheduled": write_time(each.scheduled),
                    "by_hand": each.by_hand,
                    "state": each.state,
                    "reason": each.reason or None,
                    "ended": _time(each.ended),
                }
                for each in found.runs[:MAX_NAMES]
            ],
            "missed": _time(found.missed),
            "next_run": _time(found.next_run),
            "events": [event_value(each) for each in found.events[-MAX_EVENTS:]],
        }
    return {
        "kind": "JobSet",
        **common,
        "outcome": found.outcome,
        "reason": found.reason or None,
        "restarts": found.restarts,
        "jobs": [
            {
                "name": each.name,
                "replicated_job": each.replicated_job or None,
                "failed": _time(each.failed_at),
                "complete": each.complete,
                "suspended": each.suspended,
                "pods_not_ready": each.stalled,
            }
            for each in found.jobs[:MAX_NAMES]
        ],
    }
