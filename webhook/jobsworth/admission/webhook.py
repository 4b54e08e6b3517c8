"""Answer an AdmissionReview, even if the review fails."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable

from jobsworth.admission import denial
from jobsworth.admission.decision import Reviewer
from jobsworth.admission.outcome import Answer, Endpoint, ReviewOutcome
from jobsworth.admission.review import (
    AdmissionRequest,
    AdmissionResponse,
    BadReview,
    PatchTooLarge,
    read_review,
    write_review,
)

Observe = Callable[[ReviewOutcome], None]
"""Receives the outcome of every request."""

_REJECTED = Answer(AdmissionResponse(allowed=False), "bad_request")


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
        request = None
        try:
            request = read_review(body)
            answer, written, error_text = _review(self._reviewer(), endpoint, request)
        except BadReview as error:
            self.reject(endpoint, error, began, request)
            raise
        seconds = time.perf_counter() - began
        self._observe(ReviewOutcome(endpoint, request, answer, seconds, error_text))
        return written

    def reject(
        self,
        endpoint: Endpoint,
        error: BadReview,
        began: float | None = None,
        request: AdmissionRequest | None = None,
    ) -> None:
        """Report a request that is not a valid AdmissionReview."""
        seconds = 0.0 if began is None else time.perf_counter() - began
        self._observe(ReviewOutcome(endpoint, request, _REJECTED, seconds, str(error)))


def _review(
    reviewer: Reviewer, endpoint: Endpoint, request: AdmissionRequest
) -> tuple[Answer, bytes, str]:
    """Return the answer to a request, as an AdmissionReview too, and the traceback of an internal error."""
    try:
        review = reviewer.mutate if endpoint == "mutate" else reviewer.validate
        answer = review(request)
        try:
            written = write_review(request.uid, answer.response)
        except PatchTooLarge as error:
            answer = reviewer.too_large(request, str(error))
            written = write_review(request.uid, answer.response)
        return answer, written, ""
    except BadReview:
        raise
    except RecursionError:
        raise BadReview("the object is nested too deeply: reduce its depth") from None
    except Exception:
        # Answer the API server after any error, so that a bug cannot block all Jobs of a cluster.
        answer = _failed(request, reviewer)
        return answer, write_review(request.uid, answer.response), traceback.format_exc()


def _failed(request: AdmissionRequest, reviewer: Reviewer) -> Answer:
    """Answer after an internal error: deny if ``onInternalError`` of any policy is ``deny``."""
    if reviewer.policies.fails_closed:
        return Answer(AdmissionResponse(allowed=False, status=denial.failed(request)), "failed")
    return Answer(AdmissionResponse(allowed=True), "failed")
