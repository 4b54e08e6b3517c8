"""The decision on Jobs that are stored although a policy would deny them."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.admitted_jobs import HELD_BY, AdmittedJob, Hold, as_released, decide
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
HELD = AdmittedJob(started=False, suspended=True, held_by=("a",))
UNSUSPENDED_BY_ANOTHER = AdmittedJob(started=False, suspended=False, held_by=("a",))
HELD_BY_B = AdmittedJob(started=False, suspended=True, held_by=("b",))
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
        (HELD, "suspend", DENY, Hold.KEEP),
        (HELD, "suspend", verdict(), Hold.RESUME),
        (HELD, "suspend", WARN, Hold.RESUME),
        (HELD, "event", DENY, Hold.RESUME),
        (HELD_BY_B, "suspend", DENY, Hold.SUSPEND),
        (UNSUSPENDED_BY_ANOTHER, "suspend", DENY, Hold.KEEP),
        (UNSUSPENDED_BY_ANOTHER, "suspend", verdict(), Hold.RESUME),
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


def test_a_held_job_is_evaluated_as_its_client_wrote_it() -> None:
    written: dict[str, Any] = {"metadata": {"name": "train"}, "spec": {"suspend": False}}
    held = {
        "metadata": {"name": "train", "annotations": {HELD_BY: "a"}},
        "spec": {"suspend": True},
    }
    assert as_released(held) == written
    assert as_released(written) is written
