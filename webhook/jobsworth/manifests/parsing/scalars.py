"""Values of YAML scalars in kubectl: the rules of go.yaml.in/yaml/v2 and sigs.k8s.io/yaml.

They are YAML 1.1 with exceptions that no Python library shares: ``y`` and ``off`` are booleans,
``1e3`` and ``08`` are numbers, ``0o644`` and ``0644`` are octal, ``1:30`` and dates are strings.
Source: resolve.go and decode.go of go.yaml.in/yaml/v2 2.4.3, yaml.go of sigs.k8s.io/yaml 1.6.0, as
used by Kubernetes 1.36; tests compare the results with those of the libraries. A tag, as in ``!!str 1`` or
``!!binary aGk=``, chooses another value.
"""

from __future__ import annotations

from typing import TypeAlias

Scalar: TypeAlias = bool | int | float | str | None

_INFINITY = float("inf")

WORDS: dict[str, bool | float | None] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF"), False),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), _INFINITY),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -_INFINITY),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
"""Plain scalars whose value is neither their text nor a number."""

_NUMBER_STARTS = frozenset("+-.0123456789")
_RADIX = {"0x": 16, "0X": 16, "0o": 8, "0O": 8, "0b": 2, "0B": 2}
_DIGITS = {16: "0123456789abcdefABCDEF", 8: "01234567", 2: "01"}
MAX_INT64 = 2**63 - 1
_MAX_UINT64 = 2**64 - 1
_MAX_UINT64_DIGITS = 20


class ScalarError(ValueError):
    """A scalar that is not allowed in its place; the message has the reason, but not the position."""


def resolve(text: str) -> Scalar:
    """Return the value of a plain scalar without a tag.

    >>> [resolve(text) for text in ("Never", "on", "0644", "08", "1e3", "12:30", "~")]
    ['Never', True, 420, 8.0, 1000.0, '12:30', None]
    """
    if text in WORDS:
        return WORDS[text]
    if text[0] in _NUMBER_STARTS:
        number = _parsed_number(text)
        return text if number is None else number
    return text


def json_number(value: float) -> int | float:
    """Return a float as it is after conversion to JSON and back: 3.0 becomes the integer 3.

    Go's encoding/json writes the shortest digits, and below 1e21 no exponent; readers take a number
    without a fraction for an integer. JSON has no infinity and no NaN.

    >>> [json_number(value) for value in (3.0, 1e20, 2.0**64, 1e21, 0.5)]
    [3, 100000000000000000000, 18446744073709552000, 1e+21, 0.5]
    """
    if not -_INFINITY < value < _INFINITY:
        raise ScalarError(
            "Kubernetes accepts neither infinity nor NaN; put it in quotes if it is text"
        )
    if not value.is_integer() or abs(value) >= 1e21:
        return value
    if abs(value) < 1e16:  # repr() writes no exponent below 1e16
        return int(value)
    digits, _, exponent = repr(value).partition("e")
    whole, _, fraction = digits.partition(".")
    return int(whole + fraction.ljust(int(exponent), "0"))


def go_text(data: bytes) -> str:
    """Decode UTF-8 as Go's encoding/json does: each invalid byte becomes U+FFFD."""
    text = data.decode("utf-8", "surrogateescape")
    return text.translate(dict.fromkeys(range(0xDC80, 0xDD00), "\ufffd"))


def key_text(value: Scalar) -> str:
    """Return the mapping key that sigs.k8s.io/yaml makes of a scalar, or raise ScalarError.

    >>> key_text(True), key_text(8), key_text(1000.0), key_text(1.23456789), key_text(1e7)
    ('true', '8', '1000', '1.2345679', '1e+07')
    """
    if isinstance(value, str):
        return value
    if value is None:
        raise ScalarError('a key cannot be null or empty; quote it ("null", "~") to mean the text')
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float32_text(value)
    if value > MAX_INT64:
        raise ScalarError(f'the number {value} is too large for a key; put it in quotes: "{value}"')
    return str(value)


def _parsed_number(text: str) -> int | float | None:
    """Return a number as Go's strconv parses it; None if the text is a string."""
    if text[0] == ".":
        return _decimal_float(text)
    plain = text.replace("_", "")
    sign = plain[0] if plain[0] in "+-" else ""
    body = plain[len(sign) :]
    if body.isdecimal() and body.isascii():
        if body[0] != "0":
            return _decimal_integer(sign, body)
        if not body.strip("01234567"):
            value = int(body, 8)
            if _fits(sign, value):
                return -value if sign == "-" else value
        return _decimal_float(plain)
    radix = _RADIX.get(body[:2])
    if radix:
        digits = body[2:]
        if digits and not digits.strip(_DIGITS[radix]):
            value = int(digits, radix)
            return (-value if sign == "-" else value) if _fits(sign, value) else None
        return _signed_binary(plain)
    return _decimal_float(plain)


def _decimal_integer(sign: str, digits: str) -> int | float | None:
    if len(digits) <= _MAX_UINT64_DIGITS:
        value = int(digits)
        if _fits(sign, value):
            return -value if sign == "-" else value
    return _decimal_float(sign + digits)


def _fits(sign: str, magnitude: int) -> bool:
    """Return True if ParseInt, or without a sign ParseUint, accepts the number in 64 bits."""
    if sign == "-":
        return magnitude <= MAX_INT64 + 1
    return magnitude <= (MAX_INT64 if sign else _MAX_UINT64)


def _signed_binary(plain: str) -> int | None:
    """Parse ``0b+1`` and ``0b-1``: go-yaml removes ``0b`` itself, so the sign follows it."""
    digits = plain[3:]
    if plain[:2] == "0b" and plain[2:3] in ("+", "-") and digits and not digits.strip("01"):
        value = int(digits, 2)
        if _fits(plain[2], value):
            return -value if plain[2] == "-" else value
    return None


def _decimal_float(text: str) -> float | None:
    """Parse ``[+-] digits [. digits] [e [+-] digits]``; return None beyond the range of a float64."""
    if not text.isascii():
        return None
    body = text[1:] if text[0] in "+-" else text
    mantissa, letter, exponent = body.replace("E", "e").partition("e")
    if letter:
        exponent = exponent[1:] if exponent[:1] in ("+", "-") else exponent
        if not _are_digits(exponent):
            return None
    whole, _, fraction = mantissa.partition(".")
    if not _are_digits(whole + fraction):
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return None if value in (_INFINITY, -_INFINITY) else value


def _are_digits(text: str) -> bool:
    """Return True for digits and underscores; float() checks underscores by strconv's rule."""
    return text.replace("_", "").isdecimal()


def _float32_text(value: float) -> str:
    """Format a float as strconv.FormatFloat(value, 'g', -1, 32) does: sigs.k8s.io/yaml's form of keys."""
    if str(value) == "nan":
        return ".nan"
    from struct import pack, unpack

    def rounded(number: float) -> float:
        try:
            return float(unpack("f", pack("f", number))[0])
        except OverflowError:
            return _INFINITY if number > 0 else -_INFINITY

    single = rounded(value)
    if single in (_INFINITY, -_INFINITY):
        return ".inf" if single > 0 else "-.inf"
    shortest = next(
        text for digits in range(9) if rounded(float(text := f"{single:.{digits}e}")) == single
    )
    mantissa, _, exponent = shortest.partition("e")
    power = int(exponent)
    if not -4 <= power < 6:
        return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"
    decimals = max(len(mantissa.lstrip("-")) - 2 - power, 0) if "." in mantissa else max(-power, 0)
    return f"{float(shortest):.{decimals}f}"


_TAG = "tag:yaml.org,2002:"


def resolve_tagged(tag: str, text: str) -> Scalar:
    """Return the value of a scalar with a tag; raise ScalarError if the tag contradicts the text.

    A tag that YAML does not define is ignored, but makes the value a string.
    """
    kind = tag[len(_TAG) :] if tag.startswith(_TAG) else None
    if kind == "binary":
        return _binary(text)
    if kind not in ("bool", "int", "float", "null", "timestamp"):
        return text
    value = resolve(text)
    if kind == "timestamp":
        if _is_timestamp(text):
            return text
    elif kind == "float" and type(value) is int and value <= MAX_INT64:
        return float(value)
    elif _kind_of(value) == kind:
        return value
    raise ScalarError(
        f"`{text}` is tagged !!{kind} and reads as !!{_kind_of(value)}; change the tag or the value"
    )


def _kind_of(value: Scalar) -> str:
    if isinstance(value, str):
        return "str"
    if value is None:
        return "null"
    return type(value).__name__


def _binary(text: str) -> str:
    """Decode !!binary as Go's base64.StdEncoding does; bytes that are not UTF-8 become U+FFFD."""
    from binascii import Error, a2b_base64

    digits = text.replace("\n", "").replace("\r", "")
    try:
        if len(digits) % 4:
            raise Error
        data = a2b_base64(digits.encode("ascii"), strict_mode=True)
    except (Error, UnicodeEncodeError) as error:
        raise ScalarError(
            "this value is tagged !!binary but is not base64; encode it, or remove the tag"
        ) from error
    return go_text(data)


def _is_timestamp(text: str) -> bool:
    """Return True if go-yaml reads a date, alone, with a time, or with a time and a zone."""
    from datetime import datetime

    clock, dot, rest = text.partition(".")  # Go takes any number of digits for the fraction
    zone = rest.lstrip("0123456789")
    if dot and zone == rest:
        return False
    for form in ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dt%H:%M:%S%z"):
        try:
            datetime.strptime(clock + zone, form)
        except ValueError:
            continue
        return True
    return False
