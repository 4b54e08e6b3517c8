"""Functions of numbers, which Kubernetes does not have: only expressions of a JobPolicy may use them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from jobsworth.cel.functions.arguments import check
from jobsworth.cel.operators import compare, int64
from jobsworth.cel.values import CelError, NoOverload, Uint, is_number

if TYPE_CHECKING:
    from typing import Any

    from jobsworth.cel.functions.arguments import Function


def _extreme(sign: int) -> Function:
    def found(*values: Any) -> Any:
        items = values[0] if len(values) == 1 and isinstance(values[0], list) else list(values)
        if not items:
            raise CelError("the list is empty")
        if not all(map(is_number, items)):
            raise NoOverload
        best = items[0]
        for each in items[1:]:
            if compare(each, best, "_<_") == sign:
                best = each
        return best

    return found


def _abs(value: Any) -> Any:
    if isinstance(value, Uint):
        return value
    if type(value) is int:
        return int64(abs(value))
    check(float, value)
    return abs(value)


def _rounded(value: Any) -> float:
    """Return the nearest whole number; halves away from zero."""
    check(float, value)
    if not math.isfinite(value):
        return float(value)
    return math.copysign(math.floor(abs(value) + 0.5), value)


def _whole(direction: Function) -> Function:
    def whole(value: Any) -> float:
        check(float, value)
        return float(direction(value)) if math.isfinite(value) else float(value)

    return whole


FUNCTIONS: dict[str, Function] = {
    "math.greatest": _extreme(1),
    "math.least": _extreme(-1),
    "math.abs": _abs,
    "math.ceil": _whole(math.ceil),
    "math.floor": _whole(math.floor),
    "math.round": _rounded,
}
