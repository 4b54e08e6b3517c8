"""The JobPolicy document as a value, and the set of all that hold together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobsworth.api.server import ApiServer
    from jobsworth.policy.job_policy.defaults import Defaults
    from jobsworth.policy.job_policy.expressions import Expressions
    from jobsworth.policy.job_policy.immutable import Immutable
    from jobsworth.policy.job_policy.judgement import Judgement
    from jobsworth.policy.job_policy.limits import Limits
    from jobsworth.policy.job_policy.matching import Decision, Matching
    from jobsworth.policy.job_policy.mutation import Mutation
    from jobsworth.policy.job_policy.rules import Rules
    from jobsworth.policy.job_policy.subject import PolicyRequest
    from jobsworth.policy.lint.linter import Linter

API_VERSION, KIND = "jobsworth.dev/v1alpha1", "JobPolicy"
EFFECTS = ("audit", "warn", "deny")
"""What a breach leads to, from the mildest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPolicy:
    """One document.

    Attributes:
        name: ``metadata.name``, unique in a set.
        description: what it is for, in the author's words.
        message: what a user is told beside each breach: why, and what to do.
        contact: whom a user can ask.
        priority: the document with the higher one gives its defaults first.
        enforcement: the most that a breach leads to: ``deny``, ``warn`` or ``audit``.
        on_internal_error: ``deny`` or ``allow``: what holds when an expression fails to evaluate, or
            jobsworth itself fails.
        cron_job_jobs: ``audit`` or ``enforce``: what holds for the Jobs that CronJobs make.
        matching: which requests it concerns.
        defaults: what it fills in; None where it has none.
        limits: what it demands of fields; None likewise.
        immutable: which fields may not change.
        rules: which lint rules it asks.
        expressions: its CEL expressions.
    """

    name: str
    description: str
    message: str
    contact: str
    priority: int
    enforcement: str
    on_internal_error: str
    cron_job_jobs: str
    matching: Matching
    defaults: Defaults | None = None
    limits: Limits | None = None
    immutable: Immutable | None = None
    rules: Rules | None = None
    expressions: Expressions | None = None

    @property
    def guidance(self) -> str:
        """What the author says to a user beside a breach, and whom to ask."""
        contact = f"Contact: {self.contact}" if self.contact else ""
        return " ".join(filter(None, (self.message, contact)))


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

    def linter_of(self, heard: list[JobPolicy]) -> Linter | None:
        """Asks the lint rules that some of the documents ask; made once for the same documents."""
        key = tuple(policy.name for policy in heard if policy.rules)
        if not key:
            return None
        if key not in self._linters:
            from jobsworth.policy.job_policy.judgement import linter_for

            self._linters[key] = linter_for(heard)
        return self._linters[key]

    def judge(self, request: PolicyRequest, server: ApiServer) -> Judgement:
        """What the documents say to a request.

        Args:
            request: whose object has the API server's defaults.
            server: the API server that sends it, or will.
        """
        from jobsworth.policy.job_policy.judgement import judge

        return judge(self, request, server)

    def default(self, request: PolicyRequest, server: ApiServer) -> Mutation:
        """What the documents fill in; see :mod:`jobsworth.policy.job_policy.mutation`."""
        from jobsworth.policy.job_policy.mutation import default

        return default(self, request, server)
