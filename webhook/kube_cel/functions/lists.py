"""Functions of lists and sets, and of optional values (cel-go, ``cel.OptionalTypes``)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

from kube_cel.operators import add, compare, equal
from kube_cel.values import (
    NONE,
    CelError,
    Duration,
    Function,
    NoOverload,
    Optional,
    Timestamp,
    Uint,
    check,
    type_name,
)

MAX_RANGE = 1_000_000
"""The longest list of ``lists.range``."""

_ADDED = (int, Uint, float, Duration)
_SORTED = (bool, int, Uint, float, str, bytes, Timestamp, Duration)


def _extreme(name: str, sign: int) -> Function:
    def found(items: Any) -> Any:
        check(list, items)
        if not items:
            raise CelError(f"{name} called on empty list")
        best = items[0]
        for each in items[1:]:
            if compare(each, best, "_<_") == sign:
                best = each
        if type(best) not in _SORTED:
            raise NoOverload
        return best

    return found


def _sum(items: Any) -> Any:
    check(list, items)
    if not items:
        return 0
    total = items[0]
    for each in items:
        if type(each) not in _ADDED:
            raise NoOverload
    for each in items[1:]:
        total = add(total, each)
    return total


def _is_sorted(items: Any) -> bool:
    check(list, items)
    return all(compare(one, other, "_<_") <= 0 for one, other in pairwise(items))


def _distinct(items: Any) -> list[Any]:
    check(list, items)
    found: list[Any] = []
    seen: set[Any] = set()
    for each in items:
        if isinstance(each, (bool, int, str, bytes, float)):
            key = (isinstance(each, bool), each)
            if key in seen:
                continue
            seen.add(key)
        elif any(equal(each, other) for other in found):
            continue
        found.append(each)
    return found


def _sort(items: Any) -> list[Any]:
    check(list, items)
    _check_comparable(items)
    return sorted(items, key=cmp_to_key(lambda one, other: compare(one, other, "_<_")))


def sorted_by(items: Sequence[Any], keys: Sequence[Any]) -> list[Any]:
    """Return items in the order of their keys.

    Raises:
        CelError: the keys have no order, or several types.
    """
    _check_comparable(keys)

    def order(one: tuple[Any, Any], other: tuple[Any, Any]) -> int:
        return compare(one[0], other[0], "_<_")

    return [item for _, item in sorted(zip(keys, items, strict=True), key=cmp_to_key(order))]


def _check_comparable(items: Sequence[Any]) -> None:
    for each in items:
        if type(each) is not type(items[0]):
            raise CelError("list elements must have the same type")
        if type(each) not in _SORTED:
            raise CelError("list elements must be comparable")


def _flatten(items: Any, depth: Any = 1) -> list[Any]:
    check(list, items)
    check(int, depth)
    if depth < 0:
        raise CelError("level must be non-negative")
    found = items
    for _ in range(min(depth, 100)):
        if not any(isinstance(each, list) for each in found):
            break
        found = [part for each in found for part in (each if isinstance(each, list) else [each])]
    return list(found)


def _slice(items: Any, start: Any, end: Any) -> list[Any]:
    check(list, items)
    check(int, start, end)
    if start < 0 or end < 0:
        raise CelError(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise CelError(
            f"cannot slice({start}, {end}), start index must be less than or equal to end index"
        )
    if end > len(items):
        raise CelError(f"cannot slice({start}, {end}), list is length {len(items)}")
    return list(items[start:end])


def _range(size: Any) -> list[int]:
    check(int, size)
    if size < 0:
        raise CelError(f"lists.range: size must be non-negative, got {size}")
    if size > MAX_RANGE:
        raise CelError(f"lists.range: size {size} exceeds maximum allowed ({MAX_RANGE})")
    return list(range(size))


def _reverse(items: Any) -> list[Any]:
    check(list, items)
    return list(items[::-1])


def _contains_all(one: Any, other: Any) -> bool:
    check(list, one, other)
    return all(any(equal(each, item) for item in one) for each in other)


def _intersects(one: Any, other: Any) -> bool:
    check(list, one, other)
    return any(any(equal(each, item) for item in one) for each in other)


def _includes(items: Any, wanted: Any) -> bool:
    if not isinstance(items, list):
        raise NoOverload(f"no such overload: includes({type_name(items)}, {type_name(wanted)})")
    wants = wanted if isinstance(wanted, list) else [wanted]
    return _contains_all(items, wants)


FUNCTIONS: dict[str, Function] = {
    ".min": _extreme("min", -1),
    ".max": _extreme("max", 1),
    ".sum": _sum,
    ".isSorted": _is_sorted,
    ".distinct": _distinct,
    ".sort": _sort,
    ".flatten": _flatten,
    ".slice": _slice,
    ".reverse": _reverse,
    ".includes": _includes,
    "lists.range": _range,
    "sets.contains": _contains_all,
    "sets.equivalent": lambda one, other: _contains_all(one, other) and _contains_all(other, one),
    "sets.intersects": _intersects,
}


def _of_nonzero(value: Any) -> Optional:
    zero = value is None or (
        isinstance(value, (bool, int, float, str, bytes, list, dict)) and not value
    )
    if isinstance(value, (Duration, Timestamp)) and not value.nanoseconds:
        zero = True
    return NONE if zero else Optional(True, value)


def _value(one: Any) -> Any:
    check(Optional, one)
    if not one.present:
        raise CelError("optional.none() dereference")
    return one.value


def _has_value(one: Any) -> bool:
    check(Optional, one)
    return bool(one.present)


def _ends(items: Any, at: int) -> Optional:
    check(list, items)
    return Optional(True, items[at]) if items else NONE


def _unwrap(items: Any) -> list[Any]:
    check(list, items)
    check(Optional, *items)
    return [each.value for each in items if each.present]


FUNCTIONS |= {
    "optional.of": lambda value: Optional(True, value),
    "optional.none": lambda: NONE,
    "optional.ofNonZeroValue": _of_nonzero,
    "optional.unwrap": _unwrap,
    ".unwrapOpt": _unwrap,
    ".value": _value,
    ".hasValue": _has_value,
    ".first": lambda items: _ends(items, 0),
    ".last": lambda items: _ends(items, -1),
}
"""``or`` and ``orValue`` evaluate their argument only if they need it, so the evaluator has them."""
