"""What the servers beside a Job have and its Pods lack."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.edits import edited
from jobsworth.lint.neighbors import Neighbors
from jobsworth.validation.engine import engine_for
from support.lint.linted_jobs import (
    RULE_OF,
    cron_job,
    fields,
    fields_beside,
    found_beside,
    job,
    lint,
    server,
    stored,
    with_metadata,
)  # fmt: skip

RELEASE = {"app.kubernetes.io/instance": "shop"}
TOLERATIONS = [{"key": "dedicated", "value": "shop", "effect": "NoSchedule"}]


def released(pod: dict[str, Any], name: str = "server") -> dict[str, Any]:
    value = server({"containers": [], **pod}, name=name)
    value["metadata"]["labels"] = RELEASE
    return value


def placed(pod: dict[str, Any], *servers: dict[str, Any]) -> list[str]:
    return fields_beside("JW718", with_metadata(job(pod), labels=RELEASE), *servers)


def test_a_job_has_the_placement_of_all_servers() -> None:
    tolerant, selective = (
        released({"tolerations": TOLERATIONS}),
        released({"nodeSelector": {"pool": "a"}}),
    )
    assert placed({}, tolerant) == ["template.spec.tolerations"]
    assert placed({}, selective) == ["template.spec.nodeSelector"]
    assert placed({}, tolerant, released({"tolerations": TOLERATIONS}, "other")) != []
    assert placed({}, tolerant, released({}, "other")) == []
    assert placed({"tolerations": [{"operator": "Exists"}]}, tolerant) == []
    assert placed({"nodeName": "node-1"}, tolerant) == []
    assert fields_beside("JW718", job(), tolerant) == ["template.spec.tolerations"]  # one file
    value = with_metadata(job(), labels=RELEASE)
    (finding,) = found_beside("JW718", value, tolerant)
    assert finding.fix is not None
    assert (
        edited(value, *finding.fix.edits)["spec"]["template"]["spec"]["tolerations"] == TOLERATIONS
    )


def test_the_servers_of_an_application_are_found_by_what_they_share() -> None:
    def beside(pod: dict[str, Any], file: str, **labels: str) -> Neighbors:
        value = server({"containers": [], **pod})
        value["metadata"]["labels"] = labels
        return Neighbors.of([value], file)

    def reported(value: dict[str, Any], neighbors: Neighbors) -> bool:
        return bool(lint(value, engine_for(ApiServer("1.36")), [RULE_OF["JW718"]], neighbors))

    tolerant = {"tolerations": TOLERATIONS}
    claim = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
    image = {"containers": [{"name": "main", "image": "shop:1.4"}]}
    assert reported(job(), beside(tolerant, ""))
    assert not reported(job(), beside(tolerant, "other.yaml"))
    assert reported(job(claim), beside({**tolerant, **claim}, "other.yaml"))
    assert reported(job(image), beside({**tolerant, **image}, "other.yaml"))
    labeled = with_metadata(job(), labels={"app": "shop"})
    assert reported(labeled, beside(tolerant, "other.yaml", app="shop"))
    assert not reported(labeled, beside(tolerant, "other.yaml", app="other"))


@pytest.mark.parametrize(
    "pod",
    [
        {"nodeSelector": {"kubernetes.io/os": "linux"}},
        {"tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}]},
        {"tolerations": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]},
        {"tolerations": []},
        {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]},
        {"nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-l4"}},
    ],
)
def test_placement_on_every_node_is_no_finding(pod: dict[str, Any]) -> None:
    assert placed({}, released(pod)) == []


def pulling(image: str, secrets: Any = None, account: str | None = None) -> dict[str, Any]:
    pod: dict[str, Any] = {"containers": [{"name": "main", "image": image}]}
    if secrets:
        pod["imagePullSecrets"] = [{"name": each} for each in secrets]
    if account:
        pod["serviceAccountName"] = account
    return pod


PRIVATE = server(pulling("registry.example.com/shop/web:1.4", ["registry"]))


@pytest.mark.parametrize(
    ("pod", "beside", "reported"),
    [
        (pulling("registry.example.com/tools:2"), PRIVATE, True),
        (pulling("other.example.com/tools:2"), PRIVATE, False),
        (pulling("busybox:1"), server(pulling("busybox:1", ["hub"])), False),
        (pulling("ghcr.io/shop/web:1"), server(pulling("ghcr.io/shop/web:2", ["ghcr"])), True),
        (pulling("ghcr.io/shop/tools:1"), server(pulling("ghcr.io/shop/web:2", ["ghcr"])), True),
        (pulling("ghcr.io/tools/curl:1"), server(pulling("ghcr.io/shop/web:2", ["ghcr"])), False),
        (pulling("docker.io/shop/a:1"), server(pulling("docker.io/shop/a:1", ["hub"])), False),
        (pulling("registry.example.com/tools:2", ["own"]), PRIVATE, False),
        (pulling("registry.example.com/tools:2", account="absent"), PRIVATE, False),
        (
            pulling("registry.example.com/tools:2"),
            server(pulling("registry.example.com/web:1")),
            False,
        ),
    ],
)
def test_a_job_pulls_with_the_secrets_of_its_server(pod: Any, beside: Any, reported: bool) -> None:
    for value in (job(pod), cron_job(job(pod))):
        assert bool(fields_beside("JW719", value, beside)) is reported


def test_the_account_of_a_job_may_have_the_secrets() -> None:
    value = job(pulling("registry.example.com/tools:2", account="tools"))
    account = stored("ServiceAccount", "tools")
    assert fields_beside("JW719", value, PRIVATE, account) == ["template.spec.imagePullSecrets"]
    account["imagePullSecrets"] = [{"name": "registry"}]
    assert fields_beside("JW719", value, PRIVATE, account) == []


def configured(*names: str, **container: Any) -> dict[str, Any]:
    env = [{"name": name, "value": "x"} for name in names]
    return {"containers": [{"name": "main", "image": "shop:1.4", "env": env, **container}]}


@pytest.mark.parametrize(
    ("pod", "reported"),
    [
        (configured(), True),
        (configured("LOG_LEVEL"), True),
        (configured("DATABASE_URL"), False),
        (configured("DATABASE_HOST"), False),
        (configured(envFrom=[{"secretRef": {"name": "database"}}]), False),
        (configured(args=["--database=postgres://db/shop"]), False),
        (configured(image="tools:1"), False),
    ],
)
def test_a_job_works_on_the_data_of_its_server(pod: Any, reported: bool) -> None:
    beside = server(configured("DATABASE_URL", "DATABASE_HOST", "PORT"))
    assert bool(fields_beside("JW722", job(pod), beside)) is reported
    assert fields_beside("JW722", job(pod), server(configured("PORT"))) == []


def test_a_job_without_variables_lacks_those_of_an_env_from() -> None:
    beside = server(configured(envFrom=[{"secretRef": {"name": "database"}}]))
    assert fields_beside("JW722", job(configured()), beside) == ["template.spec.containers[0].env"]
    assert fields_beside("JW722", job(configured("LOG_LEVEL")), beside) == []


def client(mounted: bool | None = False, **pod: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "tools:1", "command": ["kubectl", "get", "pods"]}
    given = {} if mounted is None else {"automountServiceAccountToken": mounted}
    return job({"containers": [container], **given, **pod})


def test_a_client_of_the_api_server_needs_a_token() -> None:
    assert fields("JW723", client()) == ["template.spec.automountServiceAccountToken"]
    assert fields("JW723", client(True)) == []
    assert fields("JW723", client(None)) == []
    other = copy.deepcopy(client())
    other["spec"]["template"]["spec"]["containers"][0]["command"] = ["psql"]
    assert fields("JW723", other) == []


def test_the_account_may_mount_no_token() -> None:
    account = stored("ServiceAccount", "viewer", automountServiceAccountToken=False)
    value = client(None, serviceAccountName="viewer")
    assert fields_beside("JW723", value, account) == ["template.spec.containers[0]"]
    assert fields_beside("JW723", client(True, serviceAccountName="viewer"), account) == []
    assert fields_beside("JW723", value, stored("ServiceAccount", "viewer")) == []


@pytest.mark.parametrize(
    "volume",
    [
        {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}},
        {"name": "access", "secret": {"secretName": "access"}},
    ],
)
def test_a_client_may_bring_its_credentials(volume: dict[str, Any]) -> None:
    assert fields("JW723", client(volumes=[volume])) == []
