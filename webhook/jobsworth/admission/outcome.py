"""The outcome of an admission review, as logs and metrics record it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from jobsworth.admission.review import AdmissionRequest, AdmissionResponse
from jobsworth.evaluation.evaluation import Unreadable
from jobsworth.policy.violation import Effect

Endpoint = Literal["mutate", "validate"]
ENDPOINTS: tuple[Endpoint, ...] = get_args(Endpoint)

Verdict = Literal[
    "allowed",  # reviewed and allowed
    "untouched",  # allowed without a review: not a CREATE or UPDATE of a Job or CronJob
    "patched",  # allowed with a patch
    "invalid",  # denied: the API server would reject it, too
    "denied",  # denied by a policy
    "too_large",  # not evaluated: the object has too many values; onInternalError decides
    "failed",  # not reviewed: jobsworth failed; onInternalError decides
    "bad_request",  # not a valid AdmissionReview
]


@dataclass(frozen=True, slots=True)
class Answer:
    """A response and the reasons for it, for the log and the metrics.

    Attributes:
        response: the response to the API server.
        verdict: the result, for the log and the metrics.
        codes: the codes of the findings, in order, without duplicates.
        policies: the names of the policies that denied the request or whose defaults apply.
        unreadable: the reasons why parts of the object were not evaluated: see
            :class:`~jobsworth.evaluation.evaluation.Evaluation`.
        violations: the violated policies, each with the effect on the request.
    """

    response: AdmissionResponse
    verdict: Verdict
    codes: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    violations: tuple[tuple[str, Effect], ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """One answered request.

    Attributes:
        endpoint: the endpoint that received the request.
        request: the request; None if it could not be read.
        answer: the answer; for a bad request one that is never sent.
        seconds: the time from the last byte of the body to the complete answer.
        error: the error in a bad request, or the traceback of an internal error.
    """

    endpoint: Endpoint
    request: AdmissionRequest | None
    answer: Answer
    seconds: float
    error: str = ""
