"""The export of a JobPolicy: its admission policies, and the parts that the API server cannot enforce."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from jobsworth.policy.export import failure_policies, field_limits, pod_limits, resources
from jobsworth.policy.export.admission_policies import (
    AdmissionPolicy,
    Requirements,
    admission_policies,
    hash_of,
)
from jobsworth.policy.export.expressions import OBJECT, STORED, of_expression
from jobsworth.policy.export.object_view import ObjectView
from jobsworth.policy.export.requirement import TWO_VARIABLES, NotExpressible, Requirement, Views
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.limits.limits import METADATA
from jobsworth.policy.limits.pod_parts import pod_limits as pod_limits_of
from jobsworth.policy.request import KINDS

OLDEST = 30
"""The minor version with the first ValidatingAdmissionPolicy of ``admissionregistration.k8s.io/v1``."""

LEVELS = (OLDEST, TWO_VARIABLES)
"""The minor versions from which on policies are exported differently."""

_IN_PART = f"exactly only in Kubernetes 1.{TWO_VARIABLES} and later"
_NOT_DENYING = (
    "a policy that does not deny would report it twice, by the webhook and by the API server"
)
_LEFT = {
    "rules": "lint rules are not CEL: the webhook, jobsworth validate and jobsworth audit run them",
    "defaults": "a ValidatingAdmissionPolicy sets nothing: see --to mutating-admission-policy",
}
"""The parts of a policy that are never exported, with the reason."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a policy that is exported as a whole or not at all.

    Attributes:
        path: its field path in the document, such as ``spec.limits.parallelism``.
        steps: the keys and indexes that lead to it.
        reason: the reason why the API server does not enforce it, or not completely; empty if it does.
        is_exported: True if the API server enforces it, at least in part.
    """

    path: str
    steps: tuple[str | int, ...]
    reason: str
    is_exported: bool

    @property
    def is_left(self) -> bool:
        """True if something of it is left to the webhook."""
        return bool(self.reason)


@dataclass(frozen=True, slots=True)
class ExportedPolicy:
    """The export of one JobPolicy.

    Attributes:
        name: the name of the policy.
        parts: its parts, in the order of the document.
        admission_policies: what the API server enforces; empty if no part is exported.
    """

    name: str
    parts: tuple[Part, ...]
    admission_policies: tuple[AdmissionPolicy, ...]

    @property
    def hash(self) -> str:
        """A hash of what the API server enforces."""
        return hash_of(self.admission_policies)


def exported_policy(document: Mapping[str, Any], policy: JobPolicy, minor: int) -> ExportedPolicy:
    """Export a policy.

    Args:
        document: the JobPolicy document, which is valid.
        policy: the same, compiled.
        minor: the minor version of the oldest release that must accept the result, at least :data:`OLDEST`.
    """
    kinds = [kind for kind in KINDS if kind in policy.matching.kinds]
    found: dict[str, _KindRequirements] = {kind: _KindRequirements() for kind in kinds}
    parts = []
    limits = document["spec"].get("limits", {})
    views = [
        Views(
            ObjectView(kind, OBJECT),
            ObjectView(kind, STORED),
            minor,
            count_metadata=any(name in limits for name in METADATA),
        )
        for kind in kinds
    ]
    for source in _sources(document["spec"]):
        made, reason = _made(source, views)
        if reason == _IN_PART and policy.enforcement != "deny":
            made, reason = {}, f"{_IN_PART}, and {_NOT_DENYING}"
        for kind, requirements in made.items():
            found[kind].add(source, requirements)
        is_exported = any(made.values()) or not reason
        parts.append(Part(source.path, source.steps, reason, is_exported))
    policies = tuple(
        each
        for kind in kinds
        if found[kind].limits or found[kind].expressions
        for each in admission_policies(policy, kind, found[kind].frozen())
    )
    return ExportedPolicy(policy.name, tuple(parts), policies)


def without_parts(document: Mapping[str, Any], parts: Iterable[Part]) -> dict[str, Any] | None:
    """Return a JobPolicy document without some of its parts; None if it has no other ones."""
    spec = _without(document["spec"], [part.steps[1:] for part in parts])
    left = {"defaults", "limits", "immutable", "rules", "expressions"} & set(spec)
    return {**document, "spec": spec} if left else None


def _without(value: Any, paths: Sequence[tuple[str | int, ...]]) -> Any:
    """Return a value without some of its parts, and without what they leave empty."""
    if not paths:
        return value
    items = value.items() if isinstance(value, dict) else enumerate(value)
    kept = []
    for key, part in items:
        below = [path[1:] for path in paths if path[0] == key]
        rest = None if () in below else _without(part, below)
        if rest is not None and (rest or not below):
            kept.append((key, rest))
    return dict(kept) if isinstance(value, dict) else [rest for _, rest in kept]


@dataclass(frozen=True, slots=True)
class _Source:
    """A part of a document.

    Attributes:
        path: its field path.
        steps: the keys and indexes that lead to it.
        requirements: yields what it requires of the objects of a kind; None if it is never exported.
        is_expression: True if it is an expression of the policy.
    """

    path: str
    steps: tuple[str | int, ...]
    requirements: Callable[[Views], Iterable[Requirement]] | None
    is_expression: bool = False


class _KindRequirements:
    def __init__(self) -> None:
        self.limits: list[Requirement] = []
        self.expressions: list[Requirement] = []

    def add(self, source: _Source, requirements: Sequence[Requirement]) -> None:
        target = self.expressions if source.is_expression else self.limits
        target.extend(requirements)

    def frozen(self) -> Requirements:
        return Requirements(tuple(self.limits), tuple(self.expressions))


def _sources(spec: Mapping[str, Any]) -> Iterator[_Source]:
    """Yield the parts of a policy."""
    for name, value in spec.items():
        at = f"spec.{name}"
        if name == "limits":
            yield from _limit_sources(value)
        elif name == "immutable":
            for index, item in enumerate(value):
                made = partial(field_limits.of_immutable, item)
                yield _Source(f"{at}[{index}]", ("spec", name, index), made)
        elif name == "expressions":
            for index, item in enumerate(value):
                made = partial(_of_expression, item)
                yield _Source(f"{at}[{index}]", ("spec", name, index), made, is_expression=True)
        elif name in _LEFT:
            yield _Source(at, ("spec", name), None)


def _limit_sources(limits: Mapping[str, Any]) -> Iterator[_Source]:
    made: Callable[[Views], Iterable[Requirement]]
    for name, value in limits.items():
        at, steps = f"spec.limits.{name}", ("spec", "limits", name)
        if name == "resources":
            for side, caps in value.items():
                for key, cap in caps.items():
                    made = partial(resources.of_resource, side, key, cap)
                    yield _Source(f"{at}.{side}[{key}]", (*steps, side, key), made)
        elif name in METADATA:
            for key, one in value.items():
                made = partial(field_limits.of_entry, name, key, one)
                yield _Source(f"{at}[{key}]", (*steps, key), made)
        elif name == "pod":
            for each in pod_limits_of(value):
                if each.part is None:
                    made = partial(field_limits.of_field, each.name, each.value)
                else:
                    made = partial(pod_limits.of_part, each.part, each.value)
                yield _Source(f"spec.limits.{each.name}", (*steps, *each.keys), made)
        elif name == "cronJob":
            for key, one in value.items():
                made = partial(field_limits.of_field, f"{name}.{key}", one)
                yield _Source(f"{at}.{key}", (*steps, key), made)
        elif name == "podFailurePolicy":
            yield _Source(at, steps, partial(_of_failure_policy, value))
        else:
            yield _Source(at, steps, partial(field_limits.of_field, name, value))


def _of_failure_policy(limit: Mapping[str, Any], views: Views) -> Iterator[Requirement]:
    yield from field_limits.of_field("podFailurePolicy", limit, views)
    yield from failure_policies.of_failure_policy(limit, views)


def _of_expression(expression: Mapping[str, Any], views: Views) -> Iterator[Requirement]:
    yield of_expression(expression, views.new.kind, views.minor)


def _made(source: _Source, views: Sequence[Views]) -> tuple[dict[str, list[Requirement]], str]:
    """Return the requirements of a part by kind, and the reason if something is left to the webhook."""
    if source.requirements is None:
        return {}, _LEFT[source.path.removeprefix("spec.")]
    made = {}
    try:
        for each in views:
            found = list(source.requirements(each))
            made[each.new.kind] = [one for one in found if one.violated is not False]
    except NotExpressible as error:
        return {}, str(error)
    is_exact = all(each.exact for requirements in made.values() for each in requirements)
    return made, "" if is_exact else _IN_PART
