"""The parts of a Kyverno policy that a JobPolicy cannot express."""

from __future__ import annotations

from dataclasses import dataclass


class Untranslatable(ValueError):
    """A part of a policy has no translation; the message is the reason."""


@dataclass(frozen=True, slots=True)
class LeftPart:
    """A part of a policy that is not imported.

    Attributes:
        field: its path in the policy of Kyverno.
        reason: why, worded as the end of a sentence.
    """

    field: str
    reason: str
