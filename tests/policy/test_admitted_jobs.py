"""The decision on Jobs that are stored although a policy would deny them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jobsworth.policy.admitted_jobs import (
    HELD_BY,
    HELD_BY_POLICIES,
    AdmittedJob,
    Hold,
    as_released,
    decide,
    held_by,
)
from jobsworth.policy.enforcement import EnforcedViolation, PolicyVerdict
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.reader import read
from jobsworth.policy.violation import Effect, Violation


def policies(**on_admitted: str) -> PolicySet:
    return read(
        [
            {
                "apiVersion": "jobsworth.dev/v1alpha1",
                "kind": "JobPolicy",
                "metadata": {"name": name},
                "spec": {"onAdmitted": setting, "limits": {"backoffLimit": {"maximum": 3}}},
            }
            for name, setting in on_admitted.items()
        ]
    )


def verdict(**effects: Effect) -> PolicyVerdict:
    found = Violation("JP002", "spec.backoffLimit", "FieldValueInvalid", "must be at most 3")
    return PolicyVerdict(
        tuple(EnforcedViolation(name, effect, found, "") for name, effect in effects.items())
    )


WAITS = AdmittedJob(started=False, suspended=False)
STARTED = AdmittedJob(started=True, suspended=False)
OF_A_QUEUE = AdmittedJob(started=False, suspended=True)
ANNOTATED_BY_ANOTHER = AdmittedJob(started=False, suspended=True, annotated=True)
HELD = AdmittedJob(started=False, suspended=True, held_by=("a",), annotated=True)
HELD_BY_B = replace(HELD, held_by=("b",))
UNSUSPENDED_BY_ANOTHER = replace(HELD, suspended=False)
NOT_SUSPENDED_YET = replace(HELD, suspended=False, annotated=False)
SUSPENDED_BY_ANOTHER_MEANWHILE = replace(HELD, annotated=False)
DENY, WARN, AUDIT = verdict(a="deny"), verdict(a="warn"), verdict(a="audit")


@pytest.mark.parametrize(
    ("job", "setting", "found", "hold"),
    [
        (WAITS, "event", DENY, Hold.NONE),
        (WAITS, "suspend", DENY, Hold.SUSPEND),
        (WAITS, "suspend", WARN, Hold.NONE),
        (WAITS, "suspend", AUDIT, Hold.NONE),
        (WAITS, "suspend", verdict(), Hold.NONE),
        (STARTED, "suspend", DENY, Hold.NONE),
        (OF_A_QUEUE, "suspend", DENY, Hold.NONE),
        (ANNOTATED_BY_ANOTHER, "suspend", DENY, Hold.NONE),
        (ANNOTATED_BY_ANOTHER, "suspend", verdict(), Hold.NONE),
        (replace(ANNOTATED_BY_ANOTHER, suspended=False), "suspend", DENY, Hold.SUSPEND),
        (HELD, "suspend", DENY, Hold.KEEP),
        (HELD, "suspend", verdict(), Hold.RESUME),
        (HELD, "suspend", WARN, Hold.RESUME),
        (HELD, "event", DENY, Hold.RESUME),
        (HELD_BY_B, "suspend", DENY, Hold.SUSPEND),
        (UNSUSPENDED_BY_ANOTHER, "suspend", DENY, Hold.KEEP),
        (UNSUSPENDED_BY_ANOTHER, "suspend", verdict(), Hold.RESUME),
        (NOT_SUSPENDED_YET, "suspend", DENY, Hold.SUSPEND),
        (NOT_SUSPENDED_YET, "suspend", verdict(), Hold.FORGET),
        (SUSPENDED_BY_ANOTHER_MEANWHILE, "suspend", DENY, Hold.KEEP),
        (SUSPENDED_BY_ANOTHER_MEANWHILE, "suspend", verdict(), Hold.FORGET),
    ],
)
def test_a_job_is_held_before_its_first_pod_and_never_stopped(
    job: AdmittedJob, setting: str, found: PolicyVerdict, hold: Hold
) -> None:
    assert decide(job, policies(a=setting), found).hold == hold


def test_only_the_policies_that_deny_and_suspend_hold_a_job() -> None:
    found = verdict(a="deny", b="deny", c="warn")
    decision = decide(WAITS, policies(a="suspend", b="event", c="suspend"), found)
    assert decision.policies == ("a",)
    assert [(one.policy, one.effect) for one in decision.reports] == [
        ("a", "deny"),
        ("b", "deny"),
        ("c", "warn"),
    ]


def test_a_report_names_field_and_code() -> None:
    (report,) = decide(WAITS, policies(a="event"), DENY).reports
    assert report.text == "spec.backoffLimit: must be at most 3 [JP002]"


HELD_CONDITION = {"type": HELD_BY_POLICIES, "status": "True", "message": "a,b"}


def stored(*conditions: dict[str, str], **annotations: str) -> dict[str, Any]:
    """A suspended Job with these conditions and annotations of our domain."""
    written = {f"jobsworth.dev/{name}": text for name, text in annotations.items()}
    return {
        "metadata": {"name": "train", **({"annotations": written} if written else {})},
        "spec": {"suspend": True},
        "status": {"conditions": list(conditions)},
    }


def test_what_holds_a_job_is_read_from_its_status_alone() -> None:
    assert held_by(stored(HELD_CONDITION)) == ("a", "b")
    forged = stored()
    forged["metadata"]["annotations"] = {HELD_BY: "a"}
    assert held_by(forged) == ()
    assert held_by(stored({**HELD_CONDITION, "status": "False"})) == ()
    assert held_by({"metadata": {}, "spec": {}}) == ()
    assert held_by(stored({"type": "Suspended", "status": "True"}, HELD_CONDITION)) == ("a", "b")


@pytest.mark.parametrize(
    "status",
    [None, [], "text", {"conditions": 3}, {"conditions": [None, "text", {}]}],
    ids=str,
)
def test_a_recorded_object_of_any_shape_is_held_by_nothing(status: Any) -> None:
    for metadata in (None, [], {"annotations": []}, {"annotations": {HELD_BY: "a"}}):
        recorded = {"metadata": metadata, "spec": {}, "status": status}
        assert held_by(recorded) == ()
        assert as_released(recorded) is recorded


def test_a_held_job_is_evaluated_as_its_client_wrote_it() -> None:
    held = stored(HELD_CONDITION)
    held["metadata"]["annotations"] = {HELD_BY: "a,b", "team": "x"}
    released = as_released(held)
    assert released["spec"] == {"suspend": False}
    assert released["metadata"] == {"name": "train", "annotations": {"team": "x"}}
    held["metadata"]["annotations"] = {HELD_BY: "a,b"}
    assert as_released(held)["metadata"] == {"name": "train"}


def test_so_it_is_only_if_the_controller_has_suspended_it() -> None:
    suspended_by_another = stored(HELD_CONDITION)
    assert as_released(suspended_by_another) is suspended_by_another
    forged = stored()
    forged["metadata"]["annotations"] = {HELD_BY: "a"}
    assert as_released(forged) is forged
