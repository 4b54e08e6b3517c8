"""Names of ports and environment variables, keys, and names with a domain in front."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.formats import keys
from kube_cel.formats.names import HTTP_PATH_PATTERN, dns_subdomain, label_key


@pytest.mark.parametrize(
    ("function", "good", "bad"),
    [
        (keys.port_name, "http-2", "HTTP"),
        (keys.port_name, "a" * 15, "a" * 16),
        (keys.port_name, "8080a", "8080"),
        (keys.port_name, "a-b", "a--b"),
        (keys.env_var_name, "MY_ENV.name-1", "1ENV"),
        (keys.env_var_name, ".hidden", "..hidden"),
        (keys.relaxed_env_var_name, "1: any thing!", "a=b"),
        (keys.relaxed_env_var_name, "~", "\x7f"),
        (keys.config_map_key, "key.name", "key/name"),
        (keys.config_map_key, "...a"[2:], ".."),
        (keys.http_header_name, "X-Header-1", "X_Header"),
        (keys.c_identifier, "_my1", "1my"),
        (keys.percent, "0100%", "1.5%"),
        (keys.percent, "1%", "%"),
        (keys.path_segment_prefix, "..", "50%"),
        (keys.path_segment_prefix, "a b", "a/b"),
    ],
)
def test_takes_one_and_rejects_the_other(
    function: Callable[[str], list[str]], good: str, bad: str
) -> None:
    assert function(good) == []
    assert function(bad) != []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            "",
            [
                "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                "must contain at least one letter (a-z)",
            ],
        ),
        ("-", ["must contain at least one letter (a-z)", "must not begin or end with a hyphen"]),
        (
            "80--",
            [
                "must contain at least one letter (a-z)",
                "must not contain consecutive hyphens",
                "must not begin or end with a hyphen",
            ],
        ),
    ],
)
def test_all_problems_of_a_port_name_are_reported(text: str, wrong: list[str]) -> None:
    assert keys.port_name(text) == wrong


def test_a_prefixed_path_is_blamed_for_the_part_that_is_wrong() -> None:
    assert keys.domain_prefixed_path("acme.io/foo/bar?") == [
        ("foo/bar?", f"Invalid path (regex used for validation is '{HTTP_PATH_PATTERN}')")
    ]
    assert keys.domain_prefixed_path("ACME/foo") == [("ACME", dns_subdomain("ACME")[0])]
    assert keys.domain_prefixed_path("acme.io/") == [
        ("acme.io/", 'must be a domain-prefixed path (such as "acme.io/foo")')
    ]


def test_a_label_key_with_a_prefix_has_both_parts() -> None:
    assert keys.prefixed_label_key("example.com/key") == []
    assert keys.prefixed_label_key("key") == ["must include a prefix (e.g. 'example.com/key')"]
    assert keys.prefixed_label_key("a/b/c") == label_key("a/b/c")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("example.com/a", None),
        ("a.b.c", []),
        ("a.b", [("a.b", "should be a domain with at least three segments separated by dots")]),
    ],
)
def test_fully_qualified_names_have_three_segments(
    text: str, wrong: list[tuple[str, str]] | None
) -> None:
    expected = [(text, dns_subdomain(text)[0])] if wrong is None else wrong
    assert keys.fully_qualified_name(text) == expected


def test_domain_names_have_two_segments_of_63_characters_and_may_end_with_a_dot() -> None:
    assert keys.fully_qualified_domain_name("example.com.") == []
    assert keys.fully_qualified_domain_name("com.") == [
        ("com", "should be a domain with at least two segments separated by dots")
    ]
    assert keys.fully_qualified_domain_name("a." + "b" * 64) == [
        ("b" * 64, "must be no more than 63 characters")
    ]


@pytest.mark.parametrize(
    "function",
    [
        keys.fully_qualified_name,
        keys.fully_qualified_domain_name,
        keys.domain_prefixed_path,
    ],
)
def test_an_empty_text_is_left_to_the_caller(
    function: Callable[[str], list[tuple[str, str]]],
) -> None:
    assert function("") == []


PATTERNS = {
    keys.env_var_name: r"(?!\.\.)[-._a-zA-Z][-._a-zA-Z0-9]*(?<!^\.)",
    keys.config_map_key: r"(?!\.\.)[-._a-zA-Z0-9]+(?<!^\.)",
    keys.relaxed_env_var_name: r"[ -<>-~]+",
    keys.http_header_name: r"[-A-Za-z0-9]+",
    keys.c_identifier: r"[A-Za-z_][A-Za-z0-9_]*",
    keys.percent: r"[0-9]+%",
    keys.port_name: r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*",
}


@given(st.text("abA01-._/%= ~é\n", max_size=9))
def test_agrees_with_the_patterns(text: str) -> None:
    for function, pattern in PATTERNS.items():
        assert (function(text) == []) is (re.fullmatch(pattern, text) is not None), pattern
