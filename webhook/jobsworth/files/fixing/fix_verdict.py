"""Decide whether the fixes of an object have helped: each resolved its finding, and none brought an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jobsworth.findings.edits import is_part_of
from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import ERROR, Result
from jobsworth.lint.misidentified import NEAR_MISS

Key = tuple[str, ...]

_CANNOT_DECODE = ("JW001", "JW002")
"""Codes after which the API server checks nothing else in the object."""

_NOT_SUPPORTED = "FieldValueNotSupported"
"""The reason of an error about a value that is none of an enumeration."""


def reason_to_revert(fixed: Sequence[LocatedFinding], before: Result, after: Result) -> str:
    """Return the reason to revert the fixes of an object; empty if there is none.

    Args:
        fixed: the findings whose fixes were applied; none for another object of the same text.
        before, after: the results of the object.
    """
    if fixed and after.status == ERROR:
        return "the document would become unreadable"
    hidden = any(located.further for located in fixed)
    old, new = _findings(before, hidden=hidden), _findings(after, hidden=hidden)
    if fixed and not _are_gone([located.finding for located in fixed], old, new):
        return "the finding would remain"
    new_error = _new_error(old, new, exactly=hidden)
    if new_error is not None and not _was_hidden(new_error, fixed, old, new):
        return f"it would cause {new_error.code} {new_error.field}: {new_error.message}"
    return ""


def _findings(result: Result, *, hidden: bool) -> list[Finding]:
    """Return what the API server reports now, or also what it reports once earlier errors are fixed."""
    return [located.finding for located in result.findings if hidden or not located.further]


def _are_gone(fixed: Sequence[Finding], old: Sequence[Finding], new: Sequence[Finding]) -> bool:
    """Return True if each finding left its field, or if there are fewer of its kind: indexes move."""
    from collections import Counter

    def gone(kind: Callable[[Finding], Key]) -> set[Key]:
        remain, goal = Counter(map(kind, new)), Counter(map(kind, old))
        goal.subtract(map(kind, fixed))
        return {key for key in map(kind, fixed) if remain[key] <= goal[key]}

    same, alike = gone(_same), gone(_alike)
    return all(_same(finding) in same or _alike(finding) in alike for finding in fixed)


def _same(finding: Finding) -> Key:
    return (finding.code, finding.field)


def _alike(finding: Finding) -> Key:
    return (finding.code, finding.reason)


def _new_error(old: Sequence[Finding], new: Sequence[Finding], *, exactly: bool) -> Finding | None:
    """Return an error that the fixes introduced; None for errors that were only hidden before.

    Args:
        old, new: the findings.
        exactly: none was hidden: another error is a new one.
    """
    errors = _errors(new)
    if not errors or (_stage(new) > _stage(old) and not exactly):
        return None
    known = _errors(old)
    if _stage(new) == 1 and _stage(old) == 1 and len(errors) <= len(known) and not exactly:
        return None  # a renamed field may turn out to have the wrong type
    # Messages stay where positions move, and fields where a message counts or prints what changed.
    for part in ("message", "field"):
        waiting: dict[Key, list[int]] = {}
        for index, finding in enumerate(known):
            waiting.setdefault((finding.code, getattr(finding, part)), []).append(index)
        matched, unmatched = set(), []
        for finding in errors:
            same = waiting.get((finding.code, getattr(finding, part)))
            if same:
                matched.add(same.pop(0))
            else:
                unmatched.append(finding)
        known = [finding for index, finding in enumerate(known) if index not in matched]
        errors = unmatched
    return errors[0] if errors else None


def _was_hidden(
    error: Finding, fixed: Sequence[LocatedFinding], old: Sequence[Finding], new: Sequence[Finding]
) -> bool:
    """Return True if a misspelled value that was fixed hid an error in another field.

    With ``completionMode: indexed``, the API server does not report more maxFailedIndexes than completions.
    """
    if not fixed or len(_errors(new)) > len(_errors(old)):
        return False
    return all(
        finding.reason == _NOT_SUPPORTED
        and finding.fix is not None
        and finding.fix.safe
        and not any(is_part_of(error.field, edit.field) for edit in finding.fix.edits)
        for finding in (each.finding for each in fixed)
    )


def _errors(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def _stage(findings: Sequence[Finding]) -> int:
    """Return the stage that the API server reached: kind, decoding or validation."""
    codes = {finding.code for finding in findings}
    if NEAR_MISS.code in codes:
        return 0
    return 1 if codes.intersection(_CANNOT_DECODE) else 2
