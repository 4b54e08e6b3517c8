"""IP addresses and networks, validated as the API server does.

Source: ``pkg/util/validation/ip.go`` in ``k8s.io/apimachinery`` 0.36 and the parsers that it calls:
that of ``k8s.io/utils/net``, which accepts leading zeros, and ``net/netip`` of Go, which does not.

The functions for legacy fields validate the fields that precede the strict rules (a Pod's
``hostAliases`` and ``dnsConfig.nameservers``). They are strict if the gate StrictIPCIDRValidation is
on, which is the default since Kubernetes 1.36.

    >>> ip_for_legacy_field("10.0.0.010", strict=False)
    []
    >>> ip_for_legacy_field("10.0.0.010", strict=True)
    ['must not have leading 0s']
"""

from __future__ import annotations

from dataclasses import dataclass

from jobsworth.api.field_errors import quoted
from kube_cel.formats.names import DIGITS

_NOT_AN_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_NOT_A_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

_IPV4_BITS, _IPV6_BITS = 32, 128
_IPV4_IN_IPV6 = 0xFFFF  # the prefix of the last 32 bits
_HEXADECIMAL = DIGITS + "abcdefABCDEF"
_GROUPS = 8


@dataclass(frozen=True, slots=True)
class _Address:
    """A parsed address.

    Attributes:
        bits: 32 or 128.
        number: the address as a number of `bits` bits.
        leading_zeros: the text has a number with leading zeros.
    """

    bits: int
    number: int
    leading_zeros: bool

    @property
    def is_mapped(self) -> bool:
        """Return True for an IPv4-mapped IPv6 address: ``::ffff:1.2.3.4``."""
        return self.bits == _IPV6_BITS and self.number >> _IPV4_BITS == _IPV4_IN_IPV6

    def has_bits_beyond(self, prefix: int) -> bool:
        """Return True if a bit is set after the first `prefix` bits."""
        return self.number & ((1 << (self.bits - prefix)) - 1) != 0

    def __str__(self) -> str:
        if self.bits == _IPV4_BITS:
            return ".".join(str(self.number >> shift & 0xFF) for shift in (24, 16, 8, 0))
        return _ipv6_text(self.number)


def ip(text: str) -> list[str]:
    """Validate an IP address in canonical form, as newer fields require.

    >>> ip("2001:DB8::1")
    ['must be in canonical form ("2001:db8::1")']
    """
    return ip_for_legacy_field(text, strict=True) or _not_canonical(text, str(_read_ip(text)))


def ip_for_legacy_field(text: str, *, strict: bool) -> list[str]:
    """Validate an IP address in any form, such as ``FE80:0:0:0:0:0:0:0abc``.

    Args:
        text: the address.
        strict: reject leading zeros and IPv4-mapped IPv6 addresses (the gate
            StrictIPCIDRValidation).
    """
    address = _read_ip(text)
    if address is None:
        return [_NOT_AN_IP]
    if strict and address.leading_zeros:
        return ["must not have leading 0s"]
    if strict and address.is_mapped:
        return ["must not be an IPv4-mapped IPv6 address"]
    return []


@dataclass(frozen=True, slots=True)
class PreferredForm:
    """The form in which an address should be written.

    Attributes:
        text: the address in that form.
        is_standard: False if the given form is one that only the API server's older parser accepts.
    """

    text: str
    is_standard: bool


def preferred_form(text: str) -> PreferredForm | None:
    """Return the form in which the API server recommends to write an address; None if it is none.

    Source: ``GetWarningsForIP`` in ``pkg/util/validation/ip.go`` of ``k8s.io/apimachinery`` 0.33 to 0.37.

    >>> preferred_form("::ffff:10.0.0.1"), preferred_form("2001:DB8::1")
    (PreferredForm(text='10.0.0.1', is_standard=False), PreferredForm(text='2001:db8::1', is_standard=True))
    """
    address = _read_ip(text)
    if address is None:
        return None
    if address.is_mapped:
        mapped = _Address(_IPV4_BITS, address.number & 0xFFFFFFFF, leading_zeros=False)
        return PreferredForm(str(mapped), is_standard=False)
    return PreferredForm(str(address), is_standard=not address.leading_zeros)


def cidr(text: str) -> list[str]:
    """Validate a network in canonical form: ``10.0.0.0/8``.

    >>> cidr("2001:db8:0::/48")
    ['must be in canonical form ("2001:db8::/48")']
    """
    wrong = cidr_for_legacy_field(text, strict=True)
    if wrong:
        return wrong
    address, _, prefix = text.partition("/")
    return _not_canonical(text, f"{_read_ip(address)}/{prefix}")


def cidr_for_legacy_field(text: str, *, strict: bool) -> list[str]:
    """Validate a network in any form.

    Args:
        text: the network.
        strict: as for :func:`ip_for_legacy_field`; also reject bits set beyond the prefix.

    >>> cidr_for_legacy_field("10.0.0.1/8", strict=True)
    ['must not have bits set beyond the prefix length']
    """
    front, slash, prefix = text.partition("/")
    address = _read_ip(front)
    if not slash or address is None:
        return [_NOT_A_CIDR]
    size = _decimal(prefix)
    if size is None or size > address.bits:
        return [_NOT_A_CIDR]
    if not strict:
        return []
    if address.leading_zeros or _has_leading_zeros(prefix):
        return ["must not have leading 0s in IP or prefix length"]
    if address.is_mapped:
        return ["must not have an IPv4-mapped IPv6 address"]
    if address.has_bits_beyond(size):
        return ["must not have bits set beyond the prefix length"]
    return []


def _not_canonical(text: str, canonical: str) -> list[str]:
    return [] if text == canonical else [f"must be in canonical form ({quoted(canonical)})"]


def _read_ip(text: str) -> _Address | None:
    return _read_ipv6(text) if ":" in text else _read_ipv4(text)


def _read_ipv4(text: str) -> _Address | None:
    octets = text.split(".")
    if len(octets) != 4:
        return None
    number = 0
    for octet in map(_decimal, octets):
        if octet is None or octet > 0xFF:
            return None
        number = number << 8 | octet
    return _Address(_IPV4_BITS, number, any(map(_has_leading_zeros, octets)))


def _read_ipv6(text: str) -> _Address | None:
    head, ellipsis, tail = text.partition("::")
    groups = head.split(":") if head else []
    following = tail.split(":") if tail else []
    last = following or groups
    dotted = None
    if last and "." in last[-1]:
        if ellipsis and not following:
            return None
        dotted = _read_ipv4(last.pop())
        if dotted is None:
            return None
    count = len(groups) + len(following) + (2 if dotted else 0)
    if count >= _GROUPS if ellipsis else count != _GROUPS:
        return None
    number, leading_zeros = 0, dotted is not None and dotted.leading_zeros
    for group in (*groups, *["0"] * (_GROUPS - count), *following):
        if not group or group.strip(_HEXADECIMAL) or len(group.lstrip("0")) > 4:
            return None
        number = number << 16 | int(group, 16)
        leading_zeros = leading_zeros or len(group) > 4
    if dotted:
        number = number << _IPV4_BITS | dotted.number
    return _Address(_IPV6_BITS, number, leading_zeros)


def _decimal(text: str) -> int | None:
    """Parse a decimal number with few digits; None for any other text."""
    if not text or text.strip(DIGITS) or len(text.lstrip("0")) > 3:
        return None
    return int(text.lstrip("0") or "0")


def _has_leading_zeros(text: str) -> bool:
    return len(text) > 1 and text[0] == "0"


def _ipv6_text(number: int) -> str:
    """Format an address by RFC 5952: lowercase, with the first longest run of zero groups compressed."""
    groups = [f"{number >> shift & 0xFFFF:x}" for shift in range(112, -1, -16)]
    length, start = _longest_zeros(groups)
    if length < 2:
        return ":".join(groups)
    return ":".join(groups[:start]) + "::" + ":".join(groups[start + length :])


def _longest_zeros(groups: list[str]) -> tuple[int, int]:
    longest, start, length = 0, 0, 0
    for index, group in enumerate(groups):
        length = length + 1 if group == "0" else 0
        if length > longest:
            longest, start = length, index - length + 1
    return longest, start
