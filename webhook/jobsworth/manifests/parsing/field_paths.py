"""Positions of Kubernetes field paths in a document's text."""

from __future__ import annotations

from jobsworth.findings.edits import first_key
from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # A Node with Positions, or a PositionNode with the parser's marks.
    Node = Any
    Position = Any

_METADATA_OF_A_TEMPLATE = ("labels", "annotations")


class _Found(Record):
    """The deepest value that a path leads to in a tree, and the position of its key."""

    node: Node
    key: Position


def find(root: Node, path: str, field: str, *, key: bool) -> Position:
    """Return the position of ``field`` in the object at ``path``; see ``Document.position``."""
    found, rest = _walk(_Found(root, root.position), path)
    if not rest:
        if path:
            found = _Found(found.node, found.node.position)
        found, rest = _walk(found, field)
    scalar = found.node.children is None
    if rest or key or not scalar or not found.node.shown:
        return found.key
    return found.node.position


def _walk(found: _Found, path: str) -> tuple[_Found, str]:
    """Follow a path as far as the text has it; return the value and the rest of the path."""
    while path:
        step = _step(found.node, path)
        if step is None:
            break
        found, path = step
    return found, path


def _step(node: Node, path: str) -> tuple[_Found, str] | None:
    children = node.children
    if isinstance(children, list):
        if not path.startswith("["):
            return None
        number, _, rest = path[1:].partition("]")
        if not number.isdecimal() or len(number) > 9 or int(number) >= len(children):
            return None
        item = children[int(number)]
        return _Found(item, item.position), rest
    if children is None:
        return None
    leading = first_key(children, path)
    if leading is not None:
        position, child = children[leading[0]]
        return _Found(child, position), leading[1]
    return _step_into_metadata(node, path)


def _step_into_metadata(node: Node, path: str) -> tuple[_Found, str] | None:
    """Find labels in metadata: the API server reports a template's as ``spec.template.labels``."""
    if not path.removeprefix(".").startswith(_METADATA_OF_A_TEMPLATE):
        return None
    children = node.children
    entry = children.get("metadata") if isinstance(children, dict) else None
    if entry is None or not isinstance(entry[1].children, dict):
        return None
    return _step(entry[1], path)
