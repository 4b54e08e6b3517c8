"""Updates: those that are none, and the fixes that the others do not allow.

An update is none if a release tool deletes the object and creates it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.edits import CannotEdit, edited
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Fix
from jobsworth.lint.hooks import Recreation, recreation_of
from jobsworth.lint.manifest_rules import RECREATED
from jobsworth.validation.engine import Engine, is_known

MAX_CHECKED = 50
"""The number of fixes in an object that are checked: each check validates the object."""


def unless_recreated(
    updated: Evaluation, subject: Subject, evaluate: Callable[[Subject], Evaluation]
) -> Evaluation:
    """Return the evaluation of an update, or that of a create if the object's tool makes it one.

    A note stands in for the errors that only the update has.

    Args:
        updated: the evaluation of the update, with errors of the API server.
        subject: the update.
        evaluate: evaluates an object.
    """
    found = _recreation(subject)
    if found is None:
        return updated
    created = evaluate(subject.replace(old=None))
    errors = {(each.field, each.message) for each in created.api}
    rejected = [each for each in updated.api if (each.field, each.message) not in errors]
    if not rejected:
        return updated
    kind = subject.value.get("kind")
    note = RECREATED.finding(
        rejected[0].field,
        f"{found.tool} deletes this {kind} {found.when} and creates it again, so the change of immutable "
        "fields is applied.",
    )
    return created.replace(lint=[*created.lint, note])


def _recreation(subject: Subject) -> Recreation | None:
    metadata = subject.value.get("metadata") if isinstance(subject.value, dict) else None
    return recreation_of(metadata, subject.neighbors) if isinstance(metadata, dict) else None


def without_rejected_fixes(updated: Evaluation, subject: Subject, engine: Engine) -> Evaluation:
    """Return the evaluation of an update without the fixes that the API server rejects in an update only.

    Args:
        updated: the evaluation of the update.
        subject: the update.
        engine: the engine of the API server.
    """
    value, old = subject.value, subject.old
    if not (is_known(value) and is_known(old)) or _recreation(subject) is not None:
        return updated
    if not engine.decode_object(value).is_valid:
        return updated  # what is still to be read may be immutable
    fixes = [each.fix for each in (*updated.api, *updated.lint) if each.fix is not None]
    known = _errors(engine, value, old)
    rejected = [fix for fix in fixes[:MAX_CHECKED] if _is_rejected(fix, value, old, engine, known)]
    if not rejected:
        return updated

    def kept(findings: Sequence[Finding]) -> list[Finding]:
        return [each.with_fix(None) if each.fix in rejected else each for each in findings]

    return updated.replace(api=kept(updated.api), lint=kept(updated.lint))


def _is_rejected(fix: Fix, value: Any, old: Any, engine: Engine, known: set[str]) -> bool:
    """Return True if the object has errors with a fix that a new object would not have."""
    try:
        fixed = edited(value, *fix.edits)
    except CannotEdit:
        return False
    errors = _errors(engine, fixed, old) - known
    return bool(errors and errors - _errors(engine, fixed, None))


def _errors(engine: Engine, value: Any, old: Any) -> set[str]:
    """Return the fields of an object with errors of the API server."""
    found = engine.verdict(engine.decode_object(value), old)
    return {each.field for each in found if each.severity == "error"}
