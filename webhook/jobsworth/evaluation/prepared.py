"""An object prepared for its evaluation: the same parts for a manifest, a request and a stored object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jobsworth.evaluation.evaluation import UNKNOWN_FIELD, WRONG_TYPE, Unreadable
from jobsworth.record import Record
from jobsworth.validation.decoded_object import DecodedObject

if TYPE_CHECKING:
    from jobsworth.policy.request import PolicyRequest


class PreparedObject(Record):
    """An object prepared for its evaluation.

    Attributes:
        value: the object that the findings are about, as JSON decodes it.
        decoded: the object as the API server decodes it.
        old: the object that an update replaces; None for a create.
        linted: the object that the lint rules see; None if they are not run.
        bare: the same object without what a server may have added, for rules on what a client wrote: only
            findings in both forms are reported. None if `linted` is what a client wrote.
        policy_request: makes the request that policies evaluate; None if they do not evaluate the object.
        is_sent: the defaults of policies apply before their limits, as for a manifest that a client sends.
        has_verdict: the API server's verdict can be evaluated.
        unreadable: the reasons why policies cannot evaluate the whole object.
    """

    value: dict[str, Any]
    decoded: DecodedObject
    old: Any = None
    linted: DecodedObject | None = None
    bare: Callable[[], DecodedObject] | None = None
    policy_request: Callable[[], PolicyRequest] | None = None
    is_sent: bool = False
    has_verdict: bool = True
    unreadable: tuple[Unreadable, ...] = ()


def unreadable_parts(decoded: DecodedObject) -> tuple[Unreadable, ...]:
    """Return the reasons why policies cannot evaluate the whole of a decoded object."""
    unknown: tuple[Unreadable, ...] = (UNKNOWN_FIELD,) if decoded.unknown else ()
    return (*unknown, WRONG_TYPE) if decoded.unreadable else unknown
