"""Findings that the API server would report once the decoding errors of an object are fixed.

The server stops at fields that it does not know and values of the wrong type. To report the rest in the same
run, these are fixed in a copy of the object: by a safe fix; a quantity of several meanings by one of them; or
else by deleting the field, or the value of a list item. What the copy lacks because of a deletion is not
reported, nor what it has because of the chosen meaning: a result names the fields that hide other findings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jobsworth.evaluation.fixes.api_fixes import with_fixes
from jobsworth.evaluation.repeated_findings import (
    with_narrowest,
    without_rejected,
    without_rejected_numbers,
    without_repeated,
)
from jobsworth.evaluation.subject import WrittenScalar
from jobsworth.findings.edits import CannotEdit, at, edited, is_item, is_part_of, locate
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Action, Edit, Fix
from jobsworth.validation.decoded_object import DecodedObject
from jobsworth.validation.decoding import QUANTITY
from jobsworth.validation.engine import Engine

DECODING_ERRORS = ("JW001", "JW002")
DUPLICATE, NOT_FOUND, NOT_SUPPORTED = (
    "FieldValueDuplicate",
    "FieldValueNotFound",
    "FieldValueNotSupported",
)
LISTS_OF_NAMES = (
    "containers", "initContainers", "resourceClaims", "volumes",
)  # fmt: skip
"""Lists whose items other fields refer to by name."""
STOCK_PHRASES = (
    "Invalid value",
    "Required value",
    "Unsupported value",
    "Duplicate value",
    "supported values",
    "valid values",
)
"""Parts of messages that contain the names of fields, ``value`` and ``values``, but do not mean them."""
MAX_REPAIRS = 100
"""An object with more decoding errors is not repaired: each repair copies parts of the object."""


class RepairedObject:
    """A copy of an object without its decoding errors.

    Args:
        value: the copy.
        deleted: the paths of the fields that were deleted, for lack of a fix.
        moved: the fields that the copy has elsewhere: their path in it, and in the object.
        assumed: the paths of the fields that have one of several meanings.

    Attributes:
        value: the copy.
        deleted: the paths of deleted fields.
        moved: the moved fields.
        assumed: the paths of fields with an assumed meaning.
        is_complete: no field was deleted.
    """

    __slots__ = (
        "_holders", "_lacks_names", "_lists", "_names", "_unknown", "assumed", "deleted", "is_complete",
        "moved", "value",
    )  # fmt: skip

    def __init__(
        self,
        value: Any,
        deleted: Sequence[str],
        moved: Sequence[tuple[str, str]] = (),
        assumed: Sequence[str] = (),
    ) -> None:
        self.value = value
        self.moved = moved
        self.deleted = deleted
        self.assumed = assumed
        self.is_complete = not deleted
        self._unknown = _Paths([*deleted, *assumed])
        fields = [path for path in deleted if not is_item(path)]
        self._holders = _Paths([path.rpartition(".")[0] for path in fields])
        self._lists = {path.rpartition("[")[0] for path in deleted if is_item(path)}
        self._names = {path.rpartition(".")[2].partition("[")[0] for path in deleted}
        self._names.update(map(_resource, assumed))
        self._lacks_names = any(map(_may_name, deleted))

    def keeps(self, finding: Finding) -> bool:
        """Return True for a finding that depends neither on a deleted field nor on an assumed meaning."""
        if self.is_complete and not self.assumed:
            return True
        if self._unknown.hold(finding.field) or finding.field in self._lists:
            return False
        above, _, item = finding.field.rpartition("[")
        if finding.reason == DUPLICATE and item.endswith("]") and above in self._lists:
            return False  # of the value that stands for the deleted one
        if finding.reason == NOT_FOUND and self._lacks_names:
            return False
        if not self._names.isdisjoint(_words(finding.message)):
            return False
        return finding.reason != "FieldValueRequired" or not self._holders.hold(finding.field)

    @property
    def hides(self) -> list[str]:
        """The paths in the object of deleted fields: lint rules, and errors about them, are not reported."""
        return [self.written_path(field) for field in dict.fromkeys(self.deleted)]

    def written_path(self, field: str) -> str:
        """Return the path in the object of a field of the copy."""
        for path, written in reversed(self.moved):
            if is_part_of(field, path):
                field = written + field[len(path) :]
        return field

    def _is_independent(self, finding: Finding, fix: Fix) -> bool:
        """Return True for a safe fix that sets its finding's field, with no deleted field beside or in it."""
        if not fix.safe or finding.code in DECODING_ERRORS:
            return False
        return all(
            edit.action == "set"
            and is_part_of(finding.field, edit.field)
            and not any(
                is_part_of(path, edit.field)
                or is_part_of(edit.field, path)
                or path.rpartition(".")[0] == edit.field.rpartition(".")[0]
                for path in self.deleted
            )
            for edit in fix.edits
        )

    def with_applicable_fix(self, finding: Finding, original: Any) -> Finding:
        """Return the finding without a fix that does not fit the original object."""
        fix = finding.fix
        if fix is None:
            return finding
        holds = (
            self.is_complete or _corrects_a_word(finding, fix) or self._is_independent(finding, fix)
        )
        return finding if holds and _fits(fix, original) else finding.with_fix(None)


def findings_after_repair(
    value: dict[str, Any],
    api: Sequence[Finding],
    engine: Engine,
    *,
    old: Any,
    written: WrittenScalar,
    lint: Callable[[DecodedObject], list[Finding]],
    max_findings: int,
) -> tuple[list[Finding], RepairedObject | None]:
    """Return what the API server would report once the decoding errors are fixed, and for which copy.

    Args:
        value: the object.
        api: the API server's findings in it, with their fixes.
        engine: the engine of that server.
        old: the object that an update replaces; None for a create.
        written: returns the text of a scalar.
        lint: returns the findings of lint rules for an object.
        max_findings: the number of findings after which the validation stops.
    """
    if not any(map(is_decoding_error, api)):
        return [], None
    copy = repaired(value, api)
    if copy is None:
        return [], None
    further: list[Finding] = []
    decoded = engine.decode_object(copy.value, max_findings)
    while not decoded.is_valid and len(further) < MAX_REPAIRS:
        # The repair of a misspelled field shows the errors inside of it.
        nested = with_fixes(decoded.findings, copy.value, engine.server, written)
        repaired_again = repaired(copy.value, nested, copy)
        if repaired_again is None:
            break
        further += [copy.with_applicable_fix(each, value) for each in nested]
        copy = repaired_again
        decoded = engine.decode_object(copy.value, max_findings)
    if not decoded.is_valid:
        return further, copy
    # The absence of a deleted field must not look like an omission.
    linted = lint(decoded) if copy.is_complete else []
    known = set(api)
    found = [
        finding
        for finding in engine.verdict(decoded, old, max_findings)
        if finding not in known and copy.keeps(finding)
    ]
    found = with_fixes(without_repeated(found, linted), copy.value, engine.server, written)
    linted = without_rejected_numbers(
        without_rejected(linted, found),
        found,
        copy.value,
        lambda other: lint(engine.decode_object(other, max_findings)),
    )
    found = [*with_narrowest(found), *filter(copy.keeps, linted)]
    further += [copy.with_applicable_fix(each, value) for each in found]
    return further, copy


def is_decoding_error(finding: Finding) -> bool:
    """Return True for an error at which the API server stops."""
    return finding.severity == "error" and finding.code in DECODING_ERRORS


def repaired(
    value: Any, findings: Sequence[Finding], earlier: RepairedObject | None = None
) -> RepairedObject | None:
    """Return a copy of an object without its decoding errors; None if it cannot be repaired.

    Args:
        value: the object.
        findings: its findings.
        earlier: the repair whose copy the object is, if it is one.
    """
    errors = [finding for finding in findings if is_decoding_error(finding)]
    if not errors or len(errors) > MAX_REPAIRS:
        return None
    deleted = [] if earlier is None else list(earlier.deleted)
    moved = [] if earlier is None else list(earlier.moved)
    assumed = [] if earlier is None else list(earlier.assumed)
    for error in reversed(errors):
        if not error.field:
            return None
        fix = error.fix
        try:
            if fix is not None and fix.safe:
                value = edited(value, *fix.edits)
                moved += fix.moves
            elif meant := _meant_quantity(value, error):
                assumed.append(error.field)
                value = edited(value, Edit("set", error.field, meant))
            else:
                deleted.append(error.field)
                # An item is replaced by null: without it, the indexes of the next ones would differ.
                action: Action = "set" if is_item(error.field) else "delete"
                value = edited(value, Edit(action, error.field))
        except CannotEdit:
            return None
    return RepairedObject(value, deleted, moved, assumed)


def _meant_quantity(value: Any, error: Finding) -> str:
    """Return one meaning of a quantity with the unit of another notation; empty for another error."""
    if error.rule != QUANTITY:
        return ""
    from jobsworth.evaluation.fixes.api_hints import suggest_quantities

    place = locate(value, error.field)
    written = None if place.missing else at(value, place.steps)
    return next(iter(suggest_quantities(written)), "") if isinstance(written, str) else ""


class _Paths:
    """Paths of fields, found in the path of another field without a comparison with each."""

    __slots__ = ("_lengths", "_paths")

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = frozenset(paths)
        self._lengths = frozenset(map(len, paths))

    def hold(self, field: str) -> bool:
        """Return True if a path is that of a field, or of an object that holds it."""
        size = len(field)
        prefixes = {
            field[:length]
            for length in self._lengths
            if length in (0, size) or (length < size and field[length] in ".[")
        }
        return not self._paths.isdisjoint(prefixes)


def _may_name(path: str) -> bool:
    """Return True if a deleted field can have held a name that other fields refer to.

    >>> _may_name("spec.template.spec.volumes[0]"), _may_name("spec.template.spec.volumes[0].name")
    (True, True)
    >>> _may_name("spec.template.spec.containers[0].image")
    False
    """
    steps = path.split(".")
    if steps[-1] == "name":
        steps.pop()
    return bool(steps) and steps[-1].partition("[")[0] in LISTS_OF_NAMES


def _resource(path: str) -> str:
    """Return the name of the resource, or else of the field, whose quantity is at a path.

    >>> _resource("containers[0].resources.limits[memory]"), _resource("volumes[0].emptyDir.sizeLimit")
    ('memory', 'sizeLimit')
    """
    return path.rpartition("[" if path.endswith("]") else ".")[2].removesuffix("]")


def _words(text: str) -> list[str]:
    """Return the words of a message: names of fields are among them.

    >>> _words('must not have "podFailurePolicy" set')
    ['must', 'not', 'have', 'podFailurePolicy', 'set']
    >>> _words('Unsupported value: "in": supported values: "In"')
    ['in', 'In']
    """
    for phrase in STOCK_PHRASES:
        text = text.replace(phrase, "")
    return "".join(letter if letter.isalnum() else " " for letter in text).split()


def _corrects_a_word(finding: Finding, fix: Fix) -> bool:
    """Return True for a fix that depends on nothing but the misspelled value that it sets."""
    return (
        fix.safe
        and finding.reason == NOT_SUPPORTED
        and all(edit.action == "set" and edit.field == finding.field for edit in fix.edits)
    )


def _fits(fix: Fix, value: Any) -> bool:
    try:
        edited(value, *fix.edits)
    except CannotEdit:
        return False
    return True
