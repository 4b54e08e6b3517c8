"""Defaults that do not satisfy the limits and rules of their own policy set."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.consistency import exclusive_limits, inconsistencies
from jobsworth.policy.policy_set import PolicySet
from jobsworth.provenance.field_ownership import APPLY_METHODS, PLAIN_CREATE
from support.policy.policy_requests import SERVER, document, policies

IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
FAIL = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}


def found(held: PolicySet) -> list[tuple[str, tuple[str, ...], str]]:
    """The default, the ways and the remedy of each inconsistency."""
    return [(one.field, one.methods, one.remedy) for one in inconsistencies(held, SERVER)]


@pytest.mark.parametrize(
    ("field", "value", "limit"),
    [
        ("backoffLimit", 3, {"maximum": 5}),
        ("suspend", True, {"allowed": [True]}),
        ("podReplacementPolicy", "Failed", {"allowed": ["Failed"]}),
    ],
)
def test_a_field_that_the_server_sets_needs_if_server_default(
    field: str, value: Any, limit: Any
) -> None:
    held = policies(defaults={field: {"value": value}}, limits={field: limit})
    assert found(held) == [(f"spec.defaults.{field}", (PLAIN_CREATE,), "set when: ifServerDefault")]
    for when in ("ifServerDefault", "always"):
        default = {"value": value, "when": when}
        assert not found(policies(defaults={field: default}, limits={field: limit}))


@pytest.mark.parametrize(
    ("one", "other", "excluded"),
    [
        ({"parallelism": {"maximum": 3}}, {"parallelism": {"minimum": 5}}, True),
        ({"parallelism": {"maximum": 3}}, {"parallelism": {"minimum": 3}}, False),
        ({"parallelism": {"allowed": [1, 2]}}, {"parallelism": {"allowed": [3]}}, True),
        ({"parallelism": {"allowed": [1, 2]}}, {"parallelism": {"maximum": 1}}, False),
        ({"managedBy": {"required": True}}, {"managedBy": {"forbidden": True}}, True),
        ({"labels": {"a": {"allowed": ["x"]}}}, {"labels": {"a": {"allowed": ["y"]}}}, False),
        (
            {"labels": {"a": {"allowed": ["x"], "required": True}}},
            {"labels": {"a": {"allowed": ["y"]}}},
            True,
        ),
        (
            {"labels": {"a": {"allowed": ["x"], "required": True}}},
            {"labels": {"a": {"allowed": ["x*"]}}},
            False,
        ),
    ],
)
def test_limits_of_two_policies_that_no_value_satisfies(
    one: Any, other: Any, excluded: bool
) -> None:
    for first, second in ((one, other), (other, one)):
        held = policies(document("a", limits=first), document("b", limits=second))
        assert bool([*exclusive_limits(held.policies)]) == excluded
        elsewhere = document("b", limits=second, match=[{"namespaces": ["b"]}])
        held = policies(document("a", limits=first), elsewhere)
        assert not [*exclusive_limits(held.policies)]


@pytest.mark.parametrize(
    "defaults",
    [
        {"activeDeadlineSeconds": {"value": 60}},
        {"ttlSecondsAfterFinished": {"value": 60}},
        {"labels": {"team": {"value": "red"}}},
        {"podFailurePolicy": {"rulesBefore": [IGNORE]}},
    ],
)
def test_a_field_that_the_server_leaves_unset_needs_nothing(defaults: dict[str, Any]) -> None:
    required = {"required": True}
    limits = {
        name: dict.fromkeys(value, required) if name == "labels" else required
        for name, value in defaults.items()
    }
    assert not found(policies(defaults=defaults, limits=limits))


def test_what_a_default_produces_must_satisfy_limits_however_it_is_written() -> None:
    limits = {"podFailurePolicy": {"ignoreDisruptionsFirst": True}}
    held = policies(defaults={"podFailurePolicy": {"rulesAfter": [FAIL]}}, limits=limits)
    assert found(held) == [
        ("spec.defaults.podFailurePolicy", APPLY_METHODS, "change the default or what it violates")
    ]


def test_an_added_rule_may_exceed_a_limit_together_with_those_of_the_client() -> None:
    limits = {"podFailurePolicy": {"maximumRules": 1}}
    held = policies(defaults={"podFailurePolicy": {"rulesBefore": [IGNORE]}}, limits=limits)
    (one, *_) = inconsistencies(held, SERVER)
    assert one.sample == "a Job with a failure policy of its own"


def test_a_share_may_exceed_a_number_in_a_large_job() -> None:
    defaults = {"backoffLimitPerIndex": {"value": 1}, "maxFailedIndexes": {"value": "10%"}}
    (one, *_) = inconsistencies(
        policies(defaults=defaults, limits={"maxFailedIndexes": {"maximum": 50}}), SERVER
    )
    assert one.sample == "a Job (Indexed, of 1,000 completions)"
    assert "100: must be less than or equal to 50" in one.violation


def test_a_policy_that_applies_to_every_request_counts_too() -> None:
    everywhere = document("everywhere", limits={"backoffLimit": {"maximum": 5}})
    some = document("some", match=[{"namespaces": ["ml"]}], defaults={"backoffLimit": {"value": 3}})
    held = policies(everywhere, some)
    assert found(held) == [
        ("spec.defaults.backoffLimit", (PLAIN_CREATE,), "set when: ifServerDefault")
    ]
    assert [one.policy for one in inconsistencies(held, SERVER)] == ["some"]


@pytest.mark.parametrize(
    ("spec", "effect"),
    [({}, "deny"), ({"enforcement": "warn"}, "warn"), ({"enforcement": "audit"}, None)],
)
def test_the_effect_is_that_of_the_policy(spec: dict[str, Any], effect: str | None) -> None:
    held = policies(
        defaults={"backoffLimit": {"value": 3}}, limits={"backoffLimit": {"maximum": 5}}, **spec
    )
    assert [one.effect for one in inconsistencies(held, SERVER)] == ([effect] if effect else [])


def test_expressions_are_judged_for_a_user_without_a_name() -> None:
    expression = "request.userInfo.username == 'ci' || object.spec.backoffLimit < 8"
    held = policies(
        defaults={"backoffLimit": {"value": 9}},
        expressions=[{"expression": expression, "field": "spec.backoffLimit"}],
    )
    assert {one.effect for one in inconsistencies(held, SERVER)} == {"deny"}


def test_rules_and_expressions_count_as_limits_do() -> None:
    killed = {"action": "Count", "onExitCodes": {"operator": "In", "values": [137]}}
    defaults = {"podFailurePolicy": {"rulesBefore": [killed], "rulesAfter": [IGNORE]}}
    held = policies(defaults=defaults, rules={"disruption-after-exit-code": "deny"})
    assert [one.field for one in inconsistencies(held, SERVER)][:1] == [
        "spec.defaults.podFailurePolicy"
    ]
    held = policies(
        match=[{"kinds": ["Job"]}],
        defaults={"suspend": {"value": True, "when": "always"}},
        expressions=[{"expression": "!object.spec.suspend", "field": "spec.suspend"}],
    )
    assert found(held) == [
        ("spec.defaults.suspend", APPLY_METHODS, "change the default or what it violates")
    ]


@pytest.mark.parametrize("part", ["labels", "annotations"])
def test_a_default_of_the_metadata_is_named_by_its_key(part: str) -> None:
    held = policies(
        match=[{"kinds": ["Job"]}],
        defaults={part: {"a": {"value": "1"}, "team": {"value": "data"}}},
        expressions=[
            {
                "expression": f"!has(object.metadata.{part}) || !('team' in object.metadata.{part})",
                "field": f"metadata.{part}[team]",
            }
        ],
    )
    assert [one.field for one in inconsistencies(held, SERVER)][:1] == [
        f"spec.defaults.{part}[team]"
    ]


def test_what_a_client_must_write_itself_is_no_inconsistency() -> None:
    limits = {"activeDeadlineSeconds": {"required": True}, "labels": {"team": {"required": True}}}
    assert not found(policies(defaults={"ttlSecondsAfterFinished": {"value": 60}}, limits=limits))
