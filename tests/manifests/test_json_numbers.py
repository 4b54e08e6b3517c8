"""JSON: what the API server makes of a file, and what kubectl makes of it first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobsworth.manifests import read_text


def value(number: str, file: str) -> Any:
    (document,) = read_text(f'{{"n": {number}}}'.encode(), file)
    assert isinstance(document.value, dict)
    return document.value["n"]


@pytest.mark.parametrize(
    ("number", "exact", "by_kubectl"),
    [
        ("3", 3, 3),
        ("3.0", 3.0, 3),
        ("1e3", 1000.0, 1000),
        ("-0", 0, 0),
        ("-0.0", -0.0, 0),
        ("0.5", 0.5, 0.5),
        ("1e21", 1e21, 1e21),
        ("1e20", 1e20, 10**20),
        ("12345678901234567890123", 12345678901234567890123, 12345678901234567890123),
        ("18446744073709551616.0", 18446744073709551616.0, 18446744073709552000),
        ("1E+2", 100.0, 100),
        ("1e-400", 0.0, 0),
    ],
)
def test_a_number(number: str, exact: float, by_kubectl: float) -> None:
    for file, expected in (("file.json", exact), ("file.JSON", exact), ("file.yaml", by_kubectl)):
        found = value(number, file)
        assert (type(found), found) == (type(expected), expected)


def test_a_number_beyond_all_bounds_is_rejected() -> None:
    for file in ("file.json", "file.yaml"):
        (document,) = read_text(b'{"kind": "Job", "n": [1, 2e400}', file)
        assert document.error is not None


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [], "b": {}, "c": [[], {}], "d": null, "e": true, "f": false}',
        '{"a": "\\u0000\\u00e9\\ud83d\\ude00\\n\\/\\\\\\"\\b\\f\\t\\r"}',
        ' \n\t{ "a" : [ 1 , 2 ] , "" : "" } \r\n',
        '"text"',
        "[1, [2, [3]]]",
        "-1.5e-3",
        "true",
    ],
)
def test_json_is_what_python_makes_of_it(text: str) -> None:
    (document,) = read_text(text.encode(), "file.json")

    assert document.value == json.loads(text)


def test_json_may_begin_with_a_byte_order_mark() -> None:
    (document,) = read_text(b'\xef\xbb\xbf{"a": 1}', "file.json")

    assert document.value == {"a": 1}
    assert document.position("a").column == 7


def test_an_empty_file_has_no_documents() -> None:
    for text in (b"", b" \n", b"null", b"null null"):
        assert read_text(text, "file.json") == []
