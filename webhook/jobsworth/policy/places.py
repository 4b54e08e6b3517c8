"""Places in an object: the steps that lead to a part of it, and the object with other values there.

A step is the name of a field, the key of a map, or the item of a list that has certain fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_KEYED = frozenset(("labels", "annotations", "nodeSelector", "requests", "limits"))
"""Fields with a map: a path has its keys in brackets."""

_WHEN_EMPTY = {"operator": "Equal"}
"""The meaning of an empty field that identifies an item: of a toleration."""


@dataclass(frozen=True, slots=True)
class Item:
    """The first item of a list that has certain fields.

    Attributes:
        fields: the names and values of the fields.
    """

    fields: tuple[tuple[str, Any], ...]

    @classmethod
    def named(cls, name: str) -> Item:
        """Return the item with a name, of a list that Kubernetes merges by names."""
        return cls((("name", name),))

    @classmethod
    def toleration(cls, value: Mapping[str, Any]) -> Item:
        """Return the toleration of the same taints."""
        names = ("key", "operator", "value", "effect")
        return cls(tuple((name, _identity(value, name)) for name in names))

    def is_at(self, value: Any) -> bool:
        """Return True if a value is that item."""
        return isinstance(value, dict) and all(
            _identity(value, name) == one for name, one in self.fields
        )

    def index_in(self, items: Any) -> int:
        """Return the index of the item in a list, or of the end if there is none."""
        items = items if isinstance(items, list) else []
        return next((n for n, each in enumerate(items) if self.is_at(each)), len(items))


def _identity(value: Mapping[str, Any], name: str) -> Any:
    return value.get(name) or _WHEN_EMPTY.get(name, "")


Step = str | Item
Steps = tuple[Step, ...]
Change = tuple[Steps, Any]
"""The steps that lead to a part, and its new value."""


def at(value: Any, steps: Steps) -> Any:
    """Return the value at the end of a path; None if there is none."""
    for step in steps:
        if isinstance(step, Item):
            items = value if isinstance(value, list) else []
            value = next(filter(step.is_at, items), None)
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value


def changed(value: dict[str, Any], changes: Iterable[Change]) -> dict[str, Any]:
    """Return an object with changes applied; unchanged parts are shared."""
    for steps, after in changes:
        value = _with(value, steps, after)
    return value


def _with(value: Any, steps: Steps, after: Any) -> Any:
    if not steps:
        return after
    step = steps[0]
    if isinstance(step, Item):
        items = list(value) if isinstance(value, list) else []
        index = step.index_in(items)
        present = items[index] if index < len(items) else dict(step.fields)
        items[index : index + 1] = [_with(present, steps[1:], after)]
        return items
    copy = dict(value) if isinstance(value, dict) else {}
    copy[step] = _with(copy.get(step), steps[1:], after)
    return copy


def field_path(steps: Steps, value: Any = None) -> str:
    """Return a field path; the key of a map, such as a label's, is in brackets.

    >>> field_path(("metadata", "labels", "app"))
    'metadata.labels[app]'
    >>> steps = ("spec", "containers", Item.named("main"), "resources")
    >>> field_path(steps, {"spec": {"containers": [{"name": "log"}, {"name": "main"}]}})
    'spec.containers[1].resources'

    Args:
        steps: the steps.
        value: the object, which has the indexes of items.
    """
    text = ""
    for number, step in enumerate(steps):
        if isinstance(step, Item):
            text += f"[{step.index_in(at(value, steps[:number]))}]"
        elif number and steps[number - 1] in _KEYED:
            text += f"[{step}]"
        else:
            text += f".{step}"
    return text.removeprefix(".")
