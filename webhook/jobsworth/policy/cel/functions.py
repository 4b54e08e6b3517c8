"""CEL functions for expressions: the Kubernetes functions that ValidatingAdmissionPolicy adds to CEL.

The CEL library's extensions provide strings, lists, sets and numbers; this module adds quantities, ``format``
and ``isSorted``.

Functions take and return plain values. Between two functions, a quantity is the map
``{"quantity": "12e-1"}``, so that equal quantities are equal maps, whatever their suffixes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from jobsworth.api.formats.quantity import BadQuantity, Quantity, parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Function = Callable[..., Any]


NATIVE = frozenset(
    (
        "size", "contains", "startsWith", "endsWith", "matches", "int", "uint", "double", "string",
        "bytes", "timestamp", "duration", "type", "dyn", "getFullYear", "getMonth", "getDate",
        "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours", "getMinutes", "getSeconds",
        "getMilliseconds", "has", "all", "exists", "exists_one", "map", "filter",
    )
)  # fmt: skip
"""Functions and macros that are built into the library."""

EXTENSIONS = (
    "charAt", "indexOf", "lastIndexOf", "substring", "split", "lowerAscii", "upperAscii", "trim",
    "min", "max", "sum", "math.greatest", "math.least", "math.abs", "math.ceil", "math.floor",
    "math.round", "sets.contains", "sets.equivalent",
    "sets.intersects",
)  # fmt: skip
"""The library's extension functions that ValidatingAdmissionPolicy has, too."""

BUILDERS = frozenset(("format", "join", "replace"))
"""The functions whose result may be longer than their arguments."""

MAX_BUILT = 256 * 1024
"""The longest text that a function builds, in characters; annotations have at most as many bytes together."""

NAMESPACES = frozenset(("math", "sets"))
_QUANTITY = "quantity"


def functions() -> dict[str, Function]:
    """Return every function by name: the library's extensions and the functions of this module.

    Raises:
        ImportError: the CEL library is not installed.
    """
    from cel.stdlib import STDLIB_FUNCTIONS

    return {**{name: STDLIB_FUNCTIONS[name] for name in EXTENSIONS}, **_OWN}


def replaced(text: str, old: str, new: str, limit: int = -1) -> str:
    """Replace a part of a text, at most `limit` times if that is not negative.

    Raises:
        ValueError: the result would be longer than :data:`MAX_BUILT`.
    """
    times = text.count(old) if limit < 0 else min(limit, text.count(old))
    _check_length("replace", len(text) + times * (len(new) - len(old)))
    return text.replace(old, new, limit)


def joined(items: list[str], separator: str = "") -> str:
    """Join texts.

    Raises:
        ValueError: the result would be longer than :data:`MAX_BUILT`.
    """
    _check_length("join", sum(map(len, items)) + len(separator) * len(items))
    return separator.join(items)


def _check_length(function: str, length: int) -> None:
    if length > MAX_BUILT:
        raise ValueError(f"the result of {function} is longer than {MAX_BUILT} characters")


def quantity(text: Any) -> dict[str, str]:
    """Parse a quantity as manifests write it.

    >>> quantity("1Gi") == quantity("1024Mi")
    True
    """
    return _packed(parse(text))


def is_quantity(text: Any) -> bool:
    """Return True if a value is the text of a quantity."""
    if not isinstance(text, str):
        return False
    try:
        parse(text)
    except BadQuantity:
        return False
    return True


def compare_to(one: Any, other: Any) -> int:
    """Return -1, 0 or 1 if a quantity is less than, equal to or greater than another."""
    return _read(one).compare(_read(other))


def is_greater_than(one: Any, other: Any) -> bool:
    """Return True if a quantity is greater than another."""
    return compare_to(one, other) > 0


def is_less_than(one: Any, other: Any) -> bool:
    """Return True if a quantity is less than another."""
    return compare_to(one, other) < 0


def add(one: Any, other: Any) -> dict[str, str]:
    """Return the sum of two quantities, or of a quantity and an integer."""
    return _packed(_read(one) + _operand(other))


def sub(one: Any, other: Any) -> dict[str, str]:
    """Return the difference of two quantities, or of a quantity and an integer."""
    term = _operand(other)
    return _packed(_read(one) + Quantity(-term.mantissa, term.exponent, term.format))


def sign(one: Any) -> int:
    """Return the sign of a quantity: -1, 0 or 1."""
    return _read(one).sign


def is_integer(one: Any) -> bool:
    """Return True if a quantity is a whole number."""
    number = _read(one)
    return number.exponent >= 0 or number.mantissa % 10**-number.exponent == 0


def as_integer(one: Any) -> int:
    """Return a quantity as an integer.

    Raises:
        ValueError: the quantity is not a whole number.
    """
    if not is_integer(one):
        raise ValueError("cannot convert a quantity with a fraction to an integer")
    number = _read(one)
    if number.exponent >= 0:
        return int(number.mantissa * 10**number.exponent)
    return int(number.mantissa // 10**-number.exponent)


def as_approximate_float(one: Any) -> float:
    """Return a quantity as the nearest floating-point number."""
    number = _read(one)
    return float(f"{number.mantissa}e{number.exponent}")


def is_sorted(items: Any) -> bool:
    """Return True if the items of a list are in ascending order."""
    return all(one <= other for one, other in pairwise(items))


def formatted(template: str, values: list[Any]) -> str:
    """Replace ``%s``, ``%d``, ``%f``, ``%.2f``, ``%x`` and ``%%`` in a template by values.

    >>> formatted("%d of %s, %.1f%%", [3, ["a", True], 2.25])
    '3 of [a, true], 2.2%'

    Raises:
        ValueError: there are fewer values than placeholders, a placeholder is not supported, or the result
            would be longer than :data:`MAX_BUILT`.
    """
    import re

    rest = iter(values)
    length = len(template)

    def put(match: re.Match[str]) -> str:
        form = match.group(2)
        if form == "%":
            return "%"
        if form not in ("s", "d", "f", "e", "x", "o"):
            raise ValueError(f"format does not support %{form}; use %s, %d, %f, %x or %%")
        try:
            value = next(rest)
        except StopIteration:
            raise ValueError("format has more placeholders than values; add values") from None
        shown = _shown(value) if form == "s" else f"{{:{match.group(1)}{form}}}".format(value)
        nonlocal length
        length += len(shown)
        _check_length("format", length)
        return shown

    return re.sub(r"%((?:\.\d{1,2})?)(.?)", put, template, flags=re.DOTALL)


def to_bool(value: Any) -> bool:
    """Convert a boolean or its text to a boolean.

    Raises:
        ValueError: the value is not a spelling of ``true`` or ``false`` that Go accepts.
    """
    if isinstance(value, bool):
        return value
    if value in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if value in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise ValueError("bool requires true, false or their text")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_shown(key)}: {_shown(part)}' for key, part in value.items())}}}"
    return str(value)


def _packed(number: Quantity) -> dict[str, str]:
    digits, exponent = str(abs(number.mantissa)), number.exponent
    kept = digits.rstrip("0") or "0"
    exponent = 0 if kept == "0" else exponent + len(digits) - len(kept)
    minus = "-" if number.mantissa < 0 else ""
    return {_QUANTITY: f"{minus}{kept}e{exponent}"}


def _read(packed: Any) -> Quantity:
    if not isinstance(packed, dict) or packed.keys() != {_QUANTITY}:
        raise ValueError("this function requires a quantity; write quantity('1Gi')")
    mantissa, _, exponent = packed[_QUANTITY].partition("e")
    return Quantity(int(mantissa), int(exponent), "DecimalExponent")


def _operand(value: Any) -> Quantity:
    return parse(value) if isinstance(value, int) else _read(value)


_OWN: dict[str, Function] = {
    "quantity": quantity,
    "isQuantity": is_quantity,
    "compareTo": compare_to,
    "isGreaterThan": is_greater_than,
    "isLessThan": is_less_than,
    "add": add,
    "sub": sub,
    "sign": sign,
    "isInteger": is_integer,
    "asInteger": as_integer,
    "asApproximateFloat": as_approximate_float,
    "isSorted": is_sorted,
    "format": formatted,
    "join": joined,
    "replace": replaced,
    "bool": to_bool,
}
