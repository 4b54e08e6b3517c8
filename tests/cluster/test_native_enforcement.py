"""Exported policies on real API servers: they deny what the webhook denies, with the same codes, without it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.bed.connection import Answer, with_certificate
from cluster.exported_policies import Comparison, codes_of, comparison
from cluster.programs import NEWEST, OLDER
from cluster.test_exported_policies import POLICIES
from jobsworth.policy.request import PolicyRequest
from support.policy.generated_requests import balanced_requests

if TYPE_CHECKING:
    from cluster.bed import TestBed

COUNT = 500
ACTIVE_WITHIN = 120.0
IMPERSONATOR, ADMINISTRATORS = "impersonator", "system:masters"
BATCH = "/apis/batch/v1/namespaces"
REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
PLURALS = {
    "Job": "jobs",
    "CronJob": "cronjobs",
    "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
}
WRITTEN = {"manager": "test-bed", "operation": "Update", "fieldsV1": {}}


@pytest.fixture(scope="module", params=[NEWEST, OLDER])
def running(request: pytest.FixtureRequest) -> Iterator[TestBed]:
    with bed_or_skip(request.param, audit=False) as bed:
        yield bed


class Users:
    """The API server as any user sees it: by impersonation, with all rights."""

    def __init__(self, bed: TestBed) -> None:
        self._bed = bed
        root = bed.user(IMPERSONATOR, ADMINISTRATORS).parent
        self._pair = root / f"{IMPERSONATOR}.crt", root / f"{IMPERSONATOR}.key"
        self._connections: dict[tuple[str, ...], Any] = {}

    def send(self, request: PolicyRequest, method: str, path: str, body: Any) -> Answer:
        """Send an object as the user of a request."""
        user = (request.user or "", *request.groups)
        if user not in self._connections:
            # A header once for each spelling: a mapping has no second value.
            names = ("Impersonate-Group", "impersonate-group", "IMPERSONATE-GROUP")
            groups = dict(zip(names, (*request.groups, ADMINISTRATORS), strict=False))
            self._connections[user] = with_certificate(
                self._bed.url,
                self._bed.folder.ca_file,
                *self._pair,
                {"Impersonate-User": request.user or "", **groups},
            )
        answer: Answer = self._connections[user].request(method, path, body)
        return answer


def known(objects: Sequence[Mapping[str, Any]], bed: TestBed) -> None:
    for each in objects:
        bed.create(dict(each))


def forgotten(objects: Sequence[Mapping[str, Any]], bed: TestBed) -> None:
    for each in reversed(objects):
        name = each["metadata"]["name"]
        bed.request("DELETE", f"{REGISTRATION}/{PLURALS[each['kind']]}/{name}")


@pytest.mark.parametrize("value", POLICIES, ids=lambda value: value["metadata"]["name"])
@pytest.mark.slow
def test_a_real_api_server_denies_what_the_webhook_denies(
    running: TestBed, value: dict[str, Any]
) -> None:
    denying = {**value, "spec": {**value["spec"], "enforcement": "deny"}}
    compared = comparison(denying, running.release)
    requests = [
        with_name(request, f"{compared.exported.name[:14]}-{number}")
        for number, request in enumerate(
            balanced_requests(denying, COUNT, compared.server, compared.violates, seed=7)
        )
    ]
    users = Users(running)
    namespaces(running, requests)
    stored = {
        request.name: store(running, request) for request in requests if request.old is not None
    }
    expected = {request.name: denied(compared, request) for request in requests}
    assert 0.2 <= sum(map(bool, expected.values())) / COUNT <= 0.8
    known(compared.objects, running)
    try:
        await_active(users, requests, expected)
        found = {
            request.name: codes(send(users, request, stored.get(request.name)))
            for request in requests
        }
    finally:
        forgotten(compared.objects, running)
    assert found == expected


def with_name(request: PolicyRequest, suffix: str) -> PolicyRequest:
    """The request for an object of its own, which a client creates or updates without an apply."""
    name = f"{request.name}-{suffix}"

    def named(value: dict[str, Any]) -> dict[str, Any]:
        metadata = {**value["metadata"], "managedFields": [WRITTEN], "name": name}
        return {**value, "metadata": metadata}

    old = None if request.old is None else named(request.old)
    return replace(request, name=name, object=named(request.object), old=old)


def namespaces(bed: TestBed, requests: Sequence[PolicyRequest]) -> None:
    for name, labels in {
        request.namespace: dict(request.namespace_labels or {}) for request in requests
    }.items():
        path = f"/api/v1/namespaces/{name}"
        answer = bed.request("GET", path)
        thing = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name, "labels": labels},
        }
        if answer.code == 404:
            bed.create(thing)
        else:
            patch = {"metadata": {"labels": labels}}
            bed.request("PATCH", path, patch, content_type="application/merge-patch+json")


def store(bed: TestBed, request: PolicyRequest) -> dict[str, Any]:
    """Store the object that a request updates."""
    answer = bed.request("POST", path_of(request), sent(request.old or {}))
    assert answer.code == 201, answer
    body: dict[str, Any] = answer.body
    return body


def send(users: Users, request: PolicyRequest, stored: dict[str, Any] | None) -> Answer:
    """Send the create or the update of a request as a dry run."""
    path, body = path_of(request), sent(request.object)
    if stored is None:
        return users.send(request, "POST", f"{path}?dryRun=All", body)
    metadata = {**body["metadata"], "resourceVersion": stored["metadata"]["resourceVersion"]}
    if request.kind == "Job":
        # The server generates these in a Job, so an update of the stored Job has them.
        spec = {**body["spec"], "selector": stored["spec"]["selector"]}
        template = {
            **body["spec"]["template"],
            "metadata": {**stored["spec"]["template"].get("metadata", {})},
        }
        body = {**body, "spec": {**spec, "template": template}}
    return users.send(
        request, "PUT", f"{path}/{request.name}?dryRun=All", {**body, "metadata": metadata}
    )


def sent(value: Mapping[str, Any]) -> dict[str, Any]:
    """The object as a client sends it."""
    metadata = {key: part for key, part in value["metadata"].items() if key != "managedFields"}
    return {**{key: part for key, part in value.items() if key != "status"}, "metadata": metadata}


def path_of(request: PolicyRequest) -> str:
    return f"{BATCH}/{request.namespace}/{PLURALS[request.kind]}"


def denied(compared: Comparison, request: PolicyRequest) -> frozenset[str]:
    """The codes with which the webhook denies a request."""
    return frozenset(code for effect, code in compared.bounds(request)[1] if effect == "deny")


def codes(answer: Answer) -> frozenset[str]:
    """The codes with which the API server denies a request."""
    if answer.code in (200, 201):
        return frozenset()
    message = answer.body["message"]
    assert answer.code == 403, message
    assert "ValidatingAdmissionPolicy" in message
    return frozenset(code for _, code in codes_of("deny", message))


def await_active(
    users: Users, requests: Sequence[PolicyRequest], expected: Mapping[str, frozenset[str]]
) -> None:
    """Wait until the API server enforces the policies for each kind of object."""
    for kind in ("Job", "CronJob"):
        for request in requests:
            if request.old is None and request.kind == kind and expected[request.name]:
                until = time.monotonic() + ACTIVE_WITHIN
                while not codes(send(users, request, None)):
                    assert time.monotonic() < until, f"not active: {request}"
                    time.sleep(0.1)
                break
