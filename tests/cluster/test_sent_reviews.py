"""`jobsworth policy review` prints what a real API server sends, but for the names and times that it generates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jobsworth.admission.manifest_review import CREATED, UID, ReviewInput, admission_review
from jobsworth.api.api_server import ApiServer
from support.admission.registered_webhook import registered_webhook
from support.policy.policy_requests import cron_job, job

if TYPE_CHECKING:
    from cluster.bed import TestBed

RULES = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
CONTAINER = {
    "name": "main",
    "image": "busybox:1.36",
    "env": [{"name": "A", "value": "b"}],
    "ports": [{"containerPort": 80}],
    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    "resources": {"requests": {"cpu": "1"}},
}
VOLUMES = [{"name": "data", "emptyDir": {}}]
INDEXED = {"completionMode": "Indexed", "completions": 2, "backoffLimitPerIndex": 1}
OBJECTS: dict[str, Any] = {
    "plain": job(suspend=True, completions=1),
    "with much": job(
        pod={"containers": [CONTAINER], "volumes": VOLUMES, "nodeSelector": {"a": "b"}},
        metadata={"labels": {"team": "ml"}, "annotations": {"a.b/c": "d"}},
        **{**INDEXED, "podFailurePolicy": {"rules": RULES}, "suspend": True},
    ),
    "without a name": job(metadata={"name": None, "generateName": "train-"}, suspend=True),
    "a CronJob": cron_job(suspend=True, timeZone="Etc/UTC"),
}


def placed(value: Any, namespace: str) -> Any:
    metadata = {name: part for name, part in value["metadata"].items() if part is not None}
    return {**value, "metadata": {**metadata, "namespace": namespace}}


def comparable(request: dict[str, Any]) -> Any:
    """Return a review's request with what each server generates replaced by what we print."""
    text = json.dumps(request)
    for value in filter(None, (request["object"], request.get("oldObject"))):
        metadata = value["metadata"]
        for generated, ours in (
            (metadata.get("uid"), UID),
            (metadata.get("creationTimestamp"), CREATED),
            (metadata.get("managedFields", [{}])[0].get("time"), CREATED),
        ):
            if generated:
                text = text.replace(f'"{generated}"', f'"{ours}"')
        if "generateName" in metadata and metadata.get("name"):
            text = text.replace(f'"{metadata["name"]}"', f'"{metadata["generateName"]}x7k2p"')
    found = json.loads(text)
    # The identity of the request and of the user are those of the bed; storage counts versions.
    for name in ("uid", "userInfo", "endpoint", "dryRun"):
        found.pop(name, None)
    for value in filter(None, (found["object"], found["oldObject"])):
        value["metadata"].pop("resourceVersion", None)
    return found


def leaves(value: Any, path: str = "") -> dict[str, Any]:
    """Return the parts of a value that contain nothing, by path."""
    if isinstance(value, dict) and value:
        parts = [leaves(part, f"{path}.{name}") for name, part in value.items()]
    elif isinstance(value, list) and value:
        parts = [leaves(part, f"{path}[{index}]") for index, part in enumerate(value)]
    else:
        return {path: value}
    return {path: leaf for part in parts for path, leaf in part.items()}


@pytest.mark.parametrize("value", OBJECTS.values(), ids=OBJECTS)
def test_a_creation_is_reviewed_as_printed(bed: TestBed, tmp_path: Path, value: Any) -> None:
    server = ApiServer(bed.release)
    with registered_webhook(bed, "sent-reviews") as webhook:
        namespace = webhook.namespace("sent")
        manifest = placed(value, namespace)
        file = tmp_path / "job.json"
        file.write_text(json.dumps(manifest))
        bed.kubectl("create", "--filename", str(file), "--validate=strict")
        reviews = {each["endpoint"]: each for each in webhook.reviews}
    for endpoint in ("mutate", "validate"):
        sent = ReviewInput(value=manifest, mutating=endpoint == "mutate")
        printed = admission_review(sent, server)["request"]
        ours, theirs = (leaves(comparable(one)) for one in (printed, reviews[endpoint]))
        missing = {path: leaf for path, leaf in theirs.items() if ours.get(path, "absent") != leaf}
        surplus = {path: leaf for path, leaf in ours.items() if path not in theirs}
        assert not missing, (endpoint, missing)
        assert not surplus, (endpoint, surplus)


@pytest.mark.parametrize("value", [OBJECTS["plain"], OBJECTS["with much"]], ids=["plain", "much"])
def test_an_update_is_reviewed_as_printed(bed: TestBed, value: Any) -> None:
    with registered_webhook(bed, "sent-updates") as webhook:
        namespace = webhook.namespace("sent")
        old = placed(value, namespace)
        bed.create(old, namespace)
        path = f"/apis/batch/v1/namespaces/{namespace}/jobs/{old['metadata']['name']}"
        patch = {"spec": {"parallelism": 2}}
        answer = bed.request("PATCH", path, patch, content_type="application/merge-patch+json")
        assert answer.code == 200, answer
        reviews = {
            each["endpoint"]: each for each in webhook.reviews if each["operation"] == "UPDATE"
        }
    new = {**old, "spec": {**old["spec"], "parallelism": 2}}
    for endpoint in ("mutate", "validate"):
        sent = ReviewInput(value=new, old=old, mutating=endpoint == "mutate")
        printed = admission_review(sent, ApiServer(bed.release))["request"]
        for name in ("object", "oldObject"):
            theirs, ours = (comparable(one)[name] for one in (reviews[endpoint], printed))
            for one in (theirs, ours):  # another client wrote it
                del one["metadata"]["managedFields"], one["metadata"]["generation"]
            assert ours == theirs, (endpoint, name)
