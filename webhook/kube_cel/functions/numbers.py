"""Quantities such as ``1Gi`` (k8s.io/apiserver, ``pkg/cel/library/quantity.go``), and functions of numbers.

Kubernetes does not have the functions of numbers: only expressions of a JobPolicy may use them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kube_cel.formats.quantity import BadQuantity, Quantity, parse
from kube_cel.operators import compare, int64
from kube_cel.values import MAX_INT, MIN_INT, CelError, Function, NoOverload, Uint, check, is_number

_DIGITS = 800
_MAX_POWER = 18
"""The largest power of ten in 64 bits."""


@dataclass(frozen=True, slots=True)
class QuantityValue:
    """A quantity as a value: equal to another of the same amount."""

    type_name = "kubernetes.Quantity"

    amount: Quantity


def _read(text: Any) -> QuantityValue:
    check(str, text)
    try:
        return QuantityValue(parse(text))
    except BadQuantity as error:
        raise CelError(str(error)) from None


def _is_quantity(text: Any) -> bool:
    check(str, text)
    try:
        parse(text)
    except BadQuantity:
        return False
    return True


def _compare(one: Any, other: Any) -> int:
    check(QuantityValue, one, other)
    return int(one.amount.compare(other.amount))


def _operand(value: Any) -> Quantity:
    if type(value) is int:
        return parse(str(value))
    check(QuantityValue, value)
    return value.amount  # type: ignore[no-any-return]


def _add(one: Any, other: Any) -> QuantityValue:
    check(QuantityValue, one)
    return QuantityValue(one.amount + _operand(other))


def _sub(one: Any, other: Any) -> QuantityValue:
    check(QuantityValue, one)
    term = _operand(other)
    negative = Quantity(-term.mantissa, term.exponent, term.format)
    return QuantityValue(one.amount + negative)


def _whole(amount: Quantity) -> int | None:
    """Return a quantity as an int; None if it is written with a fraction, or not held in 64 bits.

    >>> _whole(parse("1k")), _whole(parse("1000m")), _whole(parse("1.0")), _whole(parse("1Ei"))
    (1000, None, None, None)
    """
    if amount.long or not 0 <= amount.exponent <= _MAX_POWER:
        return None
    value = int(amount.mantissa * 10**amount.exponent)
    return value if MIN_INT <= value <= MAX_INT else None


def _as_integer(one: Any) -> int:
    check(QuantityValue, one)
    value = _whole(one.amount)
    if value is None:
        raise CelError("cannot convert value to integer")
    return value


def _as_float(one: Any) -> float:
    check(QuantityValue, one)
    mantissa, exponent = one.amount.mantissa, one.amount.exponent
    digits = int(mantissa.bit_length() * math.log10(2))
    if digits > _DIGITS:  # no double depends on more
        exponent += digits - _DIGITS
        mantissa //= 10 ** (digits - _DIGITS)
    return float(f"{mantissa}e{exponent}")


def _of_one(result: Callable[[Quantity], Any]) -> Function:
    def checked(one: Any) -> Any:
        if not isinstance(one, QuantityValue):
            raise NoOverload
        return result(one.amount)

    return checked


FUNCTIONS: dict[str, Function] = {
    "quantity": _read,
    "isQuantity": _is_quantity,
    "sign": _of_one(lambda amount: amount.sign),
    ".sign": _of_one(lambda amount: amount.sign),
    ".compareTo": _compare,
    ".isGreaterThan": lambda one, other: _compare(one, other) > 0,
    ".isLessThan": lambda one, other: _compare(one, other) < 0,
    ".add": _add,
    ".sub": _sub,
    ".isInteger": _of_one(lambda amount: _whole(amount) is not None),
    ".asInteger": _as_integer,
    ".asApproximateFloat": _as_float,
}


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


def _rounded_by(direction: Function) -> Function:
    def whole(value: Any) -> float:
        check(float, value)
        return float(direction(value)) if math.isfinite(value) else float(value)

    return whole


FUNCTIONS |= {
    "math.greatest": _extreme(1),
    "math.least": _extreme(-1),
    "math.abs": _abs,
    "math.ceil": _rounded_by(math.ceil),
    "math.floor": _rounded_by(math.floor),
    "math.round": _rounded,
}
