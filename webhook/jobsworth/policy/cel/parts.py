"""The parts of variables that an expression reads, as text."""

from __future__ import annotations

from kube_cel.nodes import Call, ListLiteral, Literal, Loop, Name, Node, Select, walk


def text_of(node: Node) -> str:
    """Return a variable, or a part of one that is read by names and keys, in CEL; empty for another."""
    match node:
        case Name(name=name):
            return name
        case Select(operand=operand, field=field, optional=False, test=False):
            step = f".{field}" if field.isidentifier() else f".`{field}`"
        case Call(function="_[_]", arguments=(operand, Literal(value=str() | int() as key))):
            step = f"[{key!r}]"  # Python's form of a string is one of CEL, too
        case _:
            return ""
    text = text_of(operand)
    return f"{text}{step}" if text else ""


def variable_of(node: Node) -> Name:
    """Return the variable that a node with a text reads a part of."""
    return next(each for each in walk(node) if isinstance(each, Name))


def path_of(node: Node, tree: Node) -> str:
    """Return the path of a part. A variable of a loop is ``[*]`` of what the loop iterates over."""
    match node:
        case Select(operand=operand, field=field):
            return f"{path_of(operand, tree)}.{field}"
        case Call(arguments=(operand, Literal(value=key))):
            return f"{path_of(operand, tree)}[{key}]"
        case Name(name=name):
            items = range_of(node, tree)
            if isinstance(items, ListLiteral) and len(items.items) == 1 and text_of(items.items[0]):
                return path_of(items.items[0], tree)
            return f"{path_of(items, tree)}[*]" if items and text_of(items) else name
    return ""


def range_of(variable: Name, tree: Node) -> Node | None:
    """Return what a loop iterates over, of whose items a variable is one; None for another variable."""
    found = None
    for loop in walk(tree):
        if isinstance(loop, Loop) and loop.names[-1] == variable.name:
            parts = [each for each in (loop.condition, loop.body) if each is not None]
            if any(each is variable for part in parts for each in walk(part)):
                found = loop.range
    return found


def has_parts(tree: Node, text: str) -> bool:
    """Return True if an expression reads something in a part: a field, a key or an item."""
    for node in walk(tree):
        match node:
            case (
                Select(operand=whole)
                | Call(function="_[_]" | "_[?_]", arguments=(whole, Literal(value=str())))
                | Call(function="@in", arguments=(_, whole))
                | Loop(macro="exists" | "exists_one" | "existsOne", range=whole)
            ) if text_of(whole) == text:
                return True
    return False
