"""Laws of the text of fixed files, over random objects that have each fix, in random layouts.

Fixing once fixes all that can be fixed; comments stay with what they are about; and no other document of a
file changes, nor one that no client applies, nor for a rule that was not selected or is not shown.
"""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.findings.fix import Edit
from jobsworth.lint.linter import RULES
from jobsworth.lint.pages import explanation
from jobsworth.manifests import read_text
from jobsworth.manifests.parsing.document import Document
from support.cli.command_runs import Validate
from support.law_examples import number_of_examples
from support.lint.applied_fixes import attempts, autofixed
from support.lint.fixable_objects import LINTED, MISIDENTIFIED, REJECTED, variation
from support.lint.linted_jobs import RULE_OF
from support.random_objects.random_texts import Writer

EXAMPLES = {**LINTED, **REJECTED, **MISIDENTIFIED}
SETTINGS = """\
# The settings of the Job.
apiVersion: v1
kind: ConfigMap
metadata: {name:   settings}
data:
    backofLimit:  "3"   # not a field
"""
PATCH = """\
apiVersion: batch/v1
kind: Job
metadata:
    name: train   # the base has the rest
spec: {backofLimit: 3, parallelism: 5, completions: 2}
"""
BLOCK_SCALAR = re.compile(r"[|>]-(  #.*)?\r?$", re.MULTILINE)
"""A scalar in lines of its own, which becomes one line."""
SCALARS = (str, int, float, bool)

examples = st.sampled_from(sorted(EXAMPLES))
seeds = st.integers(0, 2**32)


def written(name: str, seed: int) -> str:
    """A variation of an example, as a user could have written it."""
    return Writer(random.Random(seed)).text(variation(EXAMPLES[name], seed))


def fixed(text: str, **options: Any) -> str:
    return autofixed(text, unsafe=True, **{"select": "JW", **options}).data.decode()


@pytest.mark.slow
@given(examples, seeds)
@settings(max_examples=number_of_examples(50))
def test_once_is_enough(name: str, seed: int) -> None:
    once = fixed(written(name, seed))
    assert fixed(once) == once


@given(examples, seeds)
@settings(max_examples=number_of_examples(50))
def test_comments_are_lost_only_with_what_they_are_about(name: str, seed: int) -> None:
    text = written(name, seed)
    done = autofixed(text, unsafe=True, select=name if name in LINTED else "JW0")
    made = [attempt.located.finding.fix for attempt in attempts(done) if not attempt.reason]
    edits = [edit for fix in made if fix is not None for edit in fix.edits]
    after = done.data.decode()
    if all(replaces_a_scalar(edit, text) for edit in edits):
        assert comments(after) == comments(text)
        if not BLOCK_SCALAR.search(text):
            assert len(after.splitlines()) == len(text.splitlines())
    lines = {without_comment(line) for line in after.splitlines()}
    for line in text.splitlines():
        if unique(line, text) and without_comment(line) in lines:
            assert set(comments(line)) <= set(comments(after)), line


def replaces_a_scalar(edit: Edit, text: str) -> bool:
    """Return True for an edit after which the text has as many lines."""
    if edit.action == "rename":
        return True
    (document,) = read_text(text.encode(), "job.yaml")
    return edit.action == "set" and isinstance(edit.value, SCALARS) and is_scalar(document, edit)


def is_scalar(document: Document, edit: Edit) -> bool:
    from jobsworth.findings.edits import at, locate

    place = locate(document.value, edit.field)
    if place.missing:
        return False
    now = at(document.value, place.steps)
    return isinstance(now, SCALARS) and "\n" not in str(now)


def comments(text: str) -> list[str]:
    return re.findall(r"# comment \d+\.", text)


def without_comment(line: str) -> str:
    return re.sub(r"\s*# comment \d+\.$", "", line).strip()


def unique(line: str, text: str) -> bool:
    """Return True for a line with a field that the text has once."""
    content = without_comment(line)
    return (
        ":" in content
        and sum(without_comment(other) == content for other in text.splitlines()) == 1
    )


@pytest.mark.slow
@given(examples, seeds)
@settings(max_examples=number_of_examples(40))
def test_other_documents_stay_as_they_are(name: str, seed: int) -> None:
    text = written(name, seed).replace("\r\n", "\n").removesuffix("\n")
    alone = fixed(text + "\n")
    together = fixed(f"{SETTINGS}---\n{text}\n---\n{PATCH}")
    assert together == f"{SETTINGS}---\n{alone}---\n{PATCH}"


@given(examples, seeds, st.sampled_from(["00-assert.yaml", "values.yaml", "tests/job.yaml"]))
@settings(max_examples=number_of_examples(20))
def test_a_file_that_is_not_applied_stays_as_it_is(name: str, seed: int, file: str) -> None:
    text = written(name, seed)
    assert fixed(text, file=file) == text


@given(st.sampled_from(sorted(LINTED)), st.sampled_from(sorted(LINTED)), seeds)
@settings(max_examples=number_of_examples(20))
def test_only_selected_rules_change_a_file(name: str, other: str, seed: int) -> None:
    text = written(name, seed)
    done = autofixed(text, unsafe=True, select=other)
    made = {attempt.located.finding.code for attempt in attempts(done) if not attempt.reason}
    verdicts = {code for code in made if code.startswith("JW0")}
    assert made - verdicts <= {other}
    assert made or done.data.decode() == text


@pytest.mark.parametrize("code", [code for code in LINTED if RULE_OF[code].severity == "info"])
def test_what_the_report_does_not_show_is_not_fixed(code: str, validate: Validate) -> None:
    text = explanation(RULE_OF[code]).bad
    rules = ",".join(rule.code for rule in RULES if rule.severity != "info")
    done = validate("--fix", "--unsafe", "--ignore", rules, "job.yaml", files={"job.yaml": text})
    assert "fixed:" not in done.err
    with open("job.yaml", encoding="utf-8") as file:
        assert file.read() == text
