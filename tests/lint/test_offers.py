"""The limits of the rules for what objects beside a Job do not offer."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import (
    cron_job,
    fields,
    fields_beside,
    found,
    found_beside,
    job,
    with_metadata,
)

ZONE = "topology.kubernetes.io/zone"


def volume(*zones: list[str]) -> dict[str, Any]:
    """A volume that the nodes of some zones can mount: of one list of zones for each term."""
    terms = [
        {"matchExpressions": [{"key": ZONE, "operator": "In", "values": each}]} for each in zones
    ]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "disk"},
        "spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}},
    }


CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data"},
    "spec": {"volumeName": "disk"},
}


@pytest.mark.parametrize(
    ("zones", "selector", "reported"),
    [
        ([["a"]], {ZONE: "b"}, True),
        ([["a"], ["c"]], {ZONE: "b"}, True),
        ([["a", "b"]], {ZONE: "b"}, False),
        ([["a"], ["b"]], {ZONE: "b"}, False),
        ([["a"]], {"disk": "ssd"}, False),
        ([["a"]], {}, False),
        ([], {ZONE: "b"}, False),
    ],
)
def test_a_volume_is_mounted_where_its_affinity_allows(
    zones: list[list[str]], selector: dict[str, str], reported: bool
) -> None:
    held = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    value = job({"volumes": [held], "nodeSelector": selector})
    expected = ["template.spec.volumes[0]"] if reported else []
    assert fields_beside("JW725", value, CLAIM, volume(*zones)) == expected


def cluster_queue(quota: str, **spec: Any) -> dict[str, Any]:
    resources = [{"name": "nvidia.com/gpu", "nominalQuota": quota}]
    groups = [
        {"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "a", "resources": resources}]}
    ]
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": "gpu"},
        "spec": {"resourceGroups": groups, **spec},
    }


def local_queue(namespace: str) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "LocalQueue",
        "metadata": {"name": "train", "namespace": namespace},
        "spec": {"clusterQueue": "gpu"},
    }


def training(gpus: int, **spec: Any) -> dict[str, Any]:
    main = {"name": "main", "image": "a", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    labels = {"kueue.x-k8s.io/queue-name": "train"}
    return with_metadata(job({"containers": [main]}, **spec), labels=labels, namespace="ml")


@pytest.mark.parametrize(
    ("value", "quota", "spec", "reported"),
    [
        (training(8), "4", {}, True),
        (training(2, parallelism=4, completions=4), "4", {}, True),
        (training(8), "8", {}, False),
        (training(2, parallelism=4, completions=4), "8", {}, False),
        (training(8), "4", {"cohort": "all"}, False),
        (training(8), "many", {}, False),
    ],
)
def test_a_queue_has_quota_for_all_pods_at_once(
    value: dict[str, Any], quota: str, spec: dict[str, Any], reported: bool
) -> None:
    found_here = found_beside("JW726", value, local_queue("ml"), cluster_queue(quota, **spec))
    assert len(found_here) == reported


def test_a_queue_is_in_the_namespace_of_its_jobs() -> None:
    assert len(found_beside("JW726", training(1), local_queue("default"))) == 1
    assert found_beside("JW726", training(1), local_queue("ml")) == []
    assert found_beside("JW726", training(1)) == []


@pytest.mark.parametrize(
    ("address", "policy", "reported"),
    [
        ("db.shop.svc.cluster.local", None, True),
        ("http://db.shop.svc:8080/", "ClusterFirst", True),
        ("db.shop.svc.cluster.local", "ClusterFirstWithHostNet", False),
        ("db.example.com", None, False),
    ],
)
def test_the_resolver_of_a_node_does_not_know_services(
    address: str, policy: str | None, reported: bool
) -> None:
    main = {"name": "main", "image": "a", "command": ["run", "--host", address]}
    pod: dict[str, Any] = {"containers": [main], "hostNetwork": True}
    if policy is not None:
        pod["dnsPolicy"] = policy
    for value in (job(pod), cron_job(job(pod))):
        assert len(found("JW544", value)) == reported
    assert fields("JW544", job({**pod, "hostNetwork": False})) == []


def role(namespace: str, kind: str = "RoleBinding") -> list[dict[str, Any]]:
    """An account of the namespace jobs, with a role that another namespace binds to it."""
    api, metadata = "rbac.authorization.k8s.io/v1", {"name": "clean", "namespace": namespace}
    rules = [{"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["delete", "list"]}]
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "clean"}
    subjects = [{"kind": "ServiceAccount", "name": "clean", "namespace": "jobs"}]
    account = {"name": "clean", "namespace": "jobs"}
    if kind == "ClusterRoleBinding":
        metadata = {"name": "clean"}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account},
        {"apiVersion": api, "kind": "ClusterRole", "metadata": {"name": "clean"}, "rules": rules},
        {
            "apiVersion": api,
            "kind": kind,
            "metadata": metadata,
            "roleRef": reference,
            "subjects": subjects,
        },
    ]


def test_a_binding_names_the_account_of_the_job() -> None:
    beside = role("shop")
    beside[2]["subjects"][0]["namespace"] = "default"
    command = ["kubectl", "get", "jobs"]
    pod = {
        "serviceAccountName": "clean",
        "containers": [{"name": "a", "image": "a", "command": command}],
    }
    value = with_metadata(job(pod), namespace="jobs")
    assert len(found_beside("JW724", value, *beside)) == 1
    other = {**beside[0], "metadata": {"name": "clean", "namespace": "default"}}
    assert found_beside("JW724", value, *beside, other) == []


@pytest.mark.parametrize(
    ("options", "beside", "reported"),
    [
        (["-n", "shop"], role("jobs"), True),
        (["--all-namespaces"], role("jobs"), True),
        (["-n", "shop"], role("shop"), False),
        ([], role("jobs"), False),
        (["-n", "$NAMESPACE"], role("jobs"), False),
        (["-A"], role("", "ClusterRoleBinding"), False),
    ],
)
def test_a_role_is_bound_in_the_namespace_that_kubectl_works_in(
    options: list[str], beside: list[dict[str, Any]], reported: bool
) -> None:
    command = ["kubectl", *options, "delete", "jobs", "-l", "old=yes"]
    pod = {
        "serviceAccountName": "clean",
        "containers": [{"name": "a", "image": "a", "command": command}],
    }
    value = with_metadata(job(pod), namespace="jobs")
    assert len(found_beside("JW724", value, *beside)) == reported
