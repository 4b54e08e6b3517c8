"""Conversions between types: ``int``, ``string`` and so on."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from kube_cel.formats import duration as durations
from kube_cel.functions.times import duration_text, read_timestamp, timestamp_text
from kube_cel.operators import double, duration, int64, timestamp, uint64
from kube_cel.values import (
    MAX_INT,
    MAX_UINT,
    CelError,
    Duration,
    Function,
    NoOverload,
    Timestamp,
    TypeValue,
    Uint,
    type_name,
)

_SECOND = 10**9
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_UNSIGNED = re.compile(r"[0-9]{1,40}")
_DOUBLE = re.compile(
    r"[+-]?(?:[0-9]+(?:_[0-9]+)*\.?(?:[0-9]+(?:_[0-9]+)*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?"
    r"|[+-]?(?:inf(?:inity)?|nan)",
    re.IGNORECASE,
)
_HEXADECIMAL = re.compile(r"[+-]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]+[pP][+-]?[0-9]{1,3}")
_MAX_NUMBER = 400
_TRUE = ("1", "t", "T", "true", "TRUE", "True")
_FALSE = ("0", "f", "F", "false", "FALSE", "False")


def _no_overload(function: str, value: Any) -> NoOverload:
    return NoOverload(f"no such overload: {function}({type_name(value)})")


def _bad(value: Any, wanted: str) -> CelError:
    return CelError(f"type conversion error from '{type_name(value)}' to '{wanted}'")


def to_int(value: Any) -> int:
    """Return the ``int`` of a number, text or time."""
    if isinstance(value, Uint):
        return int64(int(value))
    if type(value) is int:
        return value
    if isinstance(value, float):
        if math.isnan(value) or not -(2.0**63) < value < 2.0**63:
            raise CelError("integer overflow")
        return int64(int(value))
    if isinstance(value, str):
        if not _INTEGER.fullmatch(value) or not -(2**63) <= int(value) <= MAX_INT:
            raise _bad(value, "int")
        return int(value)
    if isinstance(value, Timestamp):
        return value.nanoseconds // _SECOND
    if isinstance(value, Duration):
        return value.nanoseconds
    raise _no_overload("int", value)


def to_uint(value: Any) -> Uint:
    """Return the ``uint`` of a number or text."""
    if isinstance(value, Uint):
        return value
    if type(value) is int:
        return uint64(value)
    if isinstance(value, float):
        if math.isnan(value) or not 0 <= value < 2.0**64:
            raise CelError("unsigned integer overflow")
        return uint64(int(value))
    if isinstance(value, str):
        if not _UNSIGNED.fullmatch(value) or int(value) > MAX_UINT:
            raise _bad(value, "uint")
        return Uint(value)
    raise _no_overload("uint", value)


def to_double(value: Any) -> float:
    """Return the ``double`` of a number or text."""
    if isinstance(value, bool):
        raise _no_overload("double", value)
    if isinstance(value, (int, float)):
        return double(value)
    if isinstance(value, str):
        if len(value) <= _MAX_NUMBER and _HEXADECIMAL.fullmatch(value):
            return float.fromhex(value)
        if len(value) > _MAX_NUMBER or not _DOUBLE.fullmatch(value):
            raise _bad(value, "double")
        made = float(value)
        if math.isinf(made) and "i" not in value.lower():
            raise _bad(value, "double")
        return made
    raise _no_overload("double", value)


def to_string(value: Any) -> str:
    """Return the text of a value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None
    if isinstance(value, Timestamp):
        return timestamp_text(value)
    if isinstance(value, Duration):
        return duration_text(value)
    if isinstance(value, TypeValue):
        return value.name
    text = getattr(value, "text", None)  # of an IP address or a network
    if isinstance(text, str):
        return text
    raise _no_overload("string", value)


def double_text(value: float) -> str:
    """Return a double as Go prints it with ``%g``: with an exponent if it is large or small.

    >>> double_text(1.0), double_text(123456789.0), double_text(1e-5)
    ('1', '1.23456789e+08', '1e-05')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    number = Decimal(repr(value))
    sign, digits, power = number.as_tuple()
    exponent = len(digits) + int(power) - 1
    if not value or -4 <= exponent < _LARGEST_PLAIN:
        shown = f"{number:f}"
        return shown.rstrip("0").rstrip(".") if "." in shown else shown
    significant = "".join(map(str, digits)).rstrip("0")
    fraction = f".{significant[1:]}" if len(significant) > 1 else ""
    return f"{'-' if sign else ''}{significant[0]}{fraction}e{exponent:+03d}"


_LARGEST_PLAIN = 6
"""The digits before the point from which Go's ``%g`` writes an exponent."""


def to_bytes(value: Any) -> bytes:
    """Return the UTF-8 of a text."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    raise _no_overload("bytes", value)


def to_bool(value: Any) -> bool:
    """Return the boolean that a text spells, as Go reads it."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise _no_overload("bool", value)
    if value not in _TRUE and value not in _FALSE:
        raise _bad(value, "bool")
    return value in _TRUE


def to_timestamp(value: Any) -> Timestamp:
    """Return the point in time of an RFC 3339 text, or of seconds since 1970."""
    if isinstance(value, Timestamp):
        return value
    if type(value) is int:
        return timestamp(value * _SECOND)
    if isinstance(value, str):
        found = read_timestamp(value)
        if found is None:
            raise _bad(value, "google.protobuf.Timestamp")
        return found
    raise _no_overload("timestamp", value)


def to_duration(value: Any) -> Duration:
    """Return the duration of a text such as ``1h30m``."""
    if isinstance(value, Duration):
        return value
    if not isinstance(value, str):
        raise _no_overload("duration", value)
    try:
        return duration(durations.parse(value))
    except durations.BadDuration:
        raise _bad(value, "google.protobuf.Duration") from None


def _type(value: Any) -> TypeValue:
    return TypeValue(type_name(value))


FUNCTIONS: dict[str, Function] = {
    "int": to_int,
    "uint": to_uint,
    "double": to_double,
    "string": to_string,
    "bytes": to_bytes,
    "bool": to_bool,
    "timestamp": to_timestamp,
    "duration": to_duration,
    "dyn": lambda value: value,
    "type": _type,
}

OF_CONSTANTS = ("int", "uint", "double", "string", "bytes", "bool", "timestamp", "duration")
"""The conversions that an API server applies to constants when it compiles an expression."""
