"""The sentence about each failure that was recorded on a test bed names its cause; ``pytest -s`` prints them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jobsworth.reports.sections import text_lines
from jobsworth.reports.why_json import render
from jobsworth.reports.why_report import why_schema
from jobsworth.reports.why_sections import why_sections
from jobsworth.runs.why.answer import Answer
from jobsworth.runs.why.summary import MAX_WORDS, summary_of
from support.why.recorded_failures import diagnosed, recorded_failures

RECORDED = recorded_failures()
CHECKER = Draft202012Validator(why_schema())


def test_both_controllers_are_recorded_with_at_least_40_failures() -> None:
    controllers = {each["name"].partition(" ")[2] for each in RECORDED}
    assert controllers == {"kube-controller-manager", "jobsworth"}
    assert len(RECORDED) >= 40


def test_a_reason_may_name_the_rule_of_the_failure_policy() -> None:
    reason = '"reason": "PodFailurePolicy"'
    recorded = next(each for each in RECORDED if reason in json.dumps(each))
    named = json.loads(json.dumps(recorded).replace(reason, f'{reason[:-1]}_oom"'))
    assert named != recorded
    assert diagnosed(named).sentence == diagnosed(recorded).sentence


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda each: each["name"].replace(" ", "-"))
def test_the_sentence_names_the_cause(recorded: dict[str, Any]) -> None:
    found = diagnosed(recorded)
    print(f"\n{recorded['name']}\n    {found.sentence}")
    assert found.cause == recorded["cause"], found.sentence
    assert [words for words in recorded["words"] if words not in found.sentence] == []
    lines = list(text_lines(why_sections(Answer(found))))
    assert lines[0] == summary_of(found).headline
    assert len(lines[0].split()) <= MAX_WORDS
    report = json.loads(render(Answer(found)))
    assert [error.message for error in CHECKER.iter_errors(report)] == []
