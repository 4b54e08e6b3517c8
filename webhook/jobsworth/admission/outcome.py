"""The outcome of an admission review, as logs and metrics record it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from jobsworth.admission.review import Operation
    from jobsworth.evaluation.evaluation import Unreadable
    from jobsworth.policy.violation import Effect

Endpoint = Literal["mutate", "validate"]
MUTATE: Final = "mutate"
VALIDATE: Final = "validate"
ENDPOINTS: tuple[Endpoint, ...] = (MUTATE, VALIDATE)

Verdict = Literal[
    "allowed", "untouched", "patched", "invalid", "denied", "too_large", "failed", "bad_request"
]

VERDICTS: dict[Verdict, str] = {
    "allowed": "reviewed and allowed",
    "untouched": "allowed without a review: not a CREATE or UPDATE of a Job or CronJob",
    "patched": "allowed with a patch",
    "invalid": "denied: the API server would reject it, too",
    "denied": "denied by a policy",
    "too_large": "not evaluated: the object has too many values; onInternalError decides",
    "failed": "not reviewed: jobsworth failed; onInternalError decides",
    "bad_request": "not a valid AdmissionReview",
}
"""All verdicts and their meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOutcome:
    """One answered request.

    Attributes:
        endpoint: the endpoint that received the request.
        verdict: the result, one of :data:`VERDICTS`.
        allowed: True unless the webhook denied the request.
        uid, operation, kind, namespace, name, user: from the request; empty if it could not be read.
        dry_run: the request was a dry run.
        codes: the codes of the findings, in order, without duplicates.
        policies: the names of the policies that denied the request or whose defaults apply.
        violations: the violated policies, each with the effect on the request.
        unreadable: the reasons why policies did not evaluate the whole object.
        operations: the number of operations in the patch.
        seconds: the time from the last byte of the body to the complete answer.
        error: the error in a bad request, or the traceback of an internal error.
    """

    endpoint: Endpoint
    verdict: Verdict
    allowed: bool
    uid: str = ""
    operation: Operation | Literal[""] = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    user: str = ""
    dry_run: bool = False
    codes: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    violations: tuple[tuple[str, Effect], ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    operations: int = 0
    seconds: float = 0.0
    error: str = ""
