"""The rules on the text of a manifest: `validate` reports their bad examples, and not their good ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import jobsworth
from jobsworth.lint import manifest_rules
from jobsworth.lint.catalogue import CATALOGUE
from jobsworth.lint.job_set_rules import JOB_SET_RULES
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.linter import RULES
from jobsworth.lint.pages import explanation
from support.lint.linted_jobs import found, job

each_rule = pytest.mark.parametrize(
    "rule", manifest_rules.MANIFEST_RULES, ids=lambda rule: str(rule.code)
)


def codes_in(text: str, folder: Path, validate: Callable[..., object]) -> set[str]:
    name = "job.json" if text.startswith("{") else "job.yaml"
    # Pages spell out the byte that is not UTF-8.
    (folder / name).write_bytes(text.encode().replace(rb"\xfc", b"\xfc"))
    outcome = validate("--isolated", "-o", "json", name)
    return {
        finding["code"]
        for result in outcome.loaded["results"]  # type: ignore[attr-defined]
        for finding in result["findings"]
    }


@each_rule
def test_the_bad_example_is_reported_and_the_good_one_is_not(
    rule: Rule, tmp_path: Path, validate: Callable[..., object]
) -> None:
    assert rule.code in codes_in(explanation(rule).bad, tmp_path, validate)
    assert rule.code not in codes_in(explanation(rule).good, tmp_path, validate)


@each_rule
def test_the_linter_does_not_run_it(rule: Rule) -> None:
    assert rule not in RULES
    assert rule.check is None


@each_rule
def test_its_page_says_if_it_needs_the_text_of_a_file(rule: Rule) -> None:
    needs_text = "This rule reads the text of a manifest file" in explanation(rule).why
    of_objects = {manifest_rules.NEAR_MISS, *JOB_SET_RULES}
    assert needs_text == (rule not in of_objects)


def test_a_near_miss_is_also_reported_for_an_object() -> None:
    evaluation = jobsworth.evaluate({"apiVersion": "batch/v1", "kind": "Jobb"})
    assert [finding.code for finding in evaluation.findings] == ["JW320"]


@each_rule
def test_a_rule_names_where_its_facts_can_be_read(rule: Rule) -> None:
    assert any("https://" in source for source in explanation(rule).sources)


def test_each_kind_of_note_has_its_rule() -> None:
    assert {kind: rule.code for kind, rule in manifest_rules.NOTES.items()} == {
        "duplicate-key": "JW301",
        "merge-override": "JW302",
        "coerced-key": "JW303",
        "dropped-content": "JW304",
        "replaced-bytes": "JW305",
    }


def test_every_rule_is_in_the_catalogue() -> None:
    for rule in (*RULES, *manifest_rules.MANIFEST_RULES):
        entry = CATALOGUE[rule.code]
        assert (entry.name, entry.severity) == (rule.name, rule.severity)
        assert (entry.fixable, entry.confidence) == (rule.fixable, rule.confidence)
        assert entry.on == (rule.on and rule.confidence != "opinion")


def test_the_linter_reports_nothing_about_them() -> None:
    assert [rule.code for rule in RULES if rule.code.startswith("JW3")] == []
    assert found("JW101", job()) == []
