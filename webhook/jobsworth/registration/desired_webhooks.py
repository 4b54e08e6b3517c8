"""Derive the webhooks of a webhook configuration from a template and the scope of the policies.

The API server rejects a request that matches a webhook with ``failurePolicy: Fail`` while no replica answers.
So only the requests that the policies concern match such a webhook; all others match one with ``Ignore``.

An update by which a queueing controller resumes, suspends and places a Job concerns no policy. Kueue, JobSet
and Volcano change ``spec.suspend`` and the scheduling directives of KEP-2926. Every other field must be
unchanged: the condition compares all fields that an object has, so a field that a later release adds is
compared, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from jobsworth.api.batch.job_update import SCHEDULING_DIRECTIVES
from jobsworth.policy.export.cel_text import Condition, literal, negated
from jobsworth.policy.export.match_conditions import USER
from jobsworth.policy.request import UPDATE
from jobsworth.registration.policy_scope import ScopePart

Webhook = dict[str, Any]
FailurePolicy = Literal["Fail", "Ignore"]


_TEMPLATE = "spec.template"
_CHANGING: dict[str, tuple[str, ...]] = {
    "spec": ("suspend", "template"),
    _TEMPLATE: ("metadata", "spec"),
    f"{_TEMPLATE}.metadata": SCHEDULING_DIRECTIVES["metadata"],
    f"{_TEMPLATE}.spec": ("affinity", *SCHEDULING_DIRECTIVES["spec"]),
    f"{_TEMPLATE}.spec.affinity": SCHEDULING_DIRECTIVES["spec.affinity"],
}
"""By the path of a struct in the Job, the fields that may change, or that have an entry of their own."""


def other_than_scheduling(users: Sequence[str]) -> str:
    """Return the CEL condition that a request is not a mere scheduling update by one of some users.

    Args:
        users: the names of the queueing controllers' users.
    """
    metadata = (_same(f"metadata.{name}", ()) for name in ("labels", "annotations"))
    same = " && ".join([*metadata, *(_same(*each) for each in _CHANGING.items())])
    return (
        f"!(request.operation == {literal(UPDATE)} && request.resource.resource == "
        f"{literal('jobs')} && {USER} in {literal(list(users))} && {same})"
    )


def _same(path: str, but: Sequence[str]) -> str:
    """Return the condition that a struct or map is unchanged, but for some of its fields."""
    new, old = (_or_empty(f"{each}.{path}") for each in ("object", "oldObject"))
    if not but:
        return f"{new} == {old}"
    changing = f"field in {literal(list(but))}"
    return (
        f"{new}.all(field, {changing} || (field in {old} && {new}[field] == {old}[field]))"
        f" && {old}.all(field, {changing} || field in {new})"
    )


def _or_empty(path: str) -> str:
    return f"(has({path}) ? {path} : {{}})"


NOT_QUEUEING = "not-by-queueing-controllers"
"""The name of the condition of :func:`other_than_scheduling`."""

DOMAIN = ".jobsworth.dev"
"""The end of the name of each webhook."""


def desired_webhooks(
    template: Mapping[str, Any],
    scope: Iterable[ScopePart],
    *,
    may_fail: bool,
    queueing_controllers: Sequence[str] = (),
) -> list[Webhook]:
    """Return the webhooks that replace the webhook of a template.

    No request matches two of them, and every request that matches the template matches one.

    Args:
        template: a webhook; its ``failurePolicy`` is the strictest to use.
        scope: the scope of the policies that require ``Fail``.
        may_fail: False to use ``Ignore`` throughout, as long as no replica has been ready.
        queueing_controllers: users whose mere scheduling updates match no webhook.
    """
    webhook = dict(template)
    if queueing_controllers:
        condition = other_than_scheduling(queueing_controllers)
        webhook = _with_condition(webhook, NOT_QUEUEING, condition)
    parts = tuple(scope)
    if (
        template["failurePolicy"] != "Fail"
        or not may_fail
        or all(part.condition is False for part in parts)
    ):
        return [{**webhook, "failurePolicy": "Ignore"}]
    found: list[Webhook] = []
    for part in parts:
        found += _pair(webhook, part)
    return _with_unique_names(found)


def _pair(webhook: Webhook, part: ScopePart) -> list[Webhook]:
    """Return the webhooks for the namespaces of a part of the scope."""
    selected = _with_namespaces(webhook, part.requirements)
    policies: tuple[tuple[FailurePolicy, Condition], ...] = (
        ("Fail", part.condition),
        ("Ignore", negated(part.condition)),
    )
    found = []
    for failure_policy, condition in policies:
        if condition is False:
            continue
        one = {**selected, "failurePolicy": failure_policy}
        if isinstance(condition, str):
            name = (
                "required-by-policies" if failure_policy == "Fail" else "not-required-by-policies"
            )
            one = _with_condition(one, name, condition)
        found.append(one)
    return found


def _with_condition(webhook: Webhook, name: str, expression: str) -> Webhook:
    conditions = webhook.get("matchConditions") or ()
    return {**webhook, "matchConditions": [*conditions, {"name": name, "expression": expression}]}


def _with_namespaces(webhook: Webhook, requirements: Sequence[Mapping[str, Any]]) -> Webhook:
    if not requirements:
        return webhook
    selector = dict(webhook.get("namespaceSelector") or {})
    selector["matchExpressions"] = [*(selector.get("matchExpressions") or ()), *requirements]
    return {**webhook, "namespaceSelector": selector}


def _with_unique_names(webhooks: list[Webhook]) -> list[Webhook]:
    """Return webhooks with a unique name each: ``validate``, ``validate-ignore``, ``validate-2`` …"""
    counts = {"Fail": 0, "Ignore": 0}
    found = []
    for webhook in webhooks:
        failure_policy = webhook["failurePolicy"]
        counts[failure_policy] += 1
        suffix = "" if failure_policy == "Fail" else "-ignore"
        if counts[failure_policy] > 1:
            suffix += f"-{counts[failure_policy]}"
        name = webhook["name"].removesuffix(DOMAIN)
        found.append({**webhook, "name": f"{name}{suffix}{DOMAIN}"})
    return found
