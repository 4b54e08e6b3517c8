"""Policy violations: a requirement that an object does not satisfy, its effects, and the stable codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Literal

from jobsworth.api.field_errors import FieldError

Effect = Literal["audit", "warn", "deny"]
EFFECTS: tuple[Literal["audit"], Literal["warn"], Literal["deny"]] = ("audit", "warn", "deny")
"""The effects of a violation, from the mildest to the strictest."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A requirement of a policy that an object does not satisfy.

    Equal violations are the same violation: an update is not denied for a violation that the stored object
    already has.

    Attributes:
        code: a stable code (``JP001`` …), or the code of a lint rule.
        field: the field path in the object, as Kubernetes writes it.
        reason: the API server's cause type (``FieldValueInvalid``), or the lint rule's name.
        message: the problem, with the actual and the allowed value, in the API server's wording.
        effect: the effect of this violation; None for the effect of the policy.
        hint: advice on how to fix it.
        explanation: text shown instead of the message; ``{policy}`` stands for the policy's name.
        cause: the reason why an expression has no value, shown after the message. An object whose expression
            has none for another reason has the same violation.
    """

    code: str
    field: str
    reason: str
    message: str
    effect: Effect | None = None
    hint: str = dataclass_field(default="", compare=False)
    explanation: str = dataclass_field(default="", compare=False)
    cause: str = dataclass_field(default="", compare=False)


def violation(code: str, error: FieldError) -> Violation:
    """Return a violation in the API server's words."""
    return Violation(code, error.field, error.reason, error.message)


BELOW_MINIMUM = "JP001"
ABOVE_MAXIMUM = "JP002"
NOT_ALLOWED = "JP003"
REQUIRED = "JP004"
FORBIDDEN = "JP005"

FAILURE_POLICY_ACTION = "JP010"
FAILURE_POLICY_IGNORES_DISRUPTIONS = "JP011"
FAILURE_POLICY_EXIT_CODES = "JP012"
FAILURE_POLICY_RULES = "JP013"

RESOURCES_ABOVE_MAXIMUM = "JP020"
RESOURCES_UNKNOWN = "JP021"

IMMUTABLE = "JP030"

EXPRESSION_FALSE = "JP040"
EXPRESSION_FAILED = "JP041"
EXPRESSION_UNKNOWN = "JP042"

DEFAULT_NOT_APPLIED = "JP050"
DENIED_AFTER_CREATE = "JP051"

ADMISSION_POLICY = "JP060"
ADMISSION_POLICY_UNKNOWN = "JP061"

INTERNAL_ERROR = "JP090"
UNREADABLE = "JP091"

CODES: dict[str, str] = {
    BELOW_MINIMUM: "A number is less than a policy's minimum.",
    ABOVE_MAXIMUM: "A number is greater than a policy's maximum.",
    NOT_ALLOWED: "A value is not among those that a policy allows.",
    REQUIRED: "A field, label or annotation that a policy requires is not set.",
    FORBIDDEN: "A field, label or annotation that a policy forbids is set.",
    FAILURE_POLICY_ACTION: "A rule of the failure policy has an action that a policy does not allow.",
    FAILURE_POLICY_IGNORES_DISRUPTIONS: "The failure policy does not ignore disruptions first.",
    FAILURE_POLICY_EXIT_CODES: "The failure policy does not fail the Job for an exit code that must fail it.",
    FAILURE_POLICY_RULES: "The failure policy has too few or too many rules.",
    RESOURCES_ABOVE_MAXIMUM: "The requests or limits of a Job's Pods together exceed a policy's maximum.",
    RESOURCES_UNKNOWN: "A container does not set a resource that a policy requires.",
    IMMUTABLE: "An update changes a field that a policy makes immutable.",
    EXPRESSION_FALSE: "A CEL expression of a policy is false.",
    EXPRESSION_FAILED: "A CEL expression of a policy could not be evaluated.",
    EXPRESSION_UNKNOWN: "A CEL expression of a policy depends on the user, who is not known here.",
    DEFAULT_NOT_APPLIED: "A default was not set because it would make the object invalid.",
    DENIED_AFTER_CREATE: "An object passes as a file, but a policy denies it after a plain create.",
    ADMISSION_POLICY: "An admission policy denies the object, or warns about it.",
    ADMISSION_POLICY_UNKNOWN: "An admission policy depends on what is not known here.",
    INTERNAL_ERROR: "A policy could not be evaluated because of a bug in jobsworth.",
    UNREADABLE: "A value has a type that jobsworth does not know, so a policy cannot be evaluated.",
}
"""Every policy code with one sentence that describes it."""

NAMES: dict[str, str] = {
    BELOW_MINIMUM: "below-minimum",
    ABOVE_MAXIMUM: "above-maximum",
    NOT_ALLOWED: "not-allowed",
    REQUIRED: "required",
    FORBIDDEN: "forbidden",
    FAILURE_POLICY_ACTION: "failure-policy-action",
    FAILURE_POLICY_IGNORES_DISRUPTIONS: "disruptions-not-ignored",
    FAILURE_POLICY_EXIT_CODES: "failure-policy-exit-codes",
    FAILURE_POLICY_RULES: "failure-policy-rules",
    RESOURCES_ABOVE_MAXIMUM: "resources-above-maximum",
    RESOURCES_UNKNOWN: "resources-unknown",
    IMMUTABLE: "immutable",
    EXPRESSION_FALSE: "expression-false",
    EXPRESSION_FAILED: "expression-failed",
    EXPRESSION_UNKNOWN: "expression-unknown",
    DEFAULT_NOT_APPLIED: "default-not-applied",
    DENIED_AFTER_CREATE: "denied-after-create",
    ADMISSION_POLICY: "admission-policy",
    ADMISSION_POLICY_UNKNOWN: "admission-policy-unknown",
    INTERNAL_ERROR: "internal-error",
    UNREADABLE: "unreadable-value",
}
"""A name of every policy code, for tables and pages; a finding's ``reason`` is the API server's."""


def pages_of(codes: Sequence[str]) -> str | None:
    """Return the pages of policy codes, or a table for ``JP``; None for an unknown code.

    >>> print(pages_of(["JP002"]).splitlines()[0])
    # JP002 above-maximum
    """
    if list(codes) == ["JP"]:
        return "".join(f"{code}  {NAMES[code]:<26}  {CODES[code]}\n" for code in CODES)
    if not all(code in CODES for code in codes):
        return None
    return "\n".join(
        f"# {code} {NAMES[code]}\n\n{CODES[code]}\n\nThe finding names the JobPolicy that requires this. "
        "It cannot be ignored in the manifest.\ndocs/policy.md is the reference of policies; "
        "`jobsworth policy explain` shows which policies match an object.\n"
        for code in codes
    )
