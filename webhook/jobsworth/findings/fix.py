"""The fix: edits of a manifest's fields that mend a finding."""

from __future__ import annotations

from jobsworth.record import Record, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Action = Literal["set", "delete", "rename", "move", "insert"]


class Edit(Record):
    """One change of one field.

    Attributes:
        action: ``set`` (the field gets the value, and is made where it is not there), ``delete``,
            ``rename`` (the key gets the value as its name), ``move`` (the field goes to the path that is
            the value; for an item of a list, to that position of it) or ``insert`` (the value becomes
            an item of a list, before the item that the path names).
        field: the path of the field or item.
        value: the new value, name or path.
    """

    action: Action
    field: str
    value: Any = None

    def as_dict(self) -> dict[str, Any]:
        """The edit's parts by name, as reports write them."""
        parts: dict[str, Any] = {"action": self.action, "field": self.field}
        if self.action != "delete":
            parts["value"] = self.value
        return parts

    def __hash__(self) -> int:
        return hash((self.action, self.field))

    def __repr__(self) -> str:
        return f"{self.action} {self.field}" + ("" if self.value is None else f" {self.value!r}")


class Fix(Record):
    """Edits that mend a finding together.

    Attributes:
        safe: the Job behaves as before, apart from what was wrong; an unsafe fix changes what it does.
        edits: in the order in which they are made.
        title: what they do, in the imperative: ``sort the exit codes``.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool

    def __init__(self, title: str, *edits: Edit, safe: bool) -> None:
        put(self, "title", title)
        put(self, "edits", edits)
        put(self, "safe", safe)

    def as_dict(self) -> dict[str, Any]:
        """The fix's parts by name, as reports write them."""
        return {
            "title": self.title,
            "safe": self.safe,
            "edits": [edit.as_dict() for edit in self.edits],
        }
