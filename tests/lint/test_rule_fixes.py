"""Laws for the fix of every lint rule, in the text of its own bad example."""

from __future__ import annotations

import re

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.edits import edited, identical
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.linter import RULES
from jobsworth.lint.pages import explanation
from jobsworth.validation.engine import engine_for
from support.lint.applied_fixes import attempts, autofixed, findings_left
from support.lint.linted_jobs import lint
from support.lint.texts_with_neighbors import jobs_in, neighbors_in

FIXABLE = [rule for rule in RULES if rule.fixable]

each_fixable_rule = pytest.mark.parametrize("rule", FIXABLE, ids=lambda rule: str(rule.code))


def fix(rule: Rule, text: str, *, unsafe: bool | None = None) -> str:
    allowed = rule.fixable == "unsafe" if unsafe is None else unsafe
    return autofixed(text, select=rule.code, unsafe=allowed).data.decode()


@each_fixable_rule
def test_a_fix_removes_its_finding_and_leaves_a_valid_manifest(rule: Rule) -> None:
    done = autofixed(explanation(rule).bad, select=rule.code, unsafe=rule.fixable == "unsafe")
    assert done.data.decode() != explanation(rule).bad
    assert findings_left(done) == []
    assert [attempt.reason for attempt in attempts(done)] == [""] * len(attempts(done))


@each_fixable_rule
def test_a_fix_is_as_safe_as_its_rule_declares(rule: Rule) -> None:
    if rule.fixable == "unsafe":
        assert fix(rule, explanation(rule).bad, unsafe=False) == explanation(rule).bad


@each_fixable_rule
def test_a_fix_is_made_once(rule: Rule) -> None:
    once = fix(rule, explanation(rule).bad)
    assert fix(rule, once) == once
    assert fix(rule, explanation(rule).good) == explanation(rule).good


@each_fixable_rule
def test_nothing_changes_but_what_the_edits_say(rule: Rule) -> None:
    text = explanation(rule).bad
    (value,) = jobs_in(text)
    engine, neighbors = engine_for(ApiServer("1.36")), neighbors_in(text)
    while found := [
        each for each in lint(value, engine, [rule], neighbors) if each.fix is not None
    ]:
        value = edited(value, *found[-1].fix.edits)
    (fixed_value,) = jobs_in(fix(rule, text))
    assert identical(fixed_value, value)


def annotated(text: str) -> str:
    """The text with a comment of its own above and at the end of every line."""
    lines = []
    for number, line in enumerate(text.splitlines()):
        margin = line[: len(line) - len(line.lstrip())]
        lines += [f"{margin}# above {number}.", f"{line}  # beside {number}."]
    return "\n".join(lines) + "\n"


@each_fixable_rule
def test_comments_stay_with_the_lines_that_stay(rule: Rule) -> None:
    if "|" in explanation(rule).bad or ">" in explanation(rule).bad:
        pytest.skip("in a block of text there are no comments")
    before = annotated(explanation(rule).bad)
    after = fix(rule, before)
    assert after != before
    # A mapping whose only key moves to a new one goes with its comment.
    emptied = ("annotations:", "labels:") if rule.code in ("JW227", "JW247", "JW248") else ()
    stripped = [line.partition("  # ")[0].strip() for line in before.splitlines()]
    kept = [line.partition("  # ")[0].strip() for line in after.splitlines()]
    for line, comment in re.findall(r"^ *(.*?)  (# beside \d+\.)$", before, re.MULTILINE):
        if line in kept and kept.count(line) == stripped.count(line) and line not in emptied:
            assert comment in after, line


@each_fixable_rule
def test_lines_that_the_fix_has_nothing_to_do_with_stay(rule: Rule) -> None:
    after = fix(rule, explanation(rule).bad).splitlines()
    for head in explanation(rule).bad.splitlines()[:4]:
        assert head in after
