"""The regular expressions of the JSON Schemas accept what the formats of the API accept."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.formats import keys
from jobsworth.validation.json_schema import PATTERNS
from kube_cel.formats import names

ACCEPTED = {
    names.dns_label: ["a", "a-1", "9z"],
    names.dns_subdomain: ["a", "a.b-1", "9.z"],
    names.dns_1035_label: ["a", "a-1"],
    names.label_value: ["a", "A_b.c-1"],
    names.label_key: ["a", "A_b.c-1", "example.com/A"],
    keys.config_map_key: ["a", "_.A-1", "-"],
    keys.port_name: ["a", "http-2"],
    keys.relaxed_env_var_name: ["a", " ", "~", "<", ">", "1-/."],
}


def accepts(format_: Callable[[str], list[str]], text: str) -> bool:
    pattern, longest = PATTERNS[format_]
    fits = longest is None or len(text) <= longest
    return fits and re.fullmatch(pattern, text) is not None


def test_every_format_with_a_pattern_has_examples() -> None:
    assert ACCEPTED.keys() == PATTERNS.keys()


@pytest.mark.parametrize(("format_", "texts"), ACCEPTED.items(), ids=lambda value: "")
def test_valid_texts(format_: Callable[[str], list[str]], texts: list[str]) -> None:
    for text in texts:
        assert format_(text) == []
        assert accepts(format_, text), text


@given(st.text("abA01-._/= ~é\n", max_size=9))
def test_a_schema_rejects_nothing_that_the_api_server_accepts(text: str) -> None:
    for format_ in PATTERNS:
        if text and format_(text) == []:
            assert accepts(format_, text), (format_.__name__, text)


@pytest.mark.parametrize("format_", [f for f, (_, longest) in PATTERNS.items() if longest])
def test_the_longest_text(format_: Callable[[str], list[str]]) -> None:
    longest = PATTERNS[format_][1] or 0
    if format_ is not names.label_key:
        assert format_("a" * longest) == []
        assert format_("a" * (longest + 1)) != []
    assert not accepts(format_, "a" * (longest + 1))
