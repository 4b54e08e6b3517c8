"""Reads ValidatingAdmissionPolicies and their bindings from objects, and reports every problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.meta.label_selector import check_label_selector
from jobsworth.policy.admission_policies.policies import (
    AdmissionPolicy,
    Binding,
    MatchResources,
    ParamRef,
    Rule,
    Validation,
)
from jobsworth.policy.admission_policies.programs import Program
from jobsworth.policy.admission_policies.read_fields import field_of
from jobsworth.policy.admission_policies.schema import BINDING, PATTERNS, POLICY
from jobsworth.policy.cel.positions import place
from jobsworth.schema_errors import problems as schema_problems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jobsworth.cel.checking.types import Type
    from jobsworth.cel.compiling import Returned
    from jobsworth.policy.problems import Problems

GROUP = "admissionregistration.k8s.io"
VERSIONS = (f"{GROUP}/v1", f"{GROUP}/v1beta1", f"{GROUP}/v1alpha1")
POLICY_KIND = "ValidatingAdmissionPolicy"
BINDING_KIND = "ValidatingAdmissionPolicyBinding"


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
    for found in schema_problems(document, POLICY, PATTERNS):
        problems.add(found.field, found.message, found.hint)
    if problems.found:
        return None
    spec, compiler = document["spec"], _Compiler(document["spec"], release)
    if not spec["matchConstraints"].get("resourceRules"):
        problems.add("spec.matchConstraints.resourceRules", "Required value")
    match = _match(spec["matchConstraints"], "spec.matchConstraints", problems)
    for index, each in enumerate(spec.get("variables") or ()):
        compiler.add_variable(each, f"spec.variables[{index}].expression")
    # A new policy may not read variables in match conditions, but the plugin evaluates them there.
    conditions = [
        compiler.compiled(
            each["expression"],
            f"spec.matchConditions[{index}].expression",
            "bool",
            composed=not strict,
        )
        for index, each in enumerate(spec.get("matchConditions") or ())
    ]
    validations = [
        _validation(compiler, each, f"spec.validations[{index}]")
        for index, each in enumerate(spec.get("validations") or ())
    ]
    annotations = [
        compiler.compiled(
            each["valueExpression"],
            f"spec.auditAnnotations[{index}].valueExpression",
            "annotation",
        )
        for index, each in enumerate(spec.get("auditAnnotations") or ())
    ]
    if strict:
        for field, message in compiler.refused:
            problems.add(field, f"Kubernetes {release} refuses it {message}")
    if problems.found:
        return None
    kind = spec.get("paramKind")
    return AdmissionPolicy(
        name=_name(document),
        match=match,
        param_kind=(kind["apiVersion"], kind["kind"]) if kind else None,
        ignores_failures=spec.get("failurePolicy") == "Ignore",
        conditions=tuple(conditions),
        variables=compiler.variables,
        validations=tuple(validations),
        annotations=tuple(annotations),
    )


def read_binding(document: Mapping[str, Any], problems: Problems) -> Binding | None:
    """Read a binding; None and its problems if it is invalid.

    Args:
        document: the object.
        problems: collects its problems.
    """
    for found in schema_problems(document, BINDING, PATTERNS):
        problems.add(found.field, found.message, found.hint)
    if problems.found:
        return None
    spec = document["spec"]
    match = spec.get("matchResources")
    read = None if match is None else _match(match, "spec.matchResources", problems)
    param_ref = _param_ref(spec["paramRef"], problems) if "paramRef" in spec else None
    if problems.found:
        return None
    return Binding(
        name=_name(document),
        policy=spec["policyName"],
        match=read,
        param_ref=param_ref,
        actions=tuple(spec["validationActions"]),
    )


class _Compiler:
    """Compiles the expressions of a policy in their order, and collects those that are refused."""

    def __init__(self, spec: Mapping[str, Any], release: str) -> None:
        self._release = release
        self._params = "paramKind" in spec
        self._types: dict[str, Type] = {}
        self.variables: dict[str, Program] = {}
        self.refused: list[tuple[str, str]] = []

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

    def add_variable(self, variable: Mapping[str, str], field: str) -> None:
        from jobsworth.cel.checking.types import DYN

        name = variable["name"]
        program = self.compiled(variable["expression"], field, "any")
        self.variables[name] = program
        self._types[name] = program.type or DYN


def _validation(compiler: _Compiler, value: Mapping[str, str], field: str) -> Validation:
    made: Program | None = None
    program = compiler.compiled(value["expression"], f"{field}.expression", "bool")
    if value.get("messageExpression"):
        made = compiler.compiled(
            value["messageExpression"], f"{field}.messageExpression", "string", authorizer=False
        )
    path = "" if program.tree is None else field_of(program.tree)
    return Validation(program, value.get("message", ""), made, path)


def _match(value: Mapping[str, Any], field: str, problems: Problems) -> MatchResources:
    for name in ("namespaceSelector", "objectSelector"):
        for error in check_label_selector(value.get(name) or {}, f"{field}.{name}"):
            problems.add(error.field, error.message)
    return MatchResources(
        rules=_rules(value.get("resourceRules") or ()),
        excluded=_rules(value.get("excludeResourceRules") or ()),
        namespace_selector=value.get("namespaceSelector") or {},
        object_selector=value.get("objectSelector") or {},
    )


def _rules(values: Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            groups=frozenset(value["apiGroups"]),
            versions=frozenset(value["apiVersions"]),
            resources=frozenset(value["resources"]),
            operations=frozenset(value["operations"]),
            scope=value.get("scope", "*"),
            names=frozenset(value.get("resourceNames") or ()),
        )
        for value in values
    )


def _param_ref(value: Mapping[str, Any], problems: Problems) -> ParamRef:
    if ("name" in value) == ("selector" in value):
        problems.add(
            "spec.paramRef",
            "must have either a name or a selector",
            "name the params, or select them by labels",
        )
    return ParamRef(
        name=value.get("name", ""),
        namespace=value.get("namespace", ""),
        selector=value.get("selector"),
        denies_without=value.get("parameterNotFoundAction") == "Deny",
    )


def _name(document: Mapping[str, Any]) -> str:
    return str(document["metadata"].get("name", ""))
