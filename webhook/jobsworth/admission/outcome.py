"""What came of a request, as logs and metrics tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from jobsworth.admission.review import Operation
    from jobsworth.evaluation.evaluation import Unreadable

Door = Literal["mutate", "validate"]
MUTATE: Final = "mutate"
VALIDATE: Final = "validate"
DOORS: tuple[Door, ...] = (MUTATE, VALIDATE)

Verdict = Literal["allowed", "untouched", "patched", "invalid", "denied", "failed", "bad_request"]

VERDICTS: dict[Verdict, str] = {
    "allowed": "judged, and allowed",
    "untouched": "allowed without a look: not a Job or CronJob that is created or updated",
    "patched": "allowed, with a patch",
    "invalid": "denied: the API server would not have it either",
    "denied": "denied by a policy",
    "failed": "not judged: jobsworth was at fault; see onInternalError",
    "bad_request": "no AdmissionReview that can be answered",
}
"""What can come of a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One answered request.

    Attributes:
        uid, operation, kind, namespace, name, user: of the request; empty where it could not be read.
        dry_run: nothing was to be stored.
        allowed: whether the request may go on.
        codes: of the findings, each once, in order.
        policies: the names of the policies that denied, or whose defaults were filled in.
        unreadable: why policies did not evaluate all of the object.
        operations: how many operations the patch has.
        seconds: from the body's last byte to the answer's first.
        error: what was wrong with a bad request, or with us.
    """

    door: Door
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
    unreadable: tuple[Unreadable, ...] = ()
    operations: int = 0
    seconds: float = 0.0
    error: str = ""
