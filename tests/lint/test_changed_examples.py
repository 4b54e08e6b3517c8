"""What each rule finds in its examples, and in all small changes of them.

The file beside it has the findings, and the changes that lead to others: limits one more and one less, which of several
items a finding is about, releases, each variant of a message and of a fix. Read its diff after an intended change, which renews it:
``JOBSWORTH_RENEW=1 pytest tests/lint/test_changed_examples.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobsworth.api.api_server import RELEASES, ApiServer
from jobsworth.lint.edit import Edit
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.linter import RULES
from jobsworth.lint.neighbors import Neighbors
from jobsworth.lint.pages import explanation
from jobsworth.validation.engine import engine_for
from support.lint.changed_examples import changes_of
from support.lint.linted_jobs import lint
from support.lint.shown_findings import shown
from support.lint.texts_with_neighbors import edit_in, jobs_in, neighbors_in
from support.recorded_text import expect_recorded

RECORDED = Path(__file__).parent / "data" / "changed_examples"


def found(
    rule: Rule,
    value: Any,
    neighbors: Neighbors,
    edit: Edit | None,
    release: str = RELEASES[-1],
) -> tuple[str, ...]:
    engine = engine_for(ApiServer(release))
    findings = lint(value, engine, [rule], neighbors, edit)
    return tuple(line for each in findings for line in shown(each))


def findings_of(rule: Rule) -> Iterator[str]:
    """Yield the lines about one rule: for each example its findings, then other findings below their changes."""
    page = explanation(rule)
    for which, text in (("Bad", page.bad), ("Good", page.good)):
        neighbors = neighbors_in(text)
        for number, value in enumerate(jobs_in(text), start=1):
            edit = edit_in(text, value)
            unchanged = found(rule, value, neighbors, edit)
            if which == "Good" or number > 1:
                yield ""
            yield f"{which} example, {value['kind']} {number}"
            yield from indented(unchanged)
            others: dict[tuple[str, ...], list[str]] = {}
            changes = [
                (change, found(rule, each, neighbors, edit)) for change, each in changes_of(value)
            ]
            changes += [
                (f"Kubernetes {each}", found(rule, value, neighbors, edit, each))
                for each in RELEASES
            ]
            for change, after in changes:
                if after != unchanged:
                    others.setdefault(after, []).append(change)
            for after, leading in others.items():
                yield from leading
                yield from indented(after)


def indented(lines: tuple[str, ...]) -> Iterator[str]:
    for line in lines or ("nothing",):
        yield f"    {line}"


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.code))
def test_small_changes_of_the_examples_of_a_rule_lead_to_the_recorded_findings(rule: Rule) -> None:
    expect_recorded(RECORDED / f"{rule.code}-{rule.name}.txt", findings_of(rule))
