"""Laws for every lint rule: its examples do what they show, and it reports no good manifest."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.edits import edited
from jobsworth.findings.finding import SEVERITIES, Finding
from jobsworth.lint.edit import Edit
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.linter import RULES, Linter
from jobsworth.lint.neighbors import Neighbors
from jobsworth.lint.pages import explanation
from jobsworth.manifests import read_file
from jobsworth.validation.engine import UnknownKind, engine_for
from support.lint.linted_jobs import lint
from support.lint.texts_with_neighbors import edit_in, job_documents, jobs_in, neighbors_in
from support.random_objects.random_jobs import random_job

ROOT = Path(__file__).parent.parent.parent
SOUND = sorted((ROOT / "examples/valid").iterdir())
CASES = sorted((ROOT / "tests/oracle/cases").glob("*.jsonl.xz"))
NEWEST = ApiServer()

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.code))


def findings(rule: Rule, text: str, server: ApiServer = NEWEST) -> list[Finding]:
    engine, neighbors = engine_for(server), neighbors_in(text)
    return [
        found
        for value in jobs_in(text)
        for found in lint(value, engine, [rule], neighbors, edit_in(text, value))
    ]


QUOTING = ("JW124", "JW416")
"""Rules whose messages end with the words of the API server or of a parser."""


@each_rule
def test_a_rule_says_what_it_is_about(rule: Rule) -> None:
    assert rule.code[:2] == "JW"
    assert rule.code[2:].isdecimal()
    assert len(rule.code) == 5
    assert rule.name == rule.name.lower()
    assert rule.name.replace("-", "").isalnum()
    assert rule.severity in SEVERITIES
    assert rule.fixable in ("", "safe", "unsafe")
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary
    why = explanation(rule).why
    assert why.strip() == why
    assert why.endswith(".")


@each_rule
def test_a_rule_is_declared_by_the_check_of_its_name(rule: Rule) -> None:
    assert rule.check is not None
    assert rule.check.__name__ == rule.name.replace("-", "_")


@each_rule
def test_a_rule_names_where_its_facts_can_be_read(rule: Rule) -> None:
    sources = explanation(rule).sources
    assert any("https://" in source for source in sources), (
        "add the URL of a source to the section Sources, the last one of the page"
    )


def test_codes_and_names_are_unique_and_sorted() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len({rule.name for rule in RULES}) == len(RULES)


@each_rule
def test_the_bad_example_is_reported(rule: Rule) -> None:
    found = findings(rule, explanation(rule).bad)
    assert found, "the rule does not report the example in the section Bad of its page"
    for finding in found:
        assert finding.code == rule.code
        assert finding.source == "lint"
        assert finding.severity == rule.severity
        assert finding.reason == rule.name
        assert finding.message
        assert finding.message.endswith((".", "?")) or rule.code in QUOTING


@each_rule
def test_the_good_example_is_left_alone(rule: Rule) -> None:
    assert findings(rule, explanation(rule).good) == []


@each_rule
@pytest.mark.parametrize("which", ["bad", "good"])
def test_the_api_server_accepts_the_examples(rule: Rule, which: str) -> None:
    for value in jobs_in(getattr(explanation(rule), which)):
        found = engine_for(NEWEST).validate(value)
        assert [finding for finding in found if finding.severity == "error"] == []


@each_rule
def test_a_finding_stands_where_its_field_is(rule: Rule) -> None:
    text = explanation(rule).bad
    for document in job_documents(text):
        edit = edit_in(text, document.value)
        for finding in lint(document.value, engine_for(NEWEST), [rule], neighbors_in(text), edit):
            assert document.position(finding.field).line > 1


@each_rule
def test_a_rule_that_has_fixes_says_so(rule: Rule) -> None:
    fixes = [
        finding.fix for finding in findings(rule, explanation(rule).bad) if finding.fix is not None
    ]
    assert bool(fixes) == bool(rule.fixable), (
        "set fixable in @lint_rule if, and only if, the finding of the bad example has a fix"
    )
    for fix in fixes:
        assert fix.edits
        assert fix.safe or rule.fixable == "unsafe"
        assert fix.title[0].isupper()


@each_rule
def test_the_fix_repairs_the_bad_example_and_keeps_it_valid(rule: Rule) -> None:
    engine, text = engine_for(NEWEST), explanation(rule).bad
    neighbors = neighbors_in(text)
    for value in jobs_in(text):
        for finding in lint(value, engine, [rule], neighbors):
            if finding.fix is not None:
                fixed = edited(value, *finding.fix.edits)
                assert finding not in lint(fixed, engine, [rule], neighbors)
                errors = [found for found in engine.validate(fixed) if found.severity == "error"]
                assert errors == []


@pytest.mark.parametrize("path", SOUND, ids=lambda path: str(path.name))
@pytest.mark.parametrize("release", ["1.31", "1.36"])
def test_no_rule_reports_a_good_manifest(path: Path, release: str) -> None:
    engine = engine_for(ApiServer(release))
    rules = [rule for rule in RULES if rule.on]
    for document in read_file(str(path)):
        try:
            assert lint(document.value, engine, rules) == [], (
                "examples/valid must have no findings: restrict the rule, or correct the example"
            )
        except UnknownKind:
            continue


@pytest.mark.slow
@pytest.mark.parametrize("path", CASES, ids=lambda path: str(path.name).partition(".")[0])
def test_rules_look_at_any_object_that_can_be_decoded(path: Path) -> None:
    engine = engine_for(ApiServer("1.36"))
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            value = json.loads(line)["object"]
            try:
                found = lint(value, engine, RULES)
            except UnknownKind:
                continue
            assert all(finding.field and finding.message for finding in found)


def test_no_lint_rule_contradicts_the_api_server() -> None:
    """A document with an error is invalid; what the API server accepts is valid, whatever we think."""
    assert [rule.code for rule in RULES if rule.severity == "error"] == []


EVERY_RULE = Linter(lambda rule: True)


def found_by_families_that_apply(
    value: Any, neighbors: Neighbors | None = None, edit: Edit | None = None
) -> list[tuple[str, str]]:
    """Return the codes and fields that a linter finds, after checking that no other family has more."""
    engine = engine_for(NEWEST)
    found = EVERY_RULE.lint(engine.decode_object(value), engine, neighbors=neighbors, edit=edit)
    by_families = sorted((each.code, each.field) for each in found)
    by_all = sorted((each.code, each.field) for each in lint(value, engine, RULES, neighbors, edit))
    assert by_families == by_all
    return by_families


@each_rule
def test_a_family_applies_to_the_bad_examples_of_its_rules(rule: Rule) -> None:
    text = explanation(rule).bad
    codes = {
        code
        for value in jobs_in(text)
        for code, _ in found_by_families_that_apply(value, neighbors_in(text), edit_in(text, value))
    }
    assert rule.code in codes


@given(st.integers(0, 2**32))
def test_a_family_that_does_not_apply_has_no_finding(seed: int) -> None:
    found_by_families_that_apply(random_job(seed))
