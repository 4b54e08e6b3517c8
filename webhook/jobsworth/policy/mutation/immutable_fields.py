"""Keep the immutable fields of a Job that defaults changed at creation when its manifest is applied again.

A client that applies its manifest again sends these fields without what a policy added, and the API server
rejects the change. If the client writes the same as at creation, the field gets its stored value back,
whatever the policies are by now. Evidence that it does, of which one is enough:

- the annotation of ``kubectl apply`` in the stored object;
- the digests that :func:`recorded` adds to a Job when a default replaces a value that a client wrote: the
  records of server-side apply do not have the values, and a plain create leaves none;
- the current policies, for Jobs without either record: the field that they would give to a new Job.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from jobsworth.api.equality import equal
from jobsworth.policy.defaults import meaning
from jobsworth.policy.request import UPDATE, PolicyRequest
from jobsworth.provenance.field_ownership import applied_manifest
from jobsworth.provenance.generated_fields import came_from_a_server

FIELDS = ("podFailurePolicy", "backoffLimitPerIndex", "managedBy")
"""The immutable fields of a JobSpec that policies have defaults for."""

ANNOTATION = "jobsworth.dev/client-values"
"""The annotation with the digests of what a client wrote: a JSON object by field name."""

_UNKNOWN = object()


def recorded(value: dict[str, Any], request: PolicyRequest) -> dict[str, Any]:
    """Return a new Job with the digests of the client's values that defaults replaced in immutable fields.

    Args:
        value: the Job with its defaults; not modified.
        request: the request that creates it. A manifest on the command line gets no digests.
    """
    sent = request.object if request.manifest is None else request.manifest
    if request.kind != "Job" or not came_from_a_server(sent):
        return value
    written = request.object["spec"]
    digests = {
        name: _digest(_canonical(name, written[name]))
        for name in FIELDS
        if written.get(name) is not None and not equal(written[name], value["spec"].get(name))
    }
    if not digests:
        return value
    metadata = value["metadata"]
    # The API server calls a webhook again after others have changed the object: the first record counts.
    annotations = {ANNOTATION: json.dumps(digests), **(metadata.get("annotations") or {})}
    return {**value, "metadata": {**metadata, "annotations": annotations}}


def restored(request: PolicyRequest, recreated: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the stored values of the immutable fields in which a client wrote the same as at creation.

    Args:
        request: an update; of a CronJob, no field is immutable.
        recreated: returns the object of the request with the defaults of a new object.
    """
    if request.operation != UPDATE or request.kind != "Job" or request.old is None:
        return {}
    new, old = request.object["spec"], request.old["spec"]
    changed = [name for name in FIELDS if not equal(new.get(name), old.get(name))]
    if not changed:
        return {}
    applied, digests = applied_manifest(request.old), _digests(request.old)
    found = {}
    for name in changed:
        now = _canonical(name, new.get(name))
        if (
            (applied is not None and _written(applied, name) == now)
            or digests.get(name) == _digest(now)
            or equal(recreated()["spec"].get(name), old.get(name))
        ):
            found[name] = old.get(name)
    return found


def _written(manifest: dict[str, Any], name: str) -> Any:
    spec = manifest.get("spec")
    return _canonical(name, spec.get(name)) if isinstance(spec, dict) else _UNKNOWN


def _canonical(name: str, value: Any) -> Any:
    """Return a value without what the API server adds to it; an annotation may hold any JSON."""
    if name != "podFailurePolicy" or value is None:
        return value
    try:
        return meaning(value.get("rules") or ())
    except (AttributeError, TypeError):
        return _UNKNOWN


def _digests(stored: dict[str, Any]) -> dict[str, Any]:
    text = (stored["metadata"].get("annotations") or {}).get(ANNOTATION)
    if not isinstance(text, str):
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _digest(canonical: Any) -> str:
    if canonical is _UNKNOWN:
        return ""
    import hashlib  # seldom needed

    text = json.dumps(canonical, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
