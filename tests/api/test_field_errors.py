"""Values as Go prints them in the server's messages."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.field_errors import go_json, invalid, quoted, resource_name_value, too_many


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("plain", '"plain"'),
        ("", '""'),
        ("é ü 世", '"é ü 世"'),
        ("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"'),
        ('"\\', r'"\"\\"'),
        ("\x00\x1f\x7f", r'"\x00\x1f\x7f"'),
        ("\x80\uffff", r'"\u0080\uffff"'),
        ('a"b', r'"a\"b"'),
        ("a\\b", r'"a\\b"'),
        ("\u00a0\u2028\ufeff", r'"\u00a0\u2028\ufeff"'),
        ("\U000e0001", r'"\U000e0001"'),
        ("<&>", '"<&>"'),
        (0, "0"),
        (-7, "-7"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        ([], "[]"),
        ({"b": 1, "a": [None, "x"]}, '{"a":[null,"x"],"b":1}'),
    ],
)
def test_values(value: Any, printed: str) -> None:
    assert quoted(value) == printed


def test_json_escapes_what_is_not_safe_in_html_and_in_scripts() -> None:
    assert go_json("<&>\u2028\u2029é") == '"\\u003c\\u0026\\u003e\\u2028\\u2029é"'


def test_structs_keep_the_order_of_their_fields() -> None:
    assert go_json({"b": 1, "a": 2}, sort_keys=False) == '{"b":1,"a":2}'


@pytest.mark.parametrize(("limit", "items"), [(0, "0 items"), (1, "1 item"), (2, "2 items")])
def test_one_item_is_singular(limit: int, items: str) -> None:
    assert "".join(too_many("a", 3, limit).parts) == f"Too many: 3: must have at most {items}"


def test_an_empty_name_of_a_resource_has_former_words_too() -> None:
    former = invalid("spec", resource_name_value(""), "is bad").former
    assert former is not None
    assert former.message == "Invalid value: : is bad"
