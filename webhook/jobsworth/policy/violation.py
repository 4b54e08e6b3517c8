"""The violation: a policy requirement that an object does not satisfy, before its effect is decided."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
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
    """

    code: str
    field: str
    reason: str
    message: str
    effect: Effect | None = None
    hint: str = ""
    explanation: str = dataclass_field(default="", compare=False)


def violation(code: str, error: FieldError) -> Violation:
    """Return a violation in the API server's words."""
    return Violation(code, error.field, error.reason, error.message)
