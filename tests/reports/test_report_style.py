"""All reports write their keys in one style, and give a cause the same name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import DISRUPTIONS
from support.cli.command_processes import ROOT

KEBAB_CASE = re.compile(r"[a-z]+(-[a-z]+)*")
SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
CAMEL_CASE = re.compile(r"[a-z][a-zA-Z0-9]*")
PASCAL_CASE = re.compile(r"([A-Z][a-z0-9]*)+")
DOCUMENTS = ("jobpolicy", "jobpolicytest", "jobscenario")
REPORTS = ("explain", "health", "report", "schedule", "simulate", "why")


WORDS_OF_A_FINDING = ("confidence", "severity", "source", "status")
"""Keys whose values users also write on the command line, in lower case."""

SCHEMA_BY_HAND = re.compile(r"""["']type["']: ["']object["']""")


def schema(name: str) -> Any:
    return json.loads((ROOT / f"schemas/{name}.json").read_text(encoding="utf-8"))


def properties(schema: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys of all objects, with their schemas."""
    if isinstance(schema, list):
        for each in schema:
            yield from properties(each)
    elif isinstance(schema, dict):
        declared = schema.get("properties")
        yield from (declared if isinstance(declared, dict) else {}).items()
        for each in schema.values():
            yield from properties(each)


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_has_keys_in_snake_case(name: str) -> None:
    assert [key for key, _ in properties(schema(name)) if not SNAKE_CASE.fullmatch(key)] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_of_a_user_has_keys_in_camel_case(name: str) -> None:
    assert [key for key, _ in properties(schema(name)) if not CAMEL_CASE.fullmatch(key)] == []


def test_a_cause_has_a_name_as_kubernetes_writes_reasons() -> None:
    assert [each for each in Cause if not PASCAL_CASE.fullmatch(each)] == []


@pytest.mark.parametrize("name", ["explain", "health", "jobscenario", "simulate", "why"])
def test_a_cause_in_a_schema_is_one_of_all_causes(name: str) -> None:
    causes = [value for key, value in properties(schema(name)) if key == "cause"]
    assert causes
    inflicted = {*DISRUPTIONS} if name == "jobscenario" else set()
    for each in causes:
        assert {*each["enum"]} <= {*Cause, *inflicted, None}


def test_a_configuration_has_keys_in_kebab_case() -> None:
    keys = schema("configuration")["properties"]
    assert [key for key in keys if not KEBAB_CASE.fullmatch(key)] == []


@pytest.mark.parametrize("name", REPORTS)
def test_an_enumerated_value_is_written_as_kubernetes_writes_reasons(name: str) -> None:
    values = {
        (key, value)
        for key, described in properties(schema(name))
        if key not in WORDS_OF_A_FINDING
        for value in (*described.get("enum", ()), described.get("const"))
        if isinstance(value, str)
    }
    assert [(key, value) for key, value in values if not PASCAL_CASE.fullmatch(value)] == []


def test_schemas_of_documents_and_reports_are_declared_and_not_written_by_hand() -> None:
    declaring = (ROOT / "webhook/jobsworth/api", ROOT / "webhook/jobsworth/documents")
    by_hand = [
        path.relative_to(ROOT)
        for path in sorted((ROOT / "webhook").rglob("*.py"))
        if SCHEMA_BY_HAND.search(path.read_text(encoding="utf-8"))
        and not path.is_relative_to(declaring[0])
        and not path.is_relative_to(declaring[1])
    ]
    assert by_hand == []
