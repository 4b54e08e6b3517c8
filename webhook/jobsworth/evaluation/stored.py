"""Prepare a stored object, as if a client created it today from its original manifest."""

from __future__ import annotations

from jobsworth.evaluation.prepared import PreparedObject, unreadable_parts
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.admitted_jobs import as_released, creator
from jobsworth.policy.request import CREATE, PolicyRequest
from jobsworth.provenance.generated_fields import strip_generated
from jobsworth.provenance.server_defaults import strip_defaults
from jobsworth.validation.decoded_object import DecodedObject
from jobsworth.validation.engine import Engine


def prepare_stored(subject: Subject, engine: Engine, storing: Engine | None) -> PreparedObject:
    """Prepare a stored object.

    Args:
        subject: the object as its API server returns it.
        engine: the engine of the API server whose verdict is evaluated.
        storing: that of the server that stored the object; None if it is the same.
    """
    released = as_released(subject.value)
    manifest = strip_generated(released)
    if storing is not None and storing.decode_object(manifest).is_valid:
        manifest = strip_defaults(manifest, storing.server)
    decoded = linted = engine.decode_object(manifest)
    if storing is not None and decoded.is_valid:
        # Lint the object with the defaults of this server, as it would store it.
        manifest = engine.encoded(decoded)
        linted = engine.decode_object(manifest)

    def bare() -> DecodedObject:
        return engine.decode_object(strip_defaults(manifest, engine.server))

    def policy_request() -> PolicyRequest:
        metadata = manifest["metadata"]
        user, groups = creator(manifest)
        return PolicyRequest(
            operation=CREATE,
            kind=manifest["kind"],
            namespace=metadata.get("namespace", ""),
            name=metadata.get("name", ""),
            object=manifest,
            user=user,
            groups=groups,
            namespace_labels=subject.namespace_labels,
            manifest=released,  # with the records of field ownership
        )

    return PreparedObject(
        manifest,
        decoded,
        linted=linted,
        bare=bare,
        policy_request=policy_request if decoded.is_valid else None,
        unreadable=unreadable_parts(decoded),
    )
