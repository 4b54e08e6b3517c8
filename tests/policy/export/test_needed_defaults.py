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
        (
            {
                "pod": {
                    "labels": {"team": {"value": "a"}},
                    "nodeSelector": {"pool": {"value": "batch"}},
                    "securityContext": {"value": {"runAsNonRoot": True, "runAsUser": 7}},
                    "containers": {"*": {"securityContext": {"value": {"privileged": False}}}},
                }
            },
            {
                "pod": {
                    "labels": {"team": {"required": True}},
                    "nodeSelector": {"pool": {"allowed": ["batch"]}},
                    "securityContext": {
                        "runAsNonRoot": {"required": True},
                        "privileged": {"required": True, "allowed": [False]},
                    },
                }
            },
            [
                ("spec.defaults.pod.labels[team]", "spec.limits.pod.labels[team]"),
                (
                    "spec.defaults.pod.securityContext.value.runAsNonRoot",
                    "spec.limits.pod.securityContext.runAsNonRoot",
                ),
                (
                    "spec.defaults.pod.containers[*].securityContext.value.privileged",
                    "spec.limits.pod.securityContext.privileged",
                ),
            ],
        ),
    ],
)
def test_a_default_is_needed_if_its_limit_denies_what_leaves_the_field_unset(
    defaults: dict[str, Any], limits: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    (policy,) = policies(defaults=defaults, limits=limits).policies
    found = needed_defaults(policy, SERVER)
    assert [(each.field, each.limit) for each in found] == expected
