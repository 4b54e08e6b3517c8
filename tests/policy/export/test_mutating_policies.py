"""The export of defaults to MutatingAdmissionPolicies: documents, order, and what is left to the webhook.

Their results are compared on a real API server by ``tests/cluster/test_exported_defaults.py``.
"""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.export.mutating_policies import LeftDefault, mutating_policies
from jobsworth.policy.reader import read
from kube_cel.compiling import compile_expression
from support.policy.pod_policy_documents import POD_POLICIES
from support.policy.policy_requests import document

LABELS = {"team": {"value": "ml"}}


def exported(*documents: dict[str, Any]) -> tuple[list[Any], list[LeftDefault]]:
    return mutating_policies(read(documents).policies, ["ops"])


def test_there_is_one_policy_with_a_binding_for_each_kind_and_one_mutation_for_each_policy() -> (
    None
):
    objects, left = exported(
        document("low", defaults={"pod": {"labels": LABELS}}),
        document("high", priority=1, match=[{"kinds": ["Job"]}], defaults={"labels": LABELS}),
        document("none", limits={"parallelism": {"maximum": 3}}),
    )
    assert left == []
    assert [(each["kind"], each["metadata"]["name"]) for each in objects] == [
        (kind, f"{plural}.default.jobsworth.dev")
        for kind in ("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding")
        for plural in ("jobs", "cronjobs")
    ]
    jobs, cron_jobs, *bindings = (each["spec"] for each in objects)
    assert [len(each["mutations"]) for each in (jobs, cron_jobs)] == [2, 1]
    first, second = (each["jsonPatch"]["expression"] for each in jobs["mutations"])
    assert '"/metadata"' in first
    assert '"/spec/template"' in second
    assert jobs["matchConstraints"]["namespaceSelector"]["matchExpressions"] == [
        {
            "key": "kubernetes.io/metadata.name",
            "operator": "NotIn",
            "values": ["kube-system", "ops"],
        }
    ]
    assert [each["policyName"] for each in bindings] == [
        "jobs.default.jobsworth.dev",
        "cronjobs.default.jobsworth.dev",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("documents", POD_POLICIES)
def test_each_expression_is_one_of_kubernetes(documents: list[dict[str, Any]]) -> None:
    objects, _ = exported(*documents)
    for each in objects:
        for mutation in each["spec"].get("mutations", ()):
            compile_expression(mutation["jsonPatch"]["expression"], "1.36", returns="patches")


def test_each_criterion_is_a_condition_of_the_mutation() -> None:
    objects, _ = exported(
        document(
            match=[
                {
                    "operations": ["CREATE"],
                    "namespaceSelector": {"matchLabels": {"tier": "batch"}},
                    "users": ["alice"],
                }
            ],
            defaults={"labels": LABELS},
        )
    )
    (mutation,) = objects[0]["spec"]["mutations"]
    expression = mutation["jsonPatch"]["expression"]
    for part in ('request.operation in ["CREATE"]', "namespaceObject.metadata.labels", '["alice"]'):
        assert part in expression.partition(" ? ")[0]


@pytest.mark.parametrize(
    ("spec", "field", "reason"),
    [
        ({"backoffLimit": {"value": 3}}, "backoffLimit", "if a client wrote"),
        (
            {
                "podFailurePolicy": {
                    "rulesBefore": [{"action": "Ignore", "onPodConditions": [{"type": "A"}]}]
                }
            },
            "podFailurePolicy",
            "the webhook validates",
        ),
        (
            {"ttlSecondsAfterFinished": {"value": 3, "when": "always"}},
            "ttlSecondsAfterFinished",
            "updates",
        ),
        (
            {"pod": {"terminationGracePeriodSeconds": {"value": 3}}},
            "pod.terminationGracePeriodSeconds",
            "if a client",
        ),
    ],
)
def test_what_cel_cannot_know_is_left_with_the_reason(
    spec: dict[str, Any], field: str, reason: str
) -> None:
    objects, (left,) = exported(document(defaults=spec))
    assert objects == []
    assert left.field == f"spec.defaults.{field}"
    assert reason in left.reason


def test_always_of_a_policy_of_lower_precedence_is_left() -> None:
    pod = {"priorityClassName": {"value": "low", "when": "always"}}
    _, left = exported(document("a", defaults={"pod": pod}), document("b", defaults={"pod": pod}))
    assert [(one.policy, one.field) for one in left] == [
        ("b", "spec.defaults.pod.priorityClassName")
    ]
