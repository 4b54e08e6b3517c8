"""Read from a cluster: its Jobs and CronJobs in pages, its release, its labels of namespaces, its policies.

Its admission policies come with their bindings and the params that these name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import BATCH, CORE, namespaces_path, resource_path
from jobsworth.client.paging import PAGE_SIZE, Page, resumed_pages
from jobsworth.client.server_release import server_release
from jobsworth.policy.admission_policies.params import ParamObjects
from jobsworth.policy.admission_policies.policies import ParamRef
from jobsworth.policy.admission_policies.policy_set import (
    AdmissionPolicySet,
    combined,
    read_one,
)
from jobsworth.policy.admission_policies.reader import (
    BINDING_KIND,
    GROUP,
    MUTATING_BINDING_KIND,
    MUTATING_KIND,
    POLICY_KIND,
    VERSIONS,
)
from jobsworth.policy.patterns import selector_text
from jobsworth.policy.problems import Problems

_RESOURCES = {"Job": "jobs", "CronJob": "cronjobs"}
_IDENTITY = ("name", "namespace", "uid")


class StoredObjects:
    """Reads objects that a cluster stores.

    Args:
        page_size: number of objects per request.
    """

    def __init__(self, api: Api, page_size: int = PAGE_SIZE) -> None:
        self._api = api
        self._page_size = page_size

    def release(self) -> str:
        """Return the release of the API server, such as ``1.36``.

        Raises:
            ApiError: the API server cannot be reached, or does not report its version.
        """
        return server_release(self._api)

    def batch_objects(self, kind: str, namespace: str | None = None) -> Iterator[Page]:
        """Yield all objects of a kind, in pages, each with its ``apiVersion`` and ``kind``.

        Args:
            kind: ``Job`` or ``CronJob``.
            namespace: only those of this one; None for all.

        Raises:
            ApiError: the API server rejects the request, or cannot be reached.
        """
        path = resource_path(BATCH, _RESOURCES[kind], namespace or "")
        for page in resumed_pages(self._api, path, self._page_size):
            for each in page.items:
                if not all(isinstance(each["metadata"].get(key), str) for key in _IDENTITY):
                    raise ApiError(
                        200,
                        "",
                        f"the list at {path} contains a {kind} without name, namespace or uid",
                    )
                each["apiVersion"], each["kind"] = "batch/v1", kind
            yield page

    def admission_policies(self, release: str, note: Callable[[str], None]) -> AdmissionPolicySet:
        """Return the cluster's admission policies: see :func:`cluster_admission_policies`.

        Raises:
            ApiError: the API server rejects the request, or cannot be reached.
        """
        return cluster_admission_policies(self._api, release, note)

    def namespace_labels(self, namespace: str | None = None) -> dict[str, Mapping[str, str]]:
        """Return the labels of one namespace or of all namespaces, by namespace name.

        Raises:
            ApiError: the API server rejects the request, cannot be reached, or has no such namespace.
        """
        if namespace is not None:
            found = [self._api.get(namespaces_path(namespace))]
        else:
            read = resumed_pages(self._api, namespaces_path(), self._page_size)
            found = [each for page in read for each in page.items]
        try:
            return {
                each["metadata"]["name"]: each["metadata"].get("labels") or {} for each in found
            }
        except (KeyError, TypeError):
            path = namespaces_path(namespace or "")
            raise ApiError(200, "", f"{path} does not hold namespaces with names") from None


Note = Callable[[str], None]
Kind = tuple[str, str]

_V1 = f"{GROUP}/v1"
_POLICY_RESOURCES = {
    POLICY_KIND: "validatingadmissionpolicies",
    BINDING_KIND: "validatingadmissionpolicybindings",
}
_MUTATING = {
    MUTATING_KIND: "mutatingadmissionpolicies",
    MUTATING_BINDING_KIND: "mutatingadmissionpolicybindings",
}
_NO_MUTATING = (
    "cannot read the MutatingAdmissionPolicies: grant list on mutatingadmissionpolicies and "
    "mutatingadmissionpolicybindings of admissionregistration.k8s.io. Until then, objects are evaluated as "
    "they are"
)


def cluster_admission_policies(api: Api, release: str, note: Note) -> AdmissionPolicySet:
    """Read the policies of a cluster.

    Args:
        api: the cluster's API.
        release: the Kubernetes release as which expressions are compiled.
        note: reports a policy that cannot be read, and params that the client may not read.

    Raises:
        ApiError: the API server rejects the request for ValidatingAdmissionPolicies or their bindings, or
            cannot be reached.
    """
    stored = {
        kind: _all_items(api, _path(_V1, plural)) for kind, plural in _POLICY_RESOURCES.items()
    }
    found = {kind: _read(kind, items, release, note) for kind, items in stored.items()}
    for kind, items in _mutating(api, note).items():
        found[kind] = _read(kind, items, release, note)
    params = _Params(api, note)
    return combined(found, params.read(found))


def _mutating(api: Api, note: Note) -> dict[str, list[Any]]:
    """Return the MutatingAdmissionPolicies and their bindings, of the newest version that the cluster serves.

    A cluster before Kubernetes 1.36 has none, or only of a version that is still off by default.
    """
    for version in VERSIONS:
        try:
            return {
                kind: [*_all_items(api, _path(version, each))] for kind, each in _MUTATING.items()
            }
        except ApiError as error:
            if error.code == 403:
                note(_NO_MUTATING)
                break
            if not error.not_found:
                raise
    return {}


def _path(version: str, plural: str) -> str:
    return resource_path(f"/apis/{version}", plural)


def _read(kind: str, items: Iterable[Any], release: str, note: Note) -> list[Any]:
    """Return the policies or bindings of a kind that can be read, and report the others."""
    found = []
    for stored in items:
        problems = Problems(0)
        value = {**stored, "apiVersion": _V1, "kind": kind}
        made = read_one(value, problems, release, strict=False)
        if made is not None:
            found.append(made)
        for problem in problems.found:
            note(f"{kind} {stored['metadata'].get('name')} is not evaluated: {problem}")
    return found


def _all_items(api: Api, path: str, selectors: dict[str, str] | None = None) -> Iterator[Any]:
    for page in resumed_pages(api, path, selectors=selectors):
        yield from page.items


class _Params:
    """Reads the params that bindings name, and only those."""

    def __init__(self, api: Api, note: Note) -> None:
        self._api = api
        self._note = note
        self._complete = True
        self._namespaced: dict[Kind, bool] = {}
        self._objects: dict[tuple[Kind, str, str], Any] = {}

    def read(self, found: Mapping[str, Sequence[Any]]) -> ParamObjects:
        """Return the params that bindings name, of policies and bindings by their kind."""
        for kind, binding_kind in (
            (POLICY_KIND, BINDING_KIND),
            (MUTATING_KIND, MUTATING_BINDING_KIND),
        ):
            kinds = {policy.name: policy.param_kind for policy in found.get(kind, ())}
            for binding in found.get(binding_kind, ()):
                param_kind = kinds.get(binding.policy)
                if param_kind is not None and binding.param_ref is not None:
                    self._read(param_kind, binding.param_ref)
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
            for stored in _all_items(self._api, path, _selectors(ref)):
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
