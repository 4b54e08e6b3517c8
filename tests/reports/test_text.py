"""The text report: its additions to a finding."""

from __future__ import annotations

import pytest

from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.reports import text


def lines(finding: Finding) -> list[str]:
    located = LocatedFinding(finding, 2, 3, "  a: b")
    result = Result(
        file="job.yaml", document=0, kind="Job", name="x", status="valid", findings=[located]
    )
    return list(text.render(result, color=False))


def finding(source: str, *, reason: str, fix: Fix | None = None) -> Finding:
    return Finding(
        source=source,
        severity="warning",
        code="JW101",
        field="a",
        reason=reason,
        message="m",
        fix=fix,
    )


def test_a_lint_rule_is_named() -> None:
    assert lines(finding("lint", reason="rule-shadowed"))[0] == (
        "job.yaml:2:3: warning: Job x: a [JW101 rule-shadowed]"
    )


def test_the_servers_reason_is_not() -> None:
    assert lines(finding("api", reason="FieldDropped"))[0].endswith(" a [JW101]")


@pytest.mark.parametrize(("safe", "word"), [(True, "safe"), (False, "unsafe")])
def test_a_fix_is_reported_with_its_safety(safe: bool, word: str) -> None:
    fix = Fix("delete it", Edit("delete", "a"), safe=safe)
    assert lines(finding("lint", reason="r", fix=fix))[-2] == f"  fix: delete it ({word})"
