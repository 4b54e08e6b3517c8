"""Read a cluster's ValidatingAdmissionPolicies, with their bindings and the params that these name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import CORE, resource_path
from jobsworth.client.paging import resumed_pages
from jobsworth.policy.admission_policies.params import ParamObjects
from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet, combined
from jobsworth.policy.admission_policies.reader import (
    BINDING_KIND,
    GROUP,
    POLICY_KIND,
    read_binding,
    read_policy,
)
from jobsworth.policy.patterns import selector_text
from jobsworth.policy.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobsworth.client.api_interface import Api
    from jobsworth.policy.admission_policies.policies import (
        AdmissionPolicy,
        Binding,
        ParamRef,
    )

    Note = Callable[[str], None]
    Kind = tuple[str, str]

_VERSION = f"{GROUP}/v1"
_ADMISSION = f"/apis/{_VERSION}"
_POLICIES, _BINDINGS = "validatingadmissionpolicies", "validatingadmissionpolicybindings"


def cluster_admission_policies(api: Api, release: str, note: Note) -> AdmissionPolicySet:
    """Read the policies of a cluster.

    Args:
        api: the cluster's API.
        release: the Kubernetes release as which expressions are compiled.
        note: reports a policy that cannot be read, and params that the client may not read.

    Raises:
        ApiError: the API server rejects the request for policies or bindings, or cannot be reached.
    """
    policies: list[AdmissionPolicy] = []
    bindings: list[Binding] = []
    for stored in _listed(api, resource_path(_ADMISSION, _POLICIES)):
        problems = Problems(0)
        value = {**stored, "apiVersion": _VERSION, "kind": POLICY_KIND}
        policy = read_policy(value, problems, release, strict=False)
        if policy is not None:
            policies.append(policy)
        _report(note, POLICY_KIND, stored, problems)
    for stored in _listed(api, resource_path(_ADMISSION, _BINDINGS)):
        problems = Problems(0)
        binding = read_binding({**stored, "apiVersion": _VERSION, "kind": BINDING_KIND}, problems)
        if binding is not None:
            bindings.append(binding)
        _report(note, BINDING_KIND, stored, problems)
    return combined(policies, bindings, _Params(api, note).read(policies, bindings))


def _listed(api: Api, path: str, selectors: dict[str, str] | None = None) -> Iterator[Any]:
    for page in resumed_pages(api, path, selectors=selectors):
        yield from page.items


def _report(note: Note, kind: str, stored: Any, problems: Problems) -> None:
    for problem in problems.found:
        note(f"{kind} {stored['metadata'].get('name')} is not evaluated: {problem}")


class _Params:
    """Reads the params that bindings name, and only those."""

    def __init__(self, api: Api, note: Note) -> None:
        self._api = api
        self._note = note
        self._complete = True
        self._namespaced: dict[Kind, bool] = {}
        self._objects: dict[tuple[Kind, str, str], Any] = {}

    def read(self, policies: list[AdmissionPolicy], bindings: list[Binding]) -> ParamObjects:
        kinds = {policy.name: policy.param_kind for policy in policies}
        for binding in bindings:
            kind = kinds.get(binding.policy)
            if kind is not None and binding.param_ref is not None:
                self._read(kind, binding.param_ref)
        return ParamObjects([*self._objects.values()], self._complete, self._namespaced)

    def _read(self, kind: Kind, ref: ParamRef) -> None:
        try:
            found = self._resource(kind)
            if found is None:
                self._complete = False
                self._note(f"the cluster has no kind {kind[1]} of {kind[0]}, which params have")
                return
            resource, namespaced = found
            self._namespaced[kind] = namespaced
            path = resource_path(
                _group_path(kind[0]), resource, ref.namespace if namespaced else ""
            )
            for stored in _listed(self._api, path, _selectors(ref)):
                metadata = stored["metadata"]
                key = kind, metadata.get("namespace", ""), metadata.get("name", "")
                self._objects[key] = {**stored, "apiVersion": kind[0], "kind": kind[1]}
        except ApiError as error:
            if error.code != 403:
                raise
            self._complete = False
            self._note(
                f"cannot read {kind[1]} objects, which are params of a policy; grant list on them. Until "
                "then, the policy is not evaluated"
            )

    def _resource(self, kind: Kind) -> tuple[str, bool] | None:
        """Return the plural of a kind and whether it has namespaces; None if the cluster has no such kind."""
        try:
            served = self._api.get(_group_path(kind[0]))
        except ApiError as error:
            if error.not_found:
                return None
            raise
        for each in served.get("resources") or ():
            if each.get("kind") == kind[1] and "/" not in str(each.get("name")):
                return str(each["name"]), bool(each.get("namespaced"))
        return None


def _group_path(api_version: str) -> str:
    return CORE if api_version == "v1" else f"/apis/{api_version}"


def _selectors(ref: ParamRef) -> dict[str, str]:
    if ref.selector is None:
        return {"fieldSelector": f"metadata.name={ref.name}"}
    text = selector_text(ref.selector)
    return {} if text == "everything" else {"labelSelector": text}
