"""IP addresses and networks, strict and as older fields take them."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.formats.addresses import (
    cidr,
    cidr_for_legacy_field,
    ip,
    ip_for_legacy_field,
)

NOT_AN_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
NOT_A_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
LEADING_ZEROS = "must not have leading 0s"
MAPPED = "must not be an IPv4-mapped IPv6 address"


@pytest.mark.parametrize(
    ("text", "forgiving", "strict", "canonical"),
    [
        ("10.0.0.1", "", "", ""),
        ("2001:db8::1", "", "", ""),
        ("::", "", "", ""),
        ("010.0.0.1", "", LEADING_ZEROS, LEADING_ZEROS),
        ("::00001", "", LEADING_ZEROS, LEADING_ZEROS),
        ("::ffff:1.2.3.4", "", MAPPED, MAPPED),
        ("2001:DB8::1", "", "", 'must be in canonical form ("2001:db8::1")'),
        ("1:0:0:0:0:0:0:1", "", "", 'must be in canonical form ("1::1")'),
        ("::1.2.3.4", "", "", 'must be in canonical form ("::102:304")'),
        ("1.2.3", NOT_AN_IP, NOT_AN_IP, NOT_AN_IP),
        ("1.2.3.256", NOT_AN_IP, NOT_AN_IP, NOT_AN_IP),
        ("1::2::3", NOT_AN_IP, NOT_AN_IP, NOT_AN_IP),
        ("1:2:3:4:5:6:7:8::", NOT_AN_IP, NOT_AN_IP, NOT_AN_IP),
        ("1.2.3.4::", NOT_AN_IP, NOT_AN_IP, NOT_AN_IP),
        ("fe80::1%eth0", NOT_AN_IP, NOT_AN_IP, NOT_AN_IP),
        ("", NOT_AN_IP, NOT_AN_IP, NOT_AN_IP),
        ("٣.1.1.1", NOT_AN_IP, NOT_AN_IP, NOT_AN_IP),
    ],
)
def test_addresses(text: str, forgiving: str, strict: str, canonical: str) -> None:
    assert ip_for_legacy_field(text, strict=False) == ([forgiving] if forgiving else [])
    assert ip_for_legacy_field(text, strict=True) == ([strict] if strict else [])
    assert ip(text) == ([canonical] if canonical else [])


@pytest.mark.parametrize(
    ("text", "forgiving", "strict"),
    [
        ("10.0.0.0/8", "", ""),
        ("2001:db8::/64", "", ""),
        ("0.0.0.0/0", "", ""),
        ("10.0.0.1/8", "", "must not have bits set beyond the prefix length"),
        ("10.0.0.0/08", "", "must not have leading 0s in IP or prefix length"),
        ("010.0.0.0/8", "", "must not have leading 0s in IP or prefix length"),
        ("::ffff:1.2.3.4/128", "", "must not have an IPv4-mapped IPv6 address"),
        ("10.0.0.0", NOT_A_CIDR, NOT_A_CIDR),
        ("10.0.0.0/33", NOT_A_CIDR, NOT_A_CIDR),
        ("10.0.0.0/+8", NOT_A_CIDR, NOT_A_CIDR),
        ("10.0.0.0/8/8", NOT_A_CIDR, NOT_A_CIDR),
        ("::/129", NOT_A_CIDR, NOT_A_CIDR),
        ("/8", NOT_A_CIDR, NOT_A_CIDR),
    ],
)
def test_networks(text: str, forgiving: str, strict: str) -> None:
    assert cidr_for_legacy_field(text, strict=False) == ([forgiving] if forgiving else [])
    assert cidr_for_legacy_field(text, strict=True) == ([strict] if strict else [])
    assert cidr(text) == ([strict] if strict else [])


def test_a_network_has_one_canonical_form() -> None:
    assert cidr("2001:DB8::/32") == ['must be in canonical form ("2001:db8::/32")']


def test_answers_as_upstream(recorded: Callable[[str], list[Any]]) -> None:
    messages, *cases = recorded("addresses")
    answers = [
        [
            text,
            ip(text),
            ip_for_legacy_field(text, strict=True),
            ip_for_legacy_field(text, strict=False),
            cidr(text),
            cidr_for_legacy_field(text, strict=True),
            cidr_for_legacy_field(text, strict=False),
        ]
        for text, *_ in cases
    ]
    assert answers == [
        [text, *([messages[index] for index in indexes] for indexes in answer)]
        for text, *answer in cases
    ]


v6 = st.ip_addresses(v=6).filter(
    lambda address: isinstance(address, IPv6Address) and not address.ipv4_mapped
)


@given(st.one_of(st.ip_addresses(v=4), v6))
def test_the_canonical_form_is_that_of_rfc_5952(address: IPv4Address | IPv6Address) -> None:
    assert ip(str(address)) == []
    longest = address.exploded
    assert ip_for_legacy_field(longest, strict=True) == []
    assert ip(longest) == (
        [] if longest == str(address) else [f'must be in canonical form ("{address}")']
    )


@given(v6, st.integers(0, 128))
def test_a_network_ends_where_its_prefix_does(address: IPv6Address, prefix: int) -> None:
    network = IPv6Network((address, prefix), strict=False)
    assert cidr_for_legacy_field(str(network), strict=True) in (
        [],
        ["must not have an IPv4-mapped IPv6 address"],
    )
    inside = f"{address}/{prefix}"
    assert (cidr_for_legacy_field(inside, strict=True) == []) is (
        address == network.network_address
    )


@given(st.text("0123456789abcdefg:./%", max_size=24))
def test_strict_is_no_more_lenient_than_python_nor_forgiving_than_strict(text: str) -> None:
    if ip_for_legacy_field(text, strict=True) == []:
        assert ip_address(text)
        assert ip_for_legacy_field(text, strict=False) == []
