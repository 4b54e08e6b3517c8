"""Compute the scope of some policies: the requests that they match, by the labels of the namespace.

A webhook can select namespaces by label only with its namespaceSelector, which is one conjunction. So the
namespaces are partitioned by the label requirements that the policies name, and each part has one condition
on the other properties of a request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.policy.export.cel_text import Condition, all_of, any_of, literal, negated
from jobsworth.policy.export.match_conditions import made_by_a_cron_job, of_criterion
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.matching import NAMESPACE_NAME, Matcher
from jobsworth.policy.request import CREATE
from jobsworth.policy.violation import EFFECTS

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


def denied(policies: Iterable[JobPolicy]) -> tuple[ScopePart, ...]:
    """Return the scope of the policies that can deny a request."""
    return _scope(
        [_Scoped(policy, _creates_violations(policy)) for policy in policies if can_deny(policy)]
    )


def defaulted(policies: Iterable[JobPolicy]) -> tuple[ScopePart, ...]:
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
