"""An object prepared for its evaluation: the same parts for a manifest, a request and a stored object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jobsworth.evaluation.evaluation import UNKNOWN_FIELD, WRONG_TYPE, Unreadable
from jobsworth.evaluation.subject import Subject
from jobsworth.record import Record
from jobsworth.validation.decoded_object import DecodedObject
from jobsworth.validation.engine import CannotDecode, Engine, is_known

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


def prepare_manifest(subject: Subject, engine: Engine, max_findings: int) -> PreparedObject:
    """Prepare a manifest.

    Args:
        subject: the manifest.
        engine: the engine of the API server that will receive it.
        max_findings: the number of findings after which decoding stops.

    Raises:
        UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
    """
    decoded = engine.decode_object(subject.value, max_findings)
    # An update cannot be compared with an object of another version, such as batch/v1beta1.
    old = subject.old if is_known(subject.old) else None

    def policy_request() -> PolicyRequest:
        stored = None if old is None else engine.decode_object(old)
        return _request(subject, engine, decoded, stored)

    return PreparedObject(
        subject.value,
        decoded,
        old=old,
        linted=decoded,
        policy_request=policy_request,
        is_sent=True,
        unreadable=() if decoded.is_valid else unreadable_parts(decoded),
    )


def request_of_manifest(subject: Subject, engine: Engine) -> PolicyRequest:
    """Return the request that a manifest becomes when a client sends it.

    Raises:
        UnknownKind: the manifest is neither a Job nor a CronJob of ``batch/v1``.
        CannotDecode: the API server could not decode it, or the object that it replaces.
    """
    decoded = engine.decode_object(subject.value)
    old = None if subject.old is None else engine.decode_object(subject.old)
    for each in (decoded, old):
        if each is not None and not each.is_valid:
            raise CannotDecode(each.findings)
    return _request(subject, engine, decoded, old)


def _request(
    subject: Subject, engine: Engine, decoded: DecodedObject, old: DecodedObject | None
) -> PolicyRequest:
    from jobsworth.policy.request import CREATE, UPDATE, PolicyRequest

    filled = engine.encoded(decoded)
    return PolicyRequest(
        operation=CREATE if old is None else UPDATE,
        kind=filled["kind"],
        # Not that of the decoded object, in which the API server's verdict sets one.
        namespace=subject.object_namespace or "default",
        name=filled["metadata"].get("name") or "",
        object=filled,
        old=None if old is None else engine.encoded(old),
        user=subject.user,
        groups=subject.groups,
        namespace_labels=subject.namespace_labels,
        now=subject.now,
        unreadable=decoded.unreadable,
        manifest=subject.value,
    )
