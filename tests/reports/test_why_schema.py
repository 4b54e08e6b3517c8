"""The JSON report of `jobsworth why` is what its published schema says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.termination_rules import ACTIONS
from jobsworth.reports.why_json import render
from jobsworth.reports.why_report import why_schema
from jobsworth.runs.recorded.recording_reader import BadRecording
from jobsworth.runs.why.answer import Answer
from support.cli.command_processes import ROOT
from support.reports.described_keys import undescribed
from support.simulation.simulated_runs import job
from support.why.recorded_failures import diagnosed, recorded_failures


def test_the_published_schema_is_current() -> None:
    published = (ROOT / "schemas/why.json").read_text(encoding="utf-8")
    assert json.loads(published) == why_schema()
    Draft202012Validator.check_schema(why_schema())


@pytest.mark.slow
def test_every_key_of_the_reports_is_described() -> None:
    job = why_schema()["$defs"]["job"]["properties"]
    for recorded in recorded_failures():
        report = json.loads(render(Answer(diagnosed(recorded))))
        assert set(report) - {"version"} == set(job)
        for key in ("failures", "rules", "pods", "advice", "events", "logs"):
            item = job[key]["items"]
            properties: dict[str, Any] = item.get("properties") or _event()
            assert all(set(each) == set(properties) for each in report[key]), key
        assert {each["effect"] for each in report["failures"]} <= set(ACTIONS)
        assert {each["action"] for each in report["rules"]} <= set(ACTIONS)


def _event() -> dict[str, Any]:
    found: dict[str, Any] = why_schema()["$defs"]["event"]["properties"]
    return found


@pytest.mark.slow
def test_every_key_of_a_timeline_and_a_comparison_is_described() -> None:
    server, other = ApiServer("1.36"), job(backoffLimit=9)["spec"]
    checker = Draft202012Validator(why_schema())
    for recorded in recorded_failures():
        try:
            answer = Answer(diagnosed(recorded)).compared("other.yaml", other, server)
        except BadRecording:
            continue
        report = json.loads(render(answer))
        checker.validate(report)
        del report["version"]
        assert undescribed(report, {**why_schema(), **why_schema()["$defs"]["job"]}) == []
