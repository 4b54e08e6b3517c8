"""The sentence about each failure that was recorded on a test bed names its cause; ``pytest -s`` prints them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jobsworth.reports.why_json import render, why_value
from jobsworth.reports.why_owner_text import why_lines
from jobsworth.reports.why_schema import why_schema
from support.why.recorded_failures import diagnosed, recorded_failures

RECORDED = recorded_failures()
CHECKER = Draft202012Validator(why_schema())


def test_both_controllers_are_recorded_with_at_least_40_failures() -> None:
    controllers = {each["name"].partition(" ")[2] for each in RECORDED}
    assert controllers == {"kube-controller-manager", "jobsworth"}
    assert len(RECORDED) >= 40


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda each: each["name"].replace(" ", "-"))
def test_the_sentence_names_the_cause(recorded: dict[str, Any]) -> None:
    found = diagnosed(recorded)
    print(f"\n{recorded['name']}\n    {found.sentence}")
    assert found.cause == recorded["cause"], found.sentence
    assert [words for words in recorded["words"] if words not in found.sentence] == []
    lines = list(why_lines(found, {}))
    assert lines[0] == found.sentence
    report = json.loads(render(why_value(found, {})))
    assert [error.message for error in CHECKER.iter_errors(report)] == []
