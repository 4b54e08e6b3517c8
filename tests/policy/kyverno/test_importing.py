"""Policies of Kyverno as JobPolicies."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.kyverno.importing import Imported, imported, is_importable
from jobsworth.policy.reader import read
from support.policy.admission_policy_objects import job


def cluster_policy(*rules: Any, annotations: Any = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "small", "annotations": annotations or {}},
        "spec": {"rules": list(rules), **spec},
    }


def rule(kind: str = "Pod", match: Any = None, **parts: Any) -> dict[str, Any]:
    resources = {"kinds": [kind], **(match or {})}
    return {"name": "a", "match": {"any": [{"resources": resources}]}, **parts}


def validating(*expressions: str, resources: Any = ("pods",), **spec: Any) -> dict[str, Any]:
    rules = [{"resources": [*resources], "operations": ["CREATE", "UPDATE"]}]
    return {
        "apiVersion": "policies.kyverno.io/v1",
        "kind": "ValidatingPolicy",
        "metadata": {"name": "small"},
        "spec": {
            "matchConstraints": {"resourceRules": rules},
            "validations": [{"expression": each, "message": "no"} for each in expressions],
            **spec,
        },
    }


def spec_of(policy: Any) -> dict[str, Any]:
    (document,) = imported(policy).policies
    spec: dict[str, Any] = document["spec"]
    return spec


def left(policy: Any) -> list[tuple[str, str]]:
    return [(each.field, each.reason) for each in imported(policy).left]


def denied(found: Imported, value: Any) -> bool:
    evaluator = Evaluator(ApiServer("1.36"), policies=read(found.policies), lint=False)
    return bool(evaluator.evaluate(Subject(value)).violations)


def cron_job(value: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "work"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": value["spec"]}},
    }


PATTERN = {"spec": {"containers": [{"image": "registry.example.com/*"}]}}


def test_a_pattern_for_pods_judges_the_pods_of_jobs_and_cron_jobs() -> None:
    found = imported(cluster_policy(rule(validate={"pattern": PATTERN, "message": "ours  only"})))
    assert found.left == []
    other = job()
    other["spec"]["template"]["spec"]["containers"][0]["image"] = "elsewhere/main"
    for kind in (lambda each: each, cron_job):
        assert not denied(found, kind(job()))
        assert denied(found, kind(other))
    assert found.policies[0]["spec"]["expressions"][0]["message"] == "ours only"


@pytest.mark.parametrize(
    ("policy", "enforcement"),
    [
        (cluster_policy(rule(validate={"pattern": PATTERN})), "audit"),
        (
            cluster_policy(rule(validate={"pattern": PATTERN}), validationFailureAction="Enforce"),
            "deny",
        ),
        (cluster_policy(rule(validate={"failureAction": "Enforce", "pattern": PATTERN})), "deny"),
        (validating("true"), "deny"),
        (validating("true", validationActions=["Audit"]), "audit"),
        (validating("true", validationActions=["Warn", "Audit"]), "warn"),
    ],
)
def test_the_effect(policy: Any, enforcement: str) -> None:
    assert spec_of(policy)["enforcement"] == enforcement


def test_cel_reads_the_template_and_variables_are_written_out() -> None:
    policy = validating(
        "variables.all.all(c, c.image.startsWith(variables.host)) && object.metadata.name != ''",
        variables=[
            {"name": "host", "expression": "'registry.example.com/'"},
            {"name": "all", "expression": "object.spec.containers + object.spec.?x.orValue([])"},
        ],
        matchConditions=[{"name": "a", "expression": "!has(object.metadata.labels)"}],
        failurePolicy="Ignore",
    )
    spec = spec_of(policy)
    assert spec["onInternalError"] == "allow"
    assert spec["expressions"][0]["expression"] == (
        "!((!has(object.spec.template.metadata.labels))) || ((object.spec.template.spec.containers + "
        "object.spec.template.spec.?x.orValue([])).all(c, c.image.startsWith(('registry.example.com/'))) "
        "&& object.metadata.name != '')"
    )


@pytest.mark.parametrize(
    ("resources", "expression", "made", "kinds"),
    [
        (("jobs",), "object.spec.suspend == true", "object.spec.suspend == true", ["Job"]),
        (
            ("cronjobs",),
            "object.spec.suspend == true",
            "!(cronJob != null) || (cronJob.spec.suspend == true)",
            ["CronJob"],
        ),
    ],
)
def test_cel_about_jobs_and_cron_jobs(
    resources: Any, expression: str, made: str, kinds: list[str]
) -> None:
    spec = spec_of(validating(expression, resources=resources))
    assert spec["match"] == [{"kinds": kinds}]
    assert spec["expressions"][0]["expression"] == made


def test_match_and_exclude_become_matchers() -> None:
    exclude = {
        "any": [
            {"resources": {"namespaces": ["kube-*"]}},
            {"subjects": [{"kind": "ServiceAccount", "namespace": "ci", "name": "bot"}]},
        ]
    }
    match = {"namespaces": ["team-*"], "operations": ["CREATE"]}
    spec = spec_of(
        cluster_policy(rule("batch/v1/Job", match, exclude=exclude, validate={"deny": {}}))
    )
    assert spec["match"] == [{"kinds": ["Job"], "operations": ["CREATE"], "namespaces": ["team-*"]}]
    assert spec["exempt"] == [
        {"namespaces": ["kube-*"]},
        {"users": ["system:serviceaccount:ci:bot"]},
    ]
    assert spec["expressions"] == [{"expression": "false"}]


def test_simple_conditions_are_expressions() -> None:
    key = "{{ request.object.metadata.labels.team || '' }}"
    condition = {"all": [{"key": key, "operator": "AnyNotIn", "value": ["ml", "web*"]}]}
    operation = {"key": "{{ request.operation }}", "operator": "Equals", "value": "CREATE"}
    validate = {"deny": {"conditions": condition}, "message": "no"}
    found = imported(cluster_policy(rule("Job", validate=validate, preconditions=[operation])))
    assert denied(found, job())
    assert not denied(found, job(labels={"team": "ml"}))
    assert not denied(found, job(labels={"team": "website"}))


def test_a_patch_becomes_defaults() -> None:
    patch = {
        "metadata": {"annotations": {"+(a)": "b"}},
        "spec": {
            "priorityClassName": "low",
            "containers": [
                {"(name)": "*", "resources": {"requests": {"+(cpu)": "100m"}}, "image": "x"}
            ],
        },
    }
    policy = cluster_policy(rule(mutate={"patchStrategicMerge": patch}))
    assert spec_of(policy)["defaults"] == {
        "pod": {
            "annotations": {"a": {"value": "b"}},
            "priorityClassName": {"value": "low", "when": "always"},
            "containers": {"*": {"resources": {"value": {"requests": {"cpu": "100m"}}}}},
        }
    }
    assert left(policy) == [
        (
            "spec.rules[0].mutate.patchStrategicMerge.spec.containers.image",
            "a JobPolicy has no default for it",
        )
    ]


def test_jobs_without_an_owner_are_matched_by_an_exemption() -> None:
    key = "{{ request.object.metadata.ownerReferences || `[]` }}"
    patch = {"spec": {"+(ttlSecondsAfterFinished)": 900}}
    spec = spec_of(
        cluster_policy(
            rule(
                "Job",
                preconditions={"any": [{"key": key, "operator": "Equals", "value": []}]},
                mutate={"patchStrategicMerge": patch},
            )
        )
    )
    assert spec["exempt"] == [{"owners": ["*"]}]
    assert spec["defaults"] == {"ttlSecondsAfterFinished": {"value": 900}}


CONDITIONAL = {"spec": {"(hostNetwork)": True, "priorityClassName": "low"}}


@pytest.mark.parametrize(
    ("policy", "field", "reason"),
    [
        (cluster_policy(rule("Service", validate={})), "spec.rules[0]", "it is about Service"),
        (
            cluster_policy(rule(validate={"foreach": []})),
            "spec.rules[0]",
            "it has foreach",
        ),
        (cluster_policy(rule(context=[{}], validate={})), "spec.rules[0]", "it has context"),
        (
            cluster_policy(
                rule(validate={"pattern": PATTERN}),
                annotations={"pod-policies.kyverno.io/autogen-controllers": "Deployment"},
            ),
            "spec.rules[0]",
            "its annotation pod-policies.kyverno.io/autogen-controllers leaves out Jobs",
        ),
        (
            cluster_policy(rule(match={"selector": {"a": "b"}}, validate={"pattern": PATTERN})),
            "spec.rules[0]",
            "it selects Pods by selector, so Kyverno does not apply it to Jobs",
        ),
        (
            cluster_policy(rule(mutate={"patchStrategicMerge": CONDITIONAL})),
            "spec.rules[0]",
            "it mutates under a condition, and defaults have none",
        ),
        (
            cluster_policy(rule(mutate={"patchesJson6902": ""})),
            "spec.rules[0]",
            "it has mutate.patchesJson6902",
        ),
        (
            validating("image(object.spec.containers[0].image).registry() == 'a'"),
            "spec.validations[0]",
            "at line 1, column 1 of the expression: unknown function image",
        ),
        (
            validating("object.kind == 'Pod'"),
            "spec.validations[0]",
            "it reads object.kind of a Pod",
        ),
        (
            validating("variables.a", variables=[{"name": "a", "expression": "object.x"}]),
            "spec.validations[0]",
            "it reads the variable a, which has no translation (a: it reads object.x of a Pod)",
        ),
        (
            validating("true", autogen={"podControllers": {"controllers": ["deployments"]}}),
            "spec.matchConstraints",
            "it is about Pods, and its autogen leaves out Jobs",
        ),
    ],
)
def test_what_has_no_translation_is_named(policy: Any, field: str, reason: str) -> None:
    assert imported(policy).policies == []
    ((found, why),) = left(policy)
    assert found == field
    assert why.startswith(reason)


def test_an_expression_that_grows_without_end_is_left_out() -> None:
    variables = [{"name": "v0", "expression": "'a'"}]
    variables += [
        {"name": f"v{n}", "expression": f"variables.v{n - 1} + variables.v{n - 1}"}
        for n in range(1, 60)
    ]
    found = imported(validating("variables.v59 == ''", variables=variables))
    assert found.policies == []
    assert "which has no translation" in found.left[0].reason


def test_only_policies_of_kyverno_are_importable() -> None:
    assert is_importable(cluster_policy())
    assert is_importable(validating())
    assert not is_importable({**validating(), "apiVersion": "other.io/v1"})
    assert not is_importable(job())
    assert not is_importable(None)
