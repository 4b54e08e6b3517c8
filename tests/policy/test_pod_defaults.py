"""Defaults of Pod templates: how values are merged, conflicts, containers, conditions and problems."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jobsworth.policy.mutation.mutation import Mutation
from jobsworth.policy.request import UPDATE
from support.policy.kubectl_requests import WAYS, kubectl_request
from support.policy.policy_requests import SERVER, cron_job, document, job, policies, problems

GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
SPOT = {"key": "spot", "operator": "Exists"}
TERM = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
ELSEWHERE = [{"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}]


def filled(value: Any, *documents: Any, way: str = "file", old: Any = None, **pod: Any) -> Mutation:
    held = policies(*documents, **({"defaults": {"pod": pod}} if pod else {}))
    return held.default(kubectl_request(value, way, old), SERVER)


def template_of(mutation: Mutation) -> Any:
    spec = mutation.object["spec"]
    return spec.get("jobTemplate", {"spec": spec})["spec"]["template"]


def container_of(written: dict[str, Any], **defaults: Any) -> Any:
    main = {"name": "main", "image": "busybox:1.36", **written}
    mutation = filled(job(pod={"containers": [main]}), containers={"*": defaults})
    return template_of(mutation)["spec"]["containers"][0]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["Job", "CronJob"])
@pytest.mark.parametrize(
    ("written", "defaults", "expected"),
    [
        # Maps are merged by their keys.
        ({}, {"nodeSelector": {"pool": {"value": "gpu"}}}, {"nodeSelector": {"pool": "gpu"}}),
        (
            {"nodeSelector": {"zone": "a"}},
            {"nodeSelector": {"pool": {"value": "gpu"}, "zone": {"value": "b"}}},
            {"nodeSelector": {"zone": "a", "pool": "gpu"}},
        ),
        (
            {"nodeSelector": {"zone": "a"}},
            {"nodeSelector": {"zone": {"value": "b", "when": "always"}}},
            {"nodeSelector": {"zone": "b"}},
        ),
        # Tolerations are added.
        ({}, {"tolerations": {"value": [GPU]}}, {"tolerations": [GPU]}),
        (
            {"tolerations": [SPOT]},
            {"tolerations": {"value": [GPU, SPOT]}},
            {"tolerations": [SPOT, GPU]},
        ),
        # A toleration without an operator has the operator Equal.
        (
            {"tolerations": [{"key": "a", "operator": "Equal", "value": "b"}]},
            {"tolerations": {"value": [{"key": "a", "value": "b"}]}},
            {"tolerations": [{"key": "a", "operator": "Equal", "value": "b"}]},
        ),
        # Each part of an affinity is one value.
        (
            {"affinity": {"nodeAffinity": {REQUIRED: TERM}}},
            {
                "affinity": {
                    "value": {
                        "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchFields": []}]}},
                        "podAntiAffinity": {PREFERRED: ELSEWHERE},
                    }
                }
            },
            {
                "affinity": {
                    "nodeAffinity": {REQUIRED: TERM},
                    "podAntiAffinity": {PREFERRED: ELSEWHERE},
                }
            },
        ),
        ({}, {"priorityClassName": {"value": "low"}}, {"priorityClassName": "low"}),
        (
            {"priorityClassName": "high"},
            {"priorityClassName": {"value": "low"}},
            {"priorityClassName": "high"},
        ),
        # The API server keeps the older name of a ServiceAccount beside the newer one.
        (
            {},
            {"serviceAccountName": {"value": "jobs"}},
            {"serviceAccountName": "jobs", "serviceAccount": "jobs"},
        ),
        # A security context is merged by its fields.
        (
            {"securityContext": {"runAsUser": 5}},
            {"securityContext": {"value": {"runAsUser": 9, "runAsNonRoot": True}}},
            {"securityContext": {"runAsUser": 5, "runAsNonRoot": True}},
        ),
        (
            {"terminationGracePeriodSeconds": 5},
            {"terminationGracePeriodSeconds": {"value": 60, "when": "ifServerDefault"}},
            {"terminationGracePeriodSeconds": 5},
        ),
    ],
)
def test_a_value_is_merged_as_kubernetes_merges(
    written: dict[str, Any],
    defaults: dict[str, Any],
    expected: dict[str, Any],
    kind: str,
    way: str,
) -> None:
    value = job(pod=written)
    mutation = filled(cron_job(value) if kind == "CronJob" else value, way=way, **defaults)
    pod = template_of(mutation)["spec"]
    assert {name: pod.get(name) for name in expected} == expected


def test_pods_get_labels_and_annotations_and_a_job_without_labels_those_of_its_pods() -> None:
    mutation = filled(
        job(),
        labels={"team": {"value": "ml"}},
        annotations={"karpenter.sh/do-not-disrupt": {"value": "true"}},
    )
    assert template_of(mutation)["metadata"] == {
        "labels": {"team": "ml"},
        "annotations": {"karpenter.sh/do-not-disrupt": "true"},
    }
    assert mutation.object["metadata"]["labels"] == {"team": "ml"}


def test_a_policy_that_matches_the_labels_which_a_job_has_from_its_pods_applies_too() -> None:
    other = document(
        "other",
        match=[{"objectSelector": {"matchLabels": {"team": "ml"}}}],
        defaults={"pod": {"priorityClassName": {"value": "low"}}},
    )
    mutation = filled(job(), other, labels={"team": {"value": "ml"}})
    assert template_of(mutation)["spec"]["priorityClassName"] == "low"


@pytest.mark.parametrize(
    ("way", "when", "expected"),
    [
        ("file", "ifUnset", 60),
        ("apply", "ifUnset", 60),
        ("server-side apply", "ifUnset", 60),
        ("create", "ifUnset", 30),
        ("create", "ifServerDefault", 60),
        ("create", "always", 60),
    ],
)
def test_a_default_of_the_server_is_replaced_where_it_is_known_that_no_client_wrote_it(
    way: str, when: str, expected: int
) -> None:
    mutation = filled(job(), way=way, terminationGracePeriodSeconds={"value": 60, "when": when})
    assert template_of(mutation)["spec"]["terminationGracePeriodSeconds"] == expected
    assert bool(mutation.kept) == (expected == 30)


@pytest.mark.parametrize(
    ("written", "defaults", "expected"),
    [
        (
            {"env": [{"name": "A", "value": "own"}]},
            {"env": {"value": [{"name": "A", "value": "x"}, {"name": "B", "value": "y"}]}},
            {"env": [{"name": "A", "value": "own"}, {"name": "B", "value": "y"}]},
        ),
        (
            {"env": [{"name": "A", "value": "own"}]},
            {
                "env": {
                    "value": [
                        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
                    ],
                    "when": "always",
                }
            },
            {
                "env": [
                    {
                        "name": "A",
                        "valueFrom": {
                            "fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}
                        },
                    }
                ]
            },
        ),
        (
            {"resources": {"requests": {"cpu": "2"}}},
            {"resources": {"value": {"requests": {"cpu": "0.5", "memory": "1Gi"}}}},
            {"resources": {"requests": {"cpu": "2", "memory": "1Gi"}}},
        ),
        # A limit without a request is the request.
        (
            {"resources": {"limits": {"cpu": "2"}}},
            {"resources": {"value": {"requests": {"cpu": "4"}}}},
            {"resources": {"limits": {"cpu": "2"}}},
        ),
        # Requests and limits of a policy come together.
        (
            {},
            {"resources": {"value": {"requests": {"cpu": "0.5"}, "limits": {"cpu": 1}}}},
            {"resources": {"requests": {"cpu": "500m"}, "limits": {"cpu": "1"}}},
        ),
        (
            {"securityContext": {"capabilities": {"add": ["CHOWN"]}}},
            {
                "securityContext": {
                    "value": {
                        "capabilities": {"add": ["KILL"], "drop": ["ALL"]},
                        "allowPrivilegeEscalation": False,
                    }
                }
            },
            {
                "securityContext": {
                    "capabilities": {"add": ["CHOWN"], "drop": ["ALL"]},
                    "allowPrivilegeEscalation": False,
                }
            },
        ),
    ],
)
def test_a_container_gets_what_it_does_not_set(
    written: dict[str, Any], defaults: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = container_of(written, **defaults)
    assert {name: found.get(name) for name in expected} == expected


def test_a_name_comes_before_a_pattern_and_init_containers_have_their_own() -> None:
    containers = [{"name": name, "image": "busybox:1.36"} for name in ("main", "log")]
    pod = {"containers": containers, "initContainers": [{"name": "init", "image": "busybox:1.36"}]}

    def env(value: str) -> Any:
        return {"env": {"value": [{"name": "A", "value": value}]}}

    mutation = filled(
        job(pod=pod),
        containers={"*": env("all"), "main": env("named")},
        initContainers={"in*": env("init")},
    )
    spec = template_of(mutation)["spec"]
    found = [one["env"][0]["value"] for one in (*spec["containers"], *spec["initContainers"])]
    assert found == ["named", "all", "init"]


def test_the_first_policy_by_precedence_decides_about_each_part() -> None:
    def of(name: str, priority: int, **pod: Any) -> Any:
        return document(name, priority=priority, defaults={"pod": pod})

    mutation = filled(
        job(),
        of("a", 0, nodeSelector={"zone": {"value": "a"}, "pool": {"value": "a"}}),
        of("b", 9, nodeSelector={"zone": {"value": "b"}}),
    )
    assert template_of(mutation)["spec"]["nodeSelector"] == {"zone": "b", "pool": "a"}
    reasons = {(policy, field): reason for policy, field, reason in mutation.skipped}
    assert reasons["a", "spec.template.spec.nodeSelector[zone]"] == "policy b sets it"


def test_a_value_that_would_make_the_object_invalid_is_not_set_and_reported() -> None:
    main = {"name": "main", "image": "busybox:1.36", "resources": {"requests": {"cpu": "4"}}}
    mutation = filled(
        job(pod={"containers": [main]}),
        containers={"*": {"resources": {"value": {"limits": {"cpu": "2", "memory": "1Gi"}}}}},
    )
    (container,) = template_of(mutation)["spec"]["containers"]
    assert container["resources"] == {"requests": {"cpu": "4"}, "limits": {"memory": "1Gi"}}
    (rejected,) = map(str, mutation.rejected)
    assert rejected.startswith(
        "policy house-rules: default for spec.template.spec.containers[0].resources.limits[cpu] not set: "
        "it would make the Job invalid: "
    )


def test_a_template_that_a_controller_owns_stays_as_it_is() -> None:
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "1"}
    pod = {"priorityClassName": {"value": "low"}}
    owned = job(metadata={"ownerReferences": [{**owner, "controller": True}]})
    assert "priorityClassName" not in template_of(filled(owned, **pod))["spec"]
    # `kubectl create job --from` makes a Job that the CronJob does not control.
    made = job(metadata={"ownerReferences": [owner]})
    assert template_of(filled(made, **pod))["spec"]["priorityClassName"] == "low"


def test_an_update_restores_what_the_creation_set_also_by_a_policy_for_creations_only() -> None:
    held = policies(
        match=[{"operations": ["CREATE"]}],
        defaults={"pod": {"tolerations": {"value": [GPU]}, "priorityClassName": {"value": "low"}}},
    )
    request = kubectl_request(job(pod={"tolerations": [SPOT]}), "create")
    stored = held.default(request, SERVER).object
    again = replace(
        request,
        operation=UPDATE,
        object={**request.object, "spec": {**request.object["spec"], "suspend": True}},
        old=stored,
    )
    mutation = held.default(again, SERVER)
    assert mutation.object["spec"]["template"] == stored["spec"]["template"]
    assert mutation.restored == ("spec.template",)
    assert mutation.applied == ()


def test_an_update_adds_nothing_to_a_job_and_all_to_a_cron_job_whose_template_changes() -> None:
    pod = {"priorityClassName": {"value": "low"}}
    held = policies(defaults={"pod": pod})
    new, old = job(parallelism=3), job()
    assert held.default(kubectl_request(new, "create", old), SERVER).applied == ()
    new, old = cron_job(job(parallelism=3)), cron_job()
    mutation = held.default(kubectl_request(new, "create", old), SERVER)
    assert template_of(mutation)["spec"]["priorityClassName"] == "low"
    new, old = cron_job(suspend=True), cron_job()
    assert held.default(kubectl_request(new, "create", old), SERVER).applied == ()


@pytest.mark.parametrize(
    ("pod", "problem"),
    [
        (
            {"priorityClassName": {"value": "Low"}},
            "spec.defaults.pod.priorityClassName: the API server rejects this default: Invalid value",
        ),
        (
            {"labels": {"a b": {"value": "x"}}},
            'spec.defaults.pod: the API server rejects this default: Invalid value: "a b"',
        ),
        (
            {"tolerations": {"value": [{"key": "a", "operator": "Exists", "value": "b"}]}},
            "spec.defaults.pod.tolerations.value[0]: the API server rejects this default: Invalid value",
        ),
        (
            {"tolerations": {"value": [{"keys": "a"}]}},
            "spec.defaults.pod.tolerations.value[0].keys: unknown field",
        ),
        (
            {"containers": {"*": {"env": {"value": [{"value": "a"}]}}}},
            "spec.defaults.pod.containers[*].env.value[0].name: ",
        ),
        (
            {"containers": {"main": {"resources": {"value": {"requests": {"nvidia.com/gpu": 1}}}}}},
            "spec.defaults.pod: the API server rejects this default: Required value: Limit must be set",
        ),
        (
            {"containers": {"*": {"securityContext": {"value": {"runAsUsr": 1}}}}},
            "spec.defaults.pod.containers[*].securityContext.value.runAsUsr: unknown field",
        ),
    ],
)
def test_a_default_that_no_api_server_accepts_is_a_problem(
    pod: dict[str, Any], problem: str
) -> None:
    (found,) = problems(defaults={"pod": pod})
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("default", "limit", "field"),
    [
        (
            {"priorityClassName": {"value": "high"}},
            {"priorityClassName": {"denied": ["hi*"]}},
            "priorityClassName",
        ),
        (
            {"nodeSelector": {"pool": {"value": "gpu"}}},
            {"nodeSelector": {"pool": {"allowed": ["batch"]}}},
            "nodeSelector[pool]",
        ),
        (
            {"tolerations": {"value": [{"key": "spot", "operator": "Exists"}, {"key": "gpu"}]}},
            {"tolerations": {"denied": ["gpu"]}},
            "tolerations.value[1]",
        ),
        (
            {"securityContext": {"value": {"fsGroup": 1, "runAsUser": 0}}},
            {"securityContext": {"runAsUser": {"minimum": 1}}},
            "securityContext.value.runAsUser",
        ),
        (
            {"initContainers": {"*": {"securityContext": {"value": {"capabilities": {"add": ["BPF"]}}}}}},
            {"securityContext": {"addedCapabilities": {"forbidden": True}}},
            "initContainers[*].securityContext.value.capabilities.add",
        ),
    ],
)  # fmt: skip
def test_a_limit_of_the_same_policy_may_not_reject_a_default(
    default: dict[str, Any], limit: dict[str, Any], field: str
) -> None:
    (found,) = problems(defaults={"pod": default}, limits={"pod": limit})
    assert found.startswith(f"spec.defaults.pod.{field}: the limits reject this default: ")


def test_a_default_may_be_what_a_limit_of_the_same_policy_requires() -> None:
    default = {"securityContext": {"value": {"runAsNonRoot": True}}}
    limit = {"securityContext": {"runAsNonRoot": {"required": True, "allowed": [True]}}}
    assert problems(defaults={"pod": default}, limits={"pod": limit}) == []
