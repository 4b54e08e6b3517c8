"""The breach: one thing that an object does against one policy, before the policy's effect is known."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from jobsworth.api.errors import FieldError

Effect = Literal["audit", "warn", "deny"]
EFFECTS: tuple[Literal["audit"], Literal["warn"], Literal["deny"]] = ("audit", "warn", "deny")
"""What a breach leads to, from the mildest."""


@dataclass(frozen=True, slots=True)
class Breach:
    """What an object does against a policy.

    Two breaches that are equal are the same breach: what the stored object already did is not held
    against an update that leaves it as it is.

    Attributes:
        code: stable: ``JP001`` …, or that of a lint rule.
        field: the field path in the object, as Kubernetes writes it.
        reason: the cause as the API server words causes (``FieldValueInvalid``), or the rule's name.
        message: what is wrong, with the value and what is allowed, worded like the API server's.
        effect: where the breach itself has one; None: the document's.
        hint: what else may help.
        explanation: what is shown in place of the message; ``{policy}`` stands for the policy's name.
    """

    code: str
    field: str
    reason: str
    message: str
    effect: Effect | None = None
    hint: str = ""
    explanation: str = dataclass_field(default="", compare=False)


def breach(code: str, error: FieldError) -> Breach:
    """A breach in the API server's words."""
    return Breach(code, error.field, error.reason, error.message)
