"""Field ownership: which fields of an object a client wrote, once the server has set its defaults.

A mutating webhook sees ``backoffLimit: 6`` in every Job whose client did not set it. Of the three ways in
which clients write objects, two tell what they wrote (each seen on kube-apiserver 1.36):

- after a server-side apply, the ``Apply`` entries of ``metadata.managedFields`` list exactly that;
- after ``kubectl apply``, the annotation ``kubectl.kubernetes.io/last-applied-configuration`` is it;
- after a plain create, ``managedFields`` lists the defaults too, so ownership is unknown.

All of an object that no server has seen was written by a client.
"""

from __future__ import annotations

from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which ``kubectl apply`` keeps the manifest."""


class FieldOwnership(Record):
    """The fields that a client wrote.

    Attributes:
        known: whether ownership is known; if not, :meth:`has` is False for every field.
    """

    known: bool
    sets: Sequence[Any] = ()
    manifests: Sequence[Any] = ()

    def has(self, steps: Sequence[str]) -> bool:
        """Return whether a client is known to have written a field.

        Args:
            steps: the names that lead to it: ``("spec", "backoffLimit")``; no positions in lists.
        """
        return any(_leads(manifest, steps, "") for manifest in self.manifests) or any(
            _leads(fields, steps, "f:") for fields in self.sets
        )


UNKNOWN = FieldOwnership(known=False)


def field_ownership(value: dict[str, Any]) -> FieldOwnership:
    """Return which fields of an object a client wrote, by the traces that each way of writing leaves.

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


def _applied_sets(entries: Any) -> Iterator[dict[str, Any]]:
    """The field sets of server-side applies, in the form ``FieldsV1``."""
    if not isinstance(entries, list):
        return
    for entry in entries:
        if (
            isinstance(entry, dict)
            and entry.get("operation") == "Apply"
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
    """Whether names lead to something; a field that is written as null is not set by that."""
    for step in steps:
        if not isinstance(holder, dict):
            return False
        holder = holder.get(prefix + step)
    return holder is not None
