"""The outcomes of policies for a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effect = Literal["audit", "warn", "deny"]


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
