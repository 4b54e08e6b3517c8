"""The function ``format`` of strings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from kube_cel.functions.conversions import to_string
from kube_cel.functions.strings import ESCAPES, bounded
from kube_cel.functions.times import duration_text, timestamp_text
from kube_cel.values import (
    CelError,
    Duration,
    Function,
    NoOverload,
    Timestamp,
    TypeValue,
    Uint,
    type_name,
    value_of,
)

_CLAUSE = re.compile(r"%(?:%|(?:\.([0-9]+))?([\s\S]?))")
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_PRECISION = 6
_MAX_PRECISION = 1000
_SHOWN_AS_TEXT = (bool, int, Uint, float, str, bytes, Timestamp, Duration, TypeValue)


class BadClause(CelError):
    """A clause cannot be filled.

    Attributes:
        argument: the index of the argument that does not fit; None if the clause itself is wrong.
    """

    def __init__(self, message: str, argument: int | None = None) -> None:
        super().__init__(message)
        self.argument = argument


def clauses(template: str) -> Iterator[tuple[str, int | None]]:
    """Yield letter and precision of each clause that takes an argument.

    Raises:
        BadClause: a clause is unknown or unfinished.
    """
    for match in _CLAUSE.finditer(template):
        if match[0] != "%%":
            yield _clause(match)


def _clause(match: re.Match[str]) -> tuple[str, int | None]:
    letter = match[2] or ""
    if not letter:
        raise BadClause("unexpected end of string")
    if letter not in "sdfexXob":
        raise BadClause(
            f'could not parse formatting clause: unrecognized formatting clause "{letter}"'
        )
    return letter, None if match[1] is None else min(int(match[1][:6]), _MAX_PRECISION)


def _format(template: Any, values: Any) -> str:
    if not isinstance(template, str) or not isinstance(values, list):
        raise NoOverload(f"no such overload: format({type_name(template)}, {type_name(values)})")
    parts, end, used = [], 0, 0
    length = 0
    for match in _CLAUSE.finditer(template):
        parts.append(template[end : match.start()])
        end = match.end()
        if match[0] == "%%":
            parts.append("%")
            continue
        letter, precision = _clause(match)
        if used >= len(values):
            raise BadClause(f"index {used} out of range")
        parts.append(shown(letter, precision, values[used], used))
        used += 1
        length += len(parts[-1])
        bounded(length)
    return "".join((*parts, template[end:]))


def shown(letter: str, precision: int | None, value: Any, argument: int = 0) -> str:
    """Return a value as a clause shows it.

    Raises:
        BadClause: the clause does not show values of this type.
    """
    found = _SHOW[letter](value, letter, _PRECISION if precision is None else precision)
    if found is None:
        raise BadClause(unfit(letter, type_name(value)), argument)
    return found


def unfit(letter: str, type_: str) -> str:
    """Return the message about a value whose type a clause does not show."""
    return f"error during formatting: {_EXPECTED[letter]}, was given {type_}"


_EXPECTED = {
    "s": "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
    "durations, and timestamps",
    "d": "decimal clause can only be used on integers",
    "f": "fixed-point clause can only be used on doubles",
    "e": "scientific clause can only be used on doubles",
    "x": "hex clause can only be used on integers, byte buffers, and strings",
    "X": "hex clause can only be used on integers, byte buffers, and strings",
    "o": "octal clause can only be used on integers",
    "b": "only integers and bools can be formatted as binary",
}

FITTING: dict[str, tuple[str, ...]] = {
    "s": (
        "string", "bool", "bytes", "int", "uint", "double", "map", "list", "type", "null_type",
        "google.protobuf.Duration", "google.protobuf.Timestamp",
    ),
    "d": ("int", "uint"),
    "f": ("double", "string"),
    "e": ("double", "string"),
    "x": ("int", "uint", "string", "bytes"),
    "X": ("int", "uint", "string", "bytes"),
    "o": ("int", "uint"),
    "b": ("int", "uint", "bool"),
}  # fmt: skip
"""The names of the types that a clause shows."""


def _string(value: Any, _letter: str, _precision: int) -> str | None:
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
    if isinstance(value, dict):
        entries = sorted((_nested(value_of(key)), _nested(each)) for key, each in value.items())
        return f"{{{', '.join(f'{key}:{each}' for key, each in entries)}}}"
    return to_string(value) if isinstance(value, _SHOWN_AS_TEXT) else None


def _nested(value: Any) -> str:
    """Return a value inside a list or map: texts are quoted, and doubles have six digits."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bytes):
        return f"b{_quoted(value.decode('utf-8', 'replace'))}"
    if isinstance(value, float):
        if math.isfinite(value):
            return f"{value:.6f}"
        return f'"{_not_finite(value)}"'
    if isinstance(value, Timestamp):
        return f'timestamp("{timestamp_text(value)}")'
    if isinstance(value, Duration):
        return f'duration("{duration_text(value)}")'
    found = _string(value, "s", _PRECISION)
    if found is None:
        raise CelError(f"no formatting function for {type_name(value)}")
    return found


def _quoted(text: str) -> str:
    """Return a text between quotes, with what cannot be printed escaped, as Go's ``%q``."""
    return f'"{"".join(map(_quoted_character, text))}"'


def _quoted_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character in ESCAPES:
        return ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def _decimal(value: Any, _letter: str, _precision: int) -> str | None:
    return str(int(value)) if _is_int(value) else None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> float | None:
    if isinstance(value, float):
        return value
    return (
        {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value)
        if isinstance(value, str)
        else None
    )


def _fixed(value: Any, _letter: str, precision: int) -> str | None:
    number = _number(value)
    if number is None:
        return None
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "∞" if number > 0 else "-∞"
    return _grouped(f"{number:.{precision}f}")


def _grouped(digits: str) -> str:
    """Return a number with the separators of American English, as the API server's locale has them."""
    whole, point, fraction = digits.partition(".")
    return f"{int(whole):,}{point}{fraction}" if whole.lstrip("-") != "0" else digits


def _scientific(value: Any, _letter: str, precision: int) -> str | None:
    number = _number(value)
    if number is None:
        return None
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "∞" if number > 0 else "-∞"
    # The API server always shows six digits here.
    mantissa, _, exponent = f"{number:.{_PRECISION}e}".partition("e")
    power = f"{int(exponent):+03d}".removeprefix("+")
    return f"{mantissa}×10{power.translate(_SUPERSCRIPTS)}"


def _radix(value: Any, letter: str, _precision: int) -> str | None:
    if letter == "b" and isinstance(value, bool):
        return "1" if value else "0"
    if letter in "xX" and isinstance(value, (str, bytes)):
        octets = value.encode("utf-8", "replace") if isinstance(value, str) else value
        return octets.hex().upper() if letter == "X" else octets.hex()
    return f"{int(value):{letter}}" if _is_int(value) else None


_SHOW = {
    "s": _string,
    "d": _decimal,
    "f": _fixed,
    "e": _scientific,
    "x": _radix,
    "X": _radix,
    "o": _radix,
    "b": _radix,
}

FUNCTIONS: dict[str, Function] = {".format": _format}
