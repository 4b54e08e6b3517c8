"""Codes that a selector names, and the codes that are reported."""

from __future__ import annotations

import pytest

from jobsworth.findings.finding import SEVERITIES, Finding
from jobsworth.lint.catalogue import CATALOGUE, UnknownCode, codes_named, codes_to_change
from jobsworth.lint.linter import RULES
from jobsworth.lint.selection import Selection, ignored, selected
from jobsworth.validation.reason_codes import CODES


def finding(code: str, severity: str = "warning") -> Finding:
    return Finding(source="lint", severity=severity, code=code, field="", reason="r", message="m")


def test_the_catalogue_has_every_code_once() -> None:
    assert {rule.code for rule in RULES} | set(CODES.values()) < set(CATALOGUE)
    assert list(CATALOGUE) == sorted(CATALOGUE)
    names = [entry.name for entry in CATALOGUE.values()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("code", CATALOGUE)
def test_an_entry_is_complete(code: str) -> None:
    entry = CATALOGUE[code]
    assert entry.severity in SEVERITIES
    assert entry.summary.endswith(".")
    assert codes_named(entry.name) == {code}


def test_only_validation_errors_cannot_be_ignored() -> None:
    verdict = {entry.code for entry in CATALOGUE.values() if entry.verdict}
    assert verdict == {f"JW{number:03}" for number in range(1, 12)} | {
        "JW021",
        "JW022",
        "JW026",
        "JW027",
        "JW090",
        "JW093",
        "JW096",
    }


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        ("JW101", {"JW101"}),
        ("jw101", {"JW101"}),
        ("rule-shadowed", {"JW101"}),
        (
            "JW09",
            {
                "JW090",
                "JW091",
                "JW092",
                "JW093",
                "JW094",
                "JW095",
                "JW096",
                "JW097",
                "JW098",
                "JW099",
            },
        ),
    ],
)
def test_a_word_names_codes(word: str, codes: set[str]) -> None:
    assert codes_named(word) == codes


@pytest.mark.parametrize("word", ["", "JW1010", "rule", "Rule-Shadowed", "1"])
def test_an_unknown_selector_is_rejected(word: str) -> None:
    with pytest.raises(UnknownCode, match="unknown rule"):
        codes_named(word)


@pytest.mark.parametrize("word", ["JP060", "jp002", "JP"])
def test_policy_codes_are_not_rules(word: str) -> None:
    with pytest.raises(UnknownCode, match=f'"{word}" is a policy code, not a rule'):
        codes_named(word)


def test_validation_codes_are_excluded_from_what_can_be_changed() -> None:
    assert codes_to_change("JW09") == {
        "JW091",
        "JW092",
        "JW094",
        "JW095",
        "JW097",
        "JW098",
        "JW099",
    }
    with pytest.raises(UnknownCode, match="error of the API server"):
        codes_to_change("JW00")


@pytest.mark.parametrize(
    ("selection", "reported"),
    [
        (Selection(), ["JW004", "JW020", "JW101", "JW301", "JW900"]),
        (Selection(select=selected(["JW1"])), ["JW004", "JW020", "JW101"]),
        (Selection(select=selected(["default"])), ["JW004", "JW020", "JW101", "JW301", "JW900"]),
        (Selection(select=frozenset()), ["JW004", "JW020"]),
        (Selection(ignore=ignored(["JW"])), ["JW004"]),
        (Selection(select=selected(["JW"]), ignore=ignored(["JW1", "JW020"])), ["JW004", "JW301", "JW900"]),
        (Selection(ignore=ignored(["JW1"])).without(ignored(["JW3"])), ["JW004", "JW020", "JW900"]),
    ],
)  # fmt: skip
def test_a_selection_reports(selection: Selection, reported: list[str]) -> None:
    codes = ["JW004", "JW020", "JW101", "JW301", "JW900"]
    assert [code for code in codes if selection.reports(code)] == reported
    assert [code for code in codes if selection.adjusted(finding(code))] == reported


def test_a_rule_off_by_default_reports_when_it_is_selected() -> None:
    (off,) = (rule for rule in RULES if rule.name == "needless-token")
    assert not Selection().selects(off)
    assert not Selection(select=selected(["default"])).selects(off)
    assert Selection(select=selected(["default", off.name])).selects(off)
    assert Selection(select=selected(["JW5"])).selects(off)


def test_severities_are_set() -> None:
    selection = Selection(severity={"JW101": "info"})
    assert selection.adjusted(finding("JW101")) == finding("JW101", "info")
    untouched = finding("JW102")
    assert selection.adjusted(untouched) is untouched


def test_only_the_default_leaves_all_as_it_is() -> None:
    assert Selection().is_default
    for other in (
        Selection(select=frozenset()),
        Selection(ignore=frozenset(["JW101"])),
        Selection(severity={"JW101": "info"}),
    ):
        assert not other.is_default
