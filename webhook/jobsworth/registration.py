"""Derive the webhooks of a webhook configuration from a template and the scope of the policies.

The API server rejects a request that matches a webhook with ``failurePolicy: Fail`` while no replica answers.
So only the requests that the policies concern match such a webhook; all others match one with ``Ignore``.

An update by which a queueing controller resumes, suspends and places a Job concerns no policy. Kueue, JobSet
and Volcano change ``spec.suspend`` and the scheduling directives of KEP-2926. Every other field must be
unchanged: the condition compares all fields that an object has, so a field that a later release adds is
compared, too.

The scope of some policies is the requests that they match, by the labels of the namespace. A webhook can
select namespaces by label only with its namespaceSelector, which is one conjunction. So the namespaces are
partitioned by the label requirements that the policies name, and each part has one condition on the other
properties of a request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from jobsworth.api.batch.job_update import SCHEDULING_DIRECTIVES
from jobsworth.policy.export.cel_text import Condition, all_of, any_of, literal, negated
from jobsworth.policy.export.match_conditions import USER, made_by_a_cron_job, of_criterion
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.matching import NAMESPACE_NAME, Matcher
from jobsworth.policy.request import CREATE, UPDATE
from jobsworth.policy.violation import EFFECTS

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


AUDIT, _, DENY = EFFECTS
MAX_REQUIREMENTS = 4
"""The largest number of label requirements on namespaces that partition them: each may double the webhooks.

Of further requirements, the scope assumes that they hold in ``match`` and do not hold in ``exempt``.
"""


@dataclass(frozen=True, slots=True)
class LabelFact:
    """A statement about a label of a namespace.

    Attributes:
        key: of the label.
        values: the label has one of these values; None for the statement that the label exists.
    """

    key: str
    values: frozenset[str] | None

    def holds(self, value: str | None) -> bool:
        """Return True if the statement holds for a value of the label; None if it is absent."""
        return value is not None if self.values is None else value in self.values

    def requirement(self, holds: bool) -> dict[str, Any]:
        """Return the requirement of a LabelSelector that the statement holds, or does not hold."""
        if self.values is None:
            return {"key": self.key, "operator": "Exists" if holds else "DoesNotExist"}
        operator = "In" if holds else "NotIn"
        return {"key": self.key, "operator": operator, "values": sorted(self.values)}


@dataclass(frozen=True, slots=True)
class ScopePart:
    """The scope in the namespaces with certain labels.

    Attributes:
        requirements: the requirements of a LabelSelector on the labels of the namespaces.
        condition: the condition on the request.
    """

    requirements: tuple[Mapping[str, Any], ...]
    condition: Condition


EVERYTHING = (ScopePart((), True),)
NOTHING = (ScopePart((), False),)


def can_deny(policy: JobPolicy) -> bool:
    """Return True if a violation of the policy can deny a request."""
    return policy.enforcement == DENY and (
        any(part is not None for part in (policy.limits, policy.immutable, policy.expressions))
        or (policy.rules is not None and DENY in policy.rules.effects.values())
    )


def scope_of_denials(policies: Iterable[JobPolicy]) -> tuple[ScopePart, ...]:
    """Return the scope of the policies that can deny a request."""
    return _scope(
        [_Scoped(policy, _creates_violations(policy)) for policy in policies if can_deny(policy)]
    )


def scope_of_defaults(policies: Iterable[JobPolicy]) -> tuple[ScopePart, ...]:
    """Return the scope of the policies that have defaults: an update restores what a creation set."""
    return _scope(
        [
            _Scoped(policy, True, restores=policy.defaults.set_immutable_fields)
            for policy in policies
            if policy.defaults is not None
        ]
    )


def _creates_violations(policy: JobPolicy) -> Condition:
    """Return the condition that the policy may deny a request that it matches."""
    return negated(made_by_a_cron_job()) if policy.cron_job_jobs == AUDIT else True


@dataclass(frozen=True, slots=True)
class _Scoped:
    policy: JobPolicy
    also: Condition
    restores: bool = False


class _Undecided(Exception):
    def __init__(self, fact: LabelFact) -> None:
        self.fact = fact


def _scope(scoped: Sequence[_Scoped]) -> tuple[ScopePart, ...]:
    facts = list(dict.fromkeys(fact for each in scoped for fact in _facts(each.policy)))
    return tuple(_parts(scoped, frozenset(facts[:MAX_REQUIREMENTS]), {}))


def _parts(
    scoped: Sequence[_Scoped], splitting: frozenset[LabelFact], known: Mapping[LabelFact, bool]
) -> Iterator[ScopePart]:
    try:
        condition = any_of(_of_policy(each, splitting, known) for each in scoped)
    except _Undecided as undecided:
        for holds in (True, False):
            more = {**known, undecided.fact: holds}
            if _is_possible(more, undecided.fact.key):
                yield from _parts(scoped, splitting, more)
        return
    yield ScopePart(tuple(fact.requirement(holds) for fact, holds in known.items()), condition)


def _is_possible(known: Mapping[LabelFact, bool], key: str) -> bool:
    """Return True if a label can have a value for which all that is known about it is true."""
    about = {fact: holds for fact, holds in known.items() if fact.key == key}
    values: set[str | None] = {None, ""}  # the empty value stands for any that no policy names
    values.update(*(fact.values or () for fact in about))
    return any(all(fact.holds(value) is holds for fact, holds in about.items()) for value in values)


def _of_policy(
    scoped: _Scoped, splitting: frozenset[LabelFact], known: Mapping[LabelFact, bool]
) -> Condition:
    matching = scoped.policy.matching

    def of_matcher(matcher: Matcher, exempting: bool) -> Condition:
        return all_of(
            _of_namespace_labels(one.value, splitting, known, otherwise=not exempting)
            if one.name == "namespaceSelector"
            else CREATE in one.value or (not exempting and of_criterion(one, exempting=False))
            if one.name == "operations" and scoped.restores
            else of_criterion(one, exempting=exempting)
            for one in matcher.criteria
        )

    matched = any_of(of_matcher(one, False) for one in matching.match) if matching.match else True
    exempt = any_of(of_matcher(one, True) for one in matching.exempt)
    return all_of([matched, negated(exempt), scoped.also])


def _of_namespace_labels(
    selector: Mapping[str, Any],
    splitting: frozenset[LabelFact],
    known: Mapping[LabelFact, bool],
    *,
    otherwise: bool,
) -> Condition:
    """Return the condition that a namespaceSelector matches.

    Raises:
        _Undecided: it depends on a requirement that is not known yet.
    """

    def of_requirement(fact: LabelFact, holds: bool) -> Condition:
        if fact.key == NAMESPACE_NAME:
            named = (
                f"request.namespace in {literal(sorted(fact.values))}"
                if fact.values is not None
                else True
            )
            return named if holds else negated(named)
        if fact not in splitting:
            return otherwise
        if fact not in known:
            raise _Undecided(fact)
        return known[fact] is holds

    return all_of(of_requirement(*each) for each in _requirements(selector))


def _facts(policy: JobPolicy) -> Iterator[LabelFact]:
    for matcher in (*policy.matching.match, *policy.matching.exempt):
        for one in matcher.criteria:
            if one.name == "namespaceSelector":
                yield from (
                    fact for fact, _ in _requirements(one.value) if fact.key != NAMESPACE_NAME
                )


def _requirements(selector: Mapping[str, Any]) -> list[tuple[LabelFact, bool]]:
    """Return the requirements of a LabelSelector as facts that hold or do not hold."""
    found = [
        (LabelFact(key, frozenset([value])), True)
        for key, value in (selector.get("matchLabels") or {}).items()
    ]
    for each in selector.get("matchExpressions") or ():
        values = frozenset(each["values"]) if each["operator"] in ("In", "NotIn") else None
        found.append((LabelFact(each["key"], values), each["operator"] in ("In", "Exists")))
    return found
