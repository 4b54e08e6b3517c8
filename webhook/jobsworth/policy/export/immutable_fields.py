"""Immutable fields in CEL: see :mod:`jobsworth.policy.limits.immutability`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.policy.export.cel_text import all_of, any_of, negated
from jobsworth.policy.export.object_view import IS_UPDATE
from jobsworth.policy.export.requirement import Requirement, wording
from jobsworth.policy.limits.immutability import METADATA, may_not_be_changed
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.violation import IMMUTABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobsworth.policy.export.cel_text import Condition
    from jobsworth.policy.export.requirement import Views
    from jobsworth.policy.policy_fields import JobField


def of_immutable(selection: Mapping[str, Any], views: Views) -> Iterator[Requirement]:
    """Yield the requirement that an update does not change a field; none if it may in objects of the kind."""
    unless_suspended = bool(selection.get("unlessSuspended"))
    if "field" in selection:
        field = FIELDS[selection["field"]]
        if (field.scope == "cronJob") != (views.new.kind == "CronJob"):
            return
        place = field.path(views.new)
        is_changed = _is_changed(field, views)
    else:
        holder, key = next(
            (METADATA[name], selection[name]) for name in METADATA if name in selection
        )
        place = f"metadata.{holder}[{key}]"
        new, old = (view.optional_entry(holder, key) for view in (views.new, views.old))
        is_changed = f"{new} != {old}"
    is_suspended = f"{views.old.root}.spec.?suspend.orValue(false)"
    error = f"Invalid value: {may_not_be_changed(unless_suspended)}"
    yield Requirement(
        violated=all_of(
            [
                IS_UPDATE,
                negated(is_suspended) if unless_suspended else True,
                is_changed,
            ]
        ),
        text=wording(place, error, IMMUTABLE, selection.get("message", "")),
        variables={},
    )


def _is_changed(field: JobField, views: Views) -> Condition:
    if field.kind != "object":
        return f"{views.new.optional(field)} != {views.old.optional(field)}"
    was_set = f"{views.new.is_set(field)} != {views.old.is_set(field)}"
    return any_of([was_set, f"{views.new.rules_of(field.key)} != {views.old.rules_of(field.key)}"])
