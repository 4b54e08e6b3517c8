"""ValidatingAdmissionPolicies and their bindings, as documents, from the requirements of a JobPolicy.

The API server denies a request with the first failed validation only. So the first one of a policy that
denies has all messages. It has no value if an expression of the policy has none; the others then count one
by one. Warnings and audit annotations list all failed validations, so those are not joined.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jobsworth.policy.export.cel_text import any_of, either, literal, negated, one_line
from jobsworth.policy.export.match_conditions import made_by_a_cron_job
from jobsworth.policy.export.object_view import IS_UPDATE
from jobsworth.policy.export.request_conditions import CHANGES, request_conditions
from jobsworth.policy.matching import NAMESPACE_NAME
from jobsworth.policy.violation import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from jobsworth.policy.export.cel_text import Condition
    from jobsworth.policy.export.requirement import Requirement
    from jobsworth.policy.job_policy import JobPolicy
    from jobsworth.policy.violation import Effect

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
) -> list[Document]:
    """Return the documents of admission policies: all policies, then their bindings.

    Args:
        policies: the admission policies.
        hashes: the hash of each JobPolicy's export, by its name.
        suffix: the end of every name, such as ``.static.k8s.io``.
        exempt_namespaces: namespaces to exempt beside :data:`ALWAYS_EXEMPT`.
    """
    exempt = sorted({*ALWAYS_EXEMPT, *exempt_namespaces})
    found, bindings = [], []
    for each in policies:
        name = name_of(each, suffix)
        labels = {**MANAGED_BY, POLICY_LABEL: each.policy, HASH_LABEL: hashes[each.policy]}
        head = {"apiVersion": API_VERSION, "metadata": {"name": name, "labels": labels}}
        found.append({**head, "kind": POLICY, "spec": _exempting(each.spec, exempt)})
        action = {"policyName": name, "validationActions": [_ACTIONS[each.effect]]}
        bindings.append({**head, "kind": BINDING, "spec": action})
    return [*found, *bindings]


def name_of(policy: AdmissionPolicy, suffix: str = "") -> str:
    """Return the name of an admission policy and of its binding; a long one ends in a hash."""
    name = f"{policy.policy}.{_RESOURCES[policy.kind]}.{policy.effect}{DOMAIN}{suffix}"
    if len(name) <= MAX_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{policy.policy}.{digest}{suffix}"


def _exempting(spec: Mapping[str, Any], namespaces: list[str]) -> Document:
    constraints = spec["matchConstraints"]
    selector = constraints.get("namespaceSelector") or {}
    other = {"key": NAMESPACE_NAME, "operator": "NotIn", "values": namespaces}
    requirements = [*(selector.get("matchExpressions") or ()), other]
    selector = {**selector, "matchExpressions": requirements}
    return {**spec, "matchConstraints": {**constraints, "namespaceSelector": selector}}


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
    conditions = {"changes": CHANGES, "matches": where.condition, "cron-job-controller": also}
    build = _joined if effect == DENY else _separate
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


def _base_variables(requirements: Requirements) -> dict[str, str]:
    variables = {IS_UPDATE.removeprefix("variables."): 'request.operation == "UPDATE"'}
    for each in requirements.all:
        variables |= each.variables
    return variables


def _joined(
    policy: JobPolicy, requirements: Requirements, applies: Condition
) -> tuple[dict[str, str], list[Document]]:
    """Return the variables and validations of a policy whose first validation has all messages."""
    variables = _base_variables(requirements)
    validations = []

    def add(name: str, each: Sequence[Requirement]) -> None:
        variables[name] = _violations(each)
        variables[f"{name}_text"] = f"variables.{name}.join({literal(_SEPARATOR)})"
        passes = f"variables.{name}.size() == 0"
        validations.append(_validation(policy, passes, f"variables.{name}_text", applies))

    if requirements.expressions:
        add("violations", requirements.all)
    if requirements.limits:
        add("limit_violations", requirements.limits)
    if len(requirements.all) > 1:
        validations += [_single(policy, each, applies) for each in requirements.expressions]
    return variables, validations


def _separate(
    policy: JobPolicy, requirements: Requirements, applies: Condition
) -> tuple[dict[str, str], list[Document]]:
    """Return the variables and validations of a policy with one validation for each requirement."""
    validations = [_single(policy, each, applies) for each in requirements.all]
    return _base_variables(requirements), validations


def _single(policy: JobPolicy, each: Requirement, applies: Condition) -> Document:
    return _validation(policy, _text_of(negated(each.violated)), each.text, applies)


def _violations(requirements: Sequence[Requirement]) -> str:
    """Return the expression of the list of the messages of the violated requirements."""
    texts = [either(each.violated, each.text, literal("")) for each in requirements]
    return f"[{', '.join(texts)}].filter(text, text != {literal('')})"


def _validation(policy: JobPolicy, passes: str, text: str, applies: Condition) -> Document:
    expression = _text_of(any_of([negated(applies), passes]))
    guidance = one_line(policy.guidance)
    if len(guidance) > MAX_GUIDANCE:
        guidance = f"{guidance[: MAX_GUIDANCE - 1]}…"
    start, end = f"JobPolicy {policy.name}: ", f" {guidance}" if guidance else ""
    room = MAX_MESSAGE_BYTES - len(f"{start}{end}…".encode())
    cut = either(
        f"size(bytes({text})) <= {room}",
        text,
        f"({text}).substring(0, {room // 4}) + {literal('…')}",
    )
    return {
        "expression": expression,
        "message": f"The object violates JobPolicy {policy.name}.{end}",
        "messageExpression": f"{literal(start)} + {cut} + {literal(end)}",
        "reason": "Forbidden",
    }


def _text_of(condition: Condition) -> str:
    return condition if isinstance(condition, str) else literal(condition)


def hash_of(policies: Iterable[AdmissionPolicy]) -> str:
    """Return a hash of what admission policies enforce, and with which effect."""
    import json

    enforced = [(each.kind, each.effect, each.spec) for each in policies]
    return hashlib.sha256(json.dumps(enforced, sort_keys=True).encode()).hexdigest()[:16]
