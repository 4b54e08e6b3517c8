"""Admission policies and their bindings, as far as they are read."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from jobsworth.documents.declared import Document, Meta

Text = Annotated[str, Meta(min_length=1)]


class Requirement(Document):
    """A requirement of a label selector."""

    key: Text
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: list[str] | None = None


class Selector(Document):
    """A label selector."""

    match_labels: dict[str, str] | None = None
    match_expressions: list[Requirement] | None = None


class ResourceRule(Document):
    """Requests by operation and resource."""

    api_groups: list[str]
    api_versions: list[str]
    resources: list[str]
    operations: list[Literal["*", "CREATE", "UPDATE", "DELETE", "CONNECT"]]
    scope: Literal["*", "Namespaced", "Cluster"] = "*"
    resource_names: list[str] | None = None


class Match(Document):
    """The requests to which a policy or a binding applies."""

    namespace_selector: Selector | None = None
    object_selector: Selector | None = None
    resource_rules: list[ResourceRule] | None = None
    exclude_resource_rules: list[ResourceRule] | None = None
    match_policy: Literal["Exact", "Equivalent"] | None = None


class ParamKind(Document):
    """The kind of the params."""

    api_version: Text
    kind: Text


class NamedExpression(Document):
    """A match condition or a variable."""

    name: Text
    expression: Text


class ValidationEntry(Document):
    """A condition with its message."""

    expression: Text
    message: str = ""
    message_expression: str = ""
    reason: str | None = None


class AuditAnnotation(Document):
    """An annotation of the audit log."""

    key: Text
    value_expression: Text


class PatchExpression(Document):
    """An expression that makes a partial object or a JSON Patch."""

    expression: Text


class MutationEntry(Document):
    """A mutation, with the expression of its patch type."""

    patch_type: Literal["ApplyConfiguration", "JSONPatch"]
    apply_configuration: PatchExpression | None = None
    json_patch: PatchExpression | None = None


class MutatingPolicySpec(Document):
    """How a policy changes objects."""

    param_kind: ParamKind | None = None
    match_constraints: Match
    match_conditions: list[NamedExpression] | None = None
    variables: list[NamedExpression] | None = None
    mutations: Annotated[list[MutationEntry], Meta(min_length=1)]
    failure_policy: Literal["Fail", "Ignore"] = "Fail"
    reinvocation_policy: Literal["Never", "IfNeeded"]


class MutatingAdmissionPolicy(Document):
    """A policy that changes objects."""

    api_version: Text | None = None
    kind: Text | None = None
    metadata: dict[str, Any]
    spec: MutatingPolicySpec


class PolicySpec(Document):
    """What a policy requires."""

    param_kind: ParamKind | None = None
    match_constraints: Match
    match_conditions: list[NamedExpression] | None = None
    variables: list[NamedExpression] | None = None
    validations: list[ValidationEntry] | None = None
    audit_annotations: list[AuditAnnotation] | None = None
    failure_policy: Literal["Fail", "Ignore"] = "Fail"


class ValidatingAdmissionPolicy(Document):
    """A policy."""

    api_version: Text | None = None
    kind: Text | None = None
    metadata: dict[str, Any]
    status: dict[str, Any] | None = None
    spec: PolicySpec


class ParamRefEntry(Document):
    """A reference to params."""

    name: Text | None = None
    namespace: Text | None = None
    selector: Selector | None = None
    parameter_not_found_action: Literal["Allow", "Deny"] | None = None


class BindingSpec(Document):
    """Where a policy applies, and with which effects."""

    policy_name: Text
    param_ref: ParamRefEntry | None = None
    match_resources: Match | None = None
    validation_actions: Annotated[list[Literal["Deny", "Warn", "Audit"]], Meta(min_length=1)]


class MutatingBindingSpec(Document):
    """Where a policy that changes objects applies."""

    policy_name: Text
    param_ref: ParamRefEntry | None = None
    match_resources: Match | None = None


class MutatingAdmissionPolicyBinding(Document):
    """A binding of a policy that changes objects."""

    api_version: Text | None = None
    kind: Text | None = None
    metadata: dict[str, Any]
    spec: MutatingBindingSpec


class ValidatingAdmissionPolicyBinding(Document):
    """A binding of a policy."""

    api_version: Text | None = None
    kind: Text | None = None
    metadata: dict[str, Any]
    spec: BindingSpec
