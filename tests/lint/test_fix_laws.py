"""Laws of every fix, over random objects that have it, and over a collection of real ones.

A fix is never offered if it changes nothing or cannot be applied; it resolves its finding, and never makes
the API server reject an object that it accepts. A safe fix leaves the object with the API server's defaults
as it is, but for the fields that the fix names.

The collection is optional: the environment variable JOBSWORTH_OBJECTS names a folder of files of JSON lines,
compressed with xz, as benchmarks/rule_findings.py reads them.
"""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jobsworth.evaluation.fixes import api_fixes, api_hints
from jobsworth.files.fixing.autofix_loop import autofix
from jobsworth.findings.edits import at, edited, is_part_of, locate
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit
from jobsworth.findings.summary import Summary
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.linter import RULES
from jobsworth.lint.misidentified import NEAR_MISS, near_miss
from jobsworth.validation.engine import UnknownKind
from support.law_examples import number_of_examples
from support.lint.applied_fixes import file_evaluator
from support.lint.fix_laws import ENGINE, broken_laws
from support.lint.fixable_objects import (
    BESIDE,
    LINTED,
    MISIDENTIFIED,
    REJECTED,
    REJECTED_BY,
    variation,
)
from support.lint.linted_jobs import RULE_OF, lint

COLLECTION = os.environ.get("JOBSWORTH_OBJECTS", "")
LATEST = "1.36"
EVALUATORS = {
    server: file_evaluator(
        select="JW", release=server.split()[0], gates=",".join(server.split()[1:])
    )
    for server in (LATEST, *REJECTED_BY.values())
}
WITHOUT_FIX = (
    "_known_names", "_label_value", "_missing_image", "_never_ends", "_no_completions", "_time_zone",
)  # fmt: skip
"""Hints that give no fix; their errors have one, or more than one answer."""

seeds = st.integers(0, 2**32)
each_rule = pytest.mark.parametrize("code", sorted(LINTED))
each_rejected = pytest.mark.parametrize("name", REJECTED)


def linted(value: Any, rule: Rule) -> list[Finding]:
    """The API server's findings, and those of a rule."""
    try:
        return [*ENGINE.validate(value), *lint(value, ENGINE, [rule], BESIDE.get(rule.code))]
    except UnknownKind:
        found = near_miss(value)
        return [] if found is None else [found]


def evaluated(value: Any, server: str = LATEST) -> list[Finding]:
    """The findings that a file with the object has, with the fixes of the API server's errors."""
    results = EVALUATORS[server].text("job.json", json.dumps(value).encode())
    return [
        located.finding for result in results for located in result.findings if not located.further
    ]


@each_rule
@given(seed=seeds)
@settings(max_examples=number_of_examples(10))
def test_the_fix_of_a_rule_keeps_the_laws(code: str, seed: int) -> None:
    value, rule = variation(LINTED[code], seed), RULE_OF[code]
    findings = linted(value, rule)
    assume(any(finding.fix is not None for finding in findings))
    assert broken_laws(value, findings, lambda fixed: linted(fixed, rule)) == []


@each_rule
def test_no_safe_fix_deletes_a_part_in_which_the_api_server_finds_an_error(code: str) -> None:
    value = LINTED[code]
    for part in deleted_by(evaluated(value)):
        for path, written in scalars_below(value, part):
            wrong = edited(value, Edit("set", path, "-" if isinstance(written, str) else 10**6))
            findings = evaluated(wrong)
            errors = [each.place for each in findings if each.severity == "error"]
            for deleted in deleted_by(each for each in findings if each.severity != "error"):
                assert not [place for place in errors if is_part_of(place, deleted)]


def deleted_by(findings: Iterable[Finding]) -> set[str]:
    """The parts of the spec that safe fixes delete."""
    return {
        edit.field
        for each in findings
        if each.fix is not None and each.fix.safe
        for edit in each.fix.edits
        if edit.action == "delete" and edit.field.startswith("spec.")
    }


def scalars_below(value: Any, path: str) -> list[tuple[str, Any]]:
    """The texts and numbers in a part of an object, with their paths."""
    part = at(value, locate(value, path).steps)
    if isinstance(part, dict):
        return [each for key in part for each in scalars_below(value, f"{path}.{key}")]
    if isinstance(part, list):
        return [each for i in range(len(part)) for each in scalars_below(value, f"{path}[{i}]")]
    return [(path, part)]


@pytest.mark.parametrize("value", [*LINTED.values(), *REJECTED.values()], ids=[*LINTED, *REJECTED])
def test_as_many_safe_fixes_are_counted_as_are_made(value: dict[str, Any]) -> None:
    evaluator, data = EVALUATORS[LATEST], json.dumps(value).encode()
    counted = Summary(evaluator.text("job.json", data), infos=True)
    done = Summary(autofix(evaluator, "job.json", data, unsafe=False).results, infos=True)
    assert counted.fixable["safe"] == done.fixed - done.unlocked


@each_rejected
@given(seed=seeds)
@settings(max_examples=number_of_examples(5))
def test_the_fix_of_an_error_keeps_the_laws(name: str, seed: int) -> None:
    value, server = variation(REJECTED[name], seed), REJECTED_BY.get(name, LATEST)
    findings = [each for each in evaluated(value, server) if each.severity == "error"]
    assert broken_laws(value, findings, lambda fixed: evaluated(fixed, server)) == []


@pytest.mark.parametrize("name", MISIDENTIFIED)
@given(seed=seeds)
@settings(max_examples=number_of_examples(5))
def test_the_fix_of_a_near_miss_keeps_the_laws(name: str, seed: int) -> None:
    value = variation(MISIDENTIFIED[name], seed)
    findings = linted(value, NEAR_MISS)
    assert [finding.fix is not None for finding in findings] == [True]
    assert broken_laws(value, findings, lambda fixed: linted(fixed, NEAR_MISS)) == []


@each_rule
def test_every_rule_with_a_fix_has_an_example_of_it(code: str) -> None:
    """Random variations of the example keep the fix often enough for the laws to mean something."""
    fixed = 0
    for seed in range(20):
        findings = linted(variation(LINTED[code], seed), RULE_OF[code])
        fixed += any(finding.code == code and finding.fix is not None for finding in findings)
    assert fixed >= 5


def test_the_examples_are_those_of_the_registry() -> None:
    assert {rule.code for rule in RULES if rule.fixable} == LINTED.keys()
    assert NEAR_MISS.fixable


def test_every_fix_of_an_error_has_an_example_of_it() -> None:
    examples = [
        finding
        for name, value in REJECTED.items()
        for finding in evaluated(value, REJECTED_BY.get(name, LATEST))
    ]
    fixed = [finding for finding in examples if finding.fix is not None]
    hints_with_fix = {
        rule for rule, hint in api_hints.HINTS.items() if hint.__name__ not in WITHOUT_FIX
    }
    rules = {finding.rule for finding in fixed}
    assert api_fixes.FIXERS.keys() - rules == set()
    assert hints_with_fix - rules == set()
    assert api_fixes.FIXERS_BY_REASON.keys() - {finding.reason for finding in fixed} == set()


@pytest.mark.skipif(not COLLECTION, reason="JOBSWORTH_OBJECTS names no collection")
def test_the_fixes_of_real_objects_keep_the_laws() -> None:
    broken, fixes = [], 0
    for value in objects(Path(COLLECTION)):
        findings = evaluated(value)
        fixes += sum(finding.fix is not None for finding in findings)
        broken += broken_laws(value, findings, evaluated)
    print(f"{fixes} fixes")
    assert broken == []
    assert fixes


def objects(folder: Path) -> Sequence[Any]:
    found = []
    for path in sorted(folder.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            found += [json.loads(line)["object"] for line in lines]
    return found
