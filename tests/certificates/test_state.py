"""The state of CAs and certificates as the data of a Secret."""

from __future__ import annotations

import datetime

import pytest

pytest.importorskip("cryptography")

from jobsworth.certificates.keypair import KeyPair
from jobsworth.certificates.state import KEYS, State, decode, encode

NOON = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.UTC)
PEM = b"-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"


def pair(name: bytes) -> KeyPair:
    return KeyPair(PEM % name, b"key of " + name)


FULL = State(
    ca=pair(b"AAAA"),
    serving=pair(b"BBBB"),
    next=pair(b"CCCC"),
    next_published=NOON,
    previous=(PEM % b"DDDD", PEM % b"EEEE"),
    previous_since=NOON - datetime.timedelta(days=1),
)


def test_the_secret_has_one_key_for_each_part_and_no_other() -> None:
    assert encode(FULL).keys() == set(KEYS)
    assert sorted(KEYS) == [
        "ca-retired",
        "ca.crt",
        "ca.key",
        "next-ca-published",
        "next-ca.crt",
        "next-ca.key",
        "retired-ca.crt",
        "tls.crt",
        "tls.key",
    ]


def test_what_is_written_is_read_back() -> None:
    assert decode(encode(FULL)) == FULL
    assert decode(encode(State())) == State()
    assert encode(State()) == {}


@pytest.mark.parametrize("key", [key for key in KEYS if key != "ca.key"])
def test_a_missing_part_leaves_the_others(key: str) -> None:
    data = encode(FULL)
    del data[key]
    read = decode(data)
    assert read != FULL
    known = [getattr(read, field) for field in State.__dataclass_fields__]
    assert sum(not value for value in known) == 1


def test_a_ca_without_its_key_is_that_of_another_issuer() -> None:
    data = {"ca.crt": PEM % b"AAAA"}
    assert decode(data) == State(ca=KeyPair(PEM % b"AAAA", b""))
    assert encode(decode(data)) == data


@pytest.mark.parametrize("text", [b"", b"yesterday", b"2026-11-21T12:00:00", b"\xff"])
def test_a_malformed_time_is_none(text: bytes) -> None:
    assert decode({"next-ca-published": text}).next_published is None


def test_the_bundle_has_each_ca_once_and_the_current_one_first() -> None:
    assert FULL.bundle == (PEM % b"AAAA", PEM % b"CCCC", PEM % b"DDDD", PEM % b"EEEE")
    assert State(ca=pair(b"AAAA"), previous=(PEM % b"AAAA",)).bundle == (PEM % b"AAAA",)
    assert State().bundle == ()
