"""Reads admission policies and their bindings from objects, and reports every problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, TypeVar

from jobsworth.api.meta.label_selector import check_label_selector
from jobsworth.documents.declared import json_value, read_value, schema_of
from jobsworth.documents.schema_errors import problems as schema_problems
from jobsworth.policy.admission_policies.document import (
    BindingSpec,
    Match,
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
    MutatingBindingSpec,
    MutatingPolicySpec,
    NamedExpression,
    ParamRefEntry,
    PolicySpec,
    ResourceRule,
    Selector,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
    ValidationEntry,
)
from jobsworth.policy.admission_policies.policies import (
    Action,
    AdmissionPolicy,
    Binding,
    MatchResources,
    MutatingPolicy,
    ParamRef,
    PatchType,
    PolicyMutation,
    Rule,
    Validation,
)
from jobsworth.policy.admission_policies.programs import Program
from jobsworth.policy.problems import Problems
from kube_cel.compiling import Returned
from kube_cel.nodes import Call, Literal, Loop, Name, Node, Select, walk
from kube_cel.refusals import place
from kube_cel.types import Type

D = TypeVar("D")

GROUP = "admissionregistration.k8s.io"
VERSIONS = (f"{GROUP}/v1", f"{GROUP}/v1beta1", f"{GROUP}/v1alpha1")
POLICY_KIND = "ValidatingAdmissionPolicy"
BINDING_KIND = "ValidatingAdmissionPolicyBinding"
MUTATING_KIND = "MutatingAdmissionPolicy"
MUTATING_BINDING_KIND = "MutatingAdmissionPolicyBinding"
KINDS = (POLICY_KIND, BINDING_KIND, MUTATING_KIND, MUTATING_BINDING_KIND)
_EXPRESSIONS: dict[PatchType, tuple[str, Returned]] = {
    "ApplyConfiguration": ("applyConfiguration", "object"),
    "JSONPatch": ("jsonPatch", "patches"),
}
_MUTATED = ("*", "CONNECT", "CREATE", "UPDATE")
"""The operations that a policy can mutate."""


def read_policy(
    document: Mapping[str, Any], problems: Problems, release: str, *, strict: bool
) -> AdmissionPolicy | None:
    """Read a policy; None and its problems if it is invalid.

    Args:
        document: the object.
        problems: collects its problems.
        release: the Kubernetes release whose CEL it may use.
        strict: an expression that the release refuses is a problem. Otherwise it fails when it is evaluated,
            as that of a policy that is stored already.
    """
    policy = _read(ValidatingAdmissionPolicy, document, problems)
    if policy is None:
        return None
    spec, compiler = policy.spec, _Compiler(policy.spec, release)
    shared = compiler.shared(spec, problems, composed=not strict)
    validations = [
        _validation(compiler, entry, f"spec.validations[{index}]")
        for index, entry in enumerate(spec.validations or ())
    ]
    annotations = [
        compiler.compiled(
            annotation.value_expression,
            f"spec.auditAnnotations[{index}].valueExpression",
            "annotation",
        )
        for index, annotation in enumerate(spec.audit_annotations or ())
    ]
    if not _accepted(compiler, problems, release, strict=strict):
        return None
    return AdmissionPolicy(
        name=_name(document),
        **shared,
        variables=compiler.variables,
        validations=tuple(validations),
        annotations=tuple(annotations),
    )


def read_mutating_policy(
    document: Mapping[str, Any], problems: Problems, release: str, *, strict: bool
) -> MutatingPolicy | None:
    """Read a MutatingAdmissionPolicy, with the arguments of :func:`read_policy`."""
    policy = _read(MutatingAdmissionPolicy, document, problems)
    if policy is None:
        return None
    spec, compiler = policy.spec, _Compiler(policy.spec, release)
    shared = compiler.shared(spec, problems, composed=not strict)
    _check_operations(spec.match_constraints, "spec.matchConstraints", problems)
    mutations = []
    for index, entry in enumerate(spec.mutations):
        field = f"spec.mutations[{index}]"
        (name, returns), given = _EXPRESSIONS[entry.patch_type], entry.apply_configuration
        other = entry.json_patch
        if entry.patch_type == "JSONPatch":
            given, other = other, given
        if given is None:
            message = f"Required value: must be specified when patchType is {entry.patch_type}"
            problems.add(f"{field}.{name}", message)
            continue
        if other is not None:
            name = next(each for each, _ in _EXPRESSIONS.values() if each != name)
            message = f"Invalid value: must not be specified when patchType is {entry.patch_type}"
            problems.add(f"{field}.{name}", message)
        program = compiler.compiled(given.expression, f"{field}.{name}.expression", returns)
        mutations.append(PolicyMutation(entry.patch_type, program))
    if not _accepted(compiler, problems, release, strict=strict):
        return None
    return MutatingPolicy(
        name=_name(document),
        **shared,
        variables=compiler.variables,
        mutations=tuple(mutations),
        reinvoked=spec.reinvocation_policy == "IfNeeded",
    )


def _check_operations(match: Match, field: str, problems: Problems) -> None:
    """Report operations that cannot be mutated, in the words of the API server."""
    for rule in match.resource_rules or ():
        for operation in rule.operations:
            if operation not in _MUTATED:
                supported = ", ".join(f'"{each}"' for each in _MUTATED)
                message = f'Unsupported value: "{operation}": supported values: {supported}'
                problems.add(f"{field}.resourceRules.operations", message)


def _accepted(compiler: _Compiler, problems: Problems, release: str, *, strict: bool) -> bool:
    """Return True if a policy has no problem; an expression that is refused is one if `strict`."""
    if strict:
        for field, message in compiler.refused:
            problems.add(field, f"Kubernetes {release} refuses it {message}")
    return not problems.found


def read_binding(document: Mapping[str, Any], problems: Problems) -> Binding | None:
    """Read a binding of either kind; None and its problems if it is invalid.

    Args:
        document: the object.
        problems: collects its problems.
    """
    spec: BindingSpec | MutatingBindingSpec
    actions: tuple[Action, ...] = ()
    if document.get("kind") == MUTATING_BINDING_KIND:
        mutating = _read(MutatingAdmissionPolicyBinding, document, problems)
        if mutating is None:
            return None
        spec = mutating.spec
    else:
        binding = _read(ValidatingAdmissionPolicyBinding, document, problems)
        if binding is None:
            return None
        spec, actions = binding.spec, tuple(binding.spec.validation_actions)
    match = spec.match_resources
    read = None if match is None else _match(match, "spec.matchResources", problems)
    if match is not None and not actions:
        _check_operations(match, "spec.matchResources", problems)
    param_ref = None if spec.param_ref is None else _param_ref(spec.param_ref, problems)
    if problems.found:
        return None
    return Binding(
        name=_name(document),
        policy=spec.policy_name,
        match=read,
        param_ref=param_ref,
        actions=actions,
    )


def _read(declared: type[D], document: Mapping[str, Any], problems: Problems) -> D | None:
    """Return a document as an object of its class; None and its problems if it is invalid."""
    for found in schema_problems(document, schema_of(declared), {}):
        problems.add(found.field, found.message, found.hint)
    return None if problems.found else read_value(declared, document)


class _Shared(TypedDict):
    """The parts of policies of both kinds, as arguments of their classes."""

    match: MatchResources
    param_kind: tuple[str, str] | None
    ignores_failures: bool
    conditions: tuple[Program, ...]


class _Compiler:
    """Compiles the expressions of a policy in their order, and collects those that are refused."""

    def __init__(self, spec: PolicySpec | MutatingPolicySpec, release: str) -> None:
        self._release = release
        self._params = spec.param_kind is not None
        self._types: dict[str, Type] = {}
        self.variables: dict[str, Program] = {}
        self.refused: list[tuple[str, str]] = []

    def shared(
        self, spec: PolicySpec | MutatingPolicySpec, problems: Problems, *, composed: bool
    ) -> _Shared:
        """Return the parts that policies of both kinds have, and compile the variables.

        Args:
            spec: of the policy.
            problems: collects its problems.
            composed: match conditions may read variables. A new policy may not do that, but the plugin
                evaluates them there.
        """
        if not spec.match_constraints.resource_rules:
            problems.add("spec.matchConstraints.resourceRules", "Required value")
        match = _match(spec.match_constraints, "spec.matchConstraints", problems)
        for index, each in enumerate(spec.variables or ()):
            self.add_variable(each, f"spec.variables[{index}].expression")
        conditions = (
            self.compiled(
                each.expression,
                f"spec.matchConditions[{index}].expression",
                "bool",
                composed=composed,
            )
            for index, each in enumerate(spec.match_conditions or ())
        )
        kind = spec.param_kind
        return {
            "match": match,
            "param_kind": (kind.api_version, kind.kind) if kind else None,
            "ignores_failures": spec.failure_policy == "Ignore",
            "conditions": tuple(conditions),
        }

    def compiled(
        self,
        source: str,
        field: str,
        returns: Returned,
        *,
        authorizer: bool = True,
        composed: bool = True,
    ) -> Program:
        program = Program.compiled(
            source,
            self._release,
            returns,
            params=self._params,
            variables=self._types if composed else None,
            authorizer=authorizer,
        )
        if program.refused:
            line, column = place(source, program.refused_at or 0)
            where = f"at line {line}, column {column} of the expression"
            self.refused.append((field, f"{where}: {program.refused}"))
        return program

    def add_variable(self, variable: NamedExpression, field: str) -> None:
        from kube_cel.types import DYN

        program = self.compiled(variable.expression, field, "any")
        self.variables[variable.name] = program
        self._types[variable.name] = program.type or DYN


def _validation(compiler: _Compiler, entry: ValidationEntry, field: str) -> Validation:
    made: Program | None = None
    program = compiler.compiled(entry.expression, f"{field}.expression", "bool")
    if entry.message_expression:
        made = compiler.compiled(
            entry.message_expression, f"{field}.messageExpression", "string", authorizer=False
        )
    path = "" if program.tree is None else _field_of(program.tree)
    return Validation(program, entry.message, made, path)


def _match(match: Match, field: str, problems: Problems) -> MatchResources:
    namespaces, objects = _selector(match.namespace_selector), _selector(match.object_selector)
    for name, selector in (("namespaceSelector", namespaces), ("objectSelector", objects)):
        for error in check_label_selector(selector, f"{field}.{name}"):
            problems.add(error.field, error.message)
    return MatchResources(
        rules=_rules(match.resource_rules),
        excluded=_rules(match.exclude_resource_rules),
        namespace_selector=namespaces,
        object_selector=objects,
    )


def _selector(selector: Selector | None) -> dict[str, Any]:
    found: dict[str, Any] = {} if selector is None else json_value(selector)
    return found


def _rules(rules: Sequence[ResourceRule] | None) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            groups=frozenset(rule.api_groups),
            versions=frozenset(rule.api_versions),
            resources=frozenset(rule.resources),
            operations=frozenset(rule.operations),
            scope=rule.scope,
            names=frozenset(rule.resource_names or ()),
        )
        for rule in rules or ()
    )


def _param_ref(entry: ParamRefEntry, problems: Problems) -> ParamRef:
    if (entry.name is None) == (entry.selector is None):
        problems.add(
            "spec.paramRef",
            "must have either a name or a selector",
            "name the params, or select them by labels",
        )
    return ParamRef(
        name=entry.name or "",
        namespace=entry.namespace or "",
        selector=None if entry.selector is None else _selector(entry.selector),
        denies_without=entry.parameter_not_found_action == "Deny",
    )


def _name(document: Mapping[str, Any]) -> str:
    return str(document["metadata"].get("name", ""))


def _field_of(expression: Node) -> str:
    """Return the longest path of the object that an expression reads; empty if it reads none.

    A path ends where the items of a list or the keys of a map are visited.
    """
    paths = [path for node in walk(expression) if (path := _path(node))]
    return max(paths, key=lambda path: path.count("."), default="")


def _path(node: Node) -> str:
    """Return the path that a chain of members of ``object`` stands for; empty for another node."""
    steps: list[str] = []
    while True:
        if isinstance(node, Loop):
            node, steps = node.range, []
        elif isinstance(node, Select):
            steps.append(f".{node.field}")
            node = node.operand
        elif isinstance(node, Call) and node.function in ("_[_]", "_[?_]"):
            node, key = node.arguments
            if not isinstance(key, Literal):
                steps = []
            elif isinstance(key.value, int):
                steps.append(f"[{key.value}]")
            else:
                steps.append(f".{key.value}" if str(key.value).isidentifier() else f"[{key.value}]")
        else:
            break
    if not isinstance(node, Name) or node.name != "object":
        return ""
    return "".join(reversed(steps)).removeprefix(".")
