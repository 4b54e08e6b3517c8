"""The JSON report of `jobsworth why` is what its published schema says."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator

from jobsworth.reports.report_schema_parts import FAILURE_EFFECTS, POD_FAILURE_ACTIONS
from jobsworth.reports.why_json import render, why_value
from jobsworth.reports.why_schema import why_schema
from support.cli.command_processes import ROOT
from support.why.recorded_failures import diagnosed, recorded_failures


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "schemas/why.json").read_text(encoding="utf-8")
    assert json.loads(published) == why_schema()
    Draft202012Validator.check_schema(why_schema())


def test_every_key_of_the_reports_is_described() -> None:
    job = why_schema()["$defs"]["job"]["properties"]
    for recorded in recorded_failures():
        report = json.loads(render(why_value(diagnosed(recorded), {})))
        assert set(report) - {"version"} == set(job)
        for key in ("failures", "rules", "pods", "advice", "events", "logs"):
            item = job[key]["items"]
            properties: dict[str, Any] = item.get("properties") or _event()
            assert all(set(each) == set(properties) for each in report[key]), key
        assert {each["fate"] for each in report["failures"]} <= set(FAILURE_EFFECTS)
        assert {each["action"] for each in report["rules"]} <= set(POD_FAILURE_ACTIONS)


def _event() -> dict[str, Any]:
    found: dict[str, Any] = why_schema()["$defs"]["event"]["properties"]
    return found
