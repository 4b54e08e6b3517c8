"""ValidatingAdmissionPolicies and their bindings, as documents, from the requirements of a JobPolicy.

The API server denies a request with the first failed validation only, and its audit event has only the first
failed validation of a binding that audits (``AddAnnotation`` of k8s.io/apiserver keeps the first value). So
the first validation of a policy that denies or audits has all messages. It has no value if an expression of
the policy has none; the others then count one by one. Warnings list all failed validations: those are not
joined.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from jobsworth.policy.export.cel_text import (
    Condition,
    any_of,
    either,
    literal,
    negated,
    text_of,
)
from jobsworth.policy.export.match_conditions import made_by_a_cron_job
from jobsworth.policy.export.object_view import IS_UPDATE
from jobsworth.policy.export.request_conditions import (
    CHANGES,
    NOT_BEING_DELETED,
    NOT_BY_BUILT_IN_CONTROLLERS,
    request_conditions,
)
from jobsworth.policy.export.requirement import Requirement
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.matching import NAMESPACE_NAME
from jobsworth.policy.request import UPDATE
from jobsworth.policy.violation import EFFECTS, Effect
from jobsworth.wording import one_line

Document = dict[str, Any]

API_VERSION = "admissionregistration.k8s.io/v1"
POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
AUDIT, WARN, DENY = EFFECTS
ALWAYS_EXEMPT = ("kube-system",)
"""Namespaces of the cluster's own components, which no exported policy may block."""

MANAGED_BY = {"app.kubernetes.io/managed-by": "jobsworth"}
POLICY_LABEL, HASH_LABEL = "jobsworth.dev/policy", "jobsworth.dev/export-hash"
DOMAIN = ".jobsworth.dev"
MAX_NAME = 253
"""The longest name of an object that is a DNS subdomain (``k8s.io/apimachinery/pkg/util/validation``)."""

MAX_MESSAGE_BYTES = 5 * 1024
"""The longest result of a messageExpression (``k8s.io/apiserver/pkg/apis/cel/config.go``, 1.37)."""

MAX_GUIDANCE = 256
_SEPARATOR = "; "
_RESOURCES = {"Job": "jobs", "CronJob": "cronjobs"}
_ACTIONS: dict[Effect, str] = {DENY: "Deny", WARN: "Warn", AUDIT: "Audit"}


@dataclass(frozen=True, slots=True)
class Requirements:
    """The exported requirements of a policy for objects of one kind.

    Attributes:
        limits: those that have a value for every object.
        expressions: those of CEL expressions, which may have none.
    """

    limits: tuple[Requirement, ...]
    expressions: tuple[Requirement, ...]

    @property
    def all(self) -> tuple[Requirement, ...]:
        """All requirements."""
        return (*self.limits, *self.expressions)


@dataclass(frozen=True, slots=True)
class AdmissionPolicy:
    """An exported policy for one kind and effect.

    Attributes:
        policy: the name of the JobPolicy.
        kind: the kind of the objects.
        effect: the effect of a violation.
        spec: the spec of the ValidatingAdmissionPolicy, without exempt namespaces.
    """

    policy: str
    kind: str
    effect: Effect
    spec: Mapping[str, Any]


def admission_policies(
    policy: JobPolicy, kind: str, requirements: Requirements
) -> Iterable[AdmissionPolicy]:
    """Yield the admission policies for the objects of a kind: with the policy's effect, and one that audits.

    With ``cronJobJobs: audit``, the Jobs that the CronJob controller creates are only audited.

    Args:
        policy: the policy.
        kind: the kind of the objects.
        requirements: the requirements to enforce; at least one.
    """
    made = made_by_a_cron_job()
    if kind == "Job" and policy.cron_job_jobs == AUDIT and policy.enforcement != AUDIT:
        parts: list[tuple[Effect, Condition]] = [
            (policy.enforcement, negated(made)),
            (AUDIT, made),
        ]
    else:
        parts = [(policy.enforcement, True)]
    for effect, condition in parts:
        spec = _spec(policy, kind, requirements, effect, condition)
        yield AdmissionPolicy(policy.name, kind, effect, spec)


def documents(
    policies: Sequence[AdmissionPolicy],
    hashes: Mapping[str, str],
    *,
    suffix: str = "",
    exempt_namespaces: Sequence[str] = (),
    conditions: Mapping[str, str] = MappingProxyType({}),
) -> list[Document]:
    """Return the documents of admission policies: all policies, then their bindings.

    Args:
        policies: the admission policies.
        hashes: the hash of each JobPolicy's export, by its name.
        suffix: the end of every name, such as ``.static.k8s.io``.
        exempt_namespaces: namespaces to exempt beside :data:`ALWAYS_EXEMPT`.
        conditions: further match conditions, by name.
    """
    exempt = sorted({*ALWAYS_EXEMPT, *exempt_namespaces})
    found: list[Document] = []
    bindings: list[Document] = []
    for each in policies:
        name = name_of(each, suffix)
        binding = {"policyName": name, "validationActions": [_ACTIONS[each.effect]]}
        for kind, spec, into in (
            (POLICY, _restricted(each.spec, exempt, conditions), found),
            (BINDING, binding, bindings),
        ):
            labels = {**MANAGED_BY, POLICY_LABEL: each.policy, HASH_LABEL: hashes[each.policy]}
            metadata = {"name": name, "labels": labels}
            into.append(
                {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
            )
    return [*found, *bindings]


def name_of(policy: AdmissionPolicy, suffix: str = "") -> str:
    """Return the name of an admission policy and of its binding; a long one ends in a hash."""
    name = f"{policy.policy}.{_RESOURCES[policy.kind]}.{policy.effect}{DOMAIN}{suffix}"
    if len(name) <= MAX_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{policy.policy}.{digest}{suffix}"


def _restricted(
    spec: Mapping[str, Any], namespaces: list[str], conditions: Mapping[str, str]
) -> Document:
    constraints = spec["matchConstraints"]
    selector = constraints.get("namespaceSelector") or {}
    other = {"key": NAMESPACE_NAME, "operator": "NotIn", "values": namespaces}
    requirements = [*(selector.get("matchExpressions") or ()), other]
    selector = {**selector, "matchExpressions": requirements}
    more = [{"name": name, "expression": each} for name, each in conditions.items()]
    return deepcopy(
        {
            **spec,
            "matchConstraints": {**constraints, "namespaceSelector": selector},
            "matchConditions": [*spec["matchConditions"], *more],
        }
    )


def _spec(
    policy: JobPolicy, kind: str, requirements: Requirements, effect: Effect, also: Condition
) -> Document:
    where = request_conditions(policy.matching, kind)
    rule = {
        "apiGroups": ["batch"],
        "apiVersions": ["v1"],
        "operations": list(where.operations),
        "resources": [_RESOURCES[kind]],
        "scope": "Namespaced",
    }
    constraints: Document = {"matchPolicy": "Equivalent", "resourceRules": [rule]}
    if where.namespace_selector:
        constraints["namespaceSelector"] = dict(where.namespace_selector)
    conditions = {
        "changes": CHANGES,
        "not-being-deleted": NOT_BEING_DELETED,
        "not-by-built-in-controllers": NOT_BY_BUILT_IN_CONTROLLERS,
        "matches": where.condition,
        "cron-job-controller": also,
    }
    build = _separate if effect == WARN else _with_one_message
    variables, validations = build(policy, requirements, where.with_namespace)
    return {
        "failurePolicy": "Fail" if policy.on_internal_error == "deny" else "Ignore",
        "matchConstraints": constraints,
        "matchConditions": [
            {"name": name, "expression": expression}
            for name, expression in conditions.items()
            if isinstance(expression, str)
        ],
        "variables": [{"name": name, "expression": each} for name, each in variables.items()],
        "validations": validations,
    }


def _variables(requirements: Requirements) -> tuple[dict[str, str], list[str], list[str]]:
    """Return the variables of all requirements, and the names of those with the message of a violation.

    Such a variable is empty if the requirement is satisfied. The names are those of limits, and those of
    expressions.
    """
    variables = {IS_UPDATE.removeprefix("variables."): f"request.operation == {literal(UPDATE)}"}
    names = []
    for number, each in enumerate(requirements.all, start=1):
        names.append(f"violation{number}")
        variables |= {**each.variables, names[-1]: either(each.violated, each.text, literal(""))}
    count = len(requirements.limits)
    return variables, names[:count], names[count:]


def _with_one_message(
    policy: JobPolicy, requirements: Requirements, applies: Condition
) -> tuple[dict[str, str], list[Document]]:
    """Return the variables and validations of a policy whose first validation has all messages."""
    variables, limits, expressions = _variables(requirements)
    validations = []

    def add(name: str, violations: Sequence[str]) -> None:
        texts = ", ".join(f"variables.{each}" for each in violations)
        violated = f"[{texts}].filter(text, text != {literal('')})"
        variables[name] = f"{violated}.join({literal(_SEPARATOR)})"
        validations.append(_validation(policy, name, applies))

    if expressions:
        add("violations", [*limits, *expressions])
    if limits:
        add("limitViolations", limits)
    if len(requirements.all) > 1:
        validations += [_validation(policy, name, applies) for name in expressions]
    return variables, validations


def _separate(
    policy: JobPolicy, requirements: Requirements, applies: Condition
) -> tuple[dict[str, str], list[Document]]:
    """Return the variables and validations of a policy with one validation for each requirement."""
    variables, limits, expressions = _variables(requirements)
    return variables, [_validation(policy, name, applies) for name in (*limits, *expressions)]


def _validation(policy: JobPolicy, variable: str, applies: Condition) -> Document:
    """Return the validation that a variable has no message of a violation."""
    guidance = one_line(policy.guidance)
    if len(guidance) > MAX_GUIDANCE:
        guidance = f"{guidance[: MAX_GUIDANCE - 1]}…"
    start, end = f"JobPolicy {policy.name}: ", f" {guidance}" if guidance else ""
    room = MAX_MESSAGE_BYTES - len(f"{start}{end}…".encode())
    text = f"variables.{variable}"
    cut = either(
        f"size(bytes({text})) <= {room}",
        text,
        f"{text}.substring(0, {room // 4}) + {literal('…')}",
    )
    return {
        "expression": text_of(any_of([negated(applies), f"{text} == {literal('')}"])),
        "message": f"The object violates JobPolicy {policy.name}.{end}",
        "messageExpression": " + ".join([literal(start), cut, *([literal(end)] if end else [])]),
        "reason": "Forbidden",
    }


def hash_of(policies: Iterable[AdmissionPolicy]) -> str:
    """Return a hash of what admission policies enforce, and with which effect."""
    enforced = [(each.kind, each.effect, each.spec) for each in policies]
    return hashlib.sha256(json.dumps(enforced, sort_keys=True).encode()).hexdigest()[:16]
