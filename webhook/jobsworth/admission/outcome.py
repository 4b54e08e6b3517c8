"""What came of a request, as logs and metrics tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from jobsworth.admission.review import Operation

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

Unreadable = Literal["unknown_field", "wrong_type", "kind"]
UNKNOWN_FIELD: Final = "unknown_field"
WRONG_TYPE: Final = "wrong_type"
UNKNOWN_KIND: Final = "kind"
UNREADABLE: tuple[Unreadable, ...] = (UNKNOWN_FIELD, WRONG_TYPE, UNKNOWN_KIND)
"""Why policies did not evaluate all of an object: a field of a later release, a value of a type that the
field does not have, an object of another kind than its resource."""


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
