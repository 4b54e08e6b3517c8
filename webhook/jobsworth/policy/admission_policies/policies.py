"""Policies, their bindings, what a request must match, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from jobsworth.policy.admission_policies.programs import Program

Action = Literal["Deny", "Warn", "Audit"]
PatchType = Literal["ApplyConfiguration", "JSONPatch"]

Effect = Literal["audit", "warn", "deny"]


@dataclass(frozen=True, slots=True)
class Rule:
    """Requests that a policy applies to, by operation and resource; ``*`` stands for all.

    Attributes:
        groups, versions, resources, operations: any of each.
        scope: ``*``, ``Namespaced`` or ``Cluster``.
        names: of objects; empty for all.
    """

    groups: frozenset[str]
    versions: frozenset[str]
    resources: frozenset[str]
    operations: frozenset[str]
    scope: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class MatchResources:
    """The requests to which a policy or a binding applies.

    Attributes:
        rules: any must match; empty for all, which only a binding may have.
        excluded: none may match.
        namespace_selector, object_selector: LabelSelectors; empty for everything.
    """

    rules: tuple[Rule, ...]
    excluded: tuple[Rule, ...]
    namespace_selector: Mapping[str, Any]
    object_selector: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Validation:
    """A condition with its message.

    Attributes:
        program: the condition.
        message: the message; empty for the expression.
        message_program: the message expression; None without one.
        field: the path of the value that the condition reads, for the position of a finding; empty if that is
            the whole object.
    """

    program: Program
    message: str
    message_program: Program | None
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A policy of either kind.

    Attributes:
        name: of the policy.
        match: the requests that it applies to.
        param_kind: apiVersion and kind of its params; None without params.
        ignores_failures: a failure to evaluate it allows the request: ``failurePolicy: Ignore``.
        conditions: the match conditions, with their field paths in the policy.
        variables: by name, in their order.
    """

    name: str
    match: MatchResources
    param_kind: tuple[str, str] | None
    ignores_failures: bool
    conditions: tuple[Program, ...]
    variables: Mapping[str, Program]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionPolicy(Policy):
    """A ValidatingAdmissionPolicy.

    Attributes:
        validations: in their order.
        annotations: the expressions of the audit annotations, of which only errors matter here.
    """

    validations: tuple[Validation, ...]
    annotations: tuple[Program, ...]


@dataclass(frozen=True, slots=True)
class PolicyMutation:
    """A mutation of a policy.

    Attributes:
        patch: how the value of the expression changes the object.
        program: the expression, which makes a partial object or a list of operations.
    """

    patch: PatchType
    program: Program


@dataclass(frozen=True, slots=True, kw_only=True)
class MutatingPolicy(Policy):
    """A MutatingAdmissionPolicy.

    Attributes:
        mutations: in their order.
        reinvoked: it is evaluated once more if the object changes after it: ``reinvocationPolicy: IfNeeded``.
    """

    mutations: tuple[PolicyMutation, ...]
    reinvoked: bool


@dataclass(frozen=True, slots=True)
class ParamRef:
    """A reference to params.

    Attributes:
        name: of the object; empty if a selector chooses.
        namespace: of the objects; empty for that of the request.
        selector: a LabelSelector; None if a name chooses.
        denies_without: no params are a failure: ``parameterNotFoundAction: Deny``.
    """

    name: str
    namespace: str
    selector: Mapping[str, Any] | None
    denies_without: bool


@dataclass(frozen=True, slots=True)
class Binding:
    """A binding of a policy of either kind.

    Attributes:
        name: of the binding.
        policy: the name of the policy.
        match: further limits the requests; None for those of the policy.
        param_ref: the params; None without.
        actions: the effects of a failed validation; none if the policy mutates.
    """

    name: str
    policy: str
    match: MatchResources | None
    param_ref: ParamRef | None
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A failed validation or mutation, or a policy that could not be evaluated here.

    Attributes:
        policy: the name of the policy.
        binding: the name of the binding; empty if the policy itself is misconfigured.
        message: of the validation, in the words of the policy or the API server; of a policy that was not
            evaluated, the reason.
        effect: the strictest effect; None if the policy was not evaluated.
        field: the path of the value that the validation reads; may be empty.
        mutates: the policy is a MutatingAdmissionPolicy.
    """

    policy: str
    binding: str
    message: str
    effect: Effect | None
    field: str = ""
    mutates: bool = False

    @property
    def text(self) -> str:
        """The outcome in the words of the API server."""
        kind = "MutatingAdmissionPolicy" if self.mutates else "ValidatingAdmissionPolicy"
        name = f"{kind} '{self.policy}'"
        of = f"{name} with binding '{self.binding}'" if self.binding else name
        if self.effect is None:
            done = "applied" if self.mutates else "evaluated"
            return f"{of} was not {done}: {self.message}"
        if self.mutates:
            if not self.binding:
                return self.message
            return f"policy '{self.policy}' with binding '{self.binding}' denied request: {self.message}"
        if self.effect == "deny":
            return f"{of} denied request: {self.message}"
        return f"Validation failed for {of}: {self.message}"
