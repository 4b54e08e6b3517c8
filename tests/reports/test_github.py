"""The report for GitHub Actions: workflow commands, escaped as the runner reads them."""

from __future__ import annotations

import pytest

from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.reports import github


def command(
    *,
    file: str = "job.yaml",
    severity: str = "error",
    message: str = "wrong",
    hint: str = "",
    line: int | None = 3,
) -> str:
    finding = Finding(
        source="lint",
        severity=severity,
        code="JW101",
        field="spec.template",
        reason="rule-shadowed",
        message=message,
        hint=hint,
    )
    located = LocatedFinding(finding, line, None if line is None else 5)
    (written,) = github.render(Result(file=file, document=0, status="valid", findings=[located]))
    return written


def test_a_finding_is_an_annotation_of_its_line() -> None:
    assert command() == (
        "::error file=job.yaml,line=3,col=5,title=JW101 rule-shadowed::spec.template: wrong"
    )


@pytest.mark.parametrize(
    ("severity", "kind"), [("error", "error"), ("warning", "warning"), ("info", "notice")]
)
def test_severities_have_their_commands(severity: str, kind: str) -> None:
    assert command(severity=severity).startswith(f"::{kind} file=")


@pytest.mark.parametrize(
    ("message", "escaped"),
    [
        ("100 %", "100 %25"),
        ("one\ntwo\r\nthree", r"one\ntwo\r\nthree"),
        ("a: b, c::d", "a: b, c::d"),
        ("%0A", "%250A"),
    ],
)
def test_messages_are_escaped(message: str, escaped: str) -> None:
    assert command(message=message).endswith(f"::spec.template: {escaped}")


@pytest.mark.parametrize(
    ("file", "written"),
    [
        ("a,b:c%.yaml", "a%2Cb%3Ac%25.yaml"),
        ("./jobs/a.yaml", "jobs/a.yaml"),
        ("jobs\\a.yaml", "jobs/a.yaml"),
    ],
)
def test_file_names_are_escaped(file: str, written: str) -> None:
    assert f"file={written},line=3" in command(file=file)


def test_a_hint_is_reported() -> None:
    assert command(hint="look").endswith("wrong (look)")


def test_standard_input_is_no_file() -> None:
    assert command(file="<stdin>").startswith("::error title=JW101")


def test_a_whole_file_has_no_line() -> None:
    assert command(line=None).startswith("::error file=job.yaml,title=")
