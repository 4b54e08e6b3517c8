"""Texts that are not what they look like in YAML, names in templates, and references that stay as they are."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import after_fix, cron_job, fields, job

MAIN = "template.spec.containers[0]"


def main(**parts: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "tool:1", **parts}]}


@pytest.mark.parametrize(
    ("parts", "reported"),
    [
        ({"command": ["tool", "C:\batch"]}, ["command[1]"]),
        ({"command": ["tool", "C:\new"]}, ["command[1]"]),
        ({"workingDir": "C:\temp"}, ["workingDir"]),
        ({"command": ["tool", "a\tb", "one\ntwo"]}, []),
        ({"command": ["tool", "--to=C:\new"]}, ["command[1]"]),
        ({"command": ["tool", "a\r\nb"]}, []),
        ({"command": ["python", "-c", "for x in y:\n  if x:\n\tprint(x)\n"]}, []),
        ({"command": ["sh", "-c", "printf 'a\b'"]}, []),
        ({"command": ["tool", r"C:\batch"]}, []),
    ],
)
def test_a_character_that_yaml_makes_of_a_backslash(
    parts: dict[str, Any], reported: list[str]
) -> None:
    assert fields("JW560", job(main(**parts))) == [f"{MAIN}.{each}" for each in reported]


@pytest.mark.parametrize(
    ("parts", "reported"),
    [
        ({"env": [{"name": "A", "value": "x\n"}]}, ["env[0].value"]),
        ({"env": [{"name": "A", "value": "x\ny\n"}]}, []),
        ({"env": [{"name": "A", "value": "\n"}]}, []),
        ({"args": ["--a=b\n"]}, ["args[0]"]),
        ({"command": ["python", "-c", "print(1) # a\n"]}, []),
        ({"command": ["sh", "-c", "run\n"]}, []),
    ],
)
def test_a_line_feed_that_a_block_adds(parts: dict[str, Any], reported: list[str]) -> None:
    assert fields("JW561", job(main(**parts))) == [f"{MAIN}.{each}" for each in reported]


@pytest.mark.parametrize(
    ("script", "reported"),
    [
        ("run --a \\ \n  --b\n", True),
        ("run --a \\\n  --b\n", False),
        ("# run --a \\ \nrun", False),
        ("echo 'a \\ \n'", False),
        ("cat <<EOF\na \\ \nEOF\n", False),
    ],
)
def test_a_blank_after_a_backslash(script: str, reported: bool) -> None:
    assert bool(fields("JW562", job(main(command=["sh", "-c", script])))) is reported


def test_names_in_templates() -> None:
    value = job(main())
    value["spec"]["template"]["metadata"] = {"name": "a", "namespace": "b", "labels": {"c": "d"}}
    assert fields("JW563", value) == ["template.metadata.name", "template.metadata.namespace"]
    alone = job()
    alone["spec"]["template"]["metadata"] = {"name": "a"}
    assert "metadata" not in after_fix("JW563", alone)["spec"]["template"]
    cron = cron_job(job(main()))
    cron["spec"]["jobTemplate"]["metadata"] = {"name": "a"}
    assert fields("JW563", cron) == ["metadata.name"]


@pytest.mark.parametrize(
    ("command", "reported"),
    [
        (["upload", "$(OUT)"], True),
        (["sh", "-c", "upload $(OUT)"], True),
        (["sh", "-c", "upload $(date)"], False),
        (["upload", "$$(OUT)"], False),
        (["upload", "$(OTHER)"], False),
    ],
)
def test_references_in_hooks_and_probes(command: list[str], reported: bool) -> None:
    env = [{"name": "OUT", "value": "/data"}]
    hook = {"preStop": {"exec": {"command": command}}}
    assert bool(fields("JW564", job(main(env=env, lifecycle=hook)))) is reported
    assert (
        bool(fields("JW564", job(main(env=env, startupProbe={"exec": {"command": command}}))))
        is reported
    )


@pytest.mark.parametrize(
    ("outer", "inner", "reported"),
    [
        ({"readOnly": True}, "/data/sub", True),
        ({}, "/data/sub", False),
        ({"readOnly": True}, "/database", False),
        ({"readOnly": True}, "/other", False),
    ],
)
def test_mounts_in_an_empty_volume_that_is_read_only(
    outer: dict[str, Any], inner: str, reported: bool
) -> None:
    mounts = [{"name": "e", "mountPath": "/data", **outer}, {"name": "f", "mountPath": inner}]
    pod = main(volumeMounts=mounts)
    pod["volumes"] = [{"name": "e", "emptyDir": {}}, {"name": "f", "emptyDir": {}}]
    assert bool(fields("JW565", job(pod))) is reported


def test_a_volume_that_another_container_fills_has_the_folder() -> None:
    mounts = [
        {"name": "e", "mountPath": "/data", "readOnly": True},
        {"name": "f", "mountPath": "/data/sub"},
    ]
    pod = main(volumeMounts=mounts)
    filler = {"name": "fill", "image": "tool:1", "volumeMounts": [{"name": "e", "mountPath": "/d"}]}
    pod["initContainers"] = [filler]
    pod["volumes"] = [{"name": "e", "emptyDir": {}}, {"name": "f", "emptyDir": {}}]
    assert not fields("JW565", job(pod))


@pytest.mark.parametrize(
    ("annotations", "spec", "reported"),
    [
        ({"argocd.argoproj.io/hook": "Sync"}, {"suspend": True}, True),
        ({"helm.sh/hook": "pre-install"}, {"suspend": True}, True),
        ({"argocd.argoproj.io/hook": "Skip"}, {"suspend": True}, False),
        ({"helm.sh/hook": "pre-install"}, {}, False),
        ({"a": "b"}, {"suspend": True}, False),
    ],
)
def test_hooks_that_are_suspended(
    annotations: dict[str, str], spec: dict[str, Any], reported: bool
) -> None:
    value = job(main(), **spec)
    value["metadata"]["annotations"] = annotations
    assert bool(fields("JW267", value)) is reported


@pytest.mark.parametrize(
    ("annotations", "spec", "reported"),
    [
        ({"job-min-parallelism": "4"}, {"parallelism": 4}, True),
        ({"job-min-parallelism": "0"}, {"parallelism": 4}, True),
        ({"job-min-parallelism": "many"}, {"parallelism": 4}, True),
        ({"job-min-parallelism": "3"}, {"parallelism": 4}, False),
        ({"job-min-parallelism": "3"}, {"parallelism": 4, "completions": 3}, True),
        ({"job-completions-equal-parallelism": "true"}, {"parallelism": 2}, True),
        (
            {"job-completions-equal-parallelism": "true"},
            {"parallelism": 2, "completions": 2, "completionMode": "Indexed"},
            False,
        ),
        (
            {"job-completions-equal-parallelism": "true"},
            {"parallelism": 2, "completions": 3, "completionMode": "Indexed"},
            True,
        ),
        ({"job-completions-equal-parallelism": "false"}, {}, False),
    ],
)
def test_annotations_that_kueue_rejects(
    annotations: dict[str, str], spec: dict[str, Any], reported: bool
) -> None:
    value = job(main(), **spec)
    value["metadata"]["annotations"] = {
        f"kueue.x-k8s.io/{name}": text for name, text in annotations.items()
    }
    assert bool(fields("JW268", value)) is reported


def test_the_completion_index_in_the_value_of_a_variable_stays_as_it_is() -> None:
    env = [{"name": "SHARD", "value": "s-$(JOB_COMPLETION_INDEX)"}]
    spec = {"completionMode": "Indexed", "completions": 2, "parallelism": 2}
    assert fields("JW506", job(main(env=env), **spec)) == [f"{MAIN}.env[0].value"]
    own = [{"name": "JOB_COMPLETION_INDEX", "value": "1"}, *env]
    assert not fields("JW506", job(main(env=own), **spec))


@pytest.mark.parametrize(
    ("port", "reported"),
    [("htpp", True), ("metrics", True), ("http", False), (8080, False), ("$(PORT)", False)],
)
def test_a_probe_names_a_port_of_its_container(port: Any, reported: bool) -> None:
    ports = [{"name": "http", "containerPort": 8080}]
    http, tcp = {"httpGet": {"port": port}}, {"tcpSocket": {"port": port}}
    for probe in ({"readinessProbe": tcp}, {"lifecycle": {"postStart": http}}):
        assert bool(fields("JW566", job(main(ports=ports, **probe)))) is reported
        assert bool(fields("JW566", cron_job(job(main(ports=ports, **probe))))) is reported
    assert not fields("JW566", job(main(ports=ports, lifecycle={"postStart": tcp})))


def test_the_port_of_another_container_is_not_found() -> None:
    probed = {"name": "a", "image": "a:1", "livenessProbe": {"tcpSocket": {"port": "db"}}}
    other = {"name": "b", "image": "a:1", "ports": [{"name": "db", "containerPort": 1}]}
    assert fields("JW566", job({"containers": [probed, other]}))
    assert not fields("JW566", job({"containers": [{**probed, "ports": other["ports"]}]}))


def test_a_star_before_every_hour_is_every_minute() -> None:
    value = cron_job(job(main()))
    value["spec"]["schedule"] = "* */1 * * *"
    assert fields("JW404", value)
    value["spec"]["schedule"] = "* * * * *"
    assert not fields("JW404", value)
