"""The JobPolicy document as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from jobsworth.policy.cel.expressions import Expressions
    from jobsworth.policy.defaults.defaults import Defaults
    from jobsworth.policy.immutability import Immutable
    from jobsworth.policy.limits.limits import Limits
    from jobsworth.policy.lint_rules import Rules
    from jobsworth.policy.matching.matching import Matching
    from jobsworth.policy.violation import Effect

API_VERSION, KIND = "jobsworth.dev/v1alpha1", "JobPolicy"

OnFailure = Literal["deny", "allow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPolicy:
    """One document.

    Attributes:
        name: ``metadata.name``, unique in a set.
        description: what it is for, in the author's words.
        message: what a user is told beside each breach: why, and what to do.
        contact: whom a user can ask.
        priority: the document with the higher one gives its defaults first.
        enforcement: the most that a breach leads to.
        on_internal_error: what holds when an expression fails to evaluate, or jobsworth itself fails.
        on_unreadable: the effect of a value that cannot be decoded.
        cron_job_jobs: what holds for the Jobs that CronJobs make.
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
    enforcement: Effect
    on_internal_error: OnFailure
    on_unreadable: OnFailure
    cron_job_jobs: Literal["audit", "enforce"]
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
