"""The webhook configurations that the manager creates: when they are written, and what stays of an edit."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest

pytest.importorskip("cryptography")

from certificates.test_cluster_store import Stored
from jobsworth.certificates.cluster_store import Cluster, WebhookConfiguration
from jobsworth.certificates.registrar import Registrar, RegistrationOwner, RegistrationTemplate
from jobsworth.client.api_errors import ApiError
from jobsworth.registration import EVERYTHING, NOTHING, ScopePart

VALIDATING = WebhookConfiguration("ValidatingWebhookConfiguration", "hooks")
KEY = str(VALIDATING)
OWNER = {"apiVersion": "v1", "kind": "Namespace", "name": "ns", "uid": "u1"}
WEBHOOK = {
    "name": "validate.jobsworth.dev",
    "failurePolicy": "Fail",
    "clientConfig": {"service": {"name": "webhook"}},
    "objectSelector": {},
}
NAMESPACE = "/api/v1/namespaces/ns"
ROLE = "/apis/rbac.authorization.k8s.io/v1/clusterroles/role"


class Registered(Stored):
    """An API server that stores what the registrar writes, with a default of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0

    def request(self, method: str, path: str, body: Any = None, **more: Any) -> dict[str, Any]:
        found = super().request(method, path, body, **more)
        if path == VALIDATING.path and method != "GET":
            self.writes += 1
            if method == "DELETE":
                return self.objects.pop(path)
            self.objects[path] = stored(body, str(self.writes + 5))
        return self.objects.get(path, found)


def stored(body: Mapping[str, Any], version: str) -> dict[str, Any]:
    """What the API server makes of a body, without the directives of a patch."""
    thing = copy.deepcopy(dict(body))
    metadata = thing["metadata"] = {**thing["metadata"], "resourceVersion": version}
    metadata["ownerReferences"] = [e for e in metadata["ownerReferences"] if "$patch" not in e]
    thing["webhooks"] = [
        {key: value for key, value in {**each, "timeoutSeconds": 10}.items() if value != {}}
        for each in thing["webhooks"]
        if "$patch" not in each
    ]
    return thing


class Given:
    """A registrar and what it depends on; the test sets the attributes."""

    def __init__(self) -> None:
        self.api = Registered()
        self.scope: tuple[ScopePart, ...] | None = EVERYTHING
        self.ready = True
        self.owner: dict[str, Any] | None = OWNER
        self.enabled = True
        self.cluster = Cluster(self.api, namespace="ns", secret="tls", configurations=(VALIDATING,))
        self.registrar = Registrar(
            self.cluster, self._templates, lambda: self.owner, lambda: self.ready
        )

    def _templates(self) -> dict[str, RegistrationTemplate]:
        template = RegistrationTemplate(
            {"labels": {"a": "b"}, "annotations": {}}, WEBHOOK, self.scope
        )
        return {KEY: template} if self.enabled else {}

    def reconcile(self, bundle: bytes = b"ca") -> bool:
        return self.registrar.reconcile(self.cluster.read(), bundle)

    @property
    def stored(self) -> dict[str, Any]:
        return self.api.objects[VALIDATING.path]

    @property
    def failure_policies(self) -> list[str]:
        return [each["failurePolicy"] for each in self.stored["webhooks"]]


@pytest.fixture
def given() -> Given:
    return Given()


def test_a_configuration_is_created_with_bundle_owner_and_labels(given: Given) -> None:
    assert given.reconcile()
    (webhook,) = given.stored["webhooks"]
    assert webhook["clientConfig"] == {"service": {"name": "webhook"}, "caBundle": "Y2E="}
    assert given.stored["metadata"]["ownerReferences"] == [OWNER]
    assert given.stored["metadata"]["labels"] == {"a": "b"}
    assert given.failure_policies == ["Fail"]


def test_what_is_as_wanted_is_not_written_again(given: Given) -> None:
    given.reconcile()
    assert given.reconcile()
    assert given.api.writes == 1


def test_it_fails_open_until_a_replica_is_ready_and_then_never_again(given: Given) -> None:
    given.ready = False
    assert not given.reconcile()  # call again
    assert given.failure_policies == ["Ignore"]
    given.ready = True
    assert given.reconcile()
    assert given.failure_policies == ["Fail"]
    given.ready = False
    assert given.reconcile()
    assert given.failure_policies == ["Fail"]


def test_policies_that_deny_nothing_need_no_replica(given: Given) -> None:
    given.scope, given.ready = NOTHING, False
    assert given.reconcile()
    assert given.failure_policies == ["Ignore"]


def test_invalid_policies_change_nothing(given: Given) -> None:
    given.reconcile()
    given.scope = None
    assert given.reconcile()
    assert given.failure_policies == ["Fail"]
    del given.api.objects[VALIDATING.path]
    assert given.reconcile()
    assert given.failure_policies == ["Ignore"]


EDITS: dict[str, Any] = {
    "another webhook": lambda thing: thing["webhooks"].append({"name": "x", "clientConfig": {}}),
    "no webhook": lambda thing: thing.pop("webhooks"),
    "a selector": lambda thing: thing["webhooks"][0].update(
        {"objectSelector": {"matchLabels": {"a": "b"}}}
    ),
    "a label": lambda thing: thing["metadata"]["labels"].clear(),
    "the owner": lambda thing: thing["metadata"].pop("ownerReferences"),
    "the bundle": lambda thing: thing["webhooks"][0]["clientConfig"].pop("caBundle"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_reverted(given: Given, edit: str) -> None:
    given.reconcile()
    before = copy.deepcopy({k: v for k, v in given.stored.items() if k != "metadata"})
    EDITS[edit](given.stored)
    assert given.reconcile()
    assert {k: v for k, v in given.stored.items() if k in before} | {
        "kind": before["kind"], "apiVersion": before["apiVersion"],
    } == before  # fmt: skip
    assert given.stored["metadata"]["ownerReferences"] == [OWNER]
    assert given.api.writes == 2


def test_a_default_of_the_api_server_is_no_edit(given: Given) -> None:
    given.reconcile()
    given.stored["webhooks"][0]["aFieldOfALaterRelease"] = "default"
    assert given.reconcile()
    assert given.api.writes == 1


def test_a_configuration_without_a_template_is_deleted_if_it_is_ours(given: Given) -> None:
    given.reconcile()
    given.enabled = False
    theirs = copy.deepcopy(given.stored)
    theirs["metadata"]["ownerReferences"] = []
    assert given.reconcile()
    assert VALIDATING.path not in given.api.objects
    given.api.objects[VALIDATING.path] = theirs
    given.reconcile()
    assert VALIDATING.path in given.api.objects


def test_while_the_installation_is_removed_nothing_is_created(given: Given) -> None:
    given.owner = None
    assert given.reconcile()
    assert given.api.writes == 0


# The owner


def named(uid: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "ns", "uid": uid, "resourceVersion": "1", **metadata}}


def test_the_namespace_owns_the_cluster_role_that_owns_the_configurations() -> None:
    api = Stored()
    api.objects[NAMESPACE] = named("u1")
    api.objects[ROLE] = named("u2", name="role")
    reference = RegistrationOwner(api, "ns", "role").reference()
    assert reference == {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "name": "role", "uid": "u2",
    }  # fmt: skip
    ((path, _, body, _),) = api.patches
    assert (path, body) == (ROLE, {"metadata": {"ownerReferences": [OWNER]}})
    api.objects[ROLE]["metadata"]["ownerReferences"] = [OWNER]
    RegistrationOwner(api, "ns", "role").reference()
    assert len(api.patches) == 1


def test_without_a_cluster_role_the_namespace_is_the_owner() -> None:
    api = Stored()
    api.objects[NAMESPACE] = named("u1")
    assert RegistrationOwner(api, "ns").reference() == OWNER


def test_an_owner_that_is_deleted_is_none() -> None:
    api = Stored()
    assert RegistrationOwner(api, "ns").reference() is None
    api.objects[NAMESPACE] = named("u1")
    assert RegistrationOwner(api, "ns", "role").reference() is None
    api.objects[NAMESPACE] = named("u1", deletionTimestamp="2026-01-01T00:00:00Z")
    assert RegistrationOwner(api, "ns").reference() is None


def test_a_missing_permission_is_explained() -> None:
    api = Stored()
    api.faults["GET", NAMESPACE] = ApiError(403, "Forbidden", "not allowed")
    with pytest.raises(ApiError, match="cannot read Namespace ns: not allowed"):
        RegistrationOwner(api, "ns").reference()
