"""Optional values (cel-go, ``cel.OptionalTypes``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cel.functions.arguments import check
from jobsworth.cel.values import NONE, CelError, Duration, Optional, Timestamp

if TYPE_CHECKING:
    from typing import Any

    from jobsworth.cel.functions.arguments import Function


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


FUNCTIONS: dict[str, Function] = {
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
