"""Immutable fields in CEL: see :mod:`jobsworth.policy.limits.immutability`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.policy.export.cel_text import all_of, negated
from jobsworth.policy.export.object_view import IS_UPDATE
from jobsworth.policy.export.requirement import Requirement, wording
from jobsworth.policy.limits.immutability import METADATA, may_not_be_changed
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.violation import IMMUTABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobsworth.policy.export.requirement import Views


def of_immutable(selection: Mapping[str, Any], views: Views) -> Iterator[Requirement]:
    """Yield the requirement that an update does not change a field; none if it may in objects of the kind."""
    unless_suspended = bool(selection.get("unlessSuspended"))
    if "field" in selection:
        field = FIELDS[selection["field"]]
        if (field.scope == "cronJob") != (views.new.kind == "CronJob"):
            return
        place = field.path(views.new)
        new, old = views.new.optional(field), views.old.optional(field)
    else:
        holder, key = next(
            (METADATA[name], selection[name]) for name in METADATA if name in selection
        )
        place = f"metadata.{holder}[{key}]"
        new, old = (view.optional_entry(holder, key) for view in (views.new, views.old))
    is_suspended = f"{views.old.root}.spec.?suspend.orValue(false)"
    error = f"Invalid value: {may_not_be_changed(unless_suspended)}"
    yield Requirement(
        violated=all_of(
            [
                IS_UPDATE,
                negated(is_suspended) if unless_suspended else True,
                f"{new} != {old}",
            ]
        ),
        text=wording(place, error, IMMUTABLE, selection.get("message", "")),
        variables={},
    )
