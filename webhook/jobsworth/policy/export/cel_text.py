"""Builders of CEL expressions: literals, conditions and messages, in which no user text can become syntax.

A condition is a CEL expression, or True or False if it is known without the request. Every builder returns an
expression that can be an operand of any operator.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

Condition = str | bool

HOLE = "\ufffc"
"""Stands in a message for a value that only the API server knows."""

MAX_SHOWN = 64
"""The longest part of a value that a message shows, in characters."""


def literal(value: Any) -> str:
    r"""Return a text, number, boolean, or a list of them as a CEL literal.

    JSON's escapes are CEL's, too. A surrogate without its partner has no literal in CEL, and is replaced.

    >>> print(literal(["a", 'b"\n']), literal(True))
    ["a", "b\"\n"] true
    """
    return json.dumps(_encodable(value), ensure_ascii=False)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return [_encodable(one) for one in value] if isinstance(value, list) else value


def text_of(condition: Condition) -> str:
    """Return a condition as an expression, also one that is known."""
    return condition if isinstance(condition, str) else literal(condition)


def any_of(conditions: Iterable[Condition]) -> Condition:
    """Return a condition that holds if one of some conditions holds.

    >>> any_of(["a", False, "b"]), any_of(["a", True]), any_of([])
    ('(a || b)', True, False)
    """
    return _combined(conditions, " || ", neutral=False)


def all_of(conditions: Iterable[Condition]) -> Condition:
    """Return a condition that holds if all of some conditions hold."""
    return _combined(conditions, " && ", neutral=True)


def negated(condition: Condition) -> Condition:
    """Return a condition that holds if another does not."""
    return not condition if isinstance(condition, bool) else f"!({condition})"


def _combined(conditions: Iterable[Condition], sign: str, *, neutral: bool) -> Condition:
    parts: list[str] = []
    for condition in conditions:
        if isinstance(condition, str):
            parts.append(condition)
        elif condition is not neutral:
            return condition
    parts = list(dict.fromkeys(parts))
    if len(parts) < 2:
        return parts[0] if parts else neutral
    return f"({sign.join(parts)})"


def either(condition: Condition, then: str, otherwise: str) -> str:
    """Return one expression if a condition holds, else another one.

    >>> either("a", "1", "2"), either(True, "1", "2")
    ('(a ? 1 : 2)', '1')
    """
    if isinstance(condition, bool):
        return then if condition else otherwise
    return f"({condition} ? {then} : {otherwise})"


def message(text: str, *values: str) -> str:
    """Return the expression of a message.

    Args:
        text: the message, with :data:`HOLE` at the place of each value.
        values: the expressions of the values, which must be strings.

    >>> message(f"is {HOLE}, not 1", "string(object.spec.parallelism)")
    '("is " + string(object.spec.parallelism) + ", not 1")'
    """
    static = text.split(HOLE, len(values))
    parts = [literal(static[0])]
    for value, rest in zip(values, static[1:], strict=True):
        parts += [value, literal(rest)]
    return f"({' + '.join(part for part in parts if part != literal('')) or literal('')})"


def shown(value: str, *, quote: bool) -> str:
    """Return the expression of a value as a message shows it: on one line, and of bounded length.

    Args:
        value: the expression of the value.
        quote: True for a text, False for a number or boolean.
    """
    if not quote:
        return f"string({value})"
    cut = f"({value}.size() > {MAX_SHOWN} ? {value}.substring(0, {MAX_SHOWN}) + {literal('…')} : {value})"
    mark = literal('"')
    return f"{mark} + {cut}.replace({literal(chr(10))}, {literal(' ')}) + {mark}"
