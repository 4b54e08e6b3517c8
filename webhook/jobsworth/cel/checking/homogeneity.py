"""The check that all items of a list, and all keys and values of a map, have one type.

Kubernetes adds it to CEL, where such a literal is dynamic. The arguments of ``format`` are exempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cel.syntax.nodes import Call, ListLiteral, MapLiteral
from jobsworth.cel.syntax.walk import children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.cel.checking.checker import Checker
    from jobsworth.cel.syntax.nodes import Node


def mixed_literals(expression: Node, checker: Checker) -> Iterator[tuple[int, str]]:
    """Yield the offset and text of each part whose type differs from that of the first.

    Args:
        expression: the whole expression.
        checker: it has inferred the types of the expression.
    """
    exempt = set(_exempt(expression))
    for literal, groups in checker.literals:
        if id(literal) in exempt:
            continue
        for parts in groups:
            types = [(at, checker.resolved(of)) for at, of in parts]
            for at, of in types[1:]:
                if of != types[0][1]:
                    yield at, f"expected type '{types[0][1]}' but found '{of}'"


def _exempt(expression: Node) -> Iterator[int]:
    """Yield the identities of the literals inside the arguments of ``format``."""
    rest = [(expression, False)]
    while rest:
        node, inside = rest.pop()
        if inside and isinstance(node, (ListLiteral, MapLiteral)):
            yield id(node)
        arguments = node.arguments if isinstance(node, Call) and node.function == "format" else ()
        for child in children(node):
            rest.append((child, inside or any(child is each for each in arguments)))
