"""Field ownership: the fields that a client wrote, and the methods to apply a manifest that record it.

A mutating webhook sees ``backoffLimit: 6`` in every Job whose client did not set it. Clients write objects in
three ways, of which two record the fields that they wrote (each observed on kube-apiserver 1.36):

- after a server-side apply, the ``Apply`` entries of ``metadata.managedFields`` list these fields;
- after ``kubectl apply``, the annotation ``kubectl.kubernetes.io/last-applied-configuration`` contains them;
- after a plain create, ``managedFields`` lists the defaults too, so ownership is unknown.

A client wrote every field of a file, and of any object that no server has seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

from jobsworth.record import Record

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which ``kubectl apply`` stores the manifest."""

POLICY_MANAGER = "jobsworth-policy"
"""The field manager of the defaults that stored objects get from policies: no client wrote them."""

_SIGNATURES = {
    "Apply": ("spec", "template", "spec", "containers"),
    "Update": ("metadata", "annotations", LAST_APPLIED),
}
"""The field that the field manager of a whole manifest owns, by the operation of its entry."""

ApplyMethod = Literal["a file", "kubectl apply", "kubectl apply --server-side", "kubectl create"]

PLAIN_CREATE: Final = "kubectl create"
APPLY_METHODS: tuple[ApplyMethod, ...] = (
    "a file",
    "kubectl apply",
    "kubectl apply --server-side",
    PLAIN_CREATE,
)


class FieldOwnership(Record):
    """The fields that a client wrote.

    Attributes:
        known: True if ownership is known; if not, :meth:`has` is False for every field.
    """

    known: bool
    sets: Sequence[Any] = ()
    manifests: Sequence[Any] = ()

    def has(self, steps: Sequence[str]) -> bool:
        """Return True if a client is known to have written a field.

        Args:
            steps: the field names that lead to it: ``("spec", "backoffLimit")``; no list indexes.
        """
        if not self.manifests and not self.sets:
            return False
        return any(_leads(manifest, steps, "") for manifest in self.manifests) or any(
            _leads(fields, steps, "f:") for fields in self.sets
        )


UNKNOWN = FieldOwnership(known=False)


def field_ownership(value: dict[str, Any]) -> FieldOwnership:
    """Return the ownership of an object's fields, from the records that each way of writing leaves.

    >>> job = {"metadata": {"name": "train"}, "spec": {"backoffLimit": 6}}
    >>> field_ownership(job).has(("spec", "backoffLimit"))
    True
    >>> job["metadata"]["managedFields"] = [{"operation": "Update", "manager": "kubectl-create"}]
    >>> field_ownership(job).known
    False
    """
    meta = value.get("metadata")
    if not isinstance(meta, dict):
        return FieldOwnership(known=True, manifests=[value])
    sets = list(_applied_sets(meta.get("managedFields")))
    manifest = _last_applied(meta.get("annotations"))
    if sets or manifest is not None:
        return FieldOwnership(True, sets, [] if manifest is None else [manifest])
    if meta.get("managedFields") or meta.get("uid") or meta.get("resourceVersion"):
        return UNKNOWN
    return FieldOwnership(known=True, manifests=[value])


def applied_manifest(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the manifest that ``kubectl apply`` recorded in an object; None if there is none."""
    meta = value.get("metadata")
    return _last_applied(meta.get("annotations")) if isinstance(meta, dict) else None


def is_set_by_manifest(value: dict[str, Any], steps: Sequence[str]) -> bool:
    """Return True if the client that last changed a field of a Job applies the Job's whole manifest.

    A queueing system that resumes a Job takes ``spec.suspend`` over: the field then has another manager than
    the containers or the annotation of ``kubectl apply``. The API server updates the ownership before it
    calls a mutating webhook (observed on kube-apiserver 1.36).
    """
    meta = value.get("metadata")
    entries = meta.get("managedFields") if isinstance(meta, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict) or entry.get("subresource"):
            continue
        signature = _SIGNATURES.get(entry.get("operation", ""))
        fields = entry.get("fieldsV1")
        if signature and _leads(fields, signature, "f:") and _leads(fields, steps, "f:"):
            return True
    return False


def _applied_sets(entries: Any) -> Iterator[dict[str, Any]]:
    """Yield the field sets of server-side applies, in the ``FieldsV1`` format."""
    if not isinstance(entries, list):
        return
    for entry in entries:
        if (
            isinstance(entry, dict)
            and entry.get("operation") == "Apply"
            and entry.get("manager") != POLICY_MANAGER
            and not entry.get("subresource")
            and isinstance(entry.get("fieldsV1"), dict)
        ):
            yield entry["fieldsV1"]


def _last_applied(annotations: Any) -> dict[str, Any] | None:
    text = annotations.get(LAST_APPLIED) if isinstance(annotations, dict) else None
    if not isinstance(text, str):
        return None
    import json  # seldom needed, and slow to import

    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) else None


def _leads(holder: Any, steps: Sequence[str], prefix: str) -> bool:
    """Return True if the field names lead to a value; a field written as null is not set."""
    for step in steps:
        if not isinstance(holder, dict):
            return False
        holder = holder.get(prefix + step)
    return holder is not None


def as_written(manifest: dict[str, Any], method: ApplyMethod) -> dict[str, Any]:
    """Return a manifest with the records that an apply method leaves; the manifest is not modified."""
    if method == "a file":
        return manifest
    operation, fields = "Update", {}
    records: dict[str, Any] = {}
    if method == "kubectl apply":
        import json  # seldom needed, and slow to import

        annotations = (manifest.get("metadata") or {}).get("annotations") or {}
        records["annotations"] = {**annotations, LAST_APPLIED: json.dumps(manifest)}
    elif method == "kubectl apply --server-side":
        operation, fields = "Apply", _field_set(manifest)
    records["managedFields"] = [
        {"operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields}
    ]
    return {**manifest, "metadata": {**(manifest.get("metadata") or {}), **records}}


def _field_set(value: Any) -> dict[str, Any]:
    """Return the fields of a value in the ``FieldsV1`` format, without the items of lists."""
    if not isinstance(value, dict):
        return {}
    return {f"f:{name}": _field_set(part) for name, part in value.items() if part is not None}
