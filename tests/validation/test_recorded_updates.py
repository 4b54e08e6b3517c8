"""The errors of small changes of a stored Job, with their hints, as a table to read.

To renew it after an intended change: ``JOBSWORTH_RENEW=1 pytest tests/validation/test_recorded_updates.py``.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.fixes.api_hints import with_changes
from jobsworth.validation.engine import Engine, engine_for
from support.api_server.stored_objects import stored
from support.evaluation.mistakes import JOB
from support.lint.changed_examples import changes_of
from support.lint.shown_findings import shown
from support.recorded_text import expect_recorded

ENGINE = engine_for(ApiServer("1.36", allow_privileged=False))
RECORDED = Path(__file__).parent / "data" / "updates"


def with_metadata(value: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {**value, "metadata": {**value["metadata"], **metadata}}


def suspended(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "spec": {**value["spec"], "suspend": True}}


def stored_with(value: dict[str, Any], status: dict[str, Any]) -> dict[str, Any]:
    """Return what a server stores, with the same UID in each run."""
    kept = stored(copy.deepcopy(value), status=status)
    fixed: dict[str, Any] = json.loads(
        json.dumps(kept).replace(kept["metadata"]["uid"], "0f1e2d3c")
    )
    return fixed


DELETED = {"deletionTimestamp": "2026-01-02T03:04:05Z", "deletionGracePeriodSeconds": 30}
RUNNING = stored_with(JOB, {"active": 1, "startTime": "2026-01-02T03:04:05Z"})
STORED = {
    "running": RUNNING,
    "suspended": stored_with(
        suspended(JOB), {"conditions": [{"type": "Suspended", "status": "True"}]}
    ),
    "being deleted": with_metadata(RUNNING, **DELETED, finalizers=["example.com/a"]),
    "a manifest": JOB,
}
NEW_METADATA: dict[str, dict[str, Any]] = {
    "another name": {"name": "other"},
    "another namespace": {"namespace": "other"},
    "another UID": {"uid": "other"},
    "another version": {"resourceVersion": "7"},
    "another generation": {"generation": 99},
    "created at another time": {"creationTimestamp": "2020-01-01T00:00:00Z"},
    "deleted": {"deletionTimestamp": "2020-01-01T00:00:00Z"},
    "deleted with more time": {"deletionGracePeriodSeconds": 31},
    "a generated name": {"generateName": "etl-"},
    "a bad generated name": {"generateName": "a/b"},
    "finalizers": {"finalizers": ["example.com/a", "example.com/c", "example.com/b"]},
    "a bad finalizer": {"finalizers": ["none"]},
    "two ways to delete": {"finalizers": ["orphan", "foregroundDeletion"]},
}


def findings(engine: Engine, new: dict[str, Any], old: dict[str, Any]) -> tuple[str, ...]:
    found = engine.validate(new, old)
    if found and found[0].reason not in ("UnknownField", "FieldValueTypeInvalid"):
        found = with_changes(found, new, old, engine)
    return tuple(f"    {line}" for each in found for line in shown(each))


def errors_by_change(old: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    changes = dict(changes_of(JOB)) | {"unchanged": JOB, "as stored": old}
    for title, each in NEW_METADATA.items():
        changes[title] = with_metadata(JOB, **each)
        changes[f"as stored, {title}"] = with_metadata(old, **each)
    return {change: findings(ENGINE, new, old) for change, new in changes.items()}


@cache
def errors_of_a_running_job() -> dict[str, tuple[str, ...]]:
    return errors_by_change(RUNNING)


@pytest.mark.parametrize("state", STORED)
def test_small_changes_of_a_stored_job_have_the_recorded_errors(state: str) -> None:
    """For another state than running, the record has what differs from that."""
    found = errors_by_change(STORED[state])
    known = {} if state == "running" else errors_of_a_running_job()
    outcomes: dict[tuple[str, ...], list[str]] = {}
    for change, errors in found.items():
        if errors != known.get(change, ()):
            outcomes.setdefault(errors, []).append(change)
    lines = (
        line
        for errors, changes in outcomes.items()
        for line in (*changes, *(errors or ["    nothing"]))
    )
    expect_recorded(RECORDED / f"{state.replace(' ', '_')}.txt", lines)


def test_a_stored_object_that_cannot_be_decoded_is_named() -> None:
    (found,) = ENGINE.validate(JOB, {**JOB, "spec": {"completions": "a"}})
    assert (found.code, found.reason) == ("JW021", "StoredObjectUnreadable")
    assert found.field == "spec.completions"
    assert found.message == (
        'cannot decode the object to compare with: Invalid value: "a": must be an integer (int32), not a string'
    )
