"""Positions of Kubernetes field paths in a document's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.edits import first_key, is_position

if TYPE_CHECKING:
    from typing import Any

    # A Node with Positions, or a PositionNode with the parser's marks.
    Node = Any
    Position = Any
    Children = dict[str, tuple[Position, Node]]

_METADATA_OF_A_TEMPLATE = ("labels", "annotations")


def find(root: Node, path: str, field: str, *, key: bool) -> Position:
    """Return the position of ``field`` in the object at ``path``; see ``Document.position``."""
    node, place, rest = _walk(root, root.position, path)
    if not rest:
        node, place, rest = _walk(node, node.position if path else place, field)
    if rest or key or node.children is not None or not node.shown:
        return place
    return node.position


def _walk(node: Node, place: Position, path: str) -> tuple[Node, Position, str]:
    """Follow a path as far as the text has it.

    Args:
        node: the value to begin with.
        place: the position of its key.
        path: the path from there.

    Returns:
        The deepest value, the position of its key, and the rest of the path.
    """
    while path:
        children = node.children
        if isinstance(children, dict):
            leading = first_key(children, path)
            if leading is not None:
                (place, node), path = children[leading[0]], leading[1]
            elif _is_metadata_of_a_template(path, children):
                place, node = children["metadata"]
            else:
                break
        elif isinstance(children, list):
            number, _, rest = path.removeprefix("[").partition("]")
            if path[0] != "[" or not is_position(number) or int(number) >= len(children):
                break
            node, path = children[int(number)], rest
            place = node.position
        else:
            break
    return node, place, path


def _is_metadata_of_a_template(path: str, children: Children) -> bool:
    """Return True for labels in metadata: the API server reports a template's as ``spec.template.labels``."""
    if not path.removeprefix(".").startswith(_METADATA_OF_A_TEMPLATE):
        return False
    metadata = children.get("metadata")
    return (
        metadata is not None
        and isinstance(metadata[1].children, dict)
        and first_key(metadata[1].children, path) is not None
    )
