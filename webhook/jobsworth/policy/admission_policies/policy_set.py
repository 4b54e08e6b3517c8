"""All policies of a cluster or of some files, with their bindings and the objects that may be params."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.admission_policies.evaluator import evaluate
from jobsworth.policy.admission_policies.mutating.admission import MutatedObject
from jobsworth.policy.admission_policies.params import ParamObjects, labels_of
from jobsworth.policy.admission_policies.policies import (
    AdmissionPolicy,
    Binding,
    MutatingPolicy,
    Outcome,
)
from jobsworth.policy.admission_policies.programs import REQUEST_STEPS
from jobsworth.policy.admission_policies.reader import (
    BINDING_KIND,
    KINDS,
    MUTATING_BINDING_KIND,
    MUTATING_KIND,
    POLICY_KIND,
    VERSIONS,
    read_binding,
    read_mutating_policy,
    read_policy,
)
from jobsworth.policy.problems import BadPolicy, Problem, Problems
from jobsworth.policy.request import PolicyRequest
from kube_cel.budget import Steps

_NAMESPACE = "Namespace"


@dataclass(frozen=True, slots=True)
class AdmissionPolicySet:
    """Admission policies with what their evaluation takes.

    Attributes:
        policies: the ValidatingAdmissionPolicies by name.
        bindings: of known policies, in the order of policies and then of names.
        mutating: the MutatingAdmissionPolicies with their bindings, in the same order.
        params: the objects that may be params.
        namespace_labels: labels of namespaces, by name, as far as they are known.
        notes: sentences about what no API server enforces: policies without a binding, and bindings whose
            policy is not known.
    """

    policies: Mapping[str, AdmissionPolicy]
    bindings: tuple[Binding, ...]
    mutating: tuple[tuple[MutatingPolicy, Binding], ...]
    params: ParamObjects
    namespace_labels: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...]

    def mutate(self, request: PolicyRequest, server: ApiServer) -> MutatedObject:
        """Apply the MutatingAdmissionPolicies to the object of a request.

        Args:
            request: the request; its object has the API server's defaults.
            server: the API server.
        """
        arriving = self._with_labels(as_admitted(request))
        return MutatedObject(self.mutating, arriving, self.params, server)

    def evaluate(self, request: PolicyRequest) -> list[Outcome]:
        """Return the outcomes for a request, of every ValidatingAdmissionPolicy with every binding.

        An API server denies with the first failed validation of one policy; here all are reported.
        """
        request = self._with_labels(as_admitted(request))
        steps = Steps(REQUEST_STEPS)
        return [
            outcome
            for binding in self.bindings
            for outcome in evaluate(
                self.policies[binding.policy], binding, request, self.params, steps
            )
        ]

    def _with_labels(self, request: PolicyRequest) -> PolicyRequest:
        if request.namespace_labels is None and request.namespace in self.namespace_labels:
            return replace(request, namespace_labels=self.namespace_labels[request.namespace])
        return request


def as_admitted(request: PolicyRequest) -> PolicyRequest:
    """Return a request as admission sees it: its objects have the namespace of the request."""
    old = None if request.old is None else _in_namespace(request.old, request.namespace)
    return replace(request, object=_in_namespace(request.object, request.namespace), old=old)


def _in_namespace(value: dict[str, Any], namespace: str) -> dict[str, Any]:
    return {**value, "metadata": {**value["metadata"], "namespace": namespace}}


def is_admission_policy(value: object) -> bool:
    """Return True for a policy or a binding of a known version."""
    return (
        isinstance(value, dict)
        and value.get("kind") in KINDS
        and value.get("apiVersion") in VERSIONS
    )


def read(
    objects: Sequence[object], release: str, *, strict: bool = True, complete: bool = False
) -> AdmissionPolicySet:
    """Read policies and bindings; the other objects may be params, namespaces or definitions of params.

    Args:
        objects: as decoded from YAML or JSON.
        release: the Kubernetes release whose CEL policies may use.
        strict: an expression that the release refuses is a problem.
        complete: the objects are all of a cluster.

    Raises:
        BadPolicy: an object is invalid; the exception lists the problems of all.
    """
    found: list[Problem] = []
    read_of: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
    others: list[Mapping[str, Any]] = []
    for number, value in enumerate(objects):
        if not isinstance(value, dict):
            continue
        if not is_admission_policy(value):
            others.append(value)
            continue
        problems = Problems(number)
        made = read_one(value, problems, release, strict=strict)
        if made is not None:
            _add(read_of[value["kind"]], made.name, made, problems)
        found.extend(problems.found)
    if found:
        raise BadPolicy(tuple(found))
    params = ParamObjects(others, complete)
    policies = combined({kind: each.values() for kind, each in read_of.items()}, params)
    return replace(policies, namespace_labels=dict(_labels(others)))


def read_one(
    value: Mapping[str, Any], problems: Problems, release: str, *, strict: bool
) -> AdmissionPolicy | MutatingPolicy | Binding | None:
    """Read a policy or a binding of either kind; None and its problems if it is invalid."""
    if value["kind"] == POLICY_KIND:
        return read_policy(value, problems, release, strict=strict)
    if value["kind"] == MUTATING_KIND:
        return read_mutating_policy(value, problems, release, strict=strict)
    return read_binding(value, problems)


def combined(objects: Mapping[str, Iterable[Any]], params: ParamObjects) -> AdmissionPolicySet:
    """Return the set of policies and bindings with distinct names, by their kind."""
    validating, bindings, notes = _bound(objects, POLICY_KIND, BINDING_KIND)
    mutating, of_mutating, more = _bound(objects, MUTATING_KIND, MUTATING_BINDING_KIND)
    return AdmissionPolicySet(
        policies=validating,
        bindings=bindings,
        mutating=tuple((mutating[binding.policy], binding) for binding in of_mutating),
        params=params,
        namespace_labels={},
        notes=(*notes, *more),
    )


def _bound(
    objects: Mapping[str, Iterable[Any]], kind: str, binding_kind: str
) -> tuple[dict[str, Any], tuple[Binding, ...], list[str]]:
    """Return policies by name, the bindings of known ones in order, and notes on the rest."""
    known = {policy.name: policy for policy in objects.get(kind, ())}
    ordered = sorted(objects.get(binding_kind, ()), key=lambda each: (each.policy, each.name))
    used = {binding.policy for binding in ordered}
    notes = [
        f"{kind} {name} has no binding, so it is not enforced; add a {binding_kind}"
        for name in sorted(known)
        if name not in used
    ]
    notes += [
        f"{binding_kind} {each.name} names a policy that is not known"
        for each in ordered
        if each.policy not in known
    ]
    return known, tuple(each for each in ordered if each.policy in known), notes


def _add(to: dict[str, Any], name: str, value: object, problems: Problems) -> None:
    if not name:
        problems.add("metadata.name", "Required value", "give it a name")
    elif name in to:
        problems.add("metadata.name", f'"{name}" is the name of another one', "rename or remove it")
    else:
        to[name] = value


def _labels(
    objects: Sequence[Mapping[str, Any]],
) -> list[tuple[str, Mapping[str, str]]]:
    found: list[tuple[str, Mapping[str, str]]] = []
    for value in objects:
        metadata = value.get("metadata")
        if value.get("kind") == _NAMESPACE and isinstance(metadata, dict):
            found.append((str(metadata.get("name")), labels_of(value)))
    return found
