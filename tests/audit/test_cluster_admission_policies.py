"""The ValidatingAdmissionPolicies that an audit reads from a cluster, with bindings and params."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.audit.stored_objects import cluster_admission_policies
from jobsworth.client.api_errors import ApiError, error_of
from jobsworth.client.api_interface import JSON, Api
from support.policy.admission_policy_objects import (
    binding,
    config_map,
    mutating_binding,
    mutating_policy,
    policy,
    request,
)

GROUP = "/apis/admissionregistration.k8s.io/v1"
POLICIES = f"{GROUP}/validatingadmissionpolicies"
BINDINGS = f"{GROUP}/validatingadmissionpolicybindings"
CONFIG_MAPS = {"apiVersion": "v1", "kind": "ConfigMap"}
CORE = {
    "resources": [
        {"name": "configmaps", "kind": "ConfigMap", "namespaced": True},
        {"name": "configmaps/status", "kind": "ConfigMap", "namespaced": True},
    ]
}


class Stored(Api):
    """Lists of objects by path; a path without a list is forbidden, or has no kind, as policies that mutate."""

    def __init__(self, answers: Mapping[str, Any], missing: int = 403) -> None:
        self.answers = answers
        self.missing = missing
        self.calls: list[tuple[str, dict[str, str]]] = []

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
        """Answer with a list of objects, or with the kinds of a group."""
        self.calls.append((path, dict(query or {})))
        if path not in self.answers:
            is_served = "mutatingadmissionpolic" not in path
            raise error_of(self.missing if is_served else 404, {"message": "no"})
        answer = self.answers[path]
        return answer if isinstance(answer, dict) else {"items": answer, "metadata": {}}


def outcomes(api: Api) -> tuple[list[str], list[str]]:
    notes: list[str] = []
    policies = cluster_admission_policies(api, "1.37", notes.append)
    return [each.text for each in policies.evaluate(request())], notes


def test_policies_and_bindings_are_those_of_the_cluster() -> None:
    found, notes = outcomes(Stored({POLICIES: [policy("false")], BINDINGS: [binding()]}))
    assert found == [
        "ValidatingAdmissionPolicy 'small' with binding 'everywhere' denied request: "
        "failed expression: false"
    ]
    assert notes == []


def test_only_the_params_that_a_binding_names_are_read() -> None:
    params = "/api/v1/namespaces/batch/configmaps"
    api = Stored(
        {
            POLICIES: [policy("params.data.on == 'yes'", paramKind=CONFIG_MAPS)],
            BINDINGS: [
                binding(
                    paramRef={
                        "name": "limits",
                        "namespace": "batch",
                        "parameterNotFoundAction": "Deny",
                    }
                )
            ],
            "/api/v1": CORE,
            params: [config_map(on="no")],
        }
    )
    found, notes = outcomes(api)
    assert [text.rpartition(": ")[2] for text in found] == ["params.data.on == 'yes'"]
    assert notes == []
    ((_, query),) = [call for call in api.calls if call[0] == params]
    assert query["fieldSelector"] == "metadata.name=limits"


def test_params_that_may_not_be_read_leave_the_policy_open() -> None:
    api = Stored(
        {
            POLICIES: [policy("params.data.on == 'yes'", paramKind=CONFIG_MAPS)],
            BINDINGS: [binding(paramRef={"name": "limits", "parameterNotFoundAction": "Allow"})],
            "/api/v1": CORE,
        }
    )
    found, notes = outcomes(api)
    assert len(found) == 1
    assert "was not evaluated: its params" in found[0]
    assert notes == [
        "cannot read ConfigMap objects, which are params of a policy; grant list on them. Until then, "
        "the policy is not evaluated"
    ]


def test_a_kind_of_params_that_the_cluster_lacks_is_noted() -> None:
    limits = {"apiVersion": "example.com/v1", "kind": "Limits"}
    answers = {
        POLICIES: [policy("true", paramKind=limits)],
        BINDINGS: [binding(paramRef={"name": "a", "parameterNotFoundAction": "Deny"})],
    }
    found, notes = outcomes(Stored(answers, missing=404))
    assert "was not evaluated" in found[0]
    assert notes == ["the cluster has no kind Limits of example.com/v1, which params have"]


def test_a_policy_that_cannot_be_read_is_noted_and_the_others_are_evaluated() -> None:
    later = policy("true", name="later", failurePolicy="Later")
    stored = [later, policy("false")]
    found, notes = outcomes(Stored({POLICIES: stored, BINDINGS: [binding()]}))
    assert len(found) == 1
    assert notes[0].startswith("ValidatingAdmissionPolicy later is not evaluated: ")


def test_without_the_right_to_list_policies_there_is_an_error() -> None:
    with pytest.raises(ApiError):
        outcomes(Stored({}))


MUTATING = ("mutatingadmissionpolicies", "mutatingadmissionpolicybindings")
NONE: dict[str, Any] = {POLICIES: [], BINDINGS: []}


def label_of(api: Api) -> tuple[Any, list[str]]:
    """The labels of a Job after the policies of a cluster, and the notes."""
    notes: list[str] = []
    policies = cluster_admission_policies(api, "1.37", notes.append)
    mutated = policies.mutate(request(), ApiServer("1.37"))
    return mutated.object["metadata"]["labels"], notes


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_policies_that_mutate_are_read_of_the_version_that_is_served(version: str) -> None:
    changes = mutating_policy("Object{metadata: Object.metadata{labels: {'a': 'b'}}}")
    served = [f"/apis/admissionregistration.k8s.io/{version}/{each}" for each in MUTATING]
    stored = dict(zip(served, ([changes], [mutating_binding()]), strict=True))
    assert label_of(Stored({**NONE, **stored})) == ({"a": "b"}, [])


def test_without_the_right_to_list_policies_that_mutate_there_is_a_note() -> None:
    class Forbidding(Stored):
        def request(self, method: str, path: str, *arguments: Any, **more: Any) -> dict[str, Any]:
            if "mutating" in path:
                raise error_of(403, {"message": "no"})
            return super().request(method, path, *arguments, **more)

    labels, notes = label_of(Forbidding(NONE))
    assert labels == {}
    assert notes[0].startswith("cannot read the MutatingAdmissionPolicies: grant list on")
