"""Findings that the API server would report once the decoding errors of an object are fixed.

The server stops at fields that it does not know and values of the wrong type. To report the rest in the same
run, these are fixed in a copy of the object: by a safe fix, or else by deleting the field. What the copy
lacks because of a deletion is not reported.
"""

from __future__ import annotations

from jobsworth.findings.edits import CannotEdit, edited
from jobsworth.findings.fix import Edit
from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jobsworth.findings.finding import Finding
    from jobsworth.findings.fix import Fix

DECODING_ERRORS = ("JW001", "JW002")
MOST_REPAIRS = 100
"""An object with more decoding errors is not repaired: each repair copies parts of the object."""


class RepairedObject(Record):
    """A copy of an object without its decoding errors.

    Attributes:
        value: the copy.
        deleted: the paths of the fields that were deleted, for lack of a fix.
    """

    value: Any
    deleted: Sequence[str]

    def keeps(self, finding: Finding) -> bool:
        """Return True for a finding that no deletion has caused."""
        return not any(_is_caused(finding, path) for path in self.deleted)

    def with_applicable_fix(self, finding: Finding, original: Any) -> Finding:
        """Return the finding without a fix that does not fit the original object."""
        fix = finding.fix
        if fix is None:
            return finding
        return finding if not self.deleted and _fits(fix, original) else finding.with_fix(None)


def is_decoding_error(finding: Finding) -> bool:
    """Return True for an error at which the API server stops."""
    return finding.severity == "error" and finding.code in DECODING_ERRORS


def repaired(value: Any, findings: Sequence[Finding]) -> RepairedObject | None:
    """Return a copy of an object without its decoding errors; None if it cannot be repaired."""
    errors = [finding for finding in findings if is_decoding_error(finding)]
    if not errors or len(errors) > MOST_REPAIRS:
        return None
    deleted = []
    for error in reversed(errors):
        if not error.field or (error.field.endswith("]") and error.field[-2:-1].isdigit()):
            return None  # without an item, the indexes of the next ones would differ
        fix = error.fix
        try:
            if fix is not None and fix.safe:
                value = edited(value, *fix.edits)
            else:
                deleted.append(error.field)
                value = edited(value, Edit("delete", error.field))
        except CannotEdit:
            return None
    return RepairedObject(value, deleted)


def _is_caused(finding: Finding, deleted: str) -> bool:
    """Return True if a finding may only be due to a deleted field: it is about it, or about its absence."""
    field = finding.field
    if field == deleted or field.startswith((f"{deleted}.", f"{deleted}[")):
        return True
    holder, _, name = deleted.rpartition(".")
    name = name.partition("[")[0]
    if name in finding.message:
        return True
    return finding.reason == "FieldValueRequired" and (field.startswith(f"{holder}.") or not holder)


def _fits(fix: Fix, value: Any) -> bool:
    try:
        edited(value, *fix.edits)
    except CannotEdit:
        return False
    return True
