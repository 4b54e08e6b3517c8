"""The params of a binding (k8s.io/apiserver, ``CollectParams``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jobsworth.policy.admission_policies.policies import Binding, ParamRef, Policy
from jobsworth.policy.patterns import compiled_selector
from kube_cel.values import CelError, UnknownValue

_CLUSTER_SCOPED = frozenset(
    (
        "Namespace", "Node", "PersistentVolume", "ClusterRole", "ClusterRoleBinding", "PriorityClass",
        "RuntimeClass", "StorageClass", "IngressClass",
    )
)  # fmt: skip
_DEFINITION = "CustomResourceDefinition"


@dataclass(frozen=True, slots=True)
class ParamObjects:
    """The objects that may be params.

    Attributes:
        objects: of any kind.
        complete: all objects of a cluster are here, so that one that is not here does not exist.
        namespaced: by apiVersion and kind, if the objects of a kind are in namespaces, where that is known.
    """

    objects: Sequence[Mapping[str, Any]]
    complete: bool
    namespaced: Mapping[tuple[str, str], bool] = field(default_factory=dict)

    def params(
        self, policy: Policy, binding: Binding, namespace: str
    ) -> list[Mapping[str, Any] | None]:
        """Return the params with which a policy is evaluated: [None] without params, [] if there are none.

        Raises:
            CelError: the binding is misconfigured, or requires params that do not exist.
            UnknownValue: the params are not among the objects, and may exist in a cluster.
        """
        if policy.param_kind is None or binding.param_ref is None:
            return [None]
        ref, kind = binding.param_ref, policy.param_kind
        of_kind = [each for each in self.objects if _kind(each) == kind]
        if self._is_namespaced(kind, of_kind):
            # A file may leave the namespace to the command that applies it.
            inside = (ref.namespace or namespace, *(() if self.complete else ("",)))
            of_kind = [each for each in of_kind if _namespace(each) in inside]
        elif ref.namespace:
            raise CelError(
                "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
            )
        found = [each for each in of_kind if _is_referred(each, ref)]
        if not found and not self.complete:
            raise UnknownValue(f"its params ({_described(kind[1], ref)}) are not known")
        if not found and ref.denies_without:
            raise CelError("no params found for policy binding with `Deny` parameterNotFoundAction")
        return [*found]

    def _is_namespaced(self, kind: tuple[str, str], of_kind: Sequence[Mapping[str, Any]]) -> bool:
        if kind in self.namespaced:
            return self.namespaced[kind]
        for each in self.objects:
            spec = each.get("spec")
            if each.get("kind") == _DEFINITION and isinstance(spec, dict):
                group = kind[0].partition("/")[0]
                names = spec.get("names")
                named = names.get("kind") if isinstance(names, dict) else None
                if spec.get("group") == group and named == kind[1]:
                    return spec.get("scope") == "Namespaced"
        if _is_built_in(kind[0]):
            return kind[1] not in _CLUSTER_SCOPED
        return not of_kind or any(map(_namespace, of_kind))


def _is_built_in(api_version: str) -> bool:
    group, slash, _ = api_version.partition("/")
    return not slash or "." not in group or group.endswith(".k8s.io")


def _kind(value: Mapping[str, Any]) -> tuple[Any, Any]:
    return value.get("apiVersion"), value.get("kind")


def labels_of(value: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels of an object that is not validated; without those that are not text."""
    found = _metadata(value).get("labels")
    if not isinstance(found, dict):
        return {}
    return {key: text for key, text in found.items() if isinstance(text, str)}


def _metadata(value: Mapping[str, Any]) -> Mapping[str, Any]:
    found = value.get("metadata")
    return found if isinstance(found, dict) else {}


def _namespace(value: Mapping[str, Any]) -> str:
    return str(_metadata(value).get("namespace") or "")


def _is_referred(value: Mapping[str, Any], ref: ParamRef) -> bool:
    if ref.selector is not None:
        return compiled_selector(ref.selector)(labels_of(value))
    return bool(_metadata(value).get("name") == ref.name)


def _described(kind: str, ref: ParamRef) -> str:
    chosen = f'"{ref.name}"' if ref.selector is None else "selected by labels"
    return f"{kind} {chosen}" + (f" in namespace {ref.namespace}" if ref.namespace else "")
