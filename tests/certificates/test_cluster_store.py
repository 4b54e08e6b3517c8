"""The Secret and the webhook configurations of an installation, as the API stores them."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

import pytest

from jobsworth.certificates.cluster_store import Cluster, WebhookConfiguration
from jobsworth.certificates.rotation import Bundle
from jobsworth.certificates.state import KEYS
from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.api_interface import APPLY, JSON, STRATEGIC_MERGE, Api

SECRET = "/api/v1/namespaces/ns/secrets/tls"
MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/hooks"
VALIDATING = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks"


class Stored(Api):
    """Objects by path; patches are recorded, and rejected where the version is outdated.

    Attributes:
        faults: raised for a method and path.
    """

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.patches: list[tuple[str, str, Any, Any]] = []
        self.faults: dict[tuple[str, str], ApiError] = {}

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> dict[str, Any]:
        if (method, path) in self.faults:
            raise self.faults[method, path]
        if content_type == APPLY:
            self.objects.setdefault(path, {"metadata": {"resourceVersion": "1"}})
        elif path not in self.objects:
            raise ApiError(404, "NotFound", "not found")
        if method == "PATCH":
            self.patches.append((path, content_type, body, query))
            present = self.objects[path]["metadata"]["resourceVersion"]
            if body["metadata"].get("resourceVersion", present) != present:
                raise ApiError(409, "Conflict", "the object has been modified")
        return self.objects[path]


def webhooks(*names: str) -> dict[str, Any]:
    return {
        "metadata": {"resourceVersion": "5"},
        "webhooks": [{"name": name, "clientConfig": {"caBundle": "YQ=="}} for name in names],
    }


@pytest.fixture
def api() -> Stored:
    return Stored()


@pytest.fixture
def cluster(api: Stored) -> Cluster:
    kinds = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    configurations = tuple(WebhookConfiguration(kind, "hooks") for kind in kinds)
    return Cluster(api, namespace="ns", secret="tls", configurations=configurations)


def test_a_missing_secret_is_none(cluster: Cluster) -> None:
    seen = cluster.read()
    assert (seen.data, seen.version, seen.bundles, seen.versions) == ({}, None, (), {})


def test_a_secret_is_read(api: Stored, cluster: Cluster) -> None:
    api.objects[SECRET] = {"metadata": {"resourceVersion": "3"}, "data": {"ca.crt": "Y2E="}}
    api.objects[VALIDATING] = webhooks("a.b.c", "d.e.f")
    api.objects[VALIDATING]["webhooks"][1]["clientConfig"] = {}
    seen = cluster.read()
    name = "ValidatingWebhookConfiguration hooks"
    assert (seen.data, seen.version, seen.versions) == ({"ca.crt": b"ca"}, "3", {name: "5"})
    assert seen.bundles == (Bundle(name, "a.b.c", b"a"), Bundle(name, "d.e.f", b""))


def test_the_secret_of_another_issuer_is_read_beside_it(api: Stored, cluster: Cluster) -> None:
    other = Cluster(api, namespace="ns", secret="tls", configurations=(), issued_secret="issued")
    assert cluster.read().issued is None
    assert other.read().issued == {}
    path = "/api/v1/namespaces/ns/secrets/issued"
    api.objects[path] = {"metadata": {"resourceVersion": "7"}, "data": {"tls.crt": "Y2E="}}
    seen = other.read()
    assert (seen.data, seen.version, seen.issued) == ({}, None, {"tls.crt": b"ca"})


def test_the_error_of_an_unreadable_secret_of_another_issuer_names_it(api: Stored) -> None:
    other = Cluster(api, namespace="ns", secret="tls", configurations=(), issued_secret="issued")
    path = "/api/v1/namespaces/ns/secrets/issued"
    api.faults["GET", path] = ApiError(403, "Forbidden", "no")
    with pytest.raises(ApiError, match="cannot read Secret ns/issued"):
        other.read()


def test_a_secret_is_written_over_what_was_read(api: Stored, cluster: Cluster) -> None:
    api.objects[SECRET] = {"metadata": {"resourceVersion": "3"}}
    cluster.write_secret(cluster.read(), {"ca.crt": b"new"})
    ((path, content_type, body, query),) = api.patches
    assert (path, content_type) == (SECRET, STRATEGIC_MERGE)
    assert query == {"fieldManager": "jobsworth-certificates"}
    assert body["metadata"] == {"resourceVersion": "3"}
    assert body["data"] == {**dict.fromkeys(KEYS), "ca.crt": base64.b64encode(b"new").decode()}


def test_a_missing_secret_is_created_by_apply_and_then_written(
    api: Stored, cluster: Cluster
) -> None:
    cluster.write_secret(cluster.read(), {"ca.crt": b"new"})
    assert [kind for _, kind, _, _ in api.patches] == [APPLY, STRATEGIC_MERGE]


def test_a_secret_that_another_replica_made_is_a_conflict(api: Stored, cluster: Cluster) -> None:
    seen = cluster.read()
    api.objects[SECRET] = {"metadata": {"resourceVersion": "1"}, "data": {"ca.crt": "YQ=="}}
    with pytest.raises(ApiError) as caught:
        cluster.write_secret(seen, {})
    assert caught.value.conflict


def test_a_namespace_that_is_missing_is_no_conflict(api: Stored, cluster: Cluster) -> None:
    api.faults["PATCH", SECRET] = ApiError(404, "NotFound", 'namespaces "ns" not found')
    with pytest.raises(ApiError, match='cannot create Secret ns/tls: namespaces "ns"') as caught:
        cluster.write_secret(cluster.read(), {})
    assert not caught.value.conflict


def test_a_bundle_goes_into_every_webhook_of_its_configuration(
    api: Stored, cluster: Cluster
) -> None:
    api.objects |= {MUTATING: webhooks("a.b.c", "d.e.f"), VALIDATING: webhooks("g.h.i")}
    cluster.write_bundle(cluster.read(), "MutatingWebhookConfiguration hooks", b"new")
    ((path, content_type, body, _),) = api.patches
    assert (path, content_type) == (MUTATING, STRATEGIC_MERGE)
    assert body["metadata"] == {"resourceVersion": "5"}
    assert body["webhooks"] == [
        {"name": name, "clientConfig": {"caBundle": "bmV3"}} for name in ("a.b.c", "d.e.f")
    ]


@pytest.mark.parametrize("gone", [True, False])
def test_a_configuration_that_is_gone_or_changed_is_a_conflict(
    api: Stored, cluster: Cluster, gone: bool
) -> None:
    api.objects[MUTATING] = webhooks("a.b.c")
    seen = cluster.read()
    if gone:
        del api.objects[MUTATING]
    else:
        api.objects[MUTATING]["metadata"]["resourceVersion"] = "6"
    with pytest.raises(ApiError) as caught:
        cluster.write_bundle(seen, "MutatingWebhookConfiguration hooks", b"new")
    assert caught.value.conflict
    body = {"metadata": {"name": "hooks", "ownerReferences": []}, "webhooks": []}
    with pytest.raises(ApiError) as caught:
        cluster.write_configuration(seen, "MutatingWebhookConfiguration hooks", body)
    assert caught.value.conflict


@pytest.mark.parametrize(
    ("call", "task"),
    [
        (("GET", SECRET), "cannot read Secret ns/tls: "),
        (("GET", MUTATING), "cannot read MutatingWebhookConfiguration hooks: "),
        (("PATCH", SECRET), "cannot create Secret ns/tls: "),
    ],
)
@pytest.mark.parametrize("code", [UNREACHABLE, 403, 500])
def test_an_error_names_the_task(
    api: Stored, cluster: Cluster, call: tuple[str, str], task: str, code: int
) -> None:
    api.faults[call] = ApiError(code, "", "no")
    with pytest.raises(ApiError, match=re.escape(task + "no")) as caught:
        cluster.write_secret(cluster.read(), {})
    assert caught.value.code == code
