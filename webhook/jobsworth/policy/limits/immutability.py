"""Fields that a policy makes immutable although the Kubernetes API lets them change.

Fields of the JobSpec and of the Pod template are immutable in Jobs only: in a CronJob they describe future
Jobs. Fields of the CronJobSpec are immutable in CronJobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.api.equality import equal
from jobsworth.api.field_errors import invalid, quoted
from jobsworth.policy import document
from jobsworth.policy.limits.limits import check_key
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.problems import Problems
from jobsworth.policy.request import JobView
from jobsworth.policy.violation import IMMUTABLE, Violation

METADATA = {"label": "labels", "annotation": "annotations"}


@dataclass(frozen=True, slots=True)
class _ImmutableField:
    """One immutable field, label or annotation."""

    path: Callable[[JobView], str]
    value: Callable[[JobView], Any]
    concerns: Callable[[JobView], bool]
    unless_suspended: bool
    hint: str


@dataclass(frozen=True, slots=True)
class Immutable:
    """The immutable fields of a policy."""

    _fields: tuple[_ImmutableField, ...]

    def violations(self, new: JobView, old: JobView) -> Iterator[Violation]:
        """Yield a violation for each immutable field that an update changes."""
        for field in self._fields:
            if not field.concerns(new) or (field.unless_suspended and _is_suspended(old)):
                continue
            before, after = field.value(old), field.value(new)
            if not equal(before, after):
                yield _changed(field, new, before, after)


def _is_suspended(view: JobView) -> bool:
    return bool((view.cron or view.spec).get("suspend"))


def _changed(field: _ImmutableField, new: JobView, before: Any, after: Any) -> Violation:
    was = "unset" if before is None else quoted(before) if _is_short(before) else "another value"
    error = invalid("", after, f"{may_not_be_changed(field.unless_suspended)}: it was {was}")
    return Violation(IMMUTABLE, field.path(new), error.reason, error.message, hint=field.hint)


def may_not_be_changed(unless_suspended: bool) -> str:
    """Return the problem of a changed field as a clause."""
    return f"may not be changed{', unless it is suspended' if unless_suspended else ''}"


def _is_short(value: Any) -> bool:
    return not isinstance(value, dict | list)


def read(value: Sequence[document.Immutable], path: str, problems: Problems) -> Immutable:
    """Compile the ``immutable`` list of a policy.

    Args:
        value: the entries of the list, valid against the schema.
        path: the path of the list in the document.
        problems: collects the errors that the schema cannot express.
    """
    seen: list[tuple[str, str]] = []
    for index, selection in enumerate(value):
        given = {
            "field": selection.field,
            "label": selection.label,
            "annotation": selection.annotation,
        }
        names = [(key, name) for key, name in given.items() if name is not None]
        if len(names) != 1:
            problems.add(
                f"{path}[{index}]",
                "must name one field, label or annotation"
                if not names
                else "names more than one field, label or annotation",
                "write one entry for each" if names else "set field, label or annotation",
            )
        elif names[0] in seen:
            problems.add(
                f"{path}[{index}]", f'"{names[0][1]}" is listed twice', "remove one of the two"
            )
        else:
            ((key, name),) = names
            if key in METADATA:
                check_key(METADATA[key], name, f"{path}[{index}].{key}", problems)
        seen.extend(names)
    if problems.at_or_below(path):
        return Immutable(())
    return Immutable(tuple(map(_read_selection, value)))


def kind_of(name: str) -> str:
    """Return the kind in which a field is immutable."""
    return "CronJob" if FIELDS[name].scope == "cronJob" else "Job"


def _read_selection(selection: document.Immutable) -> _ImmutableField:
    unless, hint = selection.unless_suspended, selection.message or ""
    if selection.label is not None:
        return _metadata("labels", selection.label, unless, hint)
    if selection.annotation is not None:
        return _metadata("annotations", selection.annotation, unless, hint)
    assert selection.field is not None  # exactly one of the three is set
    field, kind = FIELDS[selection.field], kind_of(selection.field)
    return _ImmutableField(field.path, field.value, lambda view: view.kind == kind, unless, hint)


def _metadata(holder: str, key: str, unless: bool, hint: str) -> _ImmutableField:
    return _ImmutableField(
        lambda view: f"metadata.{holder}[{key}]",
        lambda view: (view.metadata.get(holder) or {}).get(key),
        lambda view: True,
        unless,
        hint,
    )
