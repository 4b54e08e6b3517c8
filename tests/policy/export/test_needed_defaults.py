"""The defaults that an exported limit needs."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.export.needed_defaults import needed_defaults
from support.policy.policy_requests import SERVER, policies


@pytest.mark.parametrize(
    ("defaults", "limits", "expected"),
    [
        (
            {"backoffLimit": {"value": 3, "when": "ifServerDefault"}},
            {"backoffLimit": {"maximum": 5}},
            [("spec.defaults.backoffLimit", "spec.limits.backoffLimit")],
        ),
        ({"backoffLimit": {"value": 3}}, {"backoffLimit": {"maximum": 9}}, []),
        (
            {"activeDeadlineSeconds": {"value": 60}},
            {"activeDeadlineSeconds": {"required": True}},
            [("spec.defaults.activeDeadlineSeconds", "spec.limits.activeDeadlineSeconds")],
        ),
        ({"activeDeadlineSeconds": {"value": 60}}, {"activeDeadlineSeconds": {"maximum": 90}}, []),
        (
            {"labels": {"team": {"value": "a"}}},
            {"labels": {"team": {"required": True}}},
            [("spec.defaults.labels[team]", "spec.limits.labels[team]")],
        ),
    ],
)
def test_a_default_is_needed_if_its_limit_denies_what_leaves_the_field_unset(
    defaults: dict[str, Any], limits: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    (policy,) = policies(defaults=defaults, limits=limits).policies
    found = needed_defaults(policy, SERVER)
    assert [(each.field, each.limit) for each in found] == expected
