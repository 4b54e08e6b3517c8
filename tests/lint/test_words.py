"""The words that rules know: what a rule says about each, in the record of the messages."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.lint.agents import AGENTS, INJECTORS, PREPARATIONS
from jobsworth.lint.command_line import SHELLS
from jobsworth.lint.rules.pod_annotations import READ_ON_PODS
from jobsworth.lint.rules.pod_practices import MOVING_TAGS
from jobsworth.lint.rules.shards import ALONE, SHARDS, SHARES
from support.lint.linted_jobs import POD, fields, job

INDEXED = {"completionMode": "Indexed", "completions": 3}


def container(**parts: Any) -> dict[str, Any]:
    return {"name": "main", "image": "tool:1", **parts}


@pytest.mark.parametrize("tag", sorted(MOVING_TAGS))
def test_a_tag_that_moves_is_reported(tag: str) -> None:
    image = "template.spec.containers[0].image"
    assert fields("JW501", job({"containers": [container(image=f"tool:{tag}")]})) == [image]
    assert fields("JW501", job({"containers": [container(image=f"tool:{tag}-1.2")]})) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_of_every_shell_are_read(shell: str) -> None:
    for command in (shell, f"/bin/{shell}"):
        script = container(command=[command, "-c", "work; true"])
        assert fields("JW222", job({"containers": [script]})) != []


@pytest.mark.parametrize("image", sorted(AGENTS))
def test_an_image_that_runs_on_is_reported_as_a_container(image: str) -> None:
    arguments = [*AGENTS[image][:1]]
    other = container(name="proxy", image=f"registry.example.com/{image}:1.2", args=arguments)
    assert fields("JW214", job({"containers": [*POD["containers"], other]})) != []


NAMES_OF_NUMBERS = [*ALONE, *(f"num_{noun}" for noun in SHARDS), "shard_count", "total_tasks"]


@pytest.mark.parametrize("name", NAMES_OF_NUMBERS)
def test_a_number_of_shards_is_compared_with_completions(name: str) -> None:
    for variable in (name, name.upper()):
        env = [{"name": variable, "value": "4"}]
        assert fields("JW232", job({"containers": [container(env=env)]}, **INDEXED)) != []


@pytest.mark.parametrize("noun", SHARES)
def test_a_number_of_shares_counts_if_the_container_reads_its_index(noun: str) -> None:
    def told(*arguments: str) -> list[str]:
        return fields("JW232", job({"containers": [container(args=[*arguments])]}, **INDEXED))

    assert told(f"--num-{noun}=4") == []
    assert told(f"--num-{noun}=4", "--index=$(JOB_COMPLETION_INDEX)") != []


@pytest.mark.parametrize("part", ["annotations", "labels"])
@pytest.mark.parametrize(
    ("key", "value"),
    [(each.key, value) for each in INJECTORS for value in each.values or ("any",)],
)
def test_what_injects_a_sidecar_is_reported(key: str, value: str, part: str) -> None:
    injected = job()
    injected["spec"]["template"]["metadata"] = {part: {key: value}}
    assert fields("JW230", injected) == [f"template.metadata.{part}[{key}]"]


@pytest.mark.parametrize("key", sorted(READ_ON_PODS))
def test_an_annotation_that_is_read_on_pods_is_reported_on_a_job(key: str) -> None:
    value = job()
    value["metadata"]["annotations"] = {key: "true"}
    assert fields("JW227", value) != []


@pytest.mark.parametrize("client", ["argocd", "helm", "kubectl", "kustomize"])
def test_a_client_of_the_api_needs_its_token(client: str) -> None:
    assert (
        fields("JW503", job({"containers": [container(command=[f"/bin/{client}", "get"])]})) == []
    )
    assert fields("JW503", job({"containers": [container(image=f"alpine/{client}:3")]})) == []
    assert fields("JW503", job()) != []


@pytest.mark.parametrize(
    "command",
    [
        "train && curl -X POST localhost:15020/quitquitquit",
        "train; pkill envoy",
        "train; killall envoy",
        "linkerd-await --shutdown -- train",
        "train; curl -X POST localhost:3500/v1.0/shutdown",
    ],
)
def test_a_command_that_stops_the_sidecar_is_known(command: str) -> None:
    proxy = container(name="proxy", image="envoy:1.31")
    stopping = container(command=["sh", "-c", command])
    assert fields("JW214", job({"containers": [stopping, proxy]})) == []
    going_on = container(command=["sh", "-c", "train"])
    assert fields("JW214", job({"containers": [going_on, proxy]})) != []


@pytest.mark.parametrize("argument", sorted(PREPARATIONS))
def test_an_argument_with_which_a_proxy_ends_is_known(argument: str) -> None:
    def starting(*arguments: str) -> list[str]:
        first = container(name="first", image="envoy:1.31", args=[*arguments])
        return fields("JW229", job({"initContainers": [first]}))

    assert starting(argument) == []
    assert starting("run", f"--{argument}") == []
    assert starting(f"{argument}-not") != []
