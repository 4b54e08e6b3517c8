"""Exported expressions that have no value for a stored object stop no update that leaves what they read."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from jobsworth.policy.admission_policies.policy_set import read as read_objects
from jobsworth.policy.export.admission_policies import documents
from jobsworth.policy.export.exported_policy import exported_policy
from jobsworth.policy.reader import read
from support.policy.expressions_without_value import NO_VALUE
from support.policy.policy_requests import SERVER, cron_job, document, job, requested

pytestmark = pytest.mark.slow  # each test exports a policy and evaluates both

STORED = job(suspend=True)


def changed(value: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {**deepcopy(value), "spec": {**deepcopy(value["spec"]), **spec}}


def denials(condition: str, new: dict[str, Any], old: dict[str, Any] | None) -> tuple[bool, bool]:
    """Return True for a violation of the policy, and of its export."""
    value = document(expressions=[{"expression": condition}])
    held = read([value])
    exported = exported_policy(value, held.policies[0], SERVER.minor)
    objects = documents(exported.admission_policies, {exported.name: exported.hash})
    request = requested(new, old, user="alice", namespace_labels={})
    outcomes = read_objects(objects, SERVER.release).evaluate(request)
    return bool(held.evaluate(request, SERVER).findings), bool(list(outcomes))


@pytest.mark.parametrize("condition", NO_VALUE)
def test_a_resume_or_a_label_passes_and_a_creation_is_denied(condition: str) -> None:
    resumed = changed(STORED, suspend=False, parallelism=2)
    labelled = {**STORED, "metadata": {**STORED["metadata"], "labels": {"other": "x"}}}
    for new in (resumed, labelled):
        assert denials(condition, new, STORED) == (False, False)
    assert denials(condition, STORED, None)[1] is not condition.startswith("request.")


@pytest.mark.parametrize("condition", NO_VALUE)
def test_an_edit_of_a_cron_job_passes_that_changes_nothing_which_is_read(condition: str) -> None:
    stored = cron_job(STORED)
    other_image = deepcopy(stored)
    spec = other_image["spec"]["jobTemplate"]["spec"]
    spec["template"]["spec"]["containers"][0]["image"] = "busybox:1.37"
    for new in (changed(stored, schedule="0 7 * * *"), other_image):
        assert denials(condition, new, stored) == (False, False)


@pytest.mark.parametrize(
    ("condition", "spec", "is_denied"),
    [
        ("object.spec.activeDeadlineSeconds <= 5", {"activeDeadlineSeconds": 4}, False),
        ("object.spec.activeDeadlineSeconds <= 5", {"activeDeadlineSeconds": 9}, True),
        (
            "!has(object.spec.maxFailedIndexes) && object.spec.parallelism < 3",
            {"parallelism": 4},
            True,
        ),
        # The inner variable hides the outer one.
        (
            "[1].all(object, object > 1) || [{'a': 1}].all(object, object.a == 1)",
            {"parallelism": 4},
            None,
        ),
    ],
)
def test_a_change_of_what_is_read_counts(
    condition: str, spec: dict[str, Any], is_denied: bool | None
) -> None:
    if is_denied is None:
        value = document(expressions=[{"expression": condition}])
        (part,) = exported_policy(value, read([value]).policies[0], SERVER.minor).parts
        assert "a loop variable has the name object" in part.reason
        return
    assert denials(condition, changed(STORED, **spec), STORED) == (is_denied, is_denied)
