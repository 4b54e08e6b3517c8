"""All documents that hold together: what they say to a request, and what they fill in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobsworth.api.server import ApiServer
    from jobsworth.lint.linter import Linter
    from jobsworth.policy.documents.job_policy import JobPolicy
    from jobsworth.policy.enforcement import Judgement
    from jobsworth.policy.matching.matching import Decision
    from jobsworth.policy.mutation.mutation import Mutation
    from jobsworth.policy.policy_request import PolicyRequest


class PolicySet:
    """All documents that hold together; immutable.

    Attributes:
        policies: in the order of precedence: the higher priority first, then by name.
    """

    __slots__ = ("_linters", "policies")

    def __init__(self, policies: tuple[JobPolicy, ...]) -> None:
        self.policies = tuple(sorted(policies, key=lambda policy: (-policy.priority, policy.name)))
        self._linters: dict[tuple[str, ...], Linter | None] = {}

    @property
    def asks_namespace_labels(self) -> bool:
        """Whether some document looks at the labels of namespaces."""
        return any(policy.matching.asks_namespace_labels for policy in self.policies)

    def decisions(self, request: PolicyRequest) -> list[tuple[JobPolicy, Decision]]:
        """Of every document, in the order of precedence, whether it speaks about a request, and why."""
        return [(policy, policy.matching.decide(request)) for policy in self.policies]

    def judge(self, request: PolicyRequest, server: ApiServer) -> Judgement:
        """What the documents say to a request.

        Args:
            request: whose object has the API server's defaults.
            server: the API server that sends it, or will.
        """
        from jobsworth.policy.enforcement import NOTHING, judge

        heard = [pair for pair in self.decisions(request) if pair[1].applies]
        if not heard:
            return NOTHING
        return judge(heard, request, server, self._linter_of([policy for policy, _ in heard]))

    def default(self, request: PolicyRequest, server: ApiServer) -> Mutation:
        """What the documents fill in; see :mod:`jobsworth.policy.mutation.mutation`."""
        from jobsworth.policy.mutation.mutation import default

        return default(self.policies, request, server)

    def _linter_of(self, heard: list[JobPolicy]) -> Linter | None:
        """Asks the lint rules that some of the documents ask; made once for the same documents."""
        key = tuple(policy.name for policy in heard if policy.rules)
        if not key:
            return None
        if key not in self._linters:
            from jobsworth.policy.enforcement import linter_for

            self._linters[key] = linter_for(heard)
        return self._linters[key]
