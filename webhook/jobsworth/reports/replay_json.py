"""A replay as JSON. Times are those of the API; null for what is unknown or has not happened."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from jobsworth.controller.times import write_time
from jobsworth.printable import printable_json
from jobsworth.whatif.explanation.outcome_wording import requirement
from jobsworth.whatif.replay.replay_wording import (
    compared_words,
    decision,
    follows,
    how_it_ended,
    limits,
    outcome,
    unknown,
)

if TYPE_CHECKING:
    from typing import Any

    from jobsworth.controller.failure_policy import Match
    from jobsworth.whatif.replay.planner_replay import Replay, ReplayedEnd, ReplayedFailure
    from jobsworth.whatif.replay.policy_comparison import PolicyComparison
    from jobsworth.whatif.replay.recording import RecordedEvent, RecordedPod, Recording

VERSION = 1
"""The version of the structure; a new key keeps it."""


def render(recording: Recording, replayed: Replay, comparison: PolicyComparison | None) -> str:
    """Render a replay as one object."""
    job, end = recording.job, recording.end
    value: dict[str, Any] = {
        "version": VERSION,
        "kind": "Job",
        "namespace": job.namespace or None,
        "name": job.name,
        "file": recording.file,
        "line": recording.line or None,
        "created": write_time(recording.created),
        "recorded_until": write_time(recording.until),
        "outcome": outcome(recording),
        "end": None
        if end is None
        else {
            "condition": "Complete" if end.success else "Failed",
            "reason": end.reason,
            "message": end.message,
            "decided": write_time(end.decided),
            "finished": _time(end.finished),
        },
        "pods": [_pod(recording, replayed, pod) for pod in recording.pods],
        "rules": _rules(replayed),
        "limits": dict(limits(recording, replayed)),
        "failed_indexes": {
            str(index): write_time(at) for index, at in replayed.failed_indexes.items()
        },
        "unknown_pods": [
            {
                "name": each.name,
                "created": _time(each.created),
                "events": [event_value(event) for event in each.events],
            }
            for each in recording.unseen
        ],
        "unknown": list(unknown(recording, replayed)),
        "events": [event_value(event) for event in recording.events],
    }
    if comparison is not None:
        value["with"] = _comparison(comparison)
    return printable_json(json.dumps(value, indent=2, ensure_ascii=False))


def _pod(recording: Recording, replayed: Replay, pod: RecordedPod) -> dict[str, Any]:
    failure = replayed.failure(pod)
    return {
        "name": pod.name,
        "index": pod.index,
        "phase": pod.view.phase,
        "created": write_time(pod.created),
        "scheduled": _time(pod.scheduled),
        "started": _time(pod.started),
        "deleted": _time(pod.deleted),
        "ended": _time(pod.ended),
        "containers": [each._asdict() for each in pod.containers],
        "restarts": pod.view.restarts,
        "reason": pod.reason or None,
        "conditions": list(pod.view.conditions),
        "disruption": pod.disruption or None,
        "how": how_it_ended(recording, pod),
        "failure": None if failure is None else _failure(failure, replayed),
    }


def _failure(failure: ReplayedFailure, replayed: Replay) -> dict[str, Any]:
    return {
        "at": write_time(failure.at),
        **_match(failure.match),
        "effect": failure.effect,
        "counts": failure.match.counts,
        "failures_of_job": failure.number,
        "failures_of_index": failure.index_number if replayed.job.per_index else None,
        "text": decision(failure, replayed),
    }


def _match(match: Match) -> dict[str, Any]:
    matched = match.action is not None
    return {
        "rule": match.position if matched else None,
        "by_annotation": match.by_reason,
        "action": match.action,
    }


def _rules(replayed: Replay) -> list[dict[str, Any]]:
    policy = replayed.job.failure_policy
    return [
        {"rule": rule.position, "action": rule.action, "requirement": requirement(rule)}
        for rule in (() if policy is None else policy.rules)
    ]


def event_value(event: RecordedEvent) -> dict[str, Any]:
    """Return an Event about a Job or Pod as reports write it."""
    return {
        "at": _time(event.at),
        "type": event.type,
        "reason": event.reason,
        "message": event.message,
        "count": event.times,
    }


def _comparison(comparison: PolicyComparison) -> dict[str, Any]:
    first = comparison.first
    return {
        "name": comparison.name,
        "changes": [
            {"field": field, "recorded": before, "other": after}
            for field, before, after in comparison.changes
        ],
        "rules": _rules(comparison.other),
        "failures": [
            {
                "pod": each.pod.name,
                "at": write_time(each.at),
                "differs": each.differs,
                "recorded": None
                if each.recorded is None
                else _failure(each.recorded, comparison.recorded),
                "other": None if each.other is None else _failure(each.other, comparison.other),
            }
            for each in comparison.failures
        ],
        "parting": None
        if comparison.parting is None
        else {
            "at": write_time(comparison.parting),
            "pod": None if first is None else first.pod.name,
            "recorded": None if first is None else compared_words(comparison, first)[0],
            "other": None if first is None else compared_words(comparison, first)[1],
        },
        "end": _end(comparison.other.end),
        "known_to_the_end": comparison.other.end is not None,
        "pods_that_would_not_exist": [pod.name for pod in comparison.spared],
        "pod_seconds_less": comparison.spared_seconds,
        "retried_indexes": comparison.retried_indexes,
        "follows": list(follows(comparison)),
    }


def _end(end: ReplayedEnd | None) -> dict[str, Any] | None:
    if end is None:
        return None
    condition = "Complete" if end.success else "Failed"
    return {
        "at": write_time(end.at),
        "condition": condition,
        "reason": end.reason,
        "message": end.message,
    }


def _time(at: int | None) -> str | None:
    return None if at is None else write_time(at)
