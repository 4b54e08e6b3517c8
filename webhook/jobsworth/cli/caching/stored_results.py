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


def plain_results(results: Sequence[Result]) -> list[Plain]:
    """Return results as tuples."""
    return [
        (
            (
                result.file,
                result.document,
                result.item,
                result.kind,
                result.namespace,
                result.name,
                result.status,
                result.infos,
            ),
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
    """Makes results of tuples. Equal findings, of which there are many, are made once.

    Those with a fix are not compared: equal edits may differ, as True equals 1.
    """

    def __init__(self) -> None:
        self._known: dict[Plain, LocatedFinding] = {}

    def results(self, stored: Sequence[Plain]) -> list[Result]:
        """Return the results that :func:`plain_results` made tuples of."""
        return list(map(self._result, stored))

    def _result(self, stored: Plain) -> Result:
        fields, findings, withheld, unfixable, fail_on, selected, attempts = stored
        file, document, item, kind, namespace, name, status, infos = fields
        result = Result(
            file=file,
            document=document,
            item=item,
            kind=kind,
            namespace=namespace,
            name=name,
            status=status,
            findings=list(map(self._located, findings)),
        )
        result.infos = infos
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
        known = self._known.get(stored) if stored[1] is None else None
        if known is None:
            known = _located(stored)
            if stored[1] is None:
                self._known[stored] = known
        return known


def _located(stored: Plain) -> LocatedFinding:
    fields, fix, line, column, excerpt, policy, changes, further = stored
    return LocatedFinding(
        _finding(fields, _fix(fix)),
        line,
        column,
        excerpt,
        policy,
        tuple(TextChange(*each) for each in changes) if changes else (),
        further,
    )


def _plain_located(located: LocatedFinding) -> Plain:
    finding = located.finding
    return (
        (
            finding.source,
            finding.severity,
            finding.code,
            finding.field,
            finding.reason,
            finding.message,
            finding.hint,
        ),
        _plain_fix(finding.fix),
        located.line,
        located.column,
        located.excerpt,
        located.policy,
        tuple(
            [
                (change.start, change.end, change.end_column, change.text)
                for change in located.changes
            ]
        ),
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
    source, severity, code, field, reason, message, hint = fields
    return Finding(
        source=source,
        severity=severity,
        code=code,
        field=field,
        reason=reason,
        message=message,
        hint=hint,
        fix=fix,
    )
