"""No text from a manifest controls the terminal or the CI runner that a report is written to."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Fix
from jobsworth.findings.located_finding import FixAttempt, LocatedFinding, TextChange
from jobsworth.findings.result import Result
from jobsworth.printable import printable, printable_json
from jobsworth.reports import (
    concise,
    findings_report,
    github,
    junit,
    overview,
    sarif,
    statistics,
    text,
)

Render = Callable[[Result], Iterable[str]]

REPORTS: dict[str, Render] = {
    "text": lambda result: text.render(result, color=False),
    "concise": concise.render,
    "github": github.render,
    "json": lambda result: [findings_report.render([result], statistics=True)],
    "sarif": lambda result: [sarif.render([result])],
    "junit": lambda result: [junit.render([result])],
    "table": lambda result: overview.render([result]),
    "statistics": lambda result: statistics.table([result]),
    "fixed": lambda result: [each.sentence(result.file) for each in result.attempts],
}

HOSTILE = st.text(
    st.characters(exclude_categories=["Cs"])
    | st.sampled_from("\x00\x07\x1b\r\n\x7f\x85\x9b\u202e\u2028\u2066\udcff:#[]"),
    min_size=1,
    max_size=12,
) | st.sampled_from(["::error::x", "\n::stop-commands::y", "##[error]", "##vso[task.complete]"])


def result_of(word: str) -> Result:
    """An invalid object whose every name and text is the same word."""
    finding = Finding(
        source="lint",
        severity="error",
        code="JW101",
        field=word,
        reason=word,
        message=word,
        hint=word,
        fix=Fix(word, safe=True),
    )
    located = LocatedFinding(
        finding, 1, 2, excerpt=f"x{word}x", policy=word, changes=(TextChange(1, 2, 1, word),)
    )
    return Result(
        file=word,
        kind=word,
        namespace=word,
        name=word,
        status="invalid",
        findings=[located],
        attempts=[FixAttempt(located, word)],
    )


def lines_of(render: Render, word: str) -> list[str]:
    return "\n".join(render(result_of(word))).split("\n")


@pytest.mark.parametrize("render", REPORTS.values(), ids=REPORTS)
@given(word=HOSTILE)
def test_no_string_adds_a_line_or_a_control_character_to_a_report(
    render: Render, word: str
) -> None:
    lines = lines_of(render, word)
    assert len(lines) == len(lines_of(render, "x"))
    for line in lines:
        assert not [each for each in line if unicodedata.category(each) in ("Cc", "Cf", "Cs")]
        assert not {"\u2028", "\u2029"} & set(line)


@pytest.mark.parametrize("name", REPORTS)
@given(word=HOSTILE)
def test_no_string_makes_a_line_of_a_report_a_workflow_command(name: str, word: str) -> None:
    for line in lines_of(REPORTS[name], word):
        assert not line.lstrip().startswith("::") or name == "github"
        assert "##[" not in line
        assert "##vso[" not in line


@given(word=HOSTILE)
def test_json_keeps_the_value_and_junit_stays_well_formed(word: str) -> None:
    (found,) = json.loads(findings_report.render([result_of(word)]))["results"]
    assert found["name"] == word
    (run,) = json.loads(sarif.render([result_of(word)]))["runs"]
    assert word in run["results"][0]["message"]["text"]
    ElementTree.fromstring(junit.render([result_of(word)]))


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_text_of_letters_and_symbols_is_left_alone(word: str) -> None:
    if "##" not in word and "::" not in word:
        assert printable(word) == word


@given(value=st.dictionaries(st.text(), st.text()))
def test_escaped_json_has_the_same_value(value: dict[str, str]) -> None:
    assert json.loads(printable_json(json.dumps(value, ensure_ascii=False))) == value


@pytest.mark.parametrize(
    ("raw", "escaped"),
    [
        ("a\x1b[31m", r"a\x1b[31m"),
        ("a\r\n\tb", r"a\r\n\tb"),
        ("\u202eabc", r"\u202eabc"),
        ("\U000e0001", r"\U000e0001"),
        ("\udcff.yaml", r"\xff.yaml"),
        (" ::error::x", r" \x3a:error::x"),
        ("a::error::x", "a::error::x"),
        ("a ##[error]x", r"a \x23#[error]x"),
        ("a ### b", "a ### b"),
    ],
)
def test_each_kind_of_character_has_its_escape(raw: str, escaped: str) -> None:
    assert printable(raw) == escaped


def test_the_caret_stands_below_its_field_behind_an_escape() -> None:
    located = LocatedFinding(result_of("x").findings[0].finding, 1, 4, excerpt="a\x1b: bad")
    result = Result(file="a", document=0, status="invalid", findings=[located])
    lines = list(text.render(result, color=False))
    source = next(line for line in lines if r"a\x1b: bad" in line)
    caret = next(line for line in lines if "^" in line)
    assert caret.index("^") == source.index(": bad") + 1
