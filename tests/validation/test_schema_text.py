"""The layout of the generated schemas: a law, and that the shipped files have it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.validation import editor_schema as layout
from jobsworth.validation.editor_schema import MAX_LINE, schema_text

ROOT = Path(__file__).parents[2]
SHIPPED = [
    *sorted((ROOT / "schemas").rglob("*.json")),
    ROOT / "charts/jobsworth/values.schema.json",
]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda parts: (
        st.lists(parts, max_size=5) | st.dictionaries(st.text(max_size=9), parts, max_size=5)
    ),
    max_leaves=40,
)
schemas = st.dictionaries(st.text(max_size=9), json_values, max_size=6)


def members(value: Any) -> Any:
    """Return a JSON value with each object as the list of its members, which have an order."""
    if isinstance(value, dict):
        return [(key, members(below)) for key, below in value.items()]
    return [members(below) for below in value] if isinstance(value, list) else value


@pytest.mark.slow
@given(schemas)
def test_the_text_is_the_same_value_with_the_keys_in_the_same_order(schema: dict[str, Any]) -> None:
    assert members(json.loads(schema_text(schema))) == members(schema)


@given(schemas, st.integers(10, 60))
def test_a_line_is_long_only_if_its_value_has_no_parts(schema: dict[str, Any], limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "MAX_LINE", limit)
        text = schema_text(schema)
    assert members(json.loads(text)) == members(schema)
    for line in text.split("\n"):
        if len(line) > limit:
            assert not has_parts(line.strip().removesuffix(","))


def has_parts(line: str) -> bool:
    """Whether a line contains a whole object or list that is not empty."""
    if line in ("}", "]") or line.endswith(("{", "[")):
        return False
    try:
        value = json.loads(line)
    except json.JSONDecodeError:  # a key and its value
        (value,) = json.loads(f"{{{line}}}").values()
    return isinstance(value, dict | list) and bool(value)


def test_each_keyword_property_and_definition_stands_on_a_line() -> None:
    schema = {
        "title": "A",
        "required": ["a", "b"],
        "properties": {"a": {"type": ["string", "null"]}, "b": {"$ref": "#/$defs/B"}},
        "$defs": {"B": {"properties": {"c": {"type": "integer"}}}},
    }
    assert schema_text(schema).splitlines() == [
        "{",
        ' "title": "A",',
        ' "required": ["a", "b"],',
        ' "properties": {',
        '  "a": {"type": ["string", "null"]},',
        '  "b": {"$ref": "#/$defs/B"}',
        " },",
        ' "$defs": {',
        '  "B": {"properties": {"c": {"type": "integer"}}}',
        " }",
        "}",
    ]


def test_a_longer_definition_has_a_field_a_line() -> None:
    fields = {"a": {"description": "a" * MAX_LINE}, "b": {"type": "integer"}}
    lines = schema_text({"$defs": {"A": {"type": "object", "properties": fields}}}).splitlines()
    assert lines[2:5] == ['  "A": {', '   "type": "object",', '   "properties": {']
    assert lines[7] == "    },"
    assert lines[8] == '    "b": {"type": "integer"}'


@pytest.mark.slow
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_shipped_schema_has_the_layout(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text == schema_text(json.loads(text)), (
        "run: jobsworth schema --directory schemas; JOBSWORTH_RENEW=1 pytest tests/charts"
    )


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_patterns_of_a_shipped_schema_are_regular_expressions_of_go_too(path: Path) -> None:
    """Else kubeconform does not load it."""
    patterns = re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', path.read_text("utf-8"))
    for pattern in map(json.loads, patterns):
        assert not re.search(r"\\u|\(\?[=!<]", pattern), pattern


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_shipped_schema_refers_to_no_other_file(path: Path) -> None:
    references = re.findall(r'"\$ref": "([^"]*)"', path.read_text("utf-8"))
    assert all(reference.startswith("#") for reference in references)
