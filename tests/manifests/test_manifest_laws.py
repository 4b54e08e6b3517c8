"""Laws that hold of any text."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from jobsworth.manifests import Document, Position, might_contain_job, read_text
from jobsworth.manifests.parsing.fast_yaml import NeedsFullParser, ordinary_value
from jobsworth.manifests.parsing.nodes import child_path
from jobsworth.manifests.parsing.scalars import json_number
from jobsworth.manifests.parsing.yaml_tree import compose
from support.law_examples import number_of_examples

law = settings(
    deadline=None, max_examples=number_of_examples(25), suppress_health_check=[HealthCheck.too_slow]
)

PIECES = st.sampled_from(
    [
        *("a", "b", "kind", "Job", "items", "1", "1.0", "on", "~", "0x1", ".inf", "2001-01-01"),
        *(": ", ":", "- ", "? ", ", ", "[", "]", "{", "}", "\n", "\n", "\n  ", "\n    ", " ", "\t"),
        *('"', "'", "#", " #", "&a ", "*a", "<<: ", "! ", "!!str ", "!!int ", "|\n", ">-\n", "%"),
        *("---\n", "...\n", "\r", "\r\n", "\\", "\\x4a", "\\u006f", "\\'", "\\/", "\\\n", "{{ "),
        *("\ufeff", "\x00", "\x85", "\u2028", "é", "😀", '{"a": 1}', "null", '"a": '),
    ]
)
MARKS = st.sampled_from(
    ["!", "?", "!!str", "a", "b:", ": ", " ", "\n", "- ", "  ", "[", "]", "{", "}", ", ", "#", "'", '"', "/"]
)  # fmt: skip
"""Texts in which exclamation and question marks are often inside words."""

TEXTS = st.lists(PIECES, max_size=30).map("".join)
FILES = st.sampled_from(["file.yaml", "file.json"])
KEYS = st.sampled_from(["a", "b.c", "x/y", "kind", "on", "1", "é", "a b", ""])
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def all_is_well(documents: list[Document]) -> None:
    for document in documents:
        place = document.position("spec.a[0].b")
        assert place.line >= 1
        assert place.column >= 1
        document.source_line(place.line)
        assert (document.error is None) or (document.value is None and document.notes == ())
        for note in document.notes:
            assert isinstance(document.position(note.field), Position)


@law
@given(st.binary(max_size=60), FILES)
@example(b"\xff\xfe", "file.yaml")
@example(b"a: !%ff b", "file.yaml")
@example(b'{"a":\xed\xa0\x80}', "file.json")
def test_no_bytes_make_it_fail(data: bytes, file: str) -> None:
    all_is_well(read_text(data, file))


@law
@given(TEXTS, FILES)
def test_no_text_makes_it_fail(text: str, file: str) -> None:
    all_is_well(read_text(text.encode("utf-8", "replace"), file))


@law
@given(VALUES)
def test_json_is_read_as_it_was_written(value: Any) -> None:
    documents = read_text(json.dumps(value, indent=1).encode(), "file.json")

    assert [document.value for document in documents] == ([] if value is None else [value])


@law
@given(st.dictionaries(KEYS, VALUES))
def test_json_in_a_yaml_file_is_read_as_kubectl_does(value: Any) -> None:
    (document,) = read_text(
        json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), "f.yaml"
    )

    assert repr(document.value) == repr(through_kubectl(value))


def through_kubectl(value: Any) -> Any:
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, list):
        return [through_kubectl(item) for item in value]
    if isinstance(value, dict):
        return {key: through_kubectl(item) for key, item in value.items()}
    return value


@law
@given(TEXTS | st.lists(MARKS, max_size=14).map("".join) | VALUES.map(yaml.safe_dump))
def test_the_fast_reading_is_the_full_one_or_none(text: str) -> None:
    data = text.encode("utf-8", "replace")
    try:
        fast, _ = ordinary_value(data)
    except NeedsFullParser:
        return
    tree = compose(data, Position(1, 1))

    assert repr(fast) == repr(tree.root.value if tree.root else None)
    assert tree.notes == ()


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        pairs: list[tuple[str | int, Any]] = list(value.items())
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return [(path, value)]
    return [leaf for key, item in pairs for leaf in leaves(item, child_path(path, key))]


FIELDS = st.sampled_from(["a", "kind", "on", "x-y", "b.c/d", "restartPolicy"])
OBJECTS = st.recursive(
    st.dictionaries(FIELDS, st.integers(-99, 99) | st.text("xyz#:' ", max_size=5), max_size=3),
    lambda inner: st.dictionaries(FIELDS, inner | st.lists(inner, max_size=3), max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize("file", ["file.json", "file.yaml"])
@law
@given(value=OBJECTS)
def test_each_field_of_json_is_found_where_it_stands(file: str, value: Any) -> None:
    (document,) = read_text(json.dumps(value, indent=2).encode(), file)

    for path, leaf in leaves(value):
        place = document.position(path)
        if leaf not in ({}, []) and path:
            assert document.source_line(place.line)[place.column - 1 :].startswith(json.dumps(leaf))


@law
@given(OBJECTS)
def test_each_field_of_yaml_is_found_where_it_stands(value: Any) -> None:
    text = yaml.safe_dump(value, default_style='"', width=1000)
    (document,) = read_text(("---\n# comment\n" + text).encode(), "file.yaml")

    for path, leaf in leaves(value):
        if isinstance(leaf, str) and path:
            place = document.position(path)
            shown = document.source_line(place.line)[place.column - 1 :]
            assert shown.startswith(f'"{leaf}"')
            assert document.position(path, key=True).line == place.line


@law
@given(TEXTS, FILES)
@example('kind: "\\x4aob"', "file.yaml")
def test_no_job_is_passed_over(text: str, file: str) -> None:
    data = text.encode("utf-8", "replace")
    if might_contain_job(data):
        return
    for document in read_text(data, file):
        kind = document.value.get("kind") if isinstance(document.value, dict) else None
        assert not (isinstance(kind, str) and "job" in kind.lower())
