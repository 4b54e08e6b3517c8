"""The JSON Schemas never reject what the engine accepts, and catch most of what it rejects."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import jobsworth
from jobsworth.api.api_server import RELEASES, ApiServer
from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.descriptions import field_descriptions
from jobsworth.api.feature_gates import FEATURE_GATES
from jobsworth.api.kinds import Job
from jobsworth.validation.json_schema import json_schema
from support.law_examples import some_of
from support.random_objects.random_jobs import random_job
from support.recorded_text import expect_recorded

ROOT = Path(__file__).parent.parent.parent
CASES = ROOT / "tests/oracle/cases"
CATEGORIES = ("job", "policy", "success", "meta", "cron", "decode", "pod")
OBJECTS = 10_000


@cache
def validator(kind: str, release: str) -> jsonschema_rs.Draft202012Validator:
    struct = {"Job": Job, "CronJob": CronJob}[kind]
    return jsonschema_rs.Draft202012Validator(
        json_schema(struct, "batch/v1", ApiServer(release), {})
    )


def schema_accepts(manifest: Any, release: str) -> bool:
    kind = manifest.get("kind")
    return kind in ("Job", "CronJob") and validator(kind, release).is_valid(manifest)


def engine_accepts(manifest: dict[str, Any], release: str) -> bool:
    found = jobsworth.validate(manifest, kubernetes_version=release)
    return all(finding.severity != "error" for finding in found)


def recorded(*categories: str) -> Iterator[dict[str, Any]]:
    for category in categories:
        with lzma.open(CASES / f"{category}.jsonl.xz", "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


@pytest.mark.slow
@pytest.mark.parametrize("part", some_of(range(10), every=5))
def test_no_generated_object_is_rejected_that_the_engine_accepts(part: int) -> None:
    accepted = 0
    for seed in range(part * OBJECTS // 10, (part + 1) * OBJECTS // 10):
        manifest, release = random_job(seed), RELEASES[seed % len(RELEASES)]
        if engine_accepts(manifest, release):
            accepted += 1
            assert schema_accepts(manifest, release), (seed, release)
    assert accepted > OBJECTS // 100


def test_no_recorded_object_is_rejected_that_the_server_accepted() -> None:
    wrongly = [
        case["id"]
        for case in recorded(*CATEGORIES)
        if case["code"] == 201 and not schema_accepts(case["object"], "1.36")
    ]
    assert wrongly == []


def test_most_of_what_the_server_rejected_is_caught() -> None:
    rejected = [case for case in recorded(*CATEGORIES) if case["code"] != 201]
    caught = [case for case in rejected if not schema_accepts(case["object"], "1.36")]
    share = len(caught) / len(rejected)
    print(f"the schema alone catches {len(caught)} of {len(rejected)}: {share:.1%}")
    assert share >= 0.6


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("kind", ["Job", "CronJob"])
def test_the_shipped_schema_is_fresh_and_well_formed(kind: str, release: str) -> None:
    struct = {"Job": Job, "CronJob": CronJob}[kind]
    path = ROOT / "schemas" / f"v{release}" / f"{kind.lower()}.json"
    shipped = json.loads(path.read_text(encoding="utf-8"))
    fresh = json_schema(struct, "batch/v1", ApiServer(release), field_descriptions())
    assert shipped == json.loads(json.dumps(fresh)), "run: jobsworth schema --directory schemas"
    jsonschema_rs.meta.validate(shipped)


def test_every_field_and_type_is_described() -> None:
    undescribed = []

    def visit(schema: dict[str, Any]) -> None:
        if not schema.get("description"):
            undescribed.append(schema["title"])
        for name, field in schema["properties"].items():
            if not field.get("description"):
                undescribed.append(f"{schema['title']}.{name}")

    server = ApiServer()
    for struct in (Job, CronJob):
        schema = json_schema(struct, "batch/v1", server, field_descriptions())
        for definition in schema["$defs"].values():
            visit(definition)
    assert undescribed == []


def descriptions(server: ApiServer) -> dict[str, str]:
    found: dict[str, str] = {}
    for struct in (Job, CronJob):
        schema = json_schema(struct, "batch/v1", server, field_descriptions())
        for definition in schema["$defs"].values():
            found[definition["title"]] = definition["description"]
            for name, field in definition["properties"].items():
                found[f"{definition['title']}.{name}"] = field["description"]
    return found


@pytest.mark.slow
def test_fields_behind_gates_have_the_recorded_descriptions() -> None:
    """The schemas in the repository have all others."""
    shipped = descriptions(ApiServer())
    gated = descriptions(ApiServer().with_fields_of(FEATURE_GATES))
    lines = (f"{name}: {text}" for name, text in sorted(gated.items()) if name not in shipped)
    expect_recorded(Path(__file__).parent / "data/fields_behind_gates.txt", lines)


@pytest.mark.parametrize(("length", "valid"), [(63, True), (64, False)])
def test_the_name_of_a_controller_has_at_most_63_characters(length: int, valid: bool) -> None:
    manifest = _job_managed_by("a/" + "b" * (length - 2))
    assert schema_accepts(manifest, "1.36") is valid
    assert engine_accepts(manifest, "1.36") is valid


def _job_managed_by(manager: str) -> dict[str, Any]:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a"}]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "a"},
        "spec": {"managedBy": manager, "template": {"spec": pod}},
    }


@pytest.mark.parametrize("missing", ["key", "operator"])
def test_a_requirement_of_a_selector_has_a_key_and_an_operator(missing: str) -> None:
    manifest = _job_managed_by("example.com/a")
    requirement = {"key": "a", "operator": "Exists"}
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchExpressions": [requirement]},
    }
    manifest["spec"]["template"]["spec"]["topologySpreadConstraints"] = [constraint]
    assert schema_accepts(manifest, "1.36")
    del requirement[missing]
    assert not schema_accepts(manifest, "1.36")
    assert not engine_accepts(manifest, "1.36")


@pytest.mark.parametrize(
    ("rule", "valid"),
    [
        ({"succeededIndexes": "0,2-4"}, True),
        ({"succeededCount": 1}, True),
        ({}, False),
        ({"succeededCount": -1}, False),
        ({"succeededIndexes": "first"}, False),
        ({"succeededIndices": "0"}, False),
    ],
)
def test_a_success_policy_is_described(rule: dict[str, Any], valid: bool) -> None:
    manifest = _job_managed_by("example.com/a")
    manifest["spec"] |= {
        "completionMode": "Indexed",
        "completions": 5,
        "successPolicy": {"rules": [rule]},
    }
    assert engine_accepts(manifest, "1.36") is valid
    assert schema_accepts(manifest, "1.36") is valid
