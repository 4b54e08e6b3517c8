"""A user who may not write to the volumes of its Pod."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import after_fix, cron_job, fields, job

NEW = {
    "ephemeral": {
        "volumeClaimTemplate": {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            }
        }
    }
}
HOST = {"hostPath": {"path": "/data", "type": "DirectoryOrCreate"}}
USER = {"securityContext": {"runAsUser": 1000}}
MOUNT = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}
AT = "template.spec.containers[0].volumeMounts[0]"


def mounting(source: dict[str, Any], **parts: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "a:1", **MOUNT, **parts.pop("container", {})}
    return job({"containers": [container], "volumes": [{"name": "data", **source}], **parts})


@pytest.mark.parametrize(
    "value",
    [
        mounting(NEW, **USER),
        mounting(NEW, container=USER),
        mounting(HOST, **USER),
        mounting(HOST, securityContext={"runAsUser": 1000, "fsGroup": 1000}),
        cron_job(mounting(NEW, **USER)),
        mounting(NEW, **USER, initContainers=[{"name": "i", "image": "a:1", **MOUNT, **USER}]),
    ],
)
def test_a_user_may_not_write_to_a_new_volume_of_root(value: dict[str, Any]) -> None:
    assert len(fields("JW528", value)) == 1


@pytest.mark.parametrize(
    "value",
    [
        mounting(NEW),
        mounting(NEW, securityContext={"runAsUser": 0}),
        mounting(NEW, securityContext={"runAsUser": 1000, "fsGroup": 1000}),
        mounting(NEW, securityContext={"runAsUser": 1000, "supplementalGroups": [0]}),
        mounting(NEW, **USER, container={"securityContext": {"runAsUser": 0}}),
        mounting({"emptyDir": {}}, **USER),
        mounting({"persistentVolumeClaim": {"claimName": "data"}}, **USER),
        mounting({"hostPath": {"path": "/data"}}, **USER),
        mounting(NEW, **USER, container={"volumeMounts": [{**MOUNT["volumeMounts"][0], "readOnly": True}]}),
        mounting(NEW, container=USER, initContainers=[{"name": "i", "image": "a:1", **MOUNT}]),
        mounting(NEW, **USER, os={"name": "windows"}),
    ],
)  # fmt: skip
def test_a_volume_that_the_user_may_write_to_is_no_finding(value: dict[str, Any]) -> None:
    assert fields("JW528", value) == []


def secret(mode: int, **parts: Any) -> dict[str, Any]:
    return {"secret": {"secretName": "token", "defaultMode": mode, **parts}}


def projected(mode: int, *sources: dict[str, Any]) -> dict[str, Any]:
    return {"projected": {"defaultMode": mode, "sources": list(sources)}}


TOKEN = {"serviceAccountToken": {"path": "token"}}
SOURCE = {"secret": {"name": "token"}}
SSH = {"command": ["ssh", "-i", "/data/key", "a@b"]}


@pytest.mark.parametrize(
    ("value", "reported"),
    [
        (mounting(secret(0o400), **USER), True),
        (mounting(secret(0o644, items=[{"key": "a", "path": "a", "mode": 0o600}]), **USER), True),
        (mounting(projected(0o400, SOURCE, TOKEN), **USER), True),
        (mounting({"configMap": {"name": "a", "defaultMode": 0o500}}, container=USER), True),
        (mounting(projected(0o400, TOKEN), **USER), False),
        (mounting(secret(0o440), **USER), False),
        (mounting(secret(0o400, items=[{"key": "a", "path": "a", "mode": 0o444}]), **USER), False),
        (mounting(secret(0o400)), False),
        (mounting(secret(0o400), securityContext={"runAsUser": 0}), False),
        (mounting(secret(0o400), securityContext={"runAsUser": 1000, "fsGroup": 1000}), False),
        (mounting(secret(0o400), container={**USER, **SSH}), False),
    ],
)
def test_a_user_cannot_read_files_that_are_for_root(value: dict[str, Any], reported: bool) -> None:
    assert fields("JW528", value) == ([AT] if reported else [])
    assert fields("JW528", after_fix("JW528", value)) == [] if reported else True


def test_the_fix_gives_the_volume_to_the_group_of_the_user() -> None:
    value = mounting(NEW, **USER)
    assert after_fix("JW528", value)["spec"]["template"]["spec"]["securityContext"] == {
        "runAsUser": 1000,
        "fsGroup": 1000,
    }
    assert fields("JW528", after_fix("JW528", value)) == []
