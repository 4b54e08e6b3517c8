"""Operators: equality, order, arithmetic, membership, indexes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from kube_cel.values import (
    MAX_INT,
    MAX_UINT,
    MIN_INT,
    NONE,
    CelError,
    Duration,
    NoOverload,
    NoSuchKey,
    Optional,
    Struct,
    Timestamp,
    Uint,
    is_number,
    key_of,
    type_name,
    value_of,
)

_YEAR_1 = -62_135_596_800 * 10**9
_YEAR_9999 = 253_402_300_799_999_999_999


def equal(one: Any, other: Any) -> bool:
    """Return True if two values are equal; numbers of different types may be, other types never are."""
    if is_number(one) and is_number(other):
        one, other = _as_one_type(one, other)
        return bool(one == other)
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict):
        return len(one) == len(other) and all(
            has_key(other, key) and equal(value, other[key]) for key, value in one.items()
        )
    if isinstance(one, Optional):
        return one.present == other.present and equal(one.value, other.value)
    if isinstance(one, Struct):
        return one.type_name == other.type_name and equal(one.fields, other.fields)
    return bool(one == other)


def has_key(mapping: dict[Any, Any], key: Any) -> bool:
    """Return True if a map has a key: 1 and 1.0 are the same, 1 and true are not."""
    return not isinstance(key, (list, dict, Optional, Struct)) and key_of(key) in mapping


def _as_one_type(one: Any, other: Any) -> tuple[Any, Any]:
    """Return two numbers as the API server compares them: an integer with a double as a double."""
    if isinstance(one, float) or isinstance(other, float):
        return double(one), double(other)
    return one, other


def double(value: float) -> float:
    """Return a number as a double; one of an object may have more than 64 bits."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


_ORDERED = (bool, int, Uint, float, str, bytes, Timestamp, Duration)


def compare(one: Any, other: Any, operator: str) -> int:
    """Return -1, 0 or 1.

    Raises:
        NoOverload: the values have no order.
    """
    numbers = is_number(one) and is_number(other)
    if type(one) not in _ORDERED:
        raise NoOverload(f"no such overload: {operator}")
    if not numbers and type(one) is not type(other):
        raise NoOverload
    if numbers:
        one, other = _as_one_type(one, other)
    if isinstance(one, str):  # by UTF-8, as Go
        one, other = one.encode("utf-8", "replace"), other.encode("utf-8", "replace")
    if _is_nan(one) or _is_nan(other):
        raise CelError("NaN values cannot be ordered")
    return int(one > other) - int(one < other)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def less(one: Any, other: Any) -> bool:
    """Return ``one < other``."""
    return compare(one, other, "_<_") < 0


def less_or_equal(one: Any, other: Any) -> bool:
    """Return ``one <= other``."""
    return compare(one, other, "_<=_") <= 0


def greater(one: Any, other: Any) -> bool:
    """Return ``one > other``."""
    return compare(one, other, "_>_") > 0


def greater_or_equal(one: Any, other: Any) -> bool:
    """Return ``one >= other``."""
    return compare(one, other, "_>=_") >= 0


def int64(value: int) -> int:
    """Return an int.

    Raises:
        CelError: it has more than 64 bits.
    """
    if not MIN_INT <= value <= MAX_INT:
        raise CelError("integer overflow")
    return value


def uint64(value: int) -> Uint:
    """Return an unsigned int.

    Raises:
        CelError: it is negative, or has more than 64 bits.
    """
    if not 0 <= value <= MAX_UINT:
        raise CelError("unsigned integer overflow")
    return Uint(value)


def duration(nanoseconds: int) -> Duration:
    """Return a duration.

    Raises:
        CelError: it is longer than 292 years.
    """
    if not MIN_INT <= nanoseconds <= MAX_INT:
        raise CelError("duration overflow")
    return Duration(nanoseconds)


def timestamp(nanoseconds: int) -> Timestamp:
    """Return a point in time.

    Raises:
        CelError: it is not in the years 1 to 9999.
    """
    if not _YEAR_1 <= nanoseconds <= _YEAR_9999:
        raise CelError("timestamp overflow")
    return Timestamp(nanoseconds)


def add(one: Any, other: Any) -> Any:
    """Return a sum, or a concatenation."""
    if isinstance(one, Timestamp) and isinstance(other, Duration):
        return timestamp(one.nanoseconds + other.nanoseconds)
    if isinstance(one, Duration) and isinstance(other, Timestamp):
        return timestamp(one.nanoseconds + other.nanoseconds)
    if type(one) is type(other):
        if isinstance(one, (str, bytes, list)):
            return one + other
        if isinstance(one, Duration):
            return duration(one.nanoseconds + other.nanoseconds)
    return _arithmetic("_+_", one, other, lambda: one + other)


def subtract(one: Any, other: Any) -> Any:
    """Return a difference."""
    if isinstance(one, Timestamp) and isinstance(other, Timestamp):
        return duration(one.nanoseconds - other.nanoseconds)
    if isinstance(one, Timestamp) and isinstance(other, Duration):
        return timestamp(one.nanoseconds - other.nanoseconds)
    if isinstance(one, Duration) and isinstance(other, Duration):
        return duration(one.nanoseconds - other.nanoseconds)
    return _arithmetic("_-_", one, other, lambda: one - other)


def multiply(one: Any, other: Any) -> Any:
    """Return a product."""
    return _arithmetic("_*_", one, other, lambda: one * other)


def divide(one: Any, other: Any) -> Any:
    """Return a quotient; of integers, rounded toward zero."""
    if isinstance(one, float) and isinstance(other, float):
        return _float_quotient(one, other)

    def quotient() -> Any:
        if other == 0:
            raise CelError("division by zero")
        positive = abs(one) // abs(other)
        return positive if (one < 0) == (other < 0) else -positive

    return _arithmetic("_/_", one, other, quotient, floats=False)


def modulo(one: Any, other: Any) -> Any:
    """Return the rest of a division of integers, with the sign of the first."""

    def rest() -> Any:
        if other == 0:
            raise CelError("modulus by zero")
        if one == MIN_INT and other == -1:
            raise CelError("integer overflow")
        positive = abs(one) % abs(other)
        return -positive if one < 0 else positive

    return _arithmetic("_%_", one, other, rest, floats=False)


def _float_quotient(one: float, other: float) -> float:
    if other == 0:
        if one == 0 or math.isnan(one):
            return math.nan
        return math.copysign(math.inf, one) * math.copysign(1, other)
    return one / other


_ADDED = (int, Uint, float, str, bytes, list, Duration, Timestamp)
_WITH_OPERATOR: dict[str, tuple[type, ...]] = {
    "_+_": _ADDED,
    "_-_": (int, Uint, float, Duration, Timestamp),
    "_*_": (int, Uint, float),
    "_/_": (int, Uint, float),
    "_%_": (int, Uint),
}
"""The types of a first operand; for another one the API server names the operator in its error."""


def _arithmetic(
    operator: str, one: Any, other: Any, result: Callable[[], Any], *, floats: bool = True
) -> Any:
    if type(one) not in _WITH_OPERATOR[operator]:
        raise NoOverload(f"no such overload: {operator}")
    if type(one) is not type(other):
        raise NoOverload
    if type(one) is int:
        return int64(result())
    if isinstance(one, Uint):
        return uint64(int(result()))
    if floats and isinstance(one, float):
        try:
            return result()
        except OverflowError:
            return math.inf
    raise NoOverload


def negate(value: Any) -> Any:
    """Return the negative of a number."""
    if isinstance(value, float):
        return -value
    if type(value) is int:
        return int64(-value)
    raise NoOverload


def logical_not(value: Any) -> bool:
    """Return the opposite of a boolean."""
    if not isinstance(value, bool):
        raise NoOverload
    return not value


def contains(value: Any, container: Any) -> bool:
    """Return ``value in container``."""
    if isinstance(container, list):
        return any(equal(value, each) for each in container)
    if isinstance(container, dict):
        return has_key(container, value)
    raise NoOverload


def index(container: Any, key: Any) -> Any:
    """Return ``container[key]``; of an optional container an optional.

    Raises:
        CelError: there is no such item.
    """
    if isinstance(container, Optional):
        return optional_index(container, key)
    if isinstance(container, list):
        return container[_position(container, key)]
    if isinstance(container, dict):
        if not has_key(container, key):
            raise NoSuchKey(container, key, shown(key))
        return container[key_of(key)]
    raise NoOverload


def optional_index(container: Any, key: Any) -> Optional:
    """Return ``container[?key]``.

    Raises:
        NoOverload: the container has no items.
    """
    if isinstance(container, Optional):
        return optional_index(container.value, key) if container.present else NONE
    if isinstance(container, list):
        if not is_number(key):
            raise CelError(_unsupported_index(key))
        if not 0 <= key < len(container) or key != int(key):
            return NONE
        return Optional(True, container[int(key)])
    if isinstance(container, dict):
        return Optional(True, container[key_of(key)]) if has_key(container, key) else NONE
    raise NoOverload


def _position(items: list[Any], key: Any) -> int:
    if not is_number(key) or (isinstance(key, float) and not math.isfinite(key)):
        raise CelError(_unsupported_index(key))
    if key != int(key):
        raise CelError("unsupported index value")
    if not 0 <= key < len(items):
        raise CelError(f"index out of bounds: {int(key)}")
    return int(key)


def _unsupported_index(key: Any) -> str:
    return f"unsupported index type '{type_name(key)}' in list"


def shown(value: Any) -> str:
    """Return a key as an error shows it."""
    value = value_of(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "_==_": equal,
    "_!=_": lambda one, other: not equal(one, other),
    "_<_": less,
    "_<=_": less_or_equal,
    "_>_": greater,
    "_>=_": greater_or_equal,
    "_+_": add,
    "_-_": subtract,
    "_*_": multiply,
    "_/_": divide,
    "_%_": modulo,
    "@in": contains,
    "_[_]": index,
    "_[?_]": optional_index,
}
UNARY: dict[str, Callable[[Any], Any]] = {"!_": logical_not, "-_": negate}
