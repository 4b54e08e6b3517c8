"""DNS names and labels, in the words of the API server; what upstream answers about all names."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.formats import keys
from kube_cel.formats import names


@pytest.mark.parametrize(
    ("function", "good", "bad"),
    [
        (names.dns_label, "my-name", "my_name"),
        (names.dns_label, "a" * 63, "a" * 64),
        (names.dns_label, "1", "a.b"),
        (names.dns_subdomain, "a.b-c.1", "a..b"),
        (names.dns_subdomain, "a" * 253, "a" * 254),
        (names.dns_subdomain_with_underscore, "_sip._tcp.a_b", "a_"),
        (names.dns_subdomain_with_underscore, "_a", "__a"),
        (names.wildcard_dns_subdomain, "*.example.com", "example.com"),
        (names.wildcard_dns_subdomain, "*.a", "*.*.a"),
        (names.dns_1035_label, "a1", "1a"),
        (names.label_key, "example.com/My_Name", "example.com/a/b"),
        (names.label_value, "", "-"),
    ],
)
def test_takes_one_and_rejects_the_other(
    function: Callable[[str], list[str]], good: str, bad: str
) -> None:
    assert function(good) == []
    assert function(bad) != []


def test_length_is_counted_in_bytes() -> None:
    assert names.dns_label("é" * 40)[0] == "must be no more than 63 characters"
    assert names.label_value("é" * 40)[0] == "must be no more than 63 bytes"


def test_answers_as_upstream(recorded: Callable[[str], list[Any]]) -> None:
    functions, messages, *cases = recorded("names")

    def expected(text: str, answer: list[Any]) -> list[Any]:
        return [
            (text if each[0] is None else each[0], messages[each[1]])
            if isinstance(each, list)
            else messages[each]
            for each in answer
        ]

    wrong = []
    for text, *answers in cases:
        for name, answer in zip(functions, answers, strict=True):
            function = getattr(names, name, None) or getattr(keys, name)
            if function(text) != expected(text, answer):
                wrong.append((name, text))
    assert wrong == []


near = st.text("ab-._/A0é\n", max_size=9)


@given(near)
def test_agrees_with_the_patterns_that_it_names(text: str) -> None:
    for function, pattern in (
        (names.dns_label, names.DNS_LABEL_PATTERN),
        (names.dns_subdomain, names.DNS_SUBDOMAIN_PATTERN),
        (names.dns_subdomain_with_underscore, names.DNS_SUBDOMAIN_WITH_UNDERSCORE_PATTERN),
        (names.wildcard_dns_subdomain, names.WILDCARD_DNS_SUBDOMAIN_PATTERN),
        (names.dns_1035_label, names.DNS_1035_LABEL_PATTERN),
        (names.label_value, names.LABEL_VALUE_PATTERN),
    ):
        assert (function(text) == []) is (re.fullmatch(pattern, text) is not None)


@given(near)
def test_a_narrower_kind_of_name_is_also_the_wider(text: str) -> None:
    if names.dns_1035_label(text) == []:
        assert names.dns_label(text) == []
    if names.dns_label(text) == []:
        assert names.dns_subdomain(text) == names.label_value(text) == names.label_key(text) == []
    if names.dns_subdomain(text) == []:
        assert names.dns_subdomain_with_underscore(text) == []
        assert names.wildcard_dns_subdomain("*." + text) == []


def test_the_answers_about_long_texts_are_not_kept() -> None:
    def validated() -> int:
        return sum(len(names.dns_label(f"{number}{'x' * 100_000}")) for number in range(100))

    tracemalloc.start()
    try:
        validated()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 1_000_000
