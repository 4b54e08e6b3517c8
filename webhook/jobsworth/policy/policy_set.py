"""The set of policies that are loaded together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.api_server import ApiServer
from jobsworth.lint.linter import Linter
from jobsworth.validation.decoded_object import DecodedObject

if TYPE_CHECKING:
    from jobsworth.policy.enforcement import PolicyVerdict
    from jobsworth.policy.job_policy import JobPolicy
    from jobsworth.policy.matching import MatchDecision
    from jobsworth.policy.mutation.mutation import Mutation
    from jobsworth.policy.request import PolicyRequest


class PolicySet:
    """An immutable, precedence-ordered set of policies.

    Attributes:
        policies: in order of precedence: higher priority first, then by name.
    """

    __slots__ = ("_linters", "policies")

    def __init__(self, policies: tuple[JobPolicy, ...]) -> None:
        self.policies = tuple(sorted(policies, key=lambda policy: (-policy.priority, policy.name)))
        self._linters: dict[tuple[str, ...], Linter | None] = {}

    @property
    def needs_namespace_labels(self) -> bool:
        """Return True if a policy selects namespaces by label."""
        return any(policy.matching.needs_namespace_labels for policy in self.policies)

    @property
    def depends_on_ownership(self) -> bool:
        """Return True if a verdict may depend on the fields that a client is known to have written."""
        return any(
            (policy.defaults is not None and policy.defaults.depend_on_ownership)
            or (policy.rules is not None and policy.rules.can_deny)
            for policy in self.policies
        )

    def missing(self, before: PolicySet | None) -> tuple[str, ...]:
        """Return the names of the policies of an earlier set that this one does not have."""
        names = {policy.name for policy in self.policies}
        return tuple(
            policy.name
            for policy in (before.policies if before else ())
            if policy.name not in names
        )

    def decisions(self, request: PolicyRequest) -> list[tuple[JobPolicy, MatchDecision]]:
        """Return every policy with its match decision for a request, in order of precedence."""
        return [(policy, policy.matching.decide(request)) for policy in self.policies]

    @property
    def fails_closed(self) -> bool:
        """Return True if a policy denies requests that cannot be evaluated.

        A policy that only warns or records denies none, also with ``onInternalError: deny``, its default.
        """
        return any(
            policy.enforcement == "deny" and policy.on_internal_error == "deny"
            for policy in self.policies
        )

    def evaluate(
        self, request: PolicyRequest, server: ApiServer, decoded: DecodedObject | None = None
    ) -> PolicyVerdict:
        """Evaluate a request against the policies that apply to it.

        Args:
            request: the request; its object has the API server's defaults.
            server: the API server that sends the request.
            decoded: the object as that server decodes it; None to decode it if a policy needs it.
        """
        from jobsworth.policy import enforcement

        matching = [pair for pair in self.decisions(request) if pair[1].applies]
        if not matching:
            return enforcement.NO_VIOLATIONS
        linter = self._linter_of([policy for policy, _ in matching])
        return enforcement.evaluate(matching, request, server, linter, decoded)

    def default(self, request: PolicyRequest, server: ApiServer) -> Mutation:
        """Apply the defaults of the policies; see :mod:`jobsworth.policy.mutation.mutation`."""
        from jobsworth.policy.mutation.mutation import default

        return default(self.policies, request, server)

    def _linter_of(self, matching: list[JobPolicy]) -> Linter | None:
        """Return the linter for the lint rules of some policies, cached by their names."""
        from jobsworth.policy import enforcement

        key = tuple(policy.name for policy in matching if policy.rules)
        if not key:
            return None
        if key not in self._linters:
            self._linters[key] = enforcement.linter_for(matching)
        return self._linters[key]
