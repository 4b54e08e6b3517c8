"""The CustomResourceDefinition of JobPolicy: structural, made from the declaration, and the shipped copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobsworth.policy.custom_resource import custom_resource_definition
from jobsworth.policy.document import schema

SHIPPED = Path(__file__).parents[2] / "schemas" / "jobpolicy-crd.yaml"
CRD = custom_resource_definition()
(VERSION,) = CRD["spec"]["versions"]
ROOT: dict[str, Any] = VERSION["schema"]["openAPIV3Schema"]


def parts(structural: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every part of a structural schema, with its path."""
    yield path, structural
    for name, below in structural.get("properties", {}).items():
        yield from parts(below, f"{path}.{name}")
    for keyword in ("items", "additionalProperties"):
        if keyword in structural:
            yield from parts(structural[keyword], f"{path}[]")


def at(root: dict[str, Any], path: str) -> dict[str, Any]:
    """Return the part of a schema at a path such as ``.spec.match[].kinds``."""
    for step in path.replace("[]", ".[]").split(".")[1:]:
        if step == "[]":
            root = root["items"] if "items" in root else root["additionalProperties"]
        else:
            root = root["properties"][step]
    return root


@pytest.mark.slow
def test_the_shipped_definition_is_that_of_the_code() -> None:
    text = SHIPPED.read_text("utf-8")
    assert yaml.safe_load(text) == CRD, "run: jobsworth schema --directory schemas"
    assert "&id" not in text, "an alias of YAML"


def test_users_find_it_by_these_names() -> None:
    names = CRD["spec"]["names"]
    assert CRD["metadata"]["name"] == f"{names['plural']}.{CRD['spec']['group']}"
    assert (names["shortNames"], names["categories"]) == (["jp"], ["jobsworth"])
    assert (CRD["spec"]["scope"], VERSION["name"]) == ("Cluster", "v1alpha1")
    assert [column["name"] for column in VERSION["additionalPrinterColumns"]] == [
        "Enforcement", "Priority", "Age", "Description",
    ]  # fmt: skip
    assert "subresources" not in VERSION, "no program writes a status"


def test_it_has_every_field_of_the_json_schema_with_its_type() -> None:
    for path, part in parts(ROOT):
        if path.startswith(".metadata"):
            continue
        declared = at(schema(), path)
        if part.get("x-kubernetes-int-or-string"):
            assert declared["type"] == ["integer", "string"], path
        else:
            assert part["type"] == declared.get("type", "string"), path
        assert part.get("properties", {}).keys() == declared.get("properties", {}).keys(), path


def test_it_has_no_keyword_that_a_structural_schema_forbids() -> None:
    for path, part in parts(ROOT):
        assert not part.keys() & {"$schema", "$id", "title", "const", "uniqueItems", "if"}, path
        assert "default" not in part, f"{path}: an object is stored as it was written"
        assert not {"properties", "additionalProperties"} <= part.keys(), path
        assert part.get("additionalProperties") is not False, path


def test_lists_of_unique_entries_are_sets_of_scalars() -> None:
    for path, part in parts(ROOT):
        if not path.startswith(".metadata"):
            unique = at(schema(), path).get("uniqueItems", False)
            assert (part.get("x-kubernetes-list-type") == "set") == unique, path
            assert not unique or "properties" not in part["items"], path


def test_every_list_map_and_text_is_bounded_for_the_cost_of_rules() -> None:
    for path, part in parts(ROOT["properties"]["spec"], ".spec"):
        if "items" in part:
            assert "maxItems" in part, path
        if "additionalProperties" in part:
            assert "maxProperties" in part, path
        if part.get("type") == "string" and "enum" not in part:
            assert part["maxLength"] <= 4096, path


def test_cel_rules_state_what_the_schema_cannot() -> None:
    rules = {
        path: [rule["message"] for rule in part["x-kubernetes-validations"]]
        for path, part in parts(ROOT)
        if "x-kubernetes-validations" in part
    }
    assert rules.pop(".spec.immutable[]") == [
        "exactly one of field, label and annotation must be set"
    ]
    assert rules.pop(".spec.limits.podFailurePolicy") == [
        "minimumRules must not be greater than maximumRules"
    ]
    assert all(path.startswith(".spec.limits.") for path in rules)
    with_minimum = {
        path.removesuffix(".minimum") for path, _ in parts(ROOT) if path.endswith(".minimum")
    }
    assert rules.keys() == with_minimum
    assert {*map(str, rules.values())} == {"['minimum must not be greater than maximum']"}
    assert "x-kubernetes-validations" not in str(schema())
