"""Keep the immutable fields of a Job that defaults changed at creation when its manifest is applied again.

A client that applies its manifest again sends these fields without what a policy added, and the API server
rejects the change. If the client writes the same as at creation, the field gets its stored value back,
whatever the policies are by now. Evidence that it does, of which one is enough:

- the annotation of ``kubectl apply`` in the stored object;
- the digests that :func:`recorded` adds to a Job when a default replaces a value that a client wrote: the
  records of server-side apply do not have the values, and a plain create leaves none;
- the current policies, for Jobs without either record: the field that they would give to a new Job.

Of the Pod template, the parts that defaults added or replaced have a digest each, since a client may send
some of them back and others not: server-side apply replaces tolerations, and keeps labels.
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

TEMPLATE = "template"
MAX_DIGESTS = 16 * 1024
"""The longest record of a Pod template, in characters: the annotations of an object have 256 KiB together."""

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
    digests: dict[str, Any] = {
        name: _digest(_canonical(name, written[name]))
        for name in FIELDS
        if written.get(name) is not None and not equal(written[name], value["spec"].get(name))
    }
    template, defaulted = written.get(TEMPLATE), value["spec"].get(TEMPLATE)
    if template is not defaulted:
        parts = _digests_of_parts(template, defaulted)
        if parts and len(json.dumps(parts)) <= MAX_DIGESTS:
            digests[TEMPLATE] = parts
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
    template, stored = new.get(TEMPLATE), old.get(TEMPLATE)
    if not changed and equal(template, stored):
        return {}
    applied, digests = applied_manifest(request.old), _digests(request.old)
    found: dict[str, Any] = {}
    if isinstance(digests.get(TEMPLATE), dict):
        whole = _with_stored_parts(template, stored, digests[TEMPLATE])
        if not equal(whole, template):
            found[TEMPLATE] = whole
    for name in changed:
        now = _canonical(name, new.get(name))
        if (
            (applied is not None and _written(applied, name) == now)
            or digests.get(name) == _digest(now)
            or equal(recreated()["spec"].get(name), old.get(name))
        ):
            found[name] = old.get(name)
    return found


def with_record(value: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return an updated Job with the stored record, which a client that replaces the whole Job leaves out."""
    text = (old["metadata"].get("annotations") or {}).get(ANNOTATION)
    if text is None:
        return value
    annotations = {ANNOTATION: text, **(value["metadata"].get("annotations") or {})}
    return {**value, "metadata": {**value["metadata"], "annotations": annotations}}


def _digests_of_parts(written: Any, defaulted: Any) -> dict[str, Any]:
    """Return the digests of what a client wrote in the parts that differ, by key or index.

    The digest of what it did not write is null.
    """
    mine, found = _parts(written), {}
    for key, after in _parts(defaulted).items():
        before = mine.get(key)
        if equal(before, after):
            continue
        nested = isinstance(after, dict) if before is None else _are_alike(before, after)
        found[key] = (
            _digests_of_parts(before, after)
            if nested
            else None
            if before is None
            else _digest(before)
        )
    return found


def _with_stored_parts(new: Any, old: Any, digests: dict[str, Any]) -> Any:
    """Return a value with the stored parts where a client writes the same as at creation."""
    parts, stored = _parts(new), _parts(old)
    found = dict(parts)
    for key, digest in digests.items():
        now, before = parts.get(key), stored.get(key)
        if isinstance(digest, dict):
            if _are_alike({} if now is None else now, before):
                found[key] = _with_stored_parts(now, before, digest) or now
        elif digest == (None if now is None else _digest(now)):
            found[key] = before
    kept = {key: part for key, part in found.items() if part is not None}
    return list(kept.values()) if isinstance(new, list) else kept


def _parts(value: Any) -> dict[str, Any]:
    """Return the parts of a map by key, or of a list by index."""
    if isinstance(value, list):
        return {str(index): part for index, part in enumerate(value)}
    return value if isinstance(value, dict) else {}


def _are_alike(one: Any, other: Any) -> bool:
    """Return True for two maps, and for two lists of one length."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other)
    return isinstance(one, dict) and isinstance(other, dict)


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
