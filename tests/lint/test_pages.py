"""The pages of rules, as Markdown."""

from __future__ import annotations

from importlib.resources import files

import pytest

from jobsworth.lint import manifest_rules, pages
from jobsworth.lint.catalogue import CATALOGUE
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.linter import RULES

ALL = [*RULES, *manifest_rules.MANIFEST_RULES]
RULE_OF = {rule.code: rule for rule in ALL}
HEADINGS = ["Why", "Bad", "Good", "Sources", "To ignore it"]

each_rule = pytest.mark.parametrize("rule", ALL, ids=lambda rule: str(rule.code))


@each_rule
def test_a_page_has_all_that_is_known_of_a_rule(rule: Rule) -> None:
    text = pages.page(rule)
    assert text.startswith(f"# {rule.code} {rule.name}\n\n{rule.summary}\n")
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert headings == HEADINGS, "a page has the sections Why, Bad, Good, Sources, in this order"
    explained = pages.explanation(rule)
    assert explained.why in text
    assert explained.bad in text
    assert explained.good in text
    for source in explained.sources:
        assert f"- {source}\n" in text
    assert f"`# jobsworth: ignore[{rule.code}] reason`" in text


@each_rule
def test_the_sections_of_a_page_are_distinguished(rule: Rule) -> None:
    explained = pages.explanation(rule)
    prose = [explained.why, explained.bad, explained.good, *explained.sources]
    assert all(prose)
    assert not any("```" in part or "\n## " in part for part in prose)
    assert explained.bad.endswith("\n")
    assert explained.good.endswith("\n")


def test_each_rule_has_its_file_and_each_file_its_rule() -> None:
    folder = files("jobsworth.lint") / "rule_pages"
    assert {file.name for file in folder.iterdir()} == {pages.file_name(rule) for rule in ALL}, (
        "a page is named after the code and name of its rule; lint/linter.py imports the module of the rule"
    )


@each_rule
def test_a_page_is_text_that_every_terminal_takes(rule: Rule) -> None:
    text = pages.page(rule)
    assert text.encode()
    assert text.endswith("\n")
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert text.count("```") % 2 == 0


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("JW101", "- Severity: warning"),
        (
            "JW404",
            "- Fix: unsafe, with `--fix --unsafe`: the behavior of the Job may change",
        ),
        ("JW111", "- Fix: safe, with `--fix`: the behavior of the Job does not change"),
        ("JW401", "- Fix: none"),
        ("JW401", "- Reported by default: yes"),
        ("JW503", "- Reported by default: no, select it: `--select default,JW503`"),
    ],
)
def test_a_page_describes_severity_and_fix(code: str, line: str) -> None:
    assert line in pages.page(RULE_OF[code]).splitlines()


@pytest.mark.parametrize(
    ("code", "counts", "line"),
    [
        ("JW501", [792, 54], "- In public repositories: in 792 of 1,660 valid Jobs and CronJobs (48 %), from 54 repositories"),
        ("JW222", [5, 1], "- In public repositories: in 5 of 1,660 valid Jobs and CronJobs (0.3 %), from 1 repository"),
        ("JW101", [0, 0], "- In public repositories: in none of 1,660 valid Jobs and CronJobs"),
    ],
)  # fmt: skip
def test_a_page_says_how_often_a_rule_is_reported(
    code: str, counts: list[int], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"objects": 1660, "repositories": 80, "reported": {code: counts}}
    monkeypatch.setattr(pages, "_measured", lambda: table)
    assert line in pages.page(RULE_OF[code]).splitlines()


def test_rules_on_the_text_of_manifests_were_not_measured() -> None:
    assert "In public repositories" not in pages.page(RULE_OF["JW301"])


def test_few_real_manifests_have_a_warning_of_the_same_rule() -> None:
    table = pages._measured()
    assert set(table["reported"]) <= set(RULE_OF)
    for code, (objects, repositories) in table["reported"].items():
        assert repositories <= objects <= table["objects"]
        if RULE_OF[code].on and RULE_OF[code].severity != "info" and code != "JW501":
            assert objects <= table["objects"] / 10, "make it an info finding, or restrict it"


def test_json_examples_are_marked_as_such() -> None:
    assert "```json\n{" in pages.page(RULE_OF["JW305"])


@pytest.mark.parametrize(
    ("code", "remark"),
    [
        ("JW004", "error of the API server"),
        ("JW090", "No lint rule"),
        ("JW020", "No lint rule"),
    ],
)
def test_a_code_without_a_rule_has_a_short_page(code: str, remark: str) -> None:
    text = pages.short_page(CATALOGUE[code])
    assert text.startswith(f"# {code} ")
    assert remark in text


def test_the_table_is_aligned() -> None:
    lines = pages.table([CATALOGUE["JW101"], CATALOGUE["JW503"]]).splitlines()
    assert lines == [
        "code   name            severity  fix     summary",
        "JW101  rule-shadowed   warning   unsafe  A rule of a failure policy never applies, because earlier rules cover it.",
        "JW503  needless-token  info      unsafe  The token of the default service account is mounted. "
        "(off by default)",
    ]


def test_the_index_leads_to_every_page_once() -> None:
    text = pages.index(ALL, [CATALOGUE["JW004"]])
    for rule in ALL:
        assert text.count(f"[{rule.code}]({pages.file_name(rule)})") == 1
    assert "| [JW004](JW004-FieldValueInvalid.md) | FieldValueInvalid | error |" in text
