"""Limits of parts of the Pod template in CEL: see :mod:`jobsworth.policy.limits.pod_parts`.

An update is denied for a value only if the stored object does not have it at the same place, as by the
webhook. Before Kubernetes 1.33 a loop does not know the place of an item: then one bad value of the stored
object hides others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.policy.export.cel_text import (
    HOLE,
    Condition,
    all_of,
    any_of,
    literal,
    negated,
    shown,
    text_of,
)
from jobsworth.policy.export.field_limits import ValueCheck, checks_of, of_optional
from jobsworth.policy.export.object_view import IS_UPDATE, ObjectView
from jobsworth.policy.export.requirement import Requirement, Views, requirement, wording
from jobsworth.policy.limits.pod_parts import Entry, PodPart, Repeated
from jobsworth.policy.limits.value_checks import may_not_be_set, must_be_set
from jobsworth.policy.places import field_path
from jobsworth.policy.violation import FORBIDDEN, REQUIRED

Limit = Mapping[str, Any]


def of_part(part: PodPart, limit: Limit, views: Views) -> Iterator[Requirement]:
    """Yield the requirements of a limit of a part of the Pod template."""
    place = f"{views.new.path}.template"
    if isinstance(part, Entry):
        yield from of_optional(
            f"{place}.{field_path(part.steps)}",
            lambda view: f"{view.in_template(part.holder)}[?{literal(part.key)}]",
            limit,
            views,
        )
        return
    assert isinstance(part, Repeated)
    if part.is_of_pod:
        own = {**limit, "required": False}
        yield from of_optional(
            f"{place}.spec.{field_path(part.steps)}",
            _of_pod(part),
            own,
            views,
            is_text=part.is_text,
            counts=lambda view: _is_inherited(part, view),
        )
    for name in part.lists:
        at = f"{place}.spec.{name}[*].{field_path(part.steps)}"
        for rule in _rules(part, limit):
            yield _Items(name, part, rule, views).requirement(at, limit.get("message", ""))


def _of_pod(part: Repeated) -> Callable[[ObjectView], str]:
    return lambda view: view.in_template(("spec", *part.steps))


def _is_inherited(part: Repeated, view: ObjectView) -> Condition:
    """Return the condition that an item has the value of the Pod."""
    unset = negated(f"{_optional(part, 'item')}.hasValue()")
    return any_of(f"{_items(name, view)}.exists(item, {unset})" for name in part.lists)


def _optional(part: Repeated, item: str) -> str:
    return f"{item}.?{'.'.join(part.steps)}"


def _items(name: str, view: ObjectView) -> str:
    return f"{view.in_template(('spec', name))}.orValue([])"


def _rules(part: Repeated, limit: Limit) -> Iterator[ValueCheck | None]:
    """Yield the checks of a value; None for the requirement that it is set."""
    if limit.get("required"):
        yield None
    if limit.get("forbidden"):
        yield ValueCheck(FORBIDDEN, f"{may_not_be_set().message}: {HOLE}", lambda value: True)
    else:
        yield from checks_of(limit, is_text=part.is_text)


@dataclass(frozen=True, slots=True)
class _Items:
    """The items of a list that violate a rule.

    Attributes:
        name: the name of the list.
        part: the part of each item.
        rule: the check of its value; None if it must be set.
        views: the objects.
    """

    name: str
    part: Repeated
    rule: ValueCheck | None
    views: Views

    def requirement(self, place: str, hint: str) -> Requirement:
        """Return the requirement that there is none."""
        code, error = REQUIRED, f"{must_be_set('').message}: {HOLE}"
        if self.rule is not None:
            code, error = self.rule.code, self.rule.error
        new, old = self.views.new, self.views.old
        is_bad = text_of(self._is_bad("item", new))
        bad = f"{_items(self.name, new)}.filter(item, {is_bad}).map(item, {self._bad_item_text()})"
        text = wording(place, error, code, hint, f"{bad}.join({literal(', ')})")
        if not self.views.have_indexes:
            return requirement(
                self.views,
                lambda view: (
                    f"{_items(self.name, view)}.exists(item, {text_of(self._is_bad('item', view))})"
                ),
                text,
                exact=False,
            )
        loop = ("index", "item")
        violated = _exists(
            loop, _items(self.name, new), _items(self.name, old), [IS_UPDATE], self._is_new
        )
        return Requirement(violated=violated, text=text, variables={})

    def _value(self, item: str) -> str:
        """Return the value of an item that has one, or its list of values."""
        absent: Any = [] if self.part.is_list else self.part.absent
        optional = _optional(self.part, item)
        return f"{optional}.value()" if absent is None else f"{optional}.orValue({literal(absent)})"

    def _is_bad(self, item: str, view: ObjectView) -> Condition:
        """Return the condition that an item of an object violates the rule."""
        is_set = f"{_optional(self.part, item)}.hasValue()"
        if self.rule is None:
            shared = f"{_of_pod(self.part)(view)}.hasValue()" if self.part.is_of_pod else False
            return all_of([negated(is_set), negated(shared)])
        if self.part.is_list:
            return f"{self._value(item)}.exists(entry, {text_of(self.rule.is_bad('entry'))})"
        is_bad = self.rule.is_bad(self._value(item))
        return all_of([is_set if self.part.absent is None else True, is_bad])

    def _is_new(self, item: str, other: str, stored: Sequence[Condition]) -> Condition:
        """Return the condition that an item is bad, and the stored one at its place is not bad alike."""
        if self.part.is_list:
            loop = ("number", "entry")
            return _exists(loop, self._value(item), self._value(other), stored, self._is_new_entry)
        same = self._is_bad(other, self.views.old)
        if self._shows_value:
            same = all_of([same, f"{self._value(item)} == {self._value(other)}"])
        return all_of([self._is_bad(item, self.views.new), negated(all_of([*stored, same]))])

    def _is_new_entry(self, entry: str, other: str, stored: Sequence[Condition]) -> Condition:
        assert self.rule is not None
        same = f"{entry} == {other}" if self._shows_value else True
        return all_of([self.rule.is_bad(entry), negated(all_of([*stored, same]))])

    @property
    def _shows_value(self) -> bool:
        """True if a violation contains the value, so that another value is another violation."""
        return self.rule is not None and self.rule.code != FORBIDDEN

    def _bad_item_text(self) -> str:
        """Return the expression of a bad ``item`` in the message: its value, and the container's name."""
        of = [] if self.part.absent is not None else ["item.name"]
        if self.rule is not None and self.part.is_list:
            bad = f"{self._value('item')}.filter(entry, {text_of(self.rule.is_bad('entry'))})"
            entries = f"{bad}.map(entry, {shown('entry', quote=True)})"
            of.append(f"{entries}.join({literal(', ')})")
        elif self.rule is not None:
            of.append(shown(self._value("item"), quote=self.part.is_text))
        return f" + {literal(': ')} + ".join(of)


def _exists(
    loop: tuple[str, str],
    new: str,
    old: str,
    stored: Sequence[Condition],
    is_new: Callable[[str, str, Sequence[Condition]], Condition],
) -> str:
    """Return the condition that a list has an item which the stored list does not have at its place.

    Args:
        loop: the variables of the index and of the item.
        new: the list.
        old: the stored list.
        stored: the conditions that there is a stored list.
        is_new: returns that of an item, given the stored one and the conditions that there is one.
    """
    index, item = loop
    there = [*stored, f"{index} < {old}.size()"]
    return f"{new}.exists({index}, {item}, {text_of(is_new(item, f'{old}[{index}]', there))})"
