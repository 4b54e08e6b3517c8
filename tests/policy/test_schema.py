"""The JSON Schema of a JobPolicy accepts what the reader accepts, and the shipped copy is that schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from jobsworth.policy.document import schema
from jobsworth.policy.policy_fields import FIELDS

SHIPPED = Path(__file__).parents[2] / "schemas" / "jobpolicy.json"


def parts(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema in the schema."""
    if isinstance(value, dict):
        yield path, value
        for name, part in value.items():
            yield from parts(part, f"{path}.{name}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from parts(part, f"{path}[{index}]")


def test_the_shipped_schema_is_that_of_the_code() -> None:
    shipped = json.loads(SHIPPED.read_text("utf-8"))
    assert shipped == json.loads(json.dumps(schema())), "run: jobsworth schema --directory schemas"


@pytest.mark.slow
def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_every_object_is_closed_and_every_property_described() -> None:
    # A default's value is described with the default.
    for path, part in parts(schema()):
        if not path.endswith(".properties") and isinstance(part.get("properties"), dict):
            assert part["additionalProperties"] is False, path
            for name, below in part["properties"].items():
                assert name == "value" or below["description"].endswith("."), f"{path}.{name}"


def test_it_has_every_field_of_the_table() -> None:
    limits = schema()["properties"]["spec"]["properties"]["limits"]["properties"]
    for field in FIELDS.values():
        holder = limits if field.scope == "job" else limits[field.scope]["properties"]
        assert field.key in holder
