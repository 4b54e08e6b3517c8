"""Answer an AdmissionReview, even if the review fails."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable

from jobsworth.admission import denial, outcome
from jobsworth.admission.decision import Answer, Reviewer
from jobsworth.admission.outcome import Endpoint, ReviewOutcome
from jobsworth.admission.review import (
    AdmissionRequest,
    AdmissionResponse,
    BadReview,
    PatchTooLarge,
    read_review,
    write_review,
)

MOST_NAME_LETTERS = 256
"""The characters of a name in the log; names that an API server accepts have at most 253."""

Observe = Callable[[ReviewOutcome], None]
"""Receives the outcome of every request."""


class Webhook:
    """Answer AdmissionReviews and report the outcome of each.

    Args:
        reviewer: returns the current reviewer; a new one after the policies have changed.
        observe: receives the outcome of every request.
    """

    __slots__ = ("_observe", "_reviewer")

    def __init__(self, reviewer: Callable[[], Reviewer], observe: Observe) -> None:
        self._reviewer = reviewer
        self._observe = observe

    def answer(self, endpoint: Endpoint, body: bytes) -> bytes:
        """Return the AdmissionReview that answers another.

        Args:
            endpoint: the endpoint that received the request.
            body: the body of the HTTP request.

        Raises:
            BadReview: the body cannot be answered; respond with the status of the error.
        """
        began = time.perf_counter()
        try:
            request = read_review(body)
        except BadReview as error:
            self.reject(endpoint, str(error), began)
            raise
        reviewer, error_text = self._reviewer(), ""
        try:
            answer = (
                reviewer.mutate(request)
                if endpoint == outcome.MUTATE
                else reviewer.validate(request)
            )
            try:
                written = write_review(request.uid, answer.response)
            except PatchTooLarge as error:
                answer = reviewer.too_large(request, str(error))
                written = write_review(request.uid, answer.response)
        except (BadReview, RecursionError) as error:
            bad = _too_deep() if isinstance(error, RecursionError) else error
            self.reject(endpoint, str(bad), began, request)
            raise bad from None
        except Exception:
            # Answer the API server after any error, so that a bug cannot block all Jobs of a cluster.
            error_text = traceback.format_exc()
            answer = _failed(request, reviewer)
            written = write_review(request.uid, answer.response)
        self._observe(_outcome(endpoint, request, answer, began, error_text))
        return written

    def reject(
        self,
        endpoint: Endpoint,
        why: str,
        began: float | None = None,
        request: AdmissionRequest | None = None,
    ) -> None:
        """Report a request that is not a valid AdmissionReview."""
        self._observe(
            ReviewOutcome(
                endpoint=endpoint,
                verdict="bad_request",
                allowed=False,
                uid="" if request is None else request.uid,
                seconds=0.0 if began is None else time.perf_counter() - began,
                error=why,
            )
        )


def _too_deep() -> BadReview:
    return BadReview("the object is nested too deeply: reduce its depth")


def _outcome(
    endpoint: Endpoint, request: AdmissionRequest, answer: Answer, began: float, error: str
) -> ReviewOutcome:
    response = answer.response
    return ReviewOutcome(
        endpoint=endpoint,
        verdict=answer.verdict,
        allowed=response.allowed,
        uid=request.uid,
        operation=request.operation,
        kind=request.kind[2],
        namespace=request.namespace[:MOST_NAME_LETTERS],
        name=request.name[:MOST_NAME_LETTERS],
        user=request.username[:MOST_NAME_LETTERS],
        dry_run=request.dry_run,
        codes=answer.codes,
        policies=answer.policies,
        violations=answer.violations,
        unreadable=answer.unreadable,
        operations=len(response.patch),
        seconds=time.perf_counter() - began,
        error=error,
    )


def _failed(request: AdmissionRequest, reviewer: Reviewer) -> Answer:
    """Answer after an internal error: deny if ``onInternalError`` of any policy is ``deny``."""
    if reviewer.policies.fails_closed:
        return Answer(AdmissionResponse(allowed=False, status=denial.failed(request)), "failed")
    return Answer(AdmissionResponse(allowed=True), "failed")
