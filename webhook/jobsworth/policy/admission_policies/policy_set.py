"""All policies of a cluster or of some files, with their bindings and the objects that may be params."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jobsworth.cel.budget import Steps
from jobsworth.policy.admission_policies.evaluator import evaluate
from jobsworth.policy.admission_policies.params import ParamObjects, labels_of
from jobsworth.policy.admission_policies.programs import REQUEST_STEPS
from jobsworth.policy.admission_policies.reader import (
    BINDING_KIND,
    POLICY_KIND,
    VERSIONS,
    read_binding,
    read_policy,
)
from jobsworth.policy.problems import BadPolicy, Problem, Problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from jobsworth.policy.admission_policies.outcomes import Outcome
    from jobsworth.policy.admission_policies.policies import AdmissionPolicy, Binding
    from jobsworth.policy.request import PolicyRequest

_NAMESPACE = "Namespace"


@dataclass(frozen=True, slots=True)
class AdmissionPolicySet:
    """ValidatingAdmissionPolicies with what their evaluation takes.

    Attributes:
        policies: by name.
        bindings: of known policies, in the order of policies and then of names.
        params: the objects that may be params.
        namespace_labels: labels of namespaces, by name, as far as they are known.
        unbound: the names of policies without a binding, which no API server enforces.
        dangling: the names of bindings whose policy is not known.
    """

    policies: Mapping[str, AdmissionPolicy]
    bindings: tuple[Binding, ...]
    params: ParamObjects
    namespace_labels: Mapping[str, Mapping[str, str]]
    unbound: tuple[str, ...]
    dangling: tuple[str, ...]

    @property
    def notes(self) -> list[str]:
        """Sentences about what no API server enforces."""
        unbound = (
            f"{POLICY_KIND} {name} has no binding, so it is not enforced; add a {BINDING_KIND}"
            for name in self.unbound
        )
        dangling = (
            f"{BINDING_KIND} {name} names a policy that is not known" for name in self.dangling
        )
        return [*unbound, *dangling]

    def evaluate(self, request: PolicyRequest) -> list[Outcome]:
        """Return the outcomes for a request, of every policy with every binding.

        An API server denies with the first failed validation of one policy; here all are reported.
        """
        if request.namespace_labels is None and request.namespace in self.namespace_labels:
            request = replace(request, namespace_labels=self.namespace_labels[request.namespace])
        steps = Steps(REQUEST_STEPS)
        return [
            outcome
            for binding in self.bindings
            for outcome in evaluate(
                self.policies[binding.policy], binding, request, self.params, steps
            )
        ]


def is_admission_policy(value: object) -> bool:
    """Return True for a policy or a binding of a known version."""
    return (
        isinstance(value, dict)
        and value.get("kind") in (POLICY_KIND, BINDING_KIND)
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
    policies: dict[str, AdmissionPolicy] = {}
    bindings: dict[str, Binding] = {}
    others: list[Mapping[str, Any]] = []
    for number, value in enumerate(objects):
        if not isinstance(value, dict):
            continue
        problems = Problems(number)
        if not is_admission_policy(value):
            others.append(value)
        elif value["kind"] == POLICY_KIND:
            policy = read_policy(value, problems, release, strict=strict)
            if policy is not None:
                _add(policies, policy.name, policy, problems)
        else:
            binding = read_binding(value, problems)
            if binding is not None:
                _add(bindings, binding.name, binding, problems)
        found.extend(problems.found)
    if found:
        raise BadPolicy(tuple(found))
    params = ParamObjects(others, complete)
    made = combined(policies.values(), bindings.values(), params)
    return replace(made, namespace_labels=dict(_labels(others)))


def combined(
    policies: Iterable[AdmissionPolicy], bindings: Iterable[Binding], params: ParamObjects
) -> AdmissionPolicySet:
    """Return the set of policies and bindings with distinct names."""
    known = {policy.name: policy for policy in policies}
    ordered = sorted(bindings, key=lambda each: (each.policy, each.name))
    used = {binding.policy for binding in ordered}
    return AdmissionPolicySet(
        policies=known,
        bindings=tuple(each for each in ordered if each.policy in known),
        params=params,
        namespace_labels={},
        unbound=tuple(name for name in sorted(known) if name not in used),
        dangling=tuple(each.name for each in ordered if each.policy not in known),
    )


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
