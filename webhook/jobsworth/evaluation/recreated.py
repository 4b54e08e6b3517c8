"""Updates that are none: a release tool deletes the object and creates it again."""

from __future__ import annotations

from collections.abc import Callable

from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.subject import Subject
from jobsworth.lint.hooks import recreation_of
from jobsworth.lint.manifest_rules import RECREATED


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
    metadata = subject.value.get("metadata") if isinstance(subject.value, dict) else None
    found = recreation_of(metadata, subject.neighbors) if isinstance(metadata, dict) else None
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
