"""Watches of Pods in protobuf and in JSON: the same Pods, from a real API server.

What the server sent is recorded for the tests without one. To renew it: ``JOBSWORTH_RENEW=1 pytest
tests/cluster/controller/test_pod_watch.py -m cluster``.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jobsworth.client import protobuf_pods
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import STRATEGIC_MERGE
from jobsworth.client.api_resources import pods_path
from jobsworth.client.protobuf_pods import PODS, ProtobufPods
from jobsworth.client.rest_config import Target, rest_config
from jobsworth.client.transport import Client
from jobsworth.controller.controller_settings import ControllerSettings
from jobsworth.controller.pods import read_pod

if TYPE_CHECKING:
    from cluster.bed import TestBed

RECORDED = Path(__file__).parents[2] / "client" / "recorded_pod_watch.json"
LABELS = {
    "batch.kubernetes.io/job-name": "train",
    "batch.kubernetes.io/controller-uid": "42f8d6c1-8a31-4a6b-8db2-d4e6e3d56b11",
    "team": "",
}
OWNER = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "name": "train",
    "uid": "42f8d6c1-8a31-4a6b-8db2-d4e6e3d56b11",
    "controller": True,
}
OTHER_OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "settings", "uid": "2b1c"}


class Recording(ProtobufPods):
    """The watch of Pods in protobuf, with the body as it came.

    Attributes:
        body: each event with its length.
    """

    def __init__(self) -> None:
        self.body: list[bytes] = []

    def events(self, chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        for frame in protobuf_pods._frames(chunks):
            self.body.append(len(frame).to_bytes(protobuf_pods.LENGTH_BYTES, "big") + frame)
            yield from super().events(self.body[-1:])


@pytest.fixture(scope="module")
def client(bed: TestBed) -> Iterator[Client]:
    with rest_config(Target(str(bed.kubeconfig))) as config:
        yield Client(config, user_agent="jobsworth-test")


def pod(name: str, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **metadata},
        "spec": {
            "restartPolicy": "Never",
            "nodeName": "node-1",
            "initContainers": [
                {"name": "agent", "image": "agent:1", "restartPolicy": "Always"},
                {"name": "setup", "image": "setup:1"},
            ],
            "containers": [{"name": "main", "image": "train:1"}],
        },
    }


def status(name: str, **state: Any) -> dict[str, Any]:
    return {"name": name, "image": "", "imageID": "", "ready": False, "restartCount": 0, **state}


STATUSES = {
    "running": {
        "phase": "Running",
        "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:07Z"}
        ],
        "containerStatuses": [status("main", state={"running": {}}, restartCount=3)],
    },
    "failed": {
        "phase": "Failed",
        "conditions": [
            {"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:00:08Z"},
            {"type": "DisruptionTarget", "status": "True", "lastTransitionTime": None},
        ],
        "containerStatuses": [
            status(
                "main",
                state={
                    "terminated": {
                        "exitCode": -1,
                        "reason": "Störung",
                        "finishedAt": "2026-01-01T00:00:09Z",
                    }
                },
                lastState={"terminated": {"exitCode": 7, "reason": "Error"}},
            )
        ],
        "initContainerStatuses": [
            status("agent", state={"terminated": {"exitCode": 137}}, restartCount=2),
            status("setup", state={"waiting": {"reason": "PodInitializing"}}),
        ],
    },
    "succeeded": {
        "phase": "Succeeded",
        "containerStatuses": [
            status(
                "main", state={"terminated": {"exitCode": 0, "finishedAt": "1970-01-01T00:00:00Z"}}
            )
        ],
        "initContainerStatuses": [
            status(
                "agent",
                state={"terminated": {"exitCode": 0, "finishedAt": "2026-01-01T00:00:10Z"}},
            )
        ],
    },
}


def watched(
    client: Client, path: str, query: dict[str, str], watch_format: ProtobufPods | None
) -> list[dict[str, Any]]:
    return list(client.stream(path, {**query, "timeoutSeconds": "2"}, watch_format))


def test_both_formats_show_the_same_pods(client: Client, namespace: str) -> None:
    path = pods_path(namespace)
    version = client.get(path)["metadata"]["resourceVersion"]
    client.create(path, pod("plain"))
    annotations = {"batch.kubernetes.io/job-completion-index": "3", "note": "a\n\u0000ü\U0001f40b"}
    for name, reported in STATUSES.items():
        made = pod(
            name,
            labels=LABELS,
            annotations=annotations,
            ownerReferences=[OTHER_OWNER, OWNER],
            finalizers=["batch.kubernetes.io/job-tracking", "example.com/other"],
        )
        client.create(path, made)
        client.patch(f"{path}/{name}/status", {"status": reported}, STRATEGIC_MERGE)
    client.delete(f"{path}/failed", {"gracePeriodSeconds": 40})
    client.delete(f"{path}/plain", {"gracePeriodSeconds": 0})
    recording = Recording()
    in_json = watched(client, path, {"resourceVersion": version}, None)
    in_protobuf = watched(client, path, {"resourceVersion": version}, recording)
    assert [event["type"] for event in in_protobuf] == [event["type"] for event in in_json]
    assert {"ADDED", "MODIFIED", "DELETED"} <= {event["type"] for event in in_json}
    settings = ControllerSettings()
    for one, other in zip(in_protobuf, in_json, strict=True):
        assert read_pod(one["object"], settings) == read_pod(other["object"], settings)
    if os.environ.get("JOBSWORTH_RENEW"):
        record(recording.body, in_json)


def record(body: list[bytes], events: list[dict[str, Any]]) -> None:
    lines = []
    for sent, event in zip(body, events, strict=True):
        event["object"]["metadata"].pop("managedFields", None)
        lines.append(json.dumps({"json": event, "protobuf": base64.b64encode(sent).decode()}))
    RECORDED.write_text("[\n" + ",\n".join(lines) + "\n]\n")


@pytest.mark.parametrize(
    "query",
    [{"resourceVersionMatch": "Never"}, {"resourceVersion": "soon"}, {"fieldSelector": "x=y"}],
)
def test_a_rejected_watch_says_the_same_in_both_formats(
    client: Client, namespace: str, query: dict[str, str]
) -> None:
    errors = []
    for watch_format in (None, PODS):
        with pytest.raises(ApiError) as caught:
            watched(client, pods_path(namespace), query, watch_format)
        errors.append((caught.value.code, caught.value.reason, caught.value.message))
    assert errors[0] == errors[1]
    assert errors[0][0] >= 400
