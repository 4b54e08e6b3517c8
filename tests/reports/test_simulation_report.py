"""The JSON reports of simulations are what their published schema says, and it describes each of their keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

import jobsworth
from jobsworth.documents.declared import json_value
from jobsworth.reports.simulation_report import run_report, simulation_schema, variants_report
from support.reports.described_keys import undescribed

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted((ROOT / "examples/scenarios").glob("*.yaml"))
SCHEMA = simulation_schema()
CHECKER = Draft202012Validator(SCHEMA)


def pair(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the object of a file and its scenario."""
    documents = [*yaml.load_all(path.read_text(), yaml.CSafeLoader)]
    (scenario,) = (each for each in documents if each["kind"] == "JobScenario")
    (manifest,) = (each for each in documents if each["kind"] != "JobScenario")
    return manifest, scenario


def as_json(value: dict[str, Any]) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.slow
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_shipped_run_is_valid_and_described(path: Path) -> None:
    report = as_json(json_value(run_report(jobsworth.simulate(*pair(path)).first_run)))
    CHECKER.validate(report)
    assert undescribed(report, SCHEMA) == []


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("examples/valid/ml-training.yaml", {"drain": "5m:2"}),
        ("examples/valid/sharded-reindex.yaml", {"spot": "1h"}),
        ("examples/valid/work-queue.yaml", {"image_typo": True}),
        ("examples/valid/nightly-report.yaml", {"until": "72h"}),
        ("docs/examples/job-set.yaml", {"node_lost": "10m:1"}),
    ],
)  # fmt: skip
def test_a_report_of_one_run_or_of_many_is_valid_and_described(
    path: str, options: dict[str, Any]
) -> None:
    manifest = next(yaml.safe_load_all((ROOT / path).read_text()))
    one = as_json(json_value(run_report(jobsworth.simulate(manifest, **options).first_run)))
    statistics = jobsworth.simulate(manifest, runs=5, **options).statistics
    many = as_json(json_value(variants_report([(path, statistics)])))
    for report in (one, many):
        CHECKER.validate(report)
        assert undescribed(report, SCHEMA) == []


@pytest.mark.parametrize(
    "damage",
    [
        {"version": 2},
        {"kind": "Deployment"},
        {"outcome": "Done"},
        {"jobs": [{}]},
        {"pod_hours": -1},
        {"events": [{"at": 0}]},
    ],
    ids=str,
)
def test_another_structure_is_invalid(damage: dict[str, Any]) -> None:
    manifest = next(yaml.safe_load_all((ROOT / "examples/valid/ml-training.yaml").read_text()))
    report = as_json(json_value(run_report(jobsworth.simulate(manifest).first_run)))
    assert not CHECKER.is_valid({**report, **damage})


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "schemas/simulate.json").read_text(encoding="utf-8")
    assert json.loads(published) == SCHEMA
    Draft202012Validator.check_schema(SCHEMA)
