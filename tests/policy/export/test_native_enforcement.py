"""What the webhook enforces beside an API server that enforces the export."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.effective_policies import PolicyVersion, effective
from jobsworth.policy.export.exported_policy import LEVELS, exported_policy
from jobsworth.policy.export.native_enforcement import webhook_policies
from jobsworth.policy.reader import read
from support.policy.policy_requests import SERVER, document, job, requested

VALUE = document(limits={"parallelism": {"maximum": 5}}, rules={"JW501": "deny"})
ONLY_LIMITS = document("limits-only", limits={"parallelism": {"maximum": 5}})
TOO_MANY = job(parallelism=9)


def exported_hash(value: dict[str, Any], minor: int = 36) -> str:
    return exported_policy(value, read([value]).policies[0], minor).hash


def loaded(*values: dict[str, Any]) -> Any:
    return effective([PolicyVersion("policies.yaml", value) for value in values], {})


def codes(policies: Any) -> set[str]:
    found = policies.evaluate(requested(TOO_MANY), SERVER).findings
    return {each.violation.code for each in found}


def test_the_webhook_leaves_an_export_to_the_api_server_and_keeps_the_rest() -> None:
    held = webhook_policies(loaded(VALUE, ONLY_LIMITS), {"house-rules": exported_hash(VALUE)})
    assert held.stale == ()
    assert [policy.name for policy in held.policies.policies] == ["house-rules", "limits-only"]
    house_rules = next(one for one in held.policies.policies if one.name == "house-rules")
    assert house_rules.limits is None
    assert house_rules.rules is not None


def test_a_policy_of_which_nothing_is_left_fails_no_request() -> None:
    held = webhook_policies(loaded(ONLY_LIMITS), {"limits-only": exported_hash(ONLY_LIMITS)})
    assert held.policies.policies == ()
    assert not held.policies.fails_closed


@pytest.mark.parametrize("exports", [{"limits-only": "0" * 16}, {"unknown": "0" * 16}])
def test_a_stale_export_is_not_trusted(exports: dict[str, str]) -> None:
    held = webhook_policies(loaded(ONLY_LIMITS), exports)
    assert held.stale == tuple(exports)
    assert codes(held.policies) == {"JP002"}


def test_a_change_of_the_policy_makes_its_export_stale() -> None:
    before = exported_hash(ONLY_LIMITS)
    changed = document("limits-only", limits={"parallelism": {"maximum": 6}})
    held = webhook_policies(loaded(changed), {"limits-only": before})
    assert held.stale == ("limits-only",)
    assert codes(held.policies) == {"JP002"}


@pytest.mark.parametrize("minor", LEVELS)
def test_an_export_for_each_release_is_recognized(minor: int) -> None:
    value = document(limits={"resources": {"requests": {"cpu": {"maximum": "1"}}}})
    held = webhook_policies(loaded(value), {"house-rules": exported_hash(value, minor)})
    assert held.stale == ()
    # Before 1.33 the API server misses init containers, so the webhook still computes the sum.
    assert bool(held.policies.policies) == (minor < 33)


def test_an_expression_that_a_later_release_brings_is_recognized() -> None:
    later = "semver(object.metadata.name, true).major() > 1"
    value = document(expressions=[{"expression": later}], **ONLY_LIMITS["spec"])
    held = webhook_policies(loaded(value), {"house-rules": exported_hash(value, 35)})
    assert (held.stale, held.policies.policies) == ((), ())


def test_without_exports_the_webhook_enforces_everything() -> None:
    policies = loaded(VALUE)
    assert webhook_policies(policies, {}).policies is policies.policies
