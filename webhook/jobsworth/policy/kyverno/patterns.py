"""Patterns of Kyverno (``validate.pattern``) as CEL.

A pattern is an overlay of the object: each of its fields must exist and match. Anchors change that: ``=(a)``
must match if the field exists, ``X(a)`` forbids it, ``^(a)`` requires an item that matches, and ``(a)`` is a
condition: if it does not hold, the item of the list, or else the whole pattern, is skipped. Source:
https://kyverno.io/docs/policy-types/cluster-policy/validate/#anchors
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from jobsworth.policy.export.cel_text import literal
from jobsworth.policy.kyverno.untranslatable import Untranslatable
from kube_cel.formats.quantity import parse

_ANCHOR = re.compile(r"(?P<sign>[=X^<+]?)\((?P<key>.+)\)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RANGE = re.compile(r"(?P<not>!?)(?P<least>[0-9.]+[A-Za-z]*)-(?P<most>[0-9.]+[A-Za-z]*)")
_COMPARED = re.compile(r"(?P<sign><=|>=|<|>)\s*(?P<value>.+)")
_LISTS = frozenset(("add", "args", "command", "drop", "supplementalGroups"))
"""The fields that are lists of scalars: a scalar pattern is that of each item."""

_RESERVED = frozenset(("in", "as", "break", "const", "for", "function", "if", "let", "namespace"))


@dataclass(slots=True)
class _Matched:
    """What a pattern demands of a value.

    Attributes:
        conditions: those of conditional anchors, which skip the item or the pattern if they do not hold.
        demands: the rest.
    """

    conditions: list[str] = field(default_factory=list)
    demands: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The expression that is true for a value that matches, or is skipped."""
        demanded = all_of(self.demands)
        return f"!({all_of(self.conditions)}) || ({demanded})" if self.conditions else demanded


def matches(pattern: Any, value: str) -> str:
    """Return the expression that is true if a value matches a pattern.

    Args:
        pattern: the pattern.
        value: the expression of the value, such as ``object``.

    Raises:
        Untranslatable: the pattern has no translation.
    """
    return _of_map(pattern, value, 0).text


def matches_any(patterns: list[Any], value: str) -> str:
    """Return the expression for ``anyPattern``: one pattern matches, or all are skipped.

    Raises:
        Untranslatable: a pattern has no translation.
    """
    found = [_of_map(pattern, value, 0) for pattern in patterns]
    matched = [all_of([*each.conditions, *each.demands]) for each in found]
    skipped = [f"!({all_of(each.conditions)})" for each in found if each.conditions]
    if len(skipped) == len(found):
        matched.append(all_of(skipped))
    return " || ".join(f"({each})" for each in matched)


def all_of(conditions: list[str]) -> str:
    """Return the conjunction of expressions."""
    if len(conditions) == 1:
        return conditions[0]
    return " && ".join(f"({each})" if "||" in each else each for each in conditions) or "true"


def _of_map(pattern: Any, value: str, depth: int) -> _Matched:
    if not isinstance(pattern, dict):
        raise Untranslatable("a pattern of it is not a map")
    found = _Matched()
    for written, part in pattern.items():
        anchor = _ANCHOR.fullmatch(str(written))
        sign, key = (anchor["sign"] or "?", anchor["key"]) if anchor else ("", str(written))
        if "*" in key or "?" in key:
            found.demands.append(_wild(sign, key, part, value, depth))
            continue
        there, inner = member(value, key)
        if sign == "X":
            found.demands.append(f"!{there}")
        elif sign == "^":
            found.demands.append(f"{there} && {_existing(part, inner, depth)}")
        elif sign in ("<", "+"):
            raise Untranslatable(f"a pattern of it has the anchor {written}")
        else:
            below = _below(part, inner, depth)
            if sign == "?":
                found.conditions += [there, *below.conditions, *below.demands]
            elif sign == "=":
                if below.conditions or below.demands:
                    found.demands.append(f"!{there} || ({below.text})")
            else:
                found.conditions += [f"({there} && ({each}))" for each in below.conditions]
                found.demands += [there, *below.demands]
    return found


def _wild(sign: str, key: str, pattern: Any, value: str, depth: int) -> str:
    """Return the demand of a key with wildcards: each key that it names must match, and one must exist."""
    name = f"k{depth}"
    named = like(key, name)
    none = f"!{value}.exists({name}, {named})"
    if sign == "X":
        return none
    matched = _below(pattern, f"{value}[{name}]", depth + 1).text
    each = f"{value}.all({name}, !({named}) || ({matched}))"
    if sign == "=":
        return each
    if sign:
        raise Untranslatable(f"a pattern of it has an anchor at {key}")
    return f"!({none}) && {each}"


def _below(pattern: Any, value: str, depth: int) -> _Matched:
    """Return what a pattern demands of a value that exists."""
    if pattern == "*":
        return _Matched()
    if isinstance(pattern, dict):
        return _of_map(pattern, value, depth)
    if not isinstance(pattern, list):
        if value.rpartition(".")[2] in _LISTS:
            item = f"v{depth}"
            return _Matched(demands=[f"{value}.all({item}, {scalar(pattern, item)})"])
        return _Matched(demands=[scalar(pattern, value)])
    item = f"v{depth}"
    found = _item(pattern, item, depth)
    # If every item is skipped, so is what the list belongs to.
    conditions = [f"{value}.exists({item}, {all_of(found.conditions)})"] if found.conditions else []
    return _Matched(conditions, [f"{value}.all({item}, {found.text})"])


def _existing(pattern: Any, value: str, depth: int) -> str:
    if not isinstance(pattern, list):
        raise Untranslatable("an existence anchor of it is not about a list")
    item, found = f"v{depth}", _item(pattern, f"v{depth}", depth)
    return f"{value}.exists({item}, {all_of([*found.conditions, *found.demands])})"


def _item(pattern: list[Any], item: str, depth: int) -> _Matched:
    if len(pattern) != 1:
        raise Untranslatable("a list in its pattern has not exactly one item")
    if isinstance(pattern[0], dict):
        return _of_map(pattern[0], item, depth + 1)
    return _Matched(demands=[scalar(pattern[0], item)])


def member(value: str, key: str) -> tuple[str, str]:
    """Return the expressions for the presence of a key of a map, and for its value."""
    if _NAME.fullmatch(key) and key not in _RESERVED:
        return f"has({value}.{key})", f"{value}.{key}"
    return f"({literal(key)} in {value})", f"{value}[{literal(key)}]"


def scalar(pattern: Any, value: str) -> str:
    """Return the expression that is true if a value matches a scalar of a pattern.

    Raises:
        Untranslatable: it has a variable, or compares durations.
    """
    if isinstance(pattern, bool):
        return f"{value} == {str(pattern).lower()}"
    if isinstance(pattern, (int, float)):
        return f"{value} == {pattern}"
    if not isinstance(pattern, str):
        raise Untranslatable("a pattern of it is null")
    if "{{" in pattern or "$(" in pattern:
        raise Untranslatable("a pattern of it has a variable")
    either = [
        all_of([_term(each.strip(), value) for each in part.split("&")])
        for part in pattern.split("|")
    ]
    return either[0] if len(either) == 1 else " || ".join(f"({each})" for each in either)


def _term(term: str, value: str) -> str:
    between = _RANGE.fullmatch(term)
    if between is not None:
        bounds = f"{_compared(value, '>=', between['least'])} && {_compared(value, '<=', between['most'])}"
        return f"!({bounds})" if between["not"] else bounds
    compared = _COMPARED.fullmatch(term)
    if compared is not None:
        return _compared(value, compared["sign"], compared["value"])
    if term.startswith("!"):
        return f"!({_term(term[1:].strip(), value)})"
    return like(term, f"string({value})")


def _compared(value: str, sign: str, bound: str) -> str:
    try:
        parse(bound)
    except ValueError:
        message = f"a pattern of it compares with {bound}, which is not a quantity"
        raise Untranslatable(message) from None
    return f"quantity(string({value})).compareTo(quantity({literal(bound)})) {sign} 0"


def like(pattern: str, text: str) -> str:
    """Return the expression that is true if a text matches wildcards: ``*`` any, ``?`` one character."""
    if "*" not in pattern and "?" not in pattern:
        return f"{text} == {literal(pattern)}"
    if pattern in ("?*", "*?"):
        return f"{text} != ''"
    parts = (
        ".*" if sign == "*" else "." if sign == "?" else re.escape(sign).replace("\\-", "-")
        for sign in pattern
    )
    return f"{text}.matches({literal('(?s)^' + ''.join(parts) + '$')})"
