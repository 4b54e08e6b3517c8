"""A webhook that injects a container into Pods, as a service mesh does."""

from __future__ import annotations

import base64
import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from support.admission.registered_webhook import configurations_path, served

if TYPE_CHECKING:
    from cluster.bed import TestBed

INJECT = "inject"
"""The label of the namespaces whose Pods get a container; its value is the name of the webhook."""


@contextmanager
def injecting_webhook(
    bed: TestBed, name: str, container: dict[str, Any], *, side_effects: str = "None"
) -> Iterator[None]:
    """Serve and register a webhook that adds a container to each Pod until the block ends.

    Args:
        side_effects: ``Some`` for a configuration that was stored before admissionregistration.k8s.io/v1,
            which does not accept it any more.
    """

    def answer(path: str, body: bytes) -> bytes:
        review = json.loads(body)
        patch = json.dumps([{"op": "add", "path": "/spec/containers/-", "value": container}])
        response = {
            "uid": review["request"]["uid"],
            "allowed": True,
            "patchType": "JSONPatch",
            "patch": base64.b64encode(patch.encode()).decode(),
        }
        return json.dumps({**review, "request": None, "response": response}).encode()

    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["pods"],
        "scope": "Namespaced",
    }
    with served(bed, answer) as port:
        webhook = {
            "name": f"{name}.example.com",
            "admissionReviewVersions": ["v1"],
            "clientConfig": {
                "url": f"https://127.0.0.1:{port}/inject",
                "caBundle": base64.b64encode(bed.ca.certificate).decode(),
            },
            "failurePolicy": "Fail",
            "sideEffects": side_effects,
            "rules": [rule],
            "namespaceSelector": {"matchLabels": {INJECT: name}},
        }
        stored = bed.create(
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "MutatingWebhookConfiguration",
                "metadata": {"name": name},
                "webhooks": [{**webhook, "sideEffects": "None"}],
            }
        )
        if side_effects != "None":
            webhook = {**stored["webhooks"][0], "sideEffects": side_effects}
            _store(bed, {**stored, "webhooks": [webhook]})
        try:
            yield
        finally:
            bed.request("DELETE", f"{configurations_path('Mutating')}/{name}")


def _store(bed: TestBed, configuration: dict[str, Any]) -> None:
    """Replace a configuration in etcd."""
    name = configuration["metadata"]["name"]
    key = f"/registry/mutatingwebhookconfigurations/{name}"
    encoded = {
        "key": base64.b64encode(key.encode()).decode(),
        "value": base64.b64encode(json.dumps(configuration).encode()).decode(),
    }
    address = f"{bed.etcd_url}/v3/kv/put"
    request = urllib.request.Request(address, json.dumps(encoded).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200
