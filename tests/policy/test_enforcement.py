"""Effects of violations, and the violations that an update introduces."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.finding import Finding
from jobsworth.policy.limits.limits import Limits
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.violation import CODES
from jobsworth.validation.engine import CannotDecode, UnknownKind, engine_for
from support.law_examples import number_of_examples
from support.policy.policy_requests import (
    SERVER,
    cron_job,
    document,
    job,
    of_manifest,
    policies,
    policy_findings,
    requested,
)
from support.random_objects.random_jobs import random_job

LIMITS = {"backoffLimit": {"maximum": 5}}
CONTROLLER = "system:serviceaccount:kube-system:cronjob-controller"
OWNED = {
    "ownerReferences": [
        {"apiVersion": "batch/v1", "kind": "CronJob", "name": "a", "uid": "u", "controller": True}
    ]
}


def effects(held: PolicySet, value: Any, old: Any = None, **more: Any) -> list[str]:
    return [text.partition(":")[0] for text in policy_findings(held, value, old, **more)]


@pytest.mark.parametrize(
    ("enforcement", "severity"), [("deny", "error"), ("warn", "warning"), ("audit", "info")]
)
def test_the_enforcement_of_a_document(enforcement: str, severity: str) -> None:
    validated = policies(enforcement=enforcement, limits=LIMITS).evaluate(requested(job()), SERVER)
    (verdict,) = validated.findings
    assert (verdict.effect, verdict.finding.severity) == (enforcement, severity)
    assert validated.denied == (enforcement == "deny")
    assert bool(validated.warnings) == (enforcement == "warn")
    assert bool(validated.message()) == (enforcement == "deny")
    assert validated.audit == {
        "house-rules": f"{enforcement}: spec.backoffLimit: Invalid value: 6: "
        "must be less than or equal to 5 [JP002]"
    }


def test_an_update_that_only_changes_who_wrote_the_default_adds_no_violation() -> None:
    entry = {"manager": "me", "operation": "Update", "fieldsV1": {}}
    old = requested(job(metadata={"managedFields": [entry]})).object
    new = job(metadata={"managedFields": [{**entry, "operation": "Apply"}]}, parallelism=2)
    assert effects(policies(limits=LIMITS), old) == ["deny"]
    assert effects(policies(limits=LIMITS), new, old) == []


def test_the_finding_names_the_policy_and_has_the_message_of_its_author() -> None:
    held = policies(message="See the handbook.", contact="#batch", limits=LIMITS)
    (verdict,) = held.evaluate(requested(job()), SERVER).findings
    assert verdict.finding == Finding(
        source="policy",
        severity="error",
        code="JP002",
        field="spec.backoffLimit",
        reason="FieldValueInvalid",
        message="Invalid value: 6: must be less than or equal to 5 (policy house-rules)",
        hint="See the handbook. Contact: #batch",
    )


def test_a_denial_names_policy_field_value_allowed_values_and_contact() -> None:
    held = policies(
        document("a", message="See the handbook.", contact="#batch", limits=LIMITS),
        document("b", limits={**LIMITS, "activeDeadlineSeconds": {"required": True}}),
    )
    assert held.evaluate(requested(job()), SERVER).message() == (
        "JobPolicy a: spec.backoffLimit: Invalid value: 6: must be less than or equal to 5 [JP002]\n"
        "See the handbook. Contact: #batch\n"
        "JobPolicy b:\n"
        "- spec.backoffLimit: Invalid value: 6: must be less than or equal to 5 [JP002]\n"
        "- spec.activeDeadlineSeconds: Required value: must be set [JP004]"
    )


def test_a_warning_says_as_much() -> None:
    held = policies(enforcement="warn", contact="#batch", limits=LIMITS)
    assert held.evaluate(requested(job()), SERVER).warnings == (
        "JobPolicy house-rules: spec.backoffLimit: Invalid value: 6: must be less than or equal to 5 "
        "[JP002] Contact: #batch",
    )


def test_the_lines_of_a_message_are_joined_for_the_user() -> None:
    backoff = {"maximum": 5, "message": "Fewer\nretries.\n"}
    never = {"expression": "false", "message": "Not\nyet.\n"}
    held = policies(message="See\nit.\n", limits={"backoffLimit": backoff}, expressions=[never])
    assert held.evaluate(requested(job()), SERVER).message() == (
        "JobPolicy house-rules:\n"
        "- spec.backoffLimit: Invalid value: 6: must be less than or equal to 5 [JP002] Fewer retries.\n"
        "- Not yet. [JP040]\n"
        "See it."
    )


# Updates


BAD, WORSE, GOOD = job(backoffLimit=10), job(backoffLimit=20), job(backoffLimit=5)


@pytest.mark.parametrize(
    ("old", "new", "denied"),
    [
        (BAD, BAD, False),
        (BAD, job(backoffLimit=10, parallelism=2), False),
        (BAD, WORSE, True),
        (WORSE, BAD, True),
        (GOOD, BAD, True),
        (BAD, GOOD, False),
        (BAD, job(metadata={"labels": {"a": "b"}}, backoffLimit=10), False),
    ],
)
def test_an_unchanged_violation_is_not_rejected_again(old: Any, new: Any, denied: bool) -> None:
    assert (effects(policies(limits=LIMITS), new, old) == ["deny"]) == denied


def test_labels_are_validated_when_labels_change_and_a_limit_names_them() -> None:
    held = policies(limits={"labels": {"team": {"required": True, "allowed": ["a", "b"]}}})
    unnamed, named = job(), job(metadata={"labels": {"team": "a"}})
    assert effects(held, unnamed, named) == ["deny"]
    assert effects(held, named, unnamed) == []
    assert effects(held, job(metadata={"labels": {"app": "x"}}), unnamed) == []
    assert effects(held, job(metadata={"labels": {"team": "c"}}), named) == ["deny"]


def test_a_lint_rule_is_not_held_against_what_was_there() -> None:
    held = policies(rules={"no-deadline": "deny"})
    assert effects(held, job()) == ["deny"]
    assert effects(held, job(parallelism=2), job()) == []
    assert effects(held, job(), job(activeDeadlineSeconds=60)) == ["deny"]


STRICT = policies(
    limits={
        "backoffLimit": {"maximum": 0},
        "activeDeadlineSeconds": {"required": True},
        "podFailurePolicy": {"required": True},
        "labels": {"team": {"required": True}},
        "resources": {"requests": {"cpu": {"maximum": "1m", "required": True}}},
    },
    immutable=[{"field": "backoffLimit"}, {"field": "parallelism"}, {"label": "team"}],
    rules={"JW1": "deny", "JW2": "deny", "JW4": "deny", "JW5": "deny"},
)


@given(
    seed=st.integers(0, 10**6),
    labels=st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from(["", "x"])),
    status=st.sampled_from([{}, {"active": 1}, {"succeeded": 2, "ready": 1}]),
    finalizers=st.sampled_from([[], ["orphan"], ["batch.kubernetes.io/job-tracking"]]),
)
@settings(max_examples=number_of_examples(20), deadline=None)
def test_updates_of_status_finalizers_or_labels_by_a_controller_are_never_rejected(
    seed: int, labels: dict[str, str], status: Any, finalizers: list[str]
) -> None:
    try:
        old = engine_for(SERVER).default(random_job(seed))
    except (CannotDecode, UnknownKind):
        return
    new = copy.deepcopy(old)
    new["status"] = status
    new["metadata"]["finalizers"] = finalizers
    new["metadata"]["labels"] = {**(old["metadata"].get("labels") or {}), **labels}
    request = requested(old)
    update = type(request)(
        operation="UPDATE",
        kind=request.kind,
        namespace=request.namespace,
        name=request.name,
        object=new,
        old=old,
    )
    assert STRICT.evaluate(update, SERVER).findings == ()


@pytest.mark.slow
def test_every_generated_object_is_validated_without_an_internal_error_and_stays_as_it_is() -> None:
    validated = 0
    for seed in range(400):
        try:
            request = of_manifest(random_job(seed), SERVER)
        except (CannotDecode, UnknownKind):
            continue
        if any(one.severity == "error" for one in engine_for(SERVER).validate(random_job(seed))):
            continue
        before = copy.deepcopy(request.object)
        found = STRICT.evaluate(request, SERVER)
        assert request.object == before
        assert "JP090" not in {verdict.violation.code for verdict in found.findings}
        validated += 1
    assert validated > 100


# Jobs that a CronJob makes


@pytest.mark.parametrize(
    ("spec", "effect"),
    [
        ({}, "audit"),
        ({"match": [{"kinds": ["Job", "CronJob"]}]}, "audit"),
        ({"match": [{"namespaces": ["default"]}]}, "audit"),
        ({"match": [{"kinds": ["Job"]}]}, "deny"),
        ({"match": [{"kinds": ["Job"]}, {"namespaces": ["default"]}]}, "deny"),
        ({"cronJobJobs": "enforce"}, "deny"),
        ({"match": [{"kinds": ["Job"]}], "cronJobJobs": "audit"}, "audit"),
    ],
)
def test_a_job_that_the_cron_job_controller_makes(spec: Any, effect: str) -> None:
    held = policies(limits=LIMITS, **spec)
    made = job(metadata=OWNED)
    assert effects(held, made, user=CONTROLLER) == [effect]
    assert effects(held, made, user="system:kube-controller-manager") == [effect]
    assert effects(held, made, user="alice") == ["deny"], "who only claims such an owner is judged"
    assert effects(held, job(), user=CONTROLLER) == ["deny"]


def test_the_cron_job_itself_is_denied() -> None:
    assert effects(policies(limits=LIMITS), cron_job()) == ["deny"]


# Faults


class Broken(Limits):
    """Limits whose evaluation fails."""

    def violations(self, view: Any) -> Any:
        raise ZeroDivisionError("by nothing")


@pytest.mark.parametrize(
    ("on_error", "enforcement", "effect"),
    [("deny", "deny", "deny"), ("deny", "warn", "warn"), ("allow", "deny", "audit")],
)
def test_a_policy_whose_evaluation_fails_does_not_disable_the_others(
    on_error: str, enforcement: str, effect: str
) -> None:
    held = policies(
        document("broken", onInternalError=on_error, enforcement=enforcement, limits=LIMITS),
        document("sound", limits=LIMITS),
    )
    object.__setattr__(held.policies[0], "limits", Broken({}, {}, ()))
    found = policy_findings(held, job())
    assert found[0] == f"{effect}: cannot be evaluated: ZeroDivisionError: by nothing [JP090]"
    assert found[1].startswith("deny: spec.backoffLimit")


# Expressions


def test_an_expression_is_not_held_against_what_was_there() -> None:
    held = policies(
        expressions=[{"expression": "object.spec.parallelism <= 4", "message": "too wide"}]
    )
    assert effects(held, job(parallelism=8)) == ["deny"]
    assert effects(held, job(parallelism=8, backoffLimit=1), job(parallelism=8)) == []
    assert effects(held, job(parallelism=8), job(parallelism=4)) == ["deny"]


def test_an_expression_about_the_change_is_held_against_the_change() -> None:
    expression = "oldObject == null || object.spec.parallelism <= oldObject.spec.parallelism"
    held = policies(expressions=[{"expression": expression}])
    assert effects(held, job(parallelism=8)) == []
    assert effects(held, job(parallelism=9), job(parallelism=8)) == ["deny"]


@pytest.mark.parametrize(("on_error", "effect"), [("deny", "deny"), ("allow", "audit")])
def test_the_document_sets_the_effect_of_an_expression_that_fails(
    on_error: str, effect: str
) -> None:
    expression = {"expression": "object.spec.activeDeadlineSeconds < 60"}
    held = policies(onInternalError=on_error, expressions=[expression])
    assert effects(held, job()) == [effect]


def test_another_release_has_other_defaults() -> None:
    held = policies(limits={"podReplacementPolicy": {"allowed": ["Failed"]}})
    old = ApiServer("1.27")
    assert held.evaluate(of_manifest(job(), old), old).findings == ()
    assert len(held.evaluate(of_manifest(cron_job(), SERVER), SERVER).findings) == 1


def test_every_code_is_described() -> None:
    assert all(code.startswith("JP") and text.endswith(".") for code, text in CODES.items())
    assert list(CODES) == sorted(CODES)
