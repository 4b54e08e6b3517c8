"""Existing objects, of which documents are updates, found by kind, namespace and name."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jobsworth.manifests import Document

    Identity = tuple[str, str, str]


class Existing:
    """The objects that stand there already: a document is judged as an update of its own.

    Args:
        anywhere: by kind, namespace and name.
        in_file: those of which the file is known; they go before the others.
    """

    __slots__ = ("_anywhere", "_in_file")

    def __init__(
        self,
        anywhere: dict[Identity, Any],
        in_file: dict[tuple[str, Identity], Any] | None = None,
    ) -> None:
        self._anywhere = anywhere
        self._in_file = in_file or {}

    def old(self, document: Document) -> Any:
        """The object that a document is an update of; None of a new one."""
        key = identity(document.value)
        if key is None:
            return None
        return self._in_file.get((document.file, key)) or self._anywhere.get(key)


def describe(value: Any) -> tuple[str | None, str | None, str | None]:
    """The kind, namespace and name of an object, each None where it is not known."""
    if not isinstance(value, dict):
        return None, None, None
    meta = value.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    parts = (value.get("kind"), meta.get("namespace"), meta.get("name"))
    kind, namespace, name = (part if isinstance(part, str) else None for part in parts)
    return kind, namespace, name


def identity(value: Any) -> Identity | None:
    """By what an object is found again: kind, namespace and name; None of one without a name."""
    kind, namespace, name = describe(value)
    return (kind, namespace or "default", name) if kind and name else None
