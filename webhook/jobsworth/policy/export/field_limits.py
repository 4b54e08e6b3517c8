"""Limits of fields, labels and annotations in CEL (:mod:`jobsworth.policy.limits.limits`), and immutable
fields (:mod:`jobsworth.policy.limits.immutability`).

The checks of one value are the counterpart of :mod:`jobsworth.policy.limits.value_checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
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

VALUE = Printed(HOLE)
OPERATORS = {"minimum": "<", "maximum": ">"}
"""The comparison that is true for a value beyond a bound."""


@dataclass(frozen=True, slots=True)
class ValueCheck:
    """A check of a value that is set.

    Attributes:
        code: the code of the violation.
        error: the error, with a hole for the value.
        is_bad: returns the condition that the value of an expression violates the limit.
    """

    code: str
    error: str
    is_bad: Callable[[str], Condition]


def checks_of(limit: Mapping[str, Any], *, is_text: bool) -> Iterator[ValueCheck]:
    """Yield the checks of a limit, without those of a percentage of the completions."""
    for name, (code, _, _) in BOUNDS.items():
        bound = limit.get(name)
        if isinstance(bound, int):
            error = out_of_bound(name, bound, VALUE).message
            yield ValueCheck(code, error, partial(_is_beyond, OPERATORS[name], bound))
    if "allowed" in limit:
        values = limit["allowed"]
        yield ValueCheck(
            NOT_ALLOWED,
            not_allowed(values, VALUE).message,
            lambda value: negated(
                is_among(value, values) if is_text else f"{value} in {literal(values)}"
            ),
        )
    if "denied" in limit:
        patterns = limit["denied"]
        error = denied(patterns, VALUE).message
        yield ValueCheck(NOT_ALLOWED, error, lambda value: is_among(value, patterns))


def _is_beyond(operator: str, bound: int, value: str) -> Condition:
    return f"{value} {operator} {bound}"


Limit = Mapping[str, Any]


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


class _Optional(_Subject):
    """A part that an expression with an optional value stands for."""

    def __init__(
        self,
        place: str,
        found: Callable[[ObjectView], str],
        is_text: bool,
        counts: Callable[[ObjectView], Condition],
    ) -> None:
        self.place = place
        self.is_text = is_text
        self._found = found
        self._counts = counts

    def is_set(self, view: ObjectView) -> Condition:
        return f"{self._found(view)}.hasValue()"

    def value(self, view: ObjectView) -> str:
        return f"{self._found(view)}.value()"

    def counts(self, view: ObjectView) -> Condition:
        return self._counts(view)


def of_field(name: str, limit: Limit, views: Views) -> Iterator[Requirement]:
    """Yield the requirements of a limit of a field; none if objects of the kind do not have it."""
    field = FIELDS[name]
    if field.scope != "cronJob" or views.new.kind == "CronJob":
        yield from _of(_Field(field, views), limit, views)


def of_entry(holder: str, key: str, limit: Limit, views: Views) -> Iterator[Requirement]:
    """Yield the requirements of a limit of a label or annotation."""
    yield from of_optional(
        f"metadata.{holder}[{key}]", lambda view: view.optional_entry(holder, key), limit, views
    )


def of_optional(
    place: str,
    found: Callable[[ObjectView], str],
    limit: Limit,
    views: Views,
    *,
    is_text: bool = True,
    counts: Callable[[ObjectView], Condition] = lambda view: True,
) -> Iterator[Requirement]:
    """Yield the requirements of a limit of a part that may be unset.

    Args:
        place: its field path.
        found: returns the expression of its optional value in an object.
        limit: its limit.
        views: the objects.
        is_text: True if its values are texts.
        counts: returns the condition that a value in an object is checked.
    """
    yield from _of(_Optional(place, found, is_text, counts), limit, views)


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
    for name in BOUNDS:
        if isinstance(limit.get(name), str):
            yield _share(name, subject, limit, views)
    for check in checks_of(limit, is_text=subject.is_text):
        words = (check.code, check.error, hint)
        yield _checked(subject, views, _in_any_object(check), words)


def _in_any_object(check: ValueCheck) -> Callable[[str, ObjectView], Condition]:
    return lambda value, view: check.is_bad(value)


def _share(name: str, subject: _Subject, limit: Limit, views: Views) -> Requirement:
    """Return the requirement of a bound that is a percentage of the completions."""
    bound, completions = limit[name], FIELDS["completions"]

    def is_beyond(value: str, view: ObjectView) -> Condition:
        of = view.value(completions)
        beyond = f"{value} * 100 {OPERATORS[name]} {int(bound[:-1])} * {of}"
        return all_of([view.is_set(completions), beyond])

    error = out_of_bound(name, bound, VALUE, HOLE).message
    return _checked(
        subject,
        views,
        is_beyond,
        (BOUNDS[name][0], error, limit.get("message", "")),
        also=lambda view: [view.value(completions)],
    )


def _checked(
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
