"""The laws of fixes, held against one object: a value in, the broken laws out.

>>> from jobsworth.findings.fix import Edit, Fix
>>> same = Fix("Set it", Edit("set", "spec.suspend", False), safe=True)
>>> job = {"apiVersion": "batch/v1", "kind": "Job", "spec": {"suspend": False}}
>>> broken_laws(job, [finding_with(same)], lambda _: [finding_with(same)])
['JW999 spec: the fix "Set it" changes nothing']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.edits import CannotEdit, at, edited, identical, locate
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Fix
from jobsworth.validation.engine import engine_for, is_known

Evaluate = Callable[[Any], Sequence[Finding]]
"""Returns the findings in an object."""

ENGINE = engine_for(ApiServer("1.36", allow_privileged=True))


def broken_laws(value: Any, findings: Sequence[Finding], evaluate: Evaluate) -> list[str]:
    """Return the laws that the fixes of some findings in an object break."""
    return [
        f'{finding.code} {finding.field}: the fix "{finding.fix.title}" {broken}'
        for finding in findings
        if finding.fix is not None
        for broken in _broken(value, finding, finding.fix, findings, evaluate)
    ]


def _broken(
    value: Any, finding: Finding, fix: Fix, findings: Sequence[Finding], evaluate: Evaluate
) -> Iterator[str]:
    try:
        fixed = edited(value, *fix.edits)
    except CannotEdit as error:
        yield f"cannot be applied: {error}"
        return
    if identical(fixed, value):
        yield "changes nothing"
        return
    after = evaluate(fixed)
    if not _is_gone(finding, findings, after):
        yield "leaves its finding"
    if is_known(value) and not _errors(findings):
        for error in _errors(after):
            yield f"makes the API server reject the object: {error.field}: {error.message}"
        if fix.safe and not _errors(after):
            yield from _other_changes(value, fixed, fix)


def _is_gone(finding: Finding, before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    """Return True if a finding is not repeated, or there are fewer like it: indexes move."""
    same = finding.code, finding.field, finding.message
    if not any((each.code, each.field, each.message) == same for each in after):
        return True
    alike = finding.code, finding.reason
    count, left = (Counter((each.code, each.reason) for each in some) for some in (before, after))
    return left[alike] < count[alike]


def _errors(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def _other_changes(value: Any, fixed: Any, fix: Fix) -> Iterator[str]:
    """Yield the fields in which the defaulted objects differ, although the fix does not state them."""
    before, after = ENGINE.default(value), ENGINE.default(fixed)
    stated = [path for edit in fix.edits for path in _stated(edit.action, edit.field, edit.value)]
    for one in (before, after):
        for path in stated:
            _remove(one, path)
    if not identical(before, after):
        different = [
            name for name in before["spec"] if before["spec"][name] != after["spec"].get(name)
        ]
        yield f"changes fields that it does not state: {different}"


def _stated(action: str, field: str, value: Any) -> tuple[str, ...]:
    return (field, value) if action == "move" else (field,)


def _remove(value: Any, path: str) -> None:
    """Delete a field; of a list item the whole list, because positions move."""
    while path.endswith("]") and path[path.rindex("[") + 1 : -1].isdecimal():
        path = path[: path.rindex("[")]
    place = locate(value, path)
    if not place.missing:
        del at(value, place.steps[:-1])[place.steps[-1]]


def finding_with(fix: Fix) -> Finding:
    """A warning with a fix."""
    return Finding(
        source="lint",
        severity="warning",
        code="JW999",
        field="spec",
        reason="example",
        message="an example",
        fix=fix,
    )
