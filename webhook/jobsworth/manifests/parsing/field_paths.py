"""Positions of Kubernetes field paths in a document's text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobsworth.findings.edits import first_key, is_position
from jobsworth.manifests.parsing.records import Position as Place

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


def steps_at(
    root: Node, line: int, column: int, position: Callable[[Position], Place]
) -> tuple[list[str | int], Place | None]:
    """Return the path of the deepest field that begins at or before a place, and the position of its key.

    Args:
        root: the value of the document.
        line, column: the place, in the file.
        position: converts a node's position into one in the file.

    Returns:
        the keys and the positions in lists on the way; then the position of the last of them, None for none.
    """
    steps: list[str | int] = []
    found, node = None, root
    while children := node.children:
        if isinstance(children, dict):
            entries = [(position(at), name, below) for name, (at, below) in children.items()]
        else:
            entries = [
                (position(below.position), index, below) for index, below in enumerate(children)
            ]
        before = [each for each in entries if (each[0].line, each[0].column) <= (line, column)]
        if not before:
            break
        found, step, node = max(before, key=lambda each: (each[0].line, each[0].column))
        steps.append(step)
    return steps, found


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
