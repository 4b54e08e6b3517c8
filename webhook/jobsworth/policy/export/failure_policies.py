"""Limits of failure policies in CEL: see :mod:`jobsworth.policy.limits.failure_policy_limits`.

The failure policy of a Job is immutable. In a CronJob, an update may leave old violations and add new ones,
which the number of the rule distinguishes; without macros that know it, one violation hides another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jobsworth.api.field_errors import Printed, not_supported, required
from jobsworth.policy.export.cel_text import HOLE, Condition, all_of, either, literal, negated
from jobsworth.policy.export.object_view import ObjectView
from jobsworth.policy.export.requirement import (
    Requirement,
    Views,
    requirement,
    requirement_of_items,
    wording,
)
from jobsworth.policy.limits.failure_policy_limits import (
    DISRUPTION,
    disruptions_not_first,
    no_rule_for_disruptions,
    too_few_rules,
    too_many_rules,
)
from jobsworth.policy.violation import (
    FAILURE_POLICY_ACTION,
    FAILURE_POLICY_EXIT_CODES,
    FAILURE_POLICY_IGNORES_DISRUPTIONS,
    FAILURE_POLICY_RULES,
)

Limit = Mapping[str, Any]

_VALUE = Printed(HOLE)
_COMMA = literal(", ")
_NO_RULE = "no rule"
_IGNORES_DISRUPTIONS = (
    f"(rule.action == {literal('Ignore')} && rule.?onPodConditions.orValue([]).exists(condition, "
    f"condition.type == {literal(DISRUPTION)} && "
    f"condition.?status.orValue({literal('True')}) == {literal('True')}))"
)


def of_failure_policy(limit: Limit, views: Views) -> Iterator[Requirement]:
    """Yield the requirements of the rules of a failure policy, which hold for Jobs that have one."""
    for name, build in _LIMITS.items():
        if name in limit:
            yield from build(limit[name], limit.get("message", ""), views)


def _exists(view: ObjectView) -> str:
    return f"has({view.spec}.podFailurePolicy)"


def _place(views: Views) -> str:
    return f"{views.new.path}.podFailurePolicy.rules"


def _actions(allowed: list[str], hint: str, views: Views) -> Iterator[Requirement]:
    is_other = f"!(rule.action in {literal(list(allowed))})"
    found = f"{views.new.rules}.filter(rule, {is_other}).map(rule, rule.action)"
    error = not_supported("", _VALUE, allowed).message
    text = wording(_place(views), error, FAILURE_POLICY_ACTION, hint, f"{found}.join({_COMMA})")
    if views.have_indexes and not views.keep_failure_policy:
        yield requirement_of_items(
            views,
            lambda view: (
                f"{view.rules}.transformList(index, rule, {is_other}, string(index) + rule.action)"
            ),
            text,
        )
        return
    yield requirement(
        views,
        lambda view: f"{view.rules}.exists(rule, {is_other})",
        text,
        exact=views.keep_failure_policy,
    )


def _disruptions_first(required: bool, hint: str, views: Views) -> Iterator[Requirement]:
    if not required:
        return

    def violated(view: ObjectView) -> Condition:
        first = f"({view.rules}.map(rule, {_IGNORES_DISRUPTIONS}) + [false])[0]"
        return all_of([_exists(view), negated(first)])

    def place(view: ObjectView) -> list[str]:
        """Return the number of the first rule that ignores disruptions, which the webhook reports."""
        if views.keep_failure_policy or not views.have_indexes:
            return []
        found = f"{view.rules}.transformList(index, rule, {_IGNORES_DISRUPTIONS}, index)"
        return [f"({found} + [-1])[0]"]

    not_first, none = (
        wording(_place(views), error.message, FAILURE_POLICY_IGNORES_DISRUPTIONS, hint)
        for error in (disruptions_not_first(), no_rule_for_disruptions())
    )
    text = either(f"{views.new.rules}.exists(rule, {_IGNORES_DISRUPTIONS})", not_first, none)
    exact = views.keep_failure_policy or views.have_indexes
    yield requirement(views, violated, text, seen=place, exact=exact)


def _exit_codes(codes: list[int], hint: str, views: Views) -> Iterator[Requirement]:
    for code in codes:
        yield _exit_code(code, hint, views)


def _exit_code(code: int, hint: str, views: Views) -> Requirement:
    """Return the requirement that the first rule which matches an exit code of a container fails the Job."""
    matches = (
        f"has(rule.onExitCodes) && (!has(rule.onExitCodes.containerName) || "
        f"rule.onExitCodes.containerName == container.name) && "
        f"({code} in rule.onExitCodes.values) == (rule.onExitCodes.operator == {literal('In')})"
    )
    fails = literal("FailJob")

    def others(view: ObjectView) -> str:
        """Return the containers for which another rule, or none, decides."""
        found = f"{view.rules}.filter(rule, {matches}).map(rule, rule.action)"
        first = f"({found} + [{literal(_NO_RULE)}])[0]"
        return f"{view.pod}.containers.filter(container, {first} != {fails})"

    def decisions(view: ObjectView) -> str:
        """Return these containers, each with the number and action of its rule, as the webhook reports it."""
        found = f"{view.rules}.transformList(index, rule, {matches}, string(index) + rule.action)"
        first = f"({found} + [{literal(_NO_RULE)}])[0]"
        of_each = f"{view.pod}.containers.map(container, container.name + {literal(' ')} + {first})"
        return either(_exists(view), f"{of_each}.filter(item, !item.endsWith({fails}))", "[]")

    error = required(
        "", f"exit code {code} must lead to FailJob, but it does not in {HOLE}"
    ).message
    names = f"{others(views.new)}.map(container, container.name).join({_COMMA})"
    text = wording(_place(views), error, FAILURE_POLICY_EXIT_CODES, hint, names)
    if views.have_indexes and not views.keep_failure_policy:
        return requirement_of_items(views, decisions, text)
    return requirement(
        views,
        lambda view: all_of([_exists(view), f"{others(view)}.size() > 0"]),
        text,
        exact=views.keep_failure_policy,
    )


def _count(is_bad: str, error: str, hint: str, views: Views) -> Iterator[Requirement]:
    text = wording(
        _place(views), error, FAILURE_POLICY_RULES, hint, f"string({views.new.rules}.size())"
    )
    yield requirement(
        views,
        lambda view: all_of([_exists(view), f"{view.rules}.size() {is_bad}"]),
        text,
        seen=lambda view: [f"{view.rules}.size()"],
    )


_LIMITS: dict[str, Callable[[Any, str, Views], Iterator[Requirement]]] = {
    "allowedActions": _actions,
    "ignoreDisruptionsFirst": _disruptions_first,
    "failJobOnExitCodes": _exit_codes,
    "minimumRules": lambda least, hint, views: _count(
        f"< {least}", too_few_rules(least, _VALUE).message, hint, views
    ),
    "maximumRules": lambda most, hint, views: _count(
        f"> {most}", too_many_rules(most, _VALUE).message, hint, views
    ),
}
