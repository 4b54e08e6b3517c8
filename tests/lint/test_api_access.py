"""What the roles of a Job's account allow, and what its kubectl needs."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import cron_job, fields_beside, job

RBAC = "rbac.authorization.k8s.io/v1"
ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "cleanup"}}
AT = ["template.spec.serviceAccountName"]


def role(*verbs: str, kind: str = "Role", **rule: Any) -> dict[str, Any]:
    held = {"apiGroups": [""], "resources": ["pods"], "verbs": list(verbs), **rule}
    return {"apiVersion": RBAC, "kind": kind, "metadata": {"name": "cleanup"}, "rules": [held]}


def binding(kind: str = "Role", **subject: Any) -> dict[str, Any]:
    return {
        "apiVersion": RBAC,
        "kind": f"{kind}Binding",
        "metadata": {"name": "cleanup"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "cleanup"},
        "subjects": [{"kind": "ServiceAccount", "name": "cleanup", **subject}],
    }


def running(*words: str, account: str = "cleanup") -> dict[str, Any]:
    container = {"name": "main", "image": "kubectl:1.34", "command": list(words)}
    return job({"serviceAccountName": account, "containers": [container]})


DELETE = running("kubectl", "delete", "pods", "--selector=run=preview")


@pytest.mark.parametrize("kind", ["Role", "ClusterRole"])
def test_the_account_of_a_job_may_do_what_its_kubectl_does(kind: str) -> None:
    for value in (DELETE, cron_job(DELETE)):
        lacking = role("get", "list", kind=kind)
        assert fields_beside("JW724", value, ACCOUNT, lacking, binding(kind)) == AT
        allowed = role("delete", "list", kind=kind)
        assert fields_beside("JW724", value, ACCOUNT, allowed, binding(kind)) == []


def test_commands_in_pods_need_the_resource_below_them() -> None:
    inside = running("kubectl", "exec", "db-0", "--", "psql")
    allowed = role("create", resources=["pods/exec"])
    assert fields_beside("JW724", inside, ACCOUNT, allowed, binding()) == []


@pytest.mark.parametrize(
    ("words", "verbs", "reported"),
    [
        (["delete", "pod", "a"], ["delete"], False),
        (["delete", "pod", "--all"], ["delete"], True),
        (["delete", "po/a"], ["get"], True),
        (["delete", "pods,jobs", "-l", "a=b"], ["delete", "list"], True),
        (["get", "pods"], ["get"], True),
        (["get", "pods", "-n", "shop"], ["list"], False),
        (["get", "pod", "a", "-o", "name"], ["get"], False),
        (["exec", "a", "--", "ls"], ["create"], True),
        (["logs", "a"], ["get", "list"], True),
        (["wait", "pod/a", "--for=condition=Ready"], ["get", "list"], True),
        (["wait", "pod/a", "--for=condition=Ready"], ["get", "list", "watch"], False),
        (["create", "configmap", "a"], ["get"], True),
        (["create", "configmap", "a", "--dry-run=client"], ["get"], False),
        (["label", "pods", "a", "b=c"], ["get", "update"], True),
        (["patch", "pod", "a", "-p", "{}"], ["patch"], False),
        (["rollout", "restart", "pod", "a"], ["get"], True),
        (["rollout", "restart", "pod", "a"], ["patch"], False),
        (["rollout", "status", "pod", "a"], ["get"], True),
        (["delete", "-f", "a.yaml"], [], False),
        (["--token", "x", "delete", "pods", "--all"], [], False),
        (["delete", "widgets", "--all"], [], False),
        (["delete", "$KIND", "--all"], [], False),
        (["apply", "pods"], [], False),
        (["version"], [], False),
    ],
)
def test_each_subcommand_needs_its_verbs(
    words: list[str], verbs: list[str], reported: bool
) -> None:
    value = running("kubectl", *words)
    assert bool(fields_beside("JW724", value, ACCOUNT, role(*verbs), binding())) is reported


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param([role("get"), binding()], id="no account"),
        pytest.param([ACCOUNT, role("get")], id="no binding"),
        pytest.param([ACCOUNT, binding()], id="no role"),
        pytest.param([ACCOUNT, role("get"), binding(name="other")], id="another account"),
        pytest.param([ACCOUNT, role("*"), binding()], id="every verb"),
        pytest.param(
            [ACCOUNT, role("*", apiGroups=["*"], resources=["*"]), binding()], id="everything"
        ),
        pytest.param(
            [
                ACCOUNT,
                {**role("get", kind="ClusterRole"), "aggregationRule": {}},
                binding("ClusterRole"),
            ],
            id="an aggregated role",
        ),
        pytest.param(
            [
                ACCOUNT,
                role("get"),
                {**binding(), "roleRef": {"kind": "ClusterRole", "name": "edit"}},
            ],
            id="a role of the cluster",
        ),
        pytest.param(
            [ACCOUNT, role("get"), binding(), binding("ClusterRole")], id="one role is unknown"
        ),
    ],
)
def test_nothing_is_said_without_all_roles(beside: list[dict[str, Any]]) -> None:
    assert fields_beside("JW724", DELETE, *beside) == []


def test_an_account_that_the_job_does_not_name_is_unknown() -> None:
    beside = (ACCOUNT, role("get"), binding())
    unnamed = running("kubectl", "delete", "pods", "--all", account="")
    assert fields_beside("JW724", unnamed, *beside) == []
    assert fields_beside("JW724", running("cleanup"), *beside) == []
