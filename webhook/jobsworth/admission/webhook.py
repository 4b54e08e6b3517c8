"""From the bytes of an AdmissionReview to the bytes of its answer, whatever happens between."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable

from jobsworth.admission import denial, outcome
from jobsworth.admission.decision import Answer, Judge
from jobsworth.admission.outcome import Door, Outcome
from jobsworth.admission.review import (
    AdmissionRequest,
    AdmissionResponse,
    BadReview,
    read_review,
    write_review,
)

Observe = Callable[[Outcome], None]
"""Is told what came of every request."""


class Webhook:
    """Answers AdmissionReviews, never fails, and tells what came of them.

    Args:
        judge: gives the judge of this moment: another one after the policies have changed.
        observe: is told of every request that is answered.
    """

    __slots__ = ("_judge", "_observe")

    def __init__(self, judge: Callable[[], Judge], observe: Observe) -> None:
        self._judge = judge
        self._observe = observe

    def answer(self, door: Door, body: bytes) -> bytes:
        """The AdmissionReview that answers another.

        Args:
            door: which of the two endpoints.
            body: of the HTTP request.

        Raises:
            BadReview: there is nothing to answer; the caller answers with its status.
        """
        began = time.perf_counter()
        try:
            request = read_review(body)
        except BadReview as error:
            self.refuse(door, str(error), began)
            raise
        judge, error_text = self._judge(), ""
        try:
            answer = judge.mutate(request) if door == outcome.MUTATE else judge.validate(request)
            written = write_review(request.uid, answer.response)
        except (BadReview, RecursionError) as error:
            bad = _too_deep() if isinstance(error, RecursionError) else error
            self.refuse(door, str(bad), began, request)
            raise bad from None
        except Exception:
            # Whatever it was, the API server gets an answer, and the cluster is not locked out for it.
            error_text = traceback.format_exc()
            answer = _failed(request, judge)
            written = write_review(request.uid, answer.response)
        self._observe(_outcome(door, request, answer, began, error_text))
        return written

    def refuse(
        self,
        door: Door,
        why: str,
        began: float | None = None,
        request: AdmissionRequest | None = None,
    ) -> None:
        """Tell the observer of a request that is no AdmissionReview that can be answered."""
        self._observe(
            Outcome(
                door=door,
                verdict="bad_request",
                allowed=False,
                uid="" if request is None else request.uid,
                seconds=0.0 if began is None else time.perf_counter() - began,
                error=why,
            )
        )


def _too_deep() -> BadReview:
    return BadReview("the object is nested too deeply")


def _outcome(
    door: Door, request: AdmissionRequest, answer: Answer, began: float, error: str
) -> Outcome:
    response = answer.response
    return Outcome(
        door=door,
        verdict=answer.verdict,
        allowed=response.allowed,
        uid=request.uid,
        operation=request.operation,
        kind=request.kind[2],
        namespace=request.namespace,
        name=request.name,
        user=request.username,
        dry_run=request.dry_run,
        codes=answer.codes,
        policies=answer.policies,
        unreadable=answer.unreadable,
        operations=len(response.patch),
        seconds=time.perf_counter() - began,
        error=error,
    )


def _failed(request: AdmissionRequest, judge: Judge) -> Answer:
    """What the policies' ``onInternalError`` says: the strictest of those that there are."""
    if any(policy.on_internal_error == "deny" for policy in judge.policies.policies):
        return Answer(AdmissionResponse(allowed=False, status=denial.failed(request)), "failed")
    return Answer(AdmissionResponse(allowed=True), "failed")
