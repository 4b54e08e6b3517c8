"""A decoded object: decoded once, shared by the API validation, the lint rules and the policies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobsworth.api.declare import Struct
from jobsworth.api.field_errors import FieldError
from jobsworth.findings.finding import Finding


class DecodedObject:
    """A Job or CronJob as one API server decodes it.

    Attributes:
        struct: its type.
        written: the fields that can be decoded, in the normal form of
            :mod:`jobsworth.validation.decoding`.
        source: the object as JSON decodes it.
        findings: the findings of strict decoding: errors, or the fields that the server drops.
        dropped: the paths of the fields that the server drops on create, and their gates.
        unknown: the paths of fields that the server's release does not have.
        unreadable: the errors for values of the wrong type.
        created: the Job that a CronJob creates, once an engine has made it.
    """

    __slots__ = (
        "_fill", "_filled", "created", "dropped", "findings", "source", "struct", "unknown", "unreadable",
        "written",
    )  # fmt: skip

    def __init__(
        self,
        struct: Struct,
        written: dict[str, Any],
        *,
        source: Any,
        findings: list[Finding],
        dropped: tuple[tuple[str, str], ...],
        unknown: tuple[str, ...],
        unreadable: tuple[FieldError, ...],
        fill: Callable[[dict[str, Any]], None],
        filled: dict[str, Any] | None = None,
    ) -> None:
        self.struct = struct
        self.written = written
        self.source = source
        self.findings = findings
        self.dropped = dropped
        self.unknown = unknown
        self.unreadable = unreadable
        self.created: dict[str, Any] | None = None
        self._fill = fill
        self._filled = filled

    @property
    def is_valid(self) -> bool:
        """True if strict decoding succeeded."""
        return not (self.unknown or self.unreadable)

    @property
    def filled(self) -> dict[str, Any]:
        """The object with the server's defaults. Do not change it."""
        if self._filled is None:
            self._filled = copied(self.written)
            self._fill(self._filled)
        return self._filled

    def part(self, written: dict[str, Any], filled: dict[str, Any]) -> DecodedObject:
        """Return a part of the decodable object that is complete in itself.

        Args:
            written: the part without defaults.
            filled: the part with the server's defaults.
        """
        return DecodedObject(
            self.struct,
            written,
            source=self.source,
            findings=[],
            dropped=self.dropped,
            unknown=(),
            unreadable=(),
            fill=self._fill,
            filled=filled,
        )


def copied(value: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a decoded object; scalars are shared."""
    copy = value.copy()
    for name, part in copy.items():
        if type(part) is dict:
            copy[name] = copied(part)
        elif type(part) is list:
            copy[name] = _copied_list(part)
    return copy


def _copied_list(items: list[Any]) -> list[Any]:
    return [
        copied(item) if type(item) is dict else _copied_list(item) if type(item) is list else item
        for item in items
    ]
