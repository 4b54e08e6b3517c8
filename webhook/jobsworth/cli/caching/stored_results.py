"""Results as plain values, which ``marshal`` writes and reads, and back: for the cache and between processes.

A record is the tuple of its fields. The classes are named here, so that stored data never decides what is
instantiated.
"""

from __future__ import annotations

from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.reports.result import FixAttempt, LocatedFinding, Result, TextChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Plain = tuple[Any, ...]

_FINDING = ("source", "severity", "code", "field", "reason", "message", "hint")
_RESULT = ("file", "document", "item", "kind", "namespace", "name", "status")


def plain_results(results: Sequence[Result]) -> list[Plain]:
    """Return results as tuples."""
    return [
        (
            tuple(getattr(result, name) for name in _RESULT),
            [_plain_located(located) for located in result.findings],
            [_plain_fix(fix) for fix in result.withheld],
            result.unfixable,
            result.fail_on,
            sorted(result.selected),
            [(_plain_located(attempt.located), attempt.reason) for attempt in result.attempts],
        )
        for result in results
    ]


class ResultReader:
    """Makes results of tuples. Equal findings, of which there are many, are made once."""

    def __init__(self) -> None:
        self._findings: dict[Plain, Finding] = {}

    def results(self, stored: Sequence[Plain]) -> list[Result]:
        """Return the results that :func:`plain_results` made tuples of."""
        return list(map(self._result, stored))

    def _result(self, stored: Plain) -> Result:
        fields, findings, withheld, unfixable, fail_on, selected, attempts = stored
        result = Result(
            **dict(zip(_RESULT, fields, strict=True)), findings=list(map(self._located, findings))
        )
        if withheld:
            result.withheld = [fix for fix in map(_fix, withheld) if fix is not None]
        result.unfixable = unfixable
        result.fail_on = fail_on
        if selected:
            result.selected = frozenset(selected)
        if attempts:
            result.attempts = [
                FixAttempt(self._located(located), reason) for located, reason in attempts
            ]
        return result

    def _located(self, stored: Plain) -> LocatedFinding:
        fields, fix, line, column, excerpt, policy, changes, further = stored
        if fix is None:
            finding = self._findings.get(fields)
            if finding is None:
                finding = self._findings[fields] = _finding(fields, None)
        else:
            finding = _finding(fields, _fix(fix))
        return LocatedFinding(
            finding,
            line,
            column,
            excerpt,
            policy,
            tuple(TextChange(*each) for each in changes),
            further,
        )


def _plain_located(located: LocatedFinding) -> Plain:
    finding = located.finding
    return (
        tuple(getattr(finding, name) for name in _FINDING),
        _plain_fix(finding.fix),
        located.line,
        located.column,
        located.excerpt,
        located.policy,
        [(change.start, change.end, change.end_column, change.text) for change in located.changes],
        located.further,
    )


def _plain_fix(fix: Fix | None) -> Plain | None:
    if fix is None:
        return None
    return fix.title, fix.safe, [(edit.action, edit.field, edit.value) for edit in fix.edits]


def _fix(stored: Plain | None) -> Fix | None:
    if stored is None:
        return None
    title, safe, edits = stored
    return Fix(title, *(Edit(*each) for each in edits), safe=safe)


def _finding(fields: Plain, fix: Fix | None) -> Finding:
    return Finding(**dict(zip(_FINDING, fields, strict=True)), fix=fix)
