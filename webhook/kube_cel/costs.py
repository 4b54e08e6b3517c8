"""The steps of functions and operators whose time grows faster than the sizes of their arguments.

Every other function takes one step, and one for each item or 1,024 characters of its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kube_cel.budget import Budget
from kube_cel.functions.strings import compiled
from kube_cel.values import CelError

Cost = Callable[..., int]

_STEP_STATES = 1000
"""The characters of a text times the instructions of a pattern that RE2 takes in the time of a step."""

_STEPS_OF_MATCH = 4
"""Of a search, and of each match that ``findAll`` may return: at most one for each character."""

_STEPS_OF_PATTERN = 12
"""Of compiling a pattern, besides its size: RE2 compiles each text that it has not seen lately."""

_CHARACTERS = 8
"""The characters that are quoted, or instructions of a pattern that are compiled, in the time of one step."""

_SCANNED = 256
"""The characters that are compared one by one, or the items that are copied, in the time of one step."""

_PARSED = 6
"""The steps of parsing an address, of computing with quantities, and of a pattern that is wrong."""


def _whole(budget: Budget, *values: Any) -> int:
    """Return the steps of reading all parts of all arguments."""
    return sum(map(budget.weigh, values))


def _membership(budget: Budget, value: Any, container: Any) -> int:
    """Return the steps of ``in``: a map is not searched."""
    return _whole(budget, value, container) if isinstance(container, list) else 1


def _pairs(budget: Budget, *values: Any) -> int:
    """Return the steps of comparing each item of the first list with each one of the other."""
    one, other = values[0], values[-1]
    return budget.weigh(one) * (len(other) if isinstance(other, list) else 1)


def cost_of_sorting(budget: Budget, items: Any, *_: Any) -> int:
    """Return the steps of sorting a list."""
    length = len(items) if isinstance(items, list) else 0
    return budget.weigh(items) * length.bit_length()


def _characters(budget: Budget, *values: Any) -> int:
    """Return the steps of a function that looks at each character."""
    return sum(
        len(value) if isinstance(value, (str, bytes)) else getattr(value, "characters", 0)
        for value in values
    )


def _parsed(budget: Budget, *values: Any) -> int:
    """Return the steps of a function that parses, or computes with large objects, whatever their size."""
    return _PARSED + _characters(budget, *values)


def _scanned(budget: Budget, *values: Any) -> int:
    """Return the steps of a function that compares characters one by one."""
    return _characters(budget, *values) // _SCANNED


def _sum(budget: Budget, one: Any, other: Any) -> int:
    """Return the steps of ``+``: it copies lists."""
    if isinstance(one, list) and isinstance(other, list):
        return 1 + (len(one) + len(other)) // _SCANNED
    return 1


def _size_shown(budget: Budget, *values: Any) -> int:
    """Return the steps of ``format``, which quotes the texts inside of lists and maps."""
    return sum(budget.weigh(value, _CHARACTERS) for value in values)


def _search(budget: Budget, *values: Any) -> int:
    """Return the steps of searching a text for a pattern."""
    if len(values) < 2 or not isinstance(values[0], str) or not isinstance(values[1], str):
        return 1
    text, pattern = values[:2]
    budget.spend(_STEPS_OF_PATTERN + len(pattern) // _CHARACTERS)
    try:
        size = int(compiled(pattern).programsize)
    except CelError:
        return _PARSED
    # A short pattern may be large: (a{1,30}){1,30} has 3,000 instructions.
    return size // _CHARACTERS + len(text) * size // _STEP_STATES


def _search_all(budget: Budget, *values: Any) -> int:
    matches = len(values[0]) if values and isinstance(values[0], str) else 0
    return _search(budget, *values) + _STEPS_OF_MATCH * matches


OPERATOR_COSTS: dict[str, Cost] = {
    "_==_": _whole,
    "_!=_": _whole,
    "_<_": _whole,
    "_<=_": _whole,
    "_>_": _whole,
    "_>=_": _whole,
    "@in": _membership,
    "_+_": _sum,
}
"""By operator; the others take one step."""

FUNCTION_COSTS: dict[str, Cost] = {
    **dict.fromkeys(
        ("sets.contains", "sets.equivalent", "sets.intersects", ".distinct", ".includes"), _pairs
    ),
    **dict.fromkeys(
        (
            ".min", ".max", ".isSorted", ".flatten", ".indexOf", ".lastIndexOf", "math.greatest",
            "math.least",
        ),
        _whole,
    ),
    **dict.fromkeys(
        (
            "strings.quote", "url", "isURL", ".getScheme", ".getHost", ".getHostname", ".getPort",
            ".getEscapedPath", ".getQuery", "string", "semver", "isSemver", ".compareTo",
            ".isGreaterThan", ".isLessThan", "quantity", "isQuantity", "duration", "timestamp", ".validate",
        ),
        _characters,
    ),
    **dict.fromkeys(
        (
            "ip", "isIP", "ip.isCanonical", "cidr", "isCIDR", ".containsIP", ".containsCIDR", ".masked",
            ".add", ".sub",
        ),
        _parsed,
    ),
    **dict.fromkeys((".trim", ".contains", ".split"), _scanned),
    ".sort": cost_of_sorting,
    ".format": _size_shown,
    "matches": _search,
    ".matches": _search,
    ".find": _search,
    ".findAll": _search_all,
}  # fmt: skip
"""By function, beside the steps that each takes by the size of its arguments."""
