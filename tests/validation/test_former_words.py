"""The words of earlier releases: what each release says otherwise than the next about one Job full of mistakes.

To renew the record after an intended change: ``JOBSWORTH_RENEW=1 pytest tests/validation/test_former_words.py``.
The recorded answers of API servers (tests/recorded) confirm the words.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jobsworth.api.api_server import RELEASES, ApiServer
from jobsworth.validation.engine import engine_for
from support.recorded_text import expect_recorded

RECORDED = Path(__file__).parent / "data/former_words.txt"

OWNER = {"apiVersion": "", "kind": "", "name": "", "uid": ""}
LIMITS = {"limits": {"cpu": "1", "foo": "1"}, "requests": {"cpu": "2", "bar": "1", "a//b": "1"}}
CONTAINER: dict[str, Any] = {
    "name": "main.main",
    "image": "busybox",
    "resources": LIMITS,
    "lifecycle": {"preStop": {"httpGet": {"port": 80, "scheme": "\u2028"}}},
    "terminationMessagePolicy": "\u2028",
    "securityContext": {
        "seccompProfile": {"type": "Localhost", "localhostProfile": "../" + 300 * "a"},
    },
    "env": [{"name": "=", "valueFrom": {"fieldRef": {"fieldPath": "a"}}}],
}
POD: dict[str, Any] = {
    "restartPolicy": "Never",
    "os": {"name": ""},
    "hostAliases": [{"ip": "256.0.0.1", "hostnames": ["a..b"]}],
    "dnsConfig": {"searches": ["_a..b"], "nameservers": ["x"]},
    "containers": [CONTAINER],
    "initContainers": [{**CONTAINER, "name": "first", "livenessProbe": {"exec": {}}}],
    "volumes": [
        {
            "name": "scratch",
            "ephemeral": {"volumeClaimTemplate": {"metadata": {"name": "x"}, "spec": {}}},
        },
        {
            "name": "trust",
            "projected": {"sources": [{"clusterTrustBundle": {"path": "../a", "name": "*"}}]},
        },
    ],
    "tolerations": [{"key": 64 * "k" + "/" + 64 * "k", "operator": "\u2028"}],
}
JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {
        "name": "x" * 64,
        "labels": {254 * "p" + "/name": "v", "k" * 64: "v" * 64, "": "", "a b": "c d"},
        "annotations": {254 * "p" + "/name": "v", "k" * 64: ""},
        "ownerReferences": [OWNER],
        "finalizers": ["f" * 64],
    },
    "spec": {
        "managedBy": "example.com/" + 70 * "m",
        "podReplacementPolicy": "\u2028",
        "completionMode": "Indexed",
        "template": {"spec": POD},
    },
}


def messages(minor: int) -> list[str]:
    found = engine_for(ApiServer(f"1.{minor}")).validate(JOB)
    texts = (f"{finding.field}: {finding.message}" for finding in found)
    return [text for text in texts if " unless the feature gate " not in text]


def differences() -> Iterator[str]:
    newest, *earlier = sorted((int(each.partition(".")[2]) for each in RELEASES), reverse=True)
    later = messages(newest)
    yield f"1.{newest}"
    yield from (f"    {each}" for each in later)
    for minor in earlier:
        found = messages(minor)
        yield f"1.{minor}"
        yield from (f"    {each}" for each in found if each not in later)
        yield from (f"    not yet: {each}" for each in later if each not in found)
        later = found


def test_each_release_has_its_recorded_words() -> None:
    expect_recorded(RECORDED, differences())
