"""The fix: edits of a manifest that resolve a finding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from jobsworth.record import Record

Action = Literal["set", "delete", "rename", "move", "insert", "separate"]


class Edit(Record):
    """A change of one field.

    Attributes:
        action: ``set`` (set the field, and create it if absent), ``delete``,
            ``rename`` (the value is the new key), ``move`` (the value is the new path; for a list item, its
            new position), ``insert`` (insert the value into a list, before the item at the path) or
            ``separate`` (insert the separator ``---`` before the line of the finding).
        field: the path of the field or item.
        value: the new value, name or path.
    """

    action: Action
    field: str
    value: Any = None

    def __hash__(self) -> int:
        return hash((self.action, self.field))

    def __repr__(self) -> str:
        return f"{self.action} {self.field}" + ("" if self.value is None else f" {self.value!r}")


class FileMode(int):
    """The mode of a file, which YAML text shows as an octal number.

    >>> str(FileMode(0o755)), FileMode(0o755) == 493
    ('0755', True)
    """

    __slots__ = ()

    def __str__(self) -> str:
        return f"0{self:o}"


class Fix(Record):
    """Edits that together resolve a finding.

    Attributes:
        safe: True if the Job behaves as before, apart from the problem; an unsafe fix may change more.
        edits: in the order in which they are applied.
        title: their effect, in the imperative: ``Sort the exit codes``.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool

    def __init__(self, title: str, *edits: Edit, safe: bool) -> None:
        fields: Any = self  # which is frozen for type checkers
        fields.title = title
        fields.edits = edits
        fields.safe = safe

    @property
    def moves(self) -> Iterator[tuple[str, str]]:
        """The new and the old path of each field that the fix renames or moves."""
        for edit in self.edits:
            if edit.action == "move":
                yield edit.value, edit.field
            elif edit.action == "rename":
                bracketed = edit.field.endswith("]")
                holder, dot, _ = edit.field.rpartition("[" if bracketed else ".")
                yield (f"{holder}.{edit.value}" if holder or dot else edit.value), edit.field
