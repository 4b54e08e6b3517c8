"""The field of the object that an expression is about, for the position of its finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cel.syntax.nodes import Call, Literal, Loop, Name, Select
from jobsworth.cel.syntax.walk import walk

if TYPE_CHECKING:
    from jobsworth.cel.syntax.nodes import Node


def field_of(expression: Node) -> str:
    """Return the longest path of the object that an expression reads; empty if it reads none.

    A path ends where the items of a list or the keys of a map are visited.
    """
    paths = [path for node in walk(expression) if (path := _path(node))]
    return max(paths, key=lambda path: path.count("."), default="")


def _path(node: Node) -> str:
    """Return the path that a chain of members of ``object`` stands for; empty for another node."""
    steps: list[str] = []
    while True:
        if isinstance(node, Loop):
            node, steps = node.range, []
        elif isinstance(node, Select):
            steps.append(f".{node.field}")
            node = node.operand
        elif isinstance(node, Call) and node.function in ("_[_]", "_[?_]"):
            node, key = node.arguments
            if not isinstance(key, Literal):
                steps = []
            elif isinstance(key.value, int):
                steps.append(f"[{key.value}]")
            else:
                steps.append(f".{key.value}" if str(key.value).isidentifier() else f"[{key.value}]")
        else:
            break
    if not isinstance(node, Name) or node.name != "object":
        return ""
    return "".join(reversed(steps)).removeprefix(".")
