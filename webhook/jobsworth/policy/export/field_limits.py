"""Limits of fields, labels and annotations in CEL (:mod:`jobsworth.policy.limits.limits`), and immutable
fields (:mod:`jobsworth.policy.limits.immutability`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jobsworth.api.batch.job_spec import MAX_INT32
from jobsworth.api.field_errors import Printed
from jobsworth.policy.export.cel_text import (
    HOLE,
    Condition,
    all_of,
    any_of,
    literal,
    negated,
    shown,
)
from jobsworth.policy.export.match_conditions import is_among
from jobsworth.policy.export.object_view import IS_UPDATE, ObjectView
from jobsworth.policy.export.request_conditions import SPEC_CHANGES
from jobsworth.policy.export.requirement import Requirement, Views, requirement, wording
from jobsworth.policy.limits.immutability import METADATA, may_not_be_changed
from jobsworth.policy.limits.limits import REPLACED_BY, SET_WHERE
from jobsworth.policy.limits.value_checks import (
    BOUNDS,
    denied,
    may_not_be_set,
    must_be_set,
    not_allowed,
    out_of_bound,
)
from jobsworth.policy.policy_fields import FIELDS, JobField
from jobsworth.policy.violation import FORBIDDEN, IMMUTABLE, NOT_ALLOWED, REQUIRED
from jobsworth.provenance.field_ownership import LAST_APPLIED, POLICY_MANAGER

Limit = Mapping[str, Any]

_VALUE = Printed(HOLE)
_OPERATORS = {"minimum": "<", "maximum": ">"}


class _Subject:
    """The subject of a limit: a field, or a label or annotation.

    Attributes:
        place: its field path.
        is_text: True if its values are texts.
        where: the phrase for the Jobs in which it can be required.
    """

    place: str
    is_text: bool
    where: str = ""

    def is_set(self, view: ObjectView) -> Condition:
        raise NotImplementedError

    def value(self, view: ObjectView) -> str:
        raise NotImplementedError

    def may_be_required(self, view: ObjectView) -> Condition:
        return True

    def counts(self, view: ObjectView) -> Condition:
        """Return the condition that the value of an object that has one is checked."""
        return True


class _Field(_Subject):
    def __init__(self, field: JobField, views: Views) -> None:
        self._field = field
        self._count_metadata = views.count_metadata
        self.place = field.path(views.new)
        self.is_text = field.kind == "string"
        self._where = SET_WHERE.get(field.name)
        self.where = "" if self._where is None else self._where.words

    def is_set(self, view: ObjectView) -> Condition:
        return view.is_set(self._field)

    def value(self, view: ObjectView) -> str:
        return view.value(self._field)

    def may_be_required(self, view: ObjectView) -> Condition:
        if self._where is None:
            return True
        return view.has_value(FIELDS[self._where.field], self._where.value)

    def counts(self, view: ObjectView) -> Condition:
        if self._field.name not in REPLACED_BY:
            return True
        replaced = [
            f"has({view.spec}.{REPLACED_BY[self._field.name]})",
            f"{self.value(view)} == {MAX_INT32}",
            negated(_is_written(self._field, view)),
        ]
        # The record of what a client wrote is metadata, which may change alone.
        is_new = any_of([f"!{IS_UPDATE}", SPEC_CHANGES]) if not self._count_metadata else True
        return all_of([is_new, negated(all_of(replaced))])


class _Entry(_Subject):
    is_text = True

    def __init__(self, holder: str, key: str) -> None:
        self._holder = holder
        self._key = key
        self.place = f"metadata.{holder}[{key}]"

    def is_set(self, view: ObjectView) -> Condition:
        return view.has_key(self._holder, self._key)

    def value(self, view: ObjectView) -> str:
        return view.entry(self._holder, self._key)


def of_field(name: str, limit: Limit, views: Views) -> Iterator[Requirement]:
    """Yield the requirements of a limit of a field; none if objects of the kind do not have it."""
    field = FIELDS[name]
    if field.scope != "cronJob" or views.new.kind == "CronJob":
        yield from _of(_Field(field, views), limit, views)


def of_entry(holder: str, key: str, limit: Limit, views: Views) -> Iterator[Requirement]:
    """Yield the requirements of a limit of a label or annotation."""
    yield from _of(_Entry(holder, key), limit, views)


def _of(subject: _Subject, limit: Limit, views: Views) -> Iterator[Requirement]:
    hint = limit.get("message", "")
    if limit.get("required"):
        yield requirement(
            views,
            lambda view: all_of([negated(subject.is_set(view)), subject.may_be_required(view)]),
            wording(subject.place, must_be_set(subject.where).message, REQUIRED, hint),
        )
    if limit.get("forbidden"):
        yield requirement(
            views,
            lambda view: all_of([subject.is_set(view), subject.counts(view)]),
            wording(subject.place, may_not_be_set().message, FORBIDDEN, hint),
        )
        return
    for name, build in _CHECKS.items():
        if name in limit:
            yield build(name, subject, limit, views)


def _bound(name: str, subject: _Subject, limit: Limit, views: Views) -> Requirement:
    code, operator, bound = BOUNDS[name][0], _OPERATORS[name], limit[name]
    if isinstance(bound, str):
        completions = FIELDS["completions"]

        def is_beyond_share(value: str, view: ObjectView) -> Condition:
            of = view.value(completions)
            beyond = f"{value} * 100 {operator} {int(bound[:-1])} * {of}"
            return all_of([view.is_set(completions), beyond])

        return _check(
            subject,
            views,
            is_beyond_share,
            (code, out_of_bound(name, bound, _VALUE, HOLE).message, limit.get("message", "")),
            also=lambda view: [view.value(completions)],
        )
    error = out_of_bound(name, bound, _VALUE).message
    return _check(
        subject,
        views,
        lambda value, view: f"{value} {operator} {bound}",
        (code, error, limit.get("message", "")),
    )


def _allowed(name: str, subject: _Subject, limit: Limit, views: Views) -> Requirement:
    values = limit[name]

    def is_other(value: str, view: ObjectView) -> Condition:
        listed = is_among(value, values) if subject.is_text else f"{value} in {literal(values)}"
        return negated(listed)

    error = not_allowed(values, _VALUE).message
    return _check(subject, views, is_other, (NOT_ALLOWED, error, limit.get("message", "")))


def _denied(name: str, subject: _Subject, limit: Limit, views: Views) -> Requirement:
    patterns = limit[name]
    error = denied(patterns, _VALUE).message
    return _check(
        subject,
        views,
        lambda value, view: is_among(value, patterns),
        (NOT_ALLOWED, error, limit.get("message", "")),
    )


_CHECKS: dict[str, Callable[[str, _Subject, Limit, Views], Requirement]] = {
    "minimum": _bound,
    "maximum": _bound,
    "allowed": _allowed,
    "denied": _denied,
}


def _check(
    subject: _Subject,
    views: Views,
    is_bad: Callable[[str, ObjectView], Condition],
    words: tuple[str, str, str],
    also: Callable[[ObjectView], Iterable[str]] = lambda view: (),
) -> Requirement:
    """Return the requirement that a value which is set is not bad."""
    code, error, hint = words
    values = [
        shown(subject.value(views.new), quote=subject.is_text),
        *(shown(one, quote=False) for one in also(views.new)),
    ]
    return requirement(
        views,
        lambda view: all_of(
            [subject.is_set(view), is_bad(subject.value(view), view), subject.counts(view)]
        ),
        wording(subject.place, error, code, hint, *values),
        seen=lambda view: [subject.value(view), *also(view)],
    )


def _is_written(field: JobField, view: ObjectView) -> Condition:
    """Return the condition that a client is known to have written a field that has the server's default.

    Server-side apply records it in ``managedFields``, ``kubectl apply`` in an annotation: compact JSON, in
    which quotation marks within a text are escaped, so that the quoted name occurs as a key only.
    """
    steps = "".join(f"[?{literal(f'f:{step}')}]" for step in field.path(view).split("."))
    applied = (
        f"{view.root}.metadata.?managedFields.orValue([]).exists(entry, entry.operation == "
        f"{literal('Apply')} && entry.?manager != optional.of({literal(POLICY_MANAGER)}) && "
        f"!has(entry.subresource) && entry.?fieldsV1{steps}.hasValue())"
    )
    key = literal(f'"{field.key}":')
    last = (
        f"{view.optional_entry('annotations', LAST_APPLIED)}.orValue({literal('')}).contains({key})"
    )
    return all_of([f"has({view.root}.{field.path(view)})", any_of([applied, last])])


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
