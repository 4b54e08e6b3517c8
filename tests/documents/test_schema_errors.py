"""Errors of documents against their schemas: one wording, bounded, in the order of the document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from jobsworth.documents.schema_errors import KEYWORDS, problems
from jobsworth.policy import case_document, document
from jobsworth.runs.simulation import scenario_document

Schema = dict[str, Any]

LOWER = "^[a-z]+$"
PATTERNS = {LOWER: "lower case letters"}
SCHEMA: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["kind"],
    "properties": {
        "kind": {"const": "Sample"},
        "spec": {
            "type": "object",
            "additionalProperties": False,
            "minProperties": 1,
            "properties": {
                "count": {"type": "integer", "minimum": 0, "maximum": 9},
                "ratio": {"type": "number"},
                "on": {"type": "boolean"},
                "name": {"type": "string", "pattern": LOWER, "minLength": 1, "maxLength": 100},
                "color": {"enum": ["red", "green", 5, True]},
                "tags": {"type": "array", "minItems": 1, "maxItems": 3, "uniqueItems": True, "items": {"type": "string"}},
                "parts": {"type": "array", "items": {"type": "object", "properties": {}, "additionalProperties": False}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "one": {
                    "type": "object", "additionalProperties": False, "maxProperties": 1,
                    "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                },
                "either": {"type": ["string", "integer"], "pattern": LOWER},
            },
        },
    },
}  # fmt: skip


def found(document: Any) -> list[str]:
    return list(map(str, problems(document, SCHEMA, PATTERNS)))


def found_in_spec(**spec: Any) -> list[str]:
    return found({"kind": "Sample", "spec": spec})


def test_a_document_that_matches_has_no_problems() -> None:
    assert found_in_spec(
        count=1, ratio=0.5, on=True, name="a", color=5, tags=["a"], parts=[{}], labels={"x": "y"}
    ) == []  # fmt: skip


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (None, "must be a mapping, but is empty"),
        ([], "must be a mapping, but is a list"),
        ("text", 'must be a mapping, but is "text"'),
        ({}, "kind: must be set"),
        ({"kind": "Sampel"}, 'kind: unsupported value "Sampel" (it must be Sample)'),
        ({"kind": []}, "kind: must not be a list (it must be Sample)"),
        ({"kind": "Sample", "count": 1}, "count: unknown field (this field belongs in spec)"),
        ({"kind": "Sample", "kinds": 1}, 'kinds: unknown field (did you mean "kind"?)'),
        ({"kind": "Sample", "x": 1}, "x: unknown field (known fields: kind, spec)"),
    ],
)
def test_the_head_of_a_document(document: Any, expected: str) -> None:
    assert found(document) == [expected]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("count", "1", 'spec.count: must be a whole number, but "1" is a string (remove the quotes)'),
        ("count", "-1", 'spec.count: must be a whole number, but "-1" is a string (remove the quotes)'),
        ("count", "one", 'spec.count: must be a whole number, but is "one"'),
        ("count", "\u0661", 'spec.count: must be a whole number, but is "\u0661"'),
        ("count", 1.0, "spec.count: must be a whole number, but is 1.0"),
        ("count", True, "spec.count: must be a whole number, but is true"),
        ("count", {}, "spec.count: must be a whole number, but is a mapping"),
        ("count", -1, "spec.count: -1 must be greater than or equal to 0"),
        ("count", 10, "spec.count: 10 must be less than or equal to 9"),
        ("ratio", "0.5", 'spec.ratio: must be a number, but "0.5" is a string (remove the quotes)'),
        ("on", "yes", 'spec.on: must be true or false, but is "yes"'),
        ("name", True, "spec.name: must be a string, but is true (put it in quotes)"),
        ("name", 5, "spec.name: must be a string, but is 5 (write lower case letters)"),
        ("name", "A", 'spec.name: "A" must be lower case letters'),
        ("name", "a\n", 'spec.name: "a\\n" must be lower case letters'),
        ("name", "A" * 100, f'spec.name: "{"A" * 58}… must be lower case letters'),
        ("name", "A" * 101, "spec.name: must have at most 100 characters, but has 101"),
        ("color", "gren", 'spec.color: unsupported value "gren" (did you mean "green"?)'),
        ("color", 7, "spec.color: unsupported value 7 (supported values: red, green, 5, true)"),
        ("color", ["red"], "spec.color: must not be a list (supported values: red, green, 5, true)"),
        ("tags", "a", "spec.tags: must be a list (write [a])"),
        ("tags", "a" * 61, f'spec.tags: must be a list, but is "{"a" * 58}…'),
        ("tags", [], "spec.tags: must not be empty (set a value or remove the field)"),
        ("tags", ["a", "b", "a"], 'spec.tags: "a" is listed twice (remove one of the two)'),
        ("tags", [1, 2, 3, 4], "spec.tags: must have at most 3 entries, but has 4"),
        ("tags", ["a", 5], "spec.tags[1]: must be a string, but is 5 (put it in quotes)"),
        ("parts", "a", 'spec.parts: must be a list, but is "a"'),
        ("parts", [{"items": 1}], "spec.parts[0].items: unknown field (known fields: )"),
        ("labels", {"a.b/c": 1}, "spec.labels[a.b/c]: must be a string, but is 1 (put it in quotes)"),
        ("labels", {"properties": None}, "spec.labels[properties]: must be a string, but is empty"),
        ("one", {"a": "x", "b": "y"}, "spec.one: must have at most 1 of the fields a, b (remove the others)"),
        ("either", 0.5, "spec.either: must be a string or a whole number, but is 0.5 (write lower case letters)"),
        ("a", "x", "spec.a: unknown field (this field belongs in spec.one)"),
    ],
)  # fmt: skip
def test_one_wrong_field(field: str, value: Any, expected: str) -> None:
    assert found_in_spec(**{field: value}) == [expected]


def test_problems_are_in_the_order_of_the_document() -> None:
    spec = {"labels": dict.fromkeys("bdac", 7), "colour": 1, "count": -1}
    fields = [each.field for each in problems({"spec": spec, "kind": 1}, SCHEMA, PATTERNS)]
    assert fields == [
        *(f"spec.labels[{key}]" for key in "bdac"), "spec.colour", "spec.count", "kind",
    ]  # fmt: skip


def test_no_value_makes_the_check_fail() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    for value in (deep, {"a": deep}, {1: 2}, "\ud800", -(10**30), 1.5, None):
        assert found(value)
        for field in SCHEMA["properties"]["spec"]["properties"]:
            found_in_spec(**{field: value})


@pytest.mark.slow
def test_a_message_does_not_grow_with_the_value() -> None:
    long: Any
    for long in ("x" * 10**5, ["x"] * 10**4, {"x": ["y"] * 10**4}):
        for field in SCHEMA["properties"]["spec"]["properties"]:
            assert all(len(each) < 200 for each in found_in_spec(**{field: long})), field


def parts(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and every schema in it."""
    yield schema
    holders = ("items", "additionalProperties", "if", "then", "else")
    for each in (*schema.get("properties", {}).values(), *map(schema.get, holders)):
        if isinstance(each, dict):
            yield from parts(each)


@pytest.mark.parametrize(
    ("schema", "patterns"),
    [
        (document.schema(), document.PATTERNS),
        (case_document.case_schema(), case_document.PATTERNS),
        (scenario_document.scenario_schema(), scenario_document.PATTERNS),
    ],
    ids=["JobPolicy", "JobPolicyTest", "JobScenario"],
)
def test_every_error_of_a_schema_has_words(schema: Schema, patterns: Mapping[str, str]) -> None:
    for part in parts(schema):
        assert part.keys() <= KEYWORDS
        assert ("properties" in part) <= (part.get("additionalProperties") is False)
    assert {part["pattern"] for part in parts(schema) if "pattern" in part} == patterns.keys()
    assert not any(literal in pattern for pattern in patterns for literal in (r"\$", "[$"))
