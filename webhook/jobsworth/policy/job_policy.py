"""The JobPolicy document, decoded and compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jobsworth.policy.cel.expressions import Expressions
from jobsworth.policy.defaults import Defaults
from jobsworth.policy.document import OnAdmitted, OnFailure, Reconcile
from jobsworth.policy.limits.immutability import Immutable
from jobsworth.policy.limits.limits import Limits
from jobsworth.policy.limits.lint_rules import LintRules
from jobsworth.policy.matching import Matching
from jobsworth.policy.violation import Effect
from jobsworth.wording import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPolicy:
    """One JobPolicy document.

    Attributes:
        name: ``metadata.name``, unique in a set.
        description: the purpose of the policy, for its readers.
        message: text shown with each violation: the reason, and what to do.
        contact: a contact for users.
        priority: defaults of a policy with a higher priority come first.
        enforcement: the strongest effect of a violation.
        on_internal_error: the effect if an expression cannot be evaluated or jobsworth fails.
        on_unreadable: the effect of a value that cannot be decoded.
        cron_job_jobs: the effect for Jobs that the CronJob controller creates.
        on_admitted: the effect for Jobs that were admitted although the policy would deny them.
        reconcile: the use of its defaults for objects that are older than the policy.
        matching: the requests that it applies to.
        defaults: the values to set; None without ``spec.defaults``, likewise below.
        limits: the limits of fields, labels and annotations.
        immutable: the fields that may not change.
        rules: the lint rules to enforce.
        expressions: the CEL expressions.
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
    on_admitted: OnAdmitted = "event"
    reconcile: Reconcile = "report"
    defaults: Defaults | None = None
    limits: Limits | None = None
    immutable: Immutable | None = None
    rules: LintRules | None = None
    expressions: Expressions | None = None

    @property
    def guidance(self) -> str:
        """The author's message to the user, followed by the contact, on one line."""
        contact = f"Contact: {self.contact}" if self.contact else ""
        return one_line(f"{self.message} {contact}")
