"""Resource quantities: ``500m`` CPU, ``1.5Gi`` of memory, ``2`` devices.

Source: ``resource.Quantity`` in ``pkg/api/resource`` of ``k8s.io/apimachinery`` 0.36. A quantity is
exact: a whole number times a power of ten. Upstream stores it either in 64 bits or as a decimal of
any length. The choice is visible in the canonical text, in rounding and in overflow, until 0.37;
:class:`ExactQuantity`, that of 0.38.0-beta.0, shows no trace of it.

    >>> parse("1024Mi").canonical(), parse("0.5").canonical(), parse(2).canonical()
    ('1Gi', '500m', '2')
    >>> parse("1Gi") == parse("1024Mi") > parse("1G")
    True
"""

from __future__ import annotations

from typing import Final

from kube_cel.formats.bounded_cache import bounded_cache
from kube_cel.formats.go_numbers import (
    MAX_INT64,
    digits_of,
    divided_away_from_zero,
    int32,
    int64,
    integer,
    json_text,
    power_of_ten,
)
from kube_cel.formats.names import DIGITS

_BINARY, _DECIMAL, _EXPONENT = "BinarySI", "DecimalSI", "DecimalExponent"
_SUFFIXES = {
    "": (0, _DECIMAL),
    "n": (-9, _DECIMAL),
    "u": (-6, _DECIMAL),
    "m": (-3, _DECIMAL),
    "k": (3, _DECIMAL),
    "M": (6, _DECIMAL),
    "G": (9, _DECIMAL),
    "T": (12, _DECIMAL),
    "P": (15, _DECIMAL),
    "E": (18, _DECIMAL),
    "Ki": (10, _BINARY),
    "Mi": (20, _BINARY),
    "Gi": (30, _BINARY),
    "Ti": (40, _BINARY),
    "Pi": (50, _BINARY),
    "Ei": (60, _BINARY),
}
_DECIMAL_NAMES = {power: name for name, (power, form) in _SUFFIXES.items() if form == _DECIMAL}
_BINARY_NAMES = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_SUFFIX_LETTERS = "eEinumkKMGTP"

_NANO, _MILLI = -9, -3
_MIN_POWER = -(2**31)
_NANOS = 10**9
_MAX_SIGNIFICANT = {_BINARY: 70, _DECIMAL: 29, _EXPONENT: 29}
"""The number of digits that an exact quantity keeps; what is dropped rounds it away from zero."""

_INT64_DIGITS = 18
"""Number of decimal digits that always fit in 64 bits."""
_SHORT_SHIFTS = (0, 1, 2, 3, 6, 9)
"""Powers of ten that upstream multiplies in one step, so the product may overflow."""
_MAX_SHIFT = 100
"""Maximum power of ten to multiply: above it, the low 64 bits are zero."""

_MAX_SUM_LENGTH = 10_000
"""Maximum difference of exponents in a sum: above it, the smaller term is lost."""

_SPACES = " \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
"""White space to trim; JSON escapes the rest, and upstream parses the text without unescaping."""

NOT_A_QUANTITY = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_NOT_A_NUMBER = "unable to parse numeric part of quantity"
_NOT_A_SUFFIX = "unable to parse quantity's suffix"

_MAX_DIGITS = 10_000
"""Maximum number of digits. Upstream has no limit, but a webhook must answer in time."""


class BadQuantity(ValueError):
    """A quantity that cannot be parsed, with the API server's message."""


class Quantity:
    """A parsed quantity: ``mantissa * 10**exponent``. It is not changed: parsed texts share it.

    Attributes:
        mantissa: the integer factor.
        exponent: the power of ten.
        format: the suffix format: ``DecimalSI``, ``BinarySI`` or ``DecimalExponent``.
        long: True if upstream stores a decimal of any length, not 64 bits.
        kept: the original text, if upstream prints it unchanged.
    """

    # Not a dataclass, which takes longer to import than a manifest to validate.
    __slots__ = ("_digits", "exponent", "format", "kept", "long", "mantissa")

    def __init__(
        self, mantissa: int, exponent: int, format: str, long: bool = False, kept: str = ""
    ) -> None:
        self.mantissa: Final = mantissa
        self.exponent: Final = exponent
        self.format: Final = format
        self.long: Final = long
        self.kept: Final = kept
        self._digits = 0  # of the mantissa; 0 until counted

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return _sign(self.mantissa)

    def __repr__(self) -> str:
        return f"Quantity({self.canonical()})"

    # Order

    def compare(self, other: Quantity) -> int:
        """Return -1, 0 or 1: less than, equal to or greater than the other, for any suffixes.

        >>> parse("1000m").compare(parse("1"))
        0
        """
        if self.exponent == other.exponent or not self.mantissa or not other.mantissa:
            return _sign(self.mantissa - other.mantissa)
        if self.sign != other.sign:
            return self.sign
        size, other_size = self._size(), other._size()
        if size != other_size:
            return self.sign if size > other_size else -self.sign
        least = min(self.exponent, other.exponent)
        mine = self.mantissa * power_of_ten(self.exponent - least)
        return _sign(mine - other.mantissa * power_of_ten(other.exponent - least))

    def _size(self) -> int:
        """Return the number of digits before the decimal point; zero or negative for a fraction."""
        if not self._digits:
            self._digits = len(digits_of(abs(self.mantissa)))
        return self._digits + self.exponent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.compare(other) == 0

    def __lt__(self, other: Quantity) -> bool:
        return self.compare(other) < 0

    def __le__(self, other: Quantity) -> bool:
        return self.compare(other) <= 0

    def __gt__(self, other: Quantity) -> bool:
        return self.compare(other) > 0

    def __ge__(self, other: Quantity) -> bool:
        return self.compare(other) >= 0

    def __hash__(self) -> int:
        digits = digits_of(self.mantissa)
        significant = digits.rstrip("0")
        return hash((significant, significant and self.exponent + len(digits) - len(significant)))

    # Numbers

    def value(self) -> int:
        """Return the number rounded up to an integer in 64 bits; it may overflow, as upstream."""
        return self._scaled(0)

    def milli_value(self) -> int:
        """Return a thousand times the number, rounded up; it may overflow too.

        >>> parse("0.1").milli_value(), parse("1u").milli_value()
        (100, 1)
        """
        return self._scaled(_MILLI)

    def is_whole(self) -> bool:
        """Return True for a whole number."""
        return self.exponent >= 0 or self.mantissa % power_of_ten(-self.exponent) == 0

    def is_integer(self) -> bool:
        """Return True if the API server treats it as an integer, as extended resources require."""
        return self.milli_value() % 1000 == 0

    def _scaled(self, exponent: int) -> int:
        shift = self.exponent - exponent
        if not self.mantissa:
            return 0
        if self.long:
            return int64(self._scaled_long(shift))
        if shift < 0:
            return divided_away_from_zero(self.mantissa, -shift)
        if shift in _SHORT_SHIFTS:
            return int64(self.mantissa * power_of_ten(shift))
        if shift > _INT64_DIGITS or abs(self.mantissa) * power_of_ten(shift) > MAX_INT64:
            return 0
        return self.mantissa * power_of_ten(shift)

    def _scaled_long(self, shift: int) -> int:
        if shift >= 0:
            return self.mantissa * pow(10, shift, 2**64)
        divisor = power_of_ten(-shift)
        if self.mantissa >= MAX_INT64:
            return -(-self.mantissa // divisor)
        low = int64(self.mantissa)
        quotient, rest = divmod(abs(low), divisor)
        return (quotient if low > 0 else -quotient) + (rest > 0)

    def __add__(self, other: Quantity) -> Quantity:
        """Return the sum, with the suffix format of the first operand that is not zero.

        >>> (parse("1Gi") + parse("500M")).canonical()
        '1573741824'
        """
        long = self.long or other.long
        if not self.mantissa or not other.mantissa:
            first = self if self.mantissa else other
            return type(self)(first.mantissa, first.exponent, first.format, long=long)
        if abs(self.exponent - other.exponent) > _MAX_SUM_LENGTH:
            return self if self._size() > other._size() else other
        exponent = min(self.exponent, other.exponent)
        terms = [each.mantissa * power_of_ten(each.exponent - exponent) for each in (self, other)]
        long = long or any(abs(number) > MAX_INT64 for number in (*terms, sum(terms)))
        return type(self)(sum(terms), exponent, self.format, long=long)

    def rounded_up_to_milli(self) -> Quantity:
        """Round up to thousandths, as the server does with the resources of a Pod.

        Source: ``SetDefaults_ResourceList`` in ``pkg/apis/core/v1``.

        >>> parse("1.0001").rounded_up_to_milli().canonical()
        '1001m'
        """
        shift = self.exponent - _MILLI
        if shift >= 0 and (shift > _MAX_SHIFT or not self.long):
            return self
        if shift >= 0:
            mantissa = self.mantissa * power_of_ten(shift)
        else:
            mantissa = divided_away_from_zero(self.mantissa, -shift)
        return type(self)(mantissa, _MILLI, self.format, long=self.long)

    # Text

    def canonical(self) -> str:
        """Return the text that the API server stores and prints.

        It keeps the suffix format, has no fraction, and uses the largest possible suffix. Upstream
        keeps some other texts unchanged: ``+5``, ``1.500``.

        >>> [parse(text).canonical() for text in ("1.5Gi", "1e4", "1500", "0.1Ki", "+5")]
        ['1536Mi', '10e3', '1500', '102400m', '+5']
        """
        return self.kept or self._canonical()

    def _canonical(self) -> str:
        if not self.mantissa:
            return "0"
        if self.format == _BINARY:
            number, rest = divmod(self.mantissa, power_of_ten(-self.exponent))
            if not rest and abs(number) >= 1024:
                return _binary(number)
        digits = digits_of(self.mantissa)
        significant = digits.rstrip("0")
        power = self.exponent + len(digits) - len(significant)
        zeros = power % 3
        power = int32(power - zeros)
        number_text = significant + "0" * zeros
        if self.format == _EXPONENT:
            return f"{number_text}e{power}" if power else number_text
        return number_text + self._suffix(power)

    @staticmethod
    def _suffix(power: int) -> str:
        return _DECIMAL_NAMES.get(power, "")  # as upstream: no suffix above exa


class ExactQuantity(Quantity):
    """A quantity as Kubernetes 1.38 has it: numbers are capped, not wrapped, and every power has a suffix.

    >>> parse("1000E").canonical(), parse("1000E", exact=True).canonical()
    ('1', '1e21')
    """

    __slots__ = ()

    def is_integer(self) -> bool:
        """Return True for a whole number, or one that is whole once it is rounded up to thousandths."""
        return self.is_whole() or self.milli_value() % 1000 == 0

    def _scaled(self, exponent: int) -> int:
        shift = self.exponent - exponent
        if shift < 0:
            number = divided_away_from_zero(self.mantissa, -shift)
        elif self.mantissa and shift > _INT64_DIGITS:
            number = self.sign * (MAX_INT64 + 1)
        else:
            number = self.mantissa * power_of_ten(shift)
        return max(-MAX_INT64 - 1, min(number, MAX_INT64))

    @staticmethod
    def _suffix(power: int) -> str:
        return _DECIMAL_NAMES.get(power, f"e{power}")


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _binary(number: int) -> str:
    suffix = 0
    while number % 1024 == 0:
        number //= 1024
        suffix += 1
    return f"{number}{_BINARY_NAMES[suffix]}"


def parse(value: str | float, *, exact: bool = False) -> Quantity:
    """Parse a quantity.

    Args:
        value: a text or a number of a manifest; a float is parsed as Go's JSON prints it.
        exact: return an :class:`ExactQuantity`.

    Raises:
        BadQuantity: the value is not a quantity.

    >>> parse("12e6").canonical(), parse(0.25).canonical()
    ('12e6', '250m')
    >>> parse("1K")
    Traceback (most recent call last):
    kube_cel.formats.quantity.BadQuantity: unable to parse quantity's suffix
    """
    text = value if isinstance(value, str) else json_text(value)
    return _exactly_parsed(text) if exact else _parsed(text)


@bounded_cache
def _parsed(text: str) -> Quantity:
    return _read(text.strip(_SPACES), Quantity)


@bounded_cache
def _exactly_parsed(text: str) -> Quantity:
    return _read(text.strip(_SPACES), ExactQuantity)


def _read(text: str, made: type[Quantity]) -> Quantity:
    if not text:
        raise BadQuantity(NOT_A_QUANTITY)
    whole, rest = _leading_digits(text)
    negative, fraction = False, ""
    known = _SUFFIXES.get(rest)
    if known is None:  # there is a sign, a point or an exponent
        if text[0] in "+-":
            negative = text[0] == "-"
            whole, rest = _leading_digits(text[1:])
        if rest[:1] == ".":
            fraction, rest = _leading_digits(rest[1:])
        known = _SUFFIXES.get(rest) or _exponent(rest)
    power, form = known
    significant = whole.lstrip("0") or "0"
    digits = len(significant) + len(fraction)
    if form == _BINARY:
        # Ki adds about 3 decimal digits, Mi about 6 …
        if not fraction and digits + power * 3 // 10 < _INT64_DIGITS - 3:
            number = int(significant)
            kept = text if number % 8 else ""
            return made((-number if negative else number) << power, 0, form, kept=kept)
    elif digits <= _INT64_DIGITS:
        scale = int32(power - len(fraction))
        if scale >= _NANO:
            shown = significant + fraction
            number = int(shown)
            as_it_is = scale % 3 == 0 and shown[0] != "0" and not shown.endswith("000")
            kept = text if as_it_is else ""
            return made(-number if negative else number, scale, form, kept=kept)
    if not whole and not fraction:
        raise BadQuantity(_NOT_A_NUMBER)
    if digits > _MAX_DIGITS:
        raise BadQuantity(f"a quantity of more than {_MAX_DIGITS} digits is not read")
    places, all_digits = len(fraction), significant + fraction
    dropped = "" if made is Quantity else all_digits.lstrip("0")[_MAX_SIGNIFICANT[form] :]
    number = integer(all_digits[: len(all_digits) - len(dropped)]) + (dropped.strip("0") != "")
    if made is ExactQuantity and power == _MIN_POWER:
        raise BadQuantity(_NOT_A_SUFFIX)
    mantissa, exponent, form = _long_quantity(number, places - len(dropped), power, form)
    return made(-mantissa if negative else mantissa, exponent, form, long=True)


def _long_quantity(number: int, places: int, power: int, form: str) -> tuple[int, int, str]:
    """Return mantissa, exponent and format of a number that 64 bits do not hold: rounded up to nano."""
    if form == _BINARY:
        number <<= power
        power = 0
    power = int32(power - places)
    if not number:
        return 0, 0, form
    if power < _NANO:
        number = divided_away_from_zero(number, _NANO - power)
        power = _NANO
    elif power <= _MAX_SHIFT:
        number *= power_of_ten(power - _NANO)
        power = _NANO
    if form == _BINARY and number > MAX_INT64 * _NANOS:
        number, power = MAX_INT64, 0
    if form == _BINARY and number < _NANOS:
        form = _DECIMAL
    return number, power, form


def _leading_digits(text: str) -> tuple[str, str]:
    rest = text.lstrip(DIGITS)
    return text[: len(text) - len(rest)], rest


def _exponent(suffix: str) -> tuple[int, str]:
    """Parse the power of ten of a suffix such as ``e3`` or ``E-3``."""
    rest = suffix.lstrip(_SUFFIX_LETTERS)
    if rest[:1] in ("-", "+"):
        rest = rest[1:]
    if rest.strip(DIGITS):
        raise BadQuantity(NOT_A_QUANTITY)
    digits = suffix[2:] if suffix[1:2] in ("-", "+") else suffix[1:]
    if suffix[0] not in "eE" or not digits or digits.strip(DIGITS):
        raise BadQuantity(_NOT_A_SUFFIX)
    digits = digits.lstrip("0")
    power = int(digits or "0") if len(digits) <= len(str(MAX_INT64)) else MAX_INT64 + 2
    if power > MAX_INT64 + (suffix[1] == "-"):
        raise BadQuantity(_NOT_A_SUFFIX)
    return int32(-power if suffix[1] == "-" else power), _EXPONENT
