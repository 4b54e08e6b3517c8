"""The shape of syntax trees: what binds tighter, and what a chain of operators becomes."""

from __future__ import annotations

import pytest

from kube_cel.environment import NEWEST_RELEASE, environment
from kube_cel.lexer import CelSyntaxError
from kube_cel.nodes import Call, ListLiteral, Literal, Name, Node, Select
from kube_cel.parser import parse


def tree(source: str) -> Node:
    return parse(source, environment(NEWEST_RELEASE).macros)


def shape(node: Node) -> str:
    """An expression with all of its brackets."""
    match node:
        case Literal():
            return repr(node.value)
        case Name():
            return node.name
        case Select():
            return f"{shape(node.operand)}.{node.field}"
        case ListLiteral():
            return f"[{', '.join(map(shape, node.items))}]"
        case Call():
            target = () if node.target is None else (node.target,)
            return f"{node.function}({', '.join(map(shape, (*target, *node.arguments)))})"
    raise AssertionError(node)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a + b * c", "_+_(a, _*_(b, c))"),
        ("a * b + c", "_+_(_*_(a, b), c)"),
        ("a - b - c", "_-_(_-_(a, b), c)"),
        ("a - (b - c)", "_-_(a, _-_(b, c))"),
        ("a + b == c * d", "_==_(_+_(a, b), _*_(c, d))"),
        ("a in b == c", "_==_(@in(a, b), c)"),
        ("a || b || c", "_||_(a, b, c)"),
        ("(a || b) || c", "_||_(_||_(a, b), c)"),
        ("a || b && c || d", "_||_(a, _&&_(b, c), d)"),
        ("a && b == c && !d", "_&&_(a, _==_(b, c), !_(d))"),
        ("a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"),
        ("a || b ? c && d : e", "_?_:_(_||_(a, b), _&&_(c, d), e)"),
        ("!!a", "a"),
        ("-a.b", "-_(a.b)"),
        ("-1 - -2", "_-_(-1, -2)"),
        ("a.b[c.d][1].e", "_[_](_[_](a.b, c.d), 1).e"),
        ("[a + 1, -b].size()", "size([_+_(a, 1), -_(b)])"),
    ],
)
def test_what_binds_tighter(source: str, expected: str) -> None:
    assert shape(tree(source)) == expected


@pytest.mark.parametrize(
    ("source", "at"), [("a || b || c", 7), ("a && b && c", 7), ("a + b - c", 6), ("a ? b : c", 2)]
)
def test_an_operation_is_at_its_last_operator(source: str, at: int) -> None:
    assert tree(source).at == at


@pytest.mark.parametrize("source", ["a ? b ? c : d : e", "a +", "|| a", "a b", "(a", "a..b"])
def test_what_is_not_an_expression(source: str) -> None:
    with pytest.raises(CelSyntaxError):
        tree(source)
