"""Go numbers: 32-bit and 64-bit overflow, arbitrary length, and JSON text.

>>> int64(2**63), int32(2**32 + 1)
(-9223372036854775808, 1)
"""

from __future__ import annotations

MAX_INT64 = 2**63 - 1

_INT64_DIGITS = 19
_LONG_DIGITS, _LONG_BITS = 4000, 13000
"""Above these, Python refuses to convert between int and str."""


def int64(number: int) -> int:
    """Wrap a number to 64 bits, as Go does."""
    return (number + 2**63) % 2**64 - 2**63


def int32(number: int) -> int:
    """Wrap a number to 32 bits, as Go does."""
    return (number + 2**31) % 2**32 - 2**31


def fits(digits: str, bits: int) -> bool:
    """Return True if a decimal integer, with or without a sign, fits in `bits` bits."""
    significant = digits.lstrip("+-0")
    if len(significant) >= bits:
        return False
    number = int(significant or "0")
    limit: int = 2 ** (bits - 1)
    return number < limit or (number == limit and digits[0] == "-")


def power_of_ten(power: int) -> int:
    """Return ten to a non-negative power."""
    ten_to: int = 10**power
    return ten_to


def divided_away_from_zero(number: int, power: int) -> int:
    """Divide a number by a power of ten, rounding away from zero."""
    if power > len(digits_of(abs(number))):
        return (number > 0) - (number < 0)
    divisor = power_of_ten(power)
    return -(-number // divisor) if number > 0 else number // divisor


def digits_of(number: int) -> str:
    """Return ``str(number)``, also for numbers that are too long for Python."""
    if number.bit_length() <= _LONG_BITS:
        return str(number)
    half = number.bit_length() * 3 // 20  # about half the decimal digits
    high, low = divmod(abs(number), power_of_ten(half))
    return ("-" if number < 0 else "") + digits_of(high) + digits_of(low).zfill(half)


def integer(digits: str) -> int:
    """Return ``int(digits)``, also for texts that are too long for Python."""
    if len(digits) <= _LONG_DIGITS:
        return int(digits or "0")
    half = len(digits) // 2
    return integer(digits[:-half]) * power_of_ten(half) + integer(digits[-half:])


def capped(digits: str) -> int:
    """Return ``int(digits)``, or a number above 64 bits for every larger one, in linear time.

    >>> capped("0042"), capped("9" * 1_000_000) > MAX_INT64
    (42, True)
    """
    significant = digits.lstrip("0")
    return int(significant or "0") if len(significant) <= _INT64_DIGITS else MAX_INT64 + 1


def json_text(number: float) -> str:
    """Format a number as Go's JSON encoder does: ``1000``, ``0.5``, ``1e+21``, ``1e-7``.

    >>> [json_text(number) for number in (1000.0, 1e-5, 1e-7, 1e20, 1e21)]
    ['1000', '0.00001', '1e-7', '100000000000000000000', '1e+21']
    """
    if isinstance(number, bool):
        return "true" if number else "false"
    if isinstance(number, int):
        return digits_of(number)
    mantissa, e, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.removesuffix(".0").partition(".")
    power = int(exponent or "0")
    if not e or power >= 21 or power < -6:
        shown = f"{whole}.{fraction}" if fraction else whole
        return f"{shown}e{power:+d}" if e else shown
    if power > 0:
        return whole + fraction + "0" * (power - len(fraction))
    sign, whole = ("-", whole[1:]) if whole[0] == "-" else ("", whole)
    return f"{sign}0.{'0' * (-power - 1)}{whole}{fraction}"
