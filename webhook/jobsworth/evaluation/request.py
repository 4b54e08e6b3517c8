"""Prepare the object of an admission request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jobsworth.api.field_errors import invalid
from jobsworth.evaluation.evaluation import UNKNOWN_KIND, Unreadable
from jobsworth.evaluation.prepared import PreparedObject, unreadable_parts
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.request import CREATE, UPDATE, PolicyRequest
from jobsworth.provenance.generated_fields import came_from_a_server, strip_admitted
from jobsworth.validation.decoded_object import DecodedObject
from jobsworth.validation.engine import Engine, UnknownKind, is_known


def prepare_request(subject: Subject, engine: Engine, max_findings: int) -> PreparedObject:
    """Prepare the object of a request, for its validation.

    Args:
        subject: the object and its request.
        engine: the engine of the API server that sends the request.
        max_findings: the number of findings after which decoding stops.
    """
    sent = strip_admitted(subject.value) if subject.old is None else subject.value
    request = _DecodedRequest(subject, sent, engine, max_findings)
    comparable = subject.old is None or is_known(subject.old)
    return PreparedObject(
        subject.value,
        request.decoded,
        old=subject.old,
        policy_request=request.policy_request,
        has_verdict=comparable and UNKNOWN_KIND not in request.unreadable,
        unreadable=request.unreadable,
    )


def request_to_default(
    subject: Subject, engine: Engine, max_findings: int
) -> tuple[PolicyRequest | None, tuple[Unreadable, ...]]:
    """Return the request whose object gets the defaults of policies, and why parts of it are unreadable.

    There is no request if the object has a value of the wrong type.
    """
    request = _DecodedRequest(subject, subject.value, engine, max_findings)
    if request.errors:
        return None, request.unreadable
    sent = request.policy_request()
    # Both in the same form, so that a difference between them is a change by the client.
    old = sent.old and engine.encoded(engine.decode_object(sent.old))
    return replace(sent, object=engine.encoded(request.decoded), old=old), request.unreadable


class _DecodedRequest:
    """The decoded object of a request, which must be of the kind of the request's resource.

    Attributes:
        decoded: the object.
        errors: the values in it that cannot be read.
        unreadable: the reasons why policies cannot evaluate the whole object.
    """

    def __init__(
        self, subject: Subject, value: dict[str, Any], engine: Engine, max_findings: int
    ) -> None:
        self._subject = subject
        self._engine = engine
        if is_known(value) and value["kind"] == subject.kind:
            self.decoded = engine.decode_object(value, max_findings)
            self.errors = self.decoded.unreadable
            self.unreadable = unreadable_parts(self.decoded)
        else:
            known = {"apiVersion": "batch/v1", "kind": subject.kind}
            self.decoded = engine.decode_object({**value, **known}, max_findings)
            shown = f"{value.get('apiVersion')}, kind {value.get('kind')}"
            error = invalid("apiVersion", shown, f"must be batch/v1, kind {subject.kind}")
            self.errors = (error, *self.decoded.unreadable)
            self.unreadable = (UNKNOWN_KIND, *unreadable_parts(self.decoded))

    def policy_request(self) -> PolicyRequest:
        """Return the request as policies see it."""
        subject = self._subject
        return PolicyRequest(
            operation=CREATE if subject.old is None else UPDATE,
            kind=subject.kind,
            namespace=subject.namespace,
            name=subject.name,
            object=self._as_policies_see_it(subject.value, self.decoded, whole=not self.errors),
            old=self._old(),
            user=subject.user,
            groups=subject.groups,
            namespace_labels=subject.namespace_labels,
            dry_run=subject.dry_run,
            options=subject.options,
            now=subject.now,
            unreadable=self.errors,
            manifest=subject.value,  # as sent, with its records of field ownership
        )

    def _as_policies_see_it(
        self, value: dict[str, Any], decoded: DecodedObject, *, whole: bool
    ) -> dict[str, Any]:
        # Keep the defaults that a server has set: its release may be newer than any that we know.
        if whole and decoded.is_valid and came_from_a_server(value):
            return value
        return self._engine.encoded(decoded)

    def _old(self) -> dict[str, Any] | None:
        """Return the stored object as policies see it; None, as for a create, if it cannot be decoded."""
        old = self._subject.old
        if old is None:
            return None
        try:
            decoded = self._engine.decode_object(old)
        except UnknownKind:
            return None
        if decoded.unreadable:
            return None
        return self._as_policies_see_it(old, decoded, whole=True)
