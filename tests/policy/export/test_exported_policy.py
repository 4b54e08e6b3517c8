"""The export of a policy: its documents, what is left to the webhook, and the hash."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.policy.export.admission_policies import (
    MAX_MESSAGE_BYTES,
    MAX_NAME,
    AdmissionPolicy,
    documents,
    name_of,
)
from jobsworth.policy.export.exported_policy import (
    ExportedPolicy,
    exported_policy,
    without_parts,
)
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.reader import read
from support.policy.everything import DOCUMENTS
from support.policy.policy_requests import document, policies

LIMITS = {"parallelism": {"maximum": 5}}
KINDS = ["Job", "CronJob"]
GPUS = {"requests": {"nvidia.com/gpu": {"maximum": 8}}}


def export(minor: int = 36, **spec: Any) -> ExportedPolicy:
    value = document(**spec)
    (policy,) = policies(value).policies
    return exported_policy(value, policy, minor)


def exported_documents(exported: ExportedPolicy, **options: Any) -> list[dict[str, Any]]:
    return documents(exported.admission_policies, {exported.name: exported.hash}, **options)


def names(exported: ExportedPolicy) -> list[str]:
    return [name_of(each) for each in exported.admission_policies]


def left(exported: ExportedPolicy) -> list[str]:
    return [part.path for part in exported.parts if part.is_left]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {},
            [
                "house-rules.jobs.deny.jobsworth.dev",
                "house-rules.jobs.audit.jobsworth.dev",
                "house-rules.cronjobs.deny.jobsworth.dev",
            ],
        ),
        (
            {"cronJobJobs": "enforce", "enforcement": "warn"},
            ["house-rules.jobs.warn.jobsworth.dev", "house-rules.cronjobs.warn.jobsworth.dev"],
        ),
        (
            {"enforcement": "audit"},
            ["house-rules.jobs.audit.jobsworth.dev", "house-rules.cronjobs.audit.jobsworth.dev"],
        ),
        ({"match": [{"kinds": ["Job"]}]}, ["house-rules.jobs.deny.jobsworth.dev"]),
        (
            {"match": [{"kinds": ["CronJob"]}]},
            ["house-rules.cronjobs.deny.jobsworth.dev"],
        ),
    ],
)
def test_one_policy_for_each_kind_and_effect(spec: dict[str, Any], expected: list[str]) -> None:
    exported = export(limits=LIMITS, **spec)
    assert names(exported) == expected
    found = exported_documents(exported)
    assert [each["kind"] for each in found] == [
        *["ValidatingAdmissionPolicy"] * len(expected),
        *["ValidatingAdmissionPolicyBinding"] * len(expected),
    ]
    assert [each["spec"].get("policyName") for each in found[len(expected) :]] == expected


def test_an_internal_error_fails_open_if_the_policy_says_so() -> None:
    failure_policies = [
        export(limits=LIMITS, onInternalError=effect).admission_policies[0].spec["failurePolicy"]
        for effect in ("deny", "allow")
    ]
    assert failure_policies == ["Fail", "Ignore"]


def test_kube_system_is_exempt_and_so_are_other_namespaces() -> None:
    selector = {"matchLabels": {"tier": "batch"}}
    exported = export(limits=LIMITS, match=[{"namespaceSelector": selector}])
    first = exported_documents(exported, exempt_namespaces=["jobsworth"])[0]
    requirement = {
        "key": "kubernetes.io/metadata.name",
        "operator": "NotIn",
        "values": ["jobsworth", "kube-system"],
    }
    assert first["spec"]["matchConstraints"]["namespaceSelector"] == {
        **selector,
        "matchExpressions": [requirement],
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"rules": {"JW101": "deny"}}, ["spec.rules"]),
        (
            {"defaults": {"activeDeadlineSeconds": {"value": 60, "when": "ifUnset"}}},
            ["spec.defaults"],
        ),
        (
            {"expressions": [{"expression": "math.greatest(1, 2) == 2"}]},
            ["spec.expressions[0]"],
        ),
        (
            {"expressions": [{"expression": "[1].all(object, object == 1)"}]},
            ["spec.expressions[0]"],
        ),
        ({}, []),
    ],
)
def test_what_is_left_to_the_webhook(spec: dict[str, Any], expected: list[str]) -> None:
    exported = export(limits=LIMITS, **spec)
    assert left(exported) == expected
    assert all(part.reason for part in exported.parts if part.is_left)


@pytest.mark.parametrize(
    ("name", "maximum", "is_left"),
    [
        ("memory", "1e400", True),
        ("memory", "9E", False),
        ("é.com/x", "1", False),
        ("cpu", "1n", False),
    ],
)
def test_an_odd_resource_is_exported_or_named(name: str, maximum: str, is_left: bool) -> None:
    exported = export(limits={"resources": {"requests": {name: {"maximum": maximum}}}})
    assert bool(left(exported)) == is_left
    for policy in exported.admission_policies:
        for variable in policy.spec["variables"]:
            assert re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", variable["name"])


def test_before_1_33_a_sum_of_resources_is_exported_in_part_and_only_to_deny() -> None:
    old, warning, new = (
        export(32, limits={"resources": GPUS}),
        export(32, limits={"resources": GPUS}, enforcement="warn"),
        export(33, limits={"resources": GPUS}, enforcement="warn"),
    )
    assert [part.is_exported for part in old.parts] == [True]
    assert left(old)
    assert [part.is_exported for part in warning.parts] == [False]
    assert not warning.admission_policies
    assert not left(new)
    assert new.admission_policies


@pytest.mark.parametrize("effect", ["deny", "audit"])
def test_a_policy_that_denies_or_audits_has_all_messages_in_its_first_validation(
    effect: str,
) -> None:
    expressions = [{"expression": "true"}, {"expression": "has(object.spec)"}]
    exported = export(limits=LIMITS, expressions=expressions, enforcement=effect)
    spec = exported.admission_policies[0].spec
    first, of_limits, *others = spec["validations"]
    assert first["expression"] == 'variables.violations == ""'
    assert of_limits["expression"] == 'variables.limitViolations == ""'
    assert [each["expression"] for each in others] == [
        'variables.violation2 == ""',
        'variables.violation3 == ""',
    ]
    assert {each["reason"] for each in spec["validations"]} == {"Forbidden"}


def test_a_warning_has_a_validation_of_its_own() -> None:
    limits = {**LIMITS, "suspend": {"allowed": [False]}}
    spec = export(limits=limits, enforcement="warn").admission_policies[0].spec
    assert [each["expression"] for each in spec["validations"]] == [
        'variables.violation1 == ""',
        'variables.violation2 == ""',
    ]


def test_a_part_is_removed_with_what_it_leaves_empty() -> None:
    value = document(
        limits={"parallelism": {"maximum": 5}, "pod": {"hostPID": {"forbidden": True}}},
        rules={"JW101": "deny"},
    )
    exported = exported_policy(value, policies(value).policies[0], 36)
    kept = without_parts(value, [part for part in exported.parts if not part.is_left])
    assert kept == document(rules={"JW101": "deny"})
    assert without_parts(value, exported.parts) is None


@pytest.mark.parametrize("value", DOCUMENTS, ids=lambda value: value["metadata"]["name"])
def test_every_part_is_listed(value: dict[str, Any]) -> None:
    exported = exported_policy(value, read([value]).policies[0], 36)
    assert without_parts(value, exported.parts) is None
    assert not left(exported)


def test_the_hash_depends_on_what_is_enforced_only() -> None:
    same = [
        export(limits=LIMITS, description=text, rules={"JW101": "deny"}).hash for text in ("a", "b")
    ]
    other = export(limits={"parallelism": {"maximum": 6}}).hash
    assert same[0] == same[1] != other
    labels = exported_documents(export(limits=LIMITS))[0]["metadata"]["labels"]
    assert labels == {
        "app.kubernetes.io/managed-by": "jobsworth",
        "jobsworth.dev/policy": "house-rules",
        "jobsworth.dev/export-hash": export(limits=LIMITS).hash,
    }


@given(st.integers(1, 63), st.integers(0, 100))
def test_a_name_is_never_too_long(length: int, more: int) -> None:
    policy = AdmissionPolicy("p" * length, "CronJob", "audit", {})
    suffix = f".{'s' * more}" if more else ""
    assert len(name_of(policy, suffix)) <= MAX_NAME
    assert name_of(policy, suffix).endswith(suffix)


PROSE = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=2000)


@given(PROSE, PROSE)
def test_the_texts_around_a_message_leave_room_for_it(text: str, contact: str) -> None:
    spec = export(limits=LIMITS, message=text, contact=contact).admission_policies[0].spec
    (validation,) = spec["validations"]
    assert "\n" not in validation["message"]
    assert validation["message"].strip()
    room = int(validation["messageExpression"].partition("<= ")[2].partition(" ?")[0])
    assert MAX_MESSAGE_BYTES / 2 < room < MAX_MESSAGE_BYTES


def test_documents_are_plain_data_without_shared_parts() -> None:
    found = [each for value in DOCUMENTS for each in exported_documents(export(**value["spec"]))]
    assert json.loads(json.dumps(found)) == found
    seen: set[int] = set()

    def check(value: Any) -> None:
        if isinstance(value, dict | list):
            assert id(value) not in seen
            seen.add(id(value))
            for part in value.values() if isinstance(value, dict) else value:
                check(part)

    for each in found:
        check(each)


def test_the_policies_with_every_limit_have_that_of_every_field() -> None:
    limits = [each["spec"].get("limits", {}) for each in DOCUMENTS]
    named = {name for each in limits for name in each}
    named |= {
        f"{holder}.{name}"
        for each in limits
        for holder in ("pod", "cronJob")
        for name in each.get(holder, ())
    }
    assert FIELDS.keys() - named == set()
