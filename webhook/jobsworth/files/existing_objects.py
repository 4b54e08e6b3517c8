"""Existing objects that documents update, by kind, namespace and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from jobsworth.findings.result import Result
from jobsworth.manifests import Document
from jobsworth.record import Record


class OldObjects(Protocol):
    """The objects that documents update: in files, at a commit, or in a cluster."""

    def old(self, document: Document) -> Any:
        """Return the object that a document updates; None for a new one."""

    def have(self, result: Result) -> bool:
        """Return True if there is an earlier version of the validated object."""


Identity = tuple[str, str, str]

_NONE: Mapping[Any, Any] = {}


class ExistingObjects(Record):
    """Existing objects: each document is validated as an update of its own.

    Args:
        anywhere: by kind, namespace and name.
        in_file: those with a known file; they take precedence.
        ambiguous: those of which other files had several different ones.
    """

    anywhere: Mapping[Identity, Any]
    in_file: Mapping[tuple[str, Identity], Any] = _NONE
    ambiguous: frozenset[Identity] = frozenset()

    def old(self, document: Document) -> Any:
        """Return the object that a document updates; None for a new one."""
        key = identity(document.value)
        if key is None:
            return None
        return self.in_file.get((document.file, key)) or self.anywhere.get(key)

    def have(self, result: Result) -> bool:
        """Return True if there is an earlier version of the validated object."""
        key = _key(result)
        return (result.file, key) in self.in_file or key in self.anywhere

    def is_ambiguous(self, result: Result) -> bool:
        """Return True if several objects may be the earlier version of the validated one."""
        return not self.have(result) and _key(result) in self.ambiguous


def _key(result: Result) -> Identity:
    return (result.kind or "", result.namespace or "default", result.name or "")


NO_OBJECTS = ExistingObjects({})


def describe(value: Any) -> tuple[str | None, str | None, str | None]:
    """Return the kind, namespace and name of an object, each None if unknown."""
    if not isinstance(value, dict):
        return None, None, None
    meta = value.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    parts = (value.get("kind"), meta.get("namespace"), meta.get("name"))
    kind, namespace, name = (part if isinstance(part, str) else None for part in parts)
    return kind, namespace, name


def identity(value: Any) -> Identity | None:
    """Return the key of an object: kind, namespace and name; None without a name."""
    kind, namespace, name = describe(value)
    return (kind, namespace or "default", name) if kind and name else None
