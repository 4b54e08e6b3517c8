"""Request matching: decide from ``match`` and ``exempt`` if a policy applies to a request, with the reason.

All criteria of a matcher must match; of the entries of a criterion, and of several matchers, one is enough.
An exemption takes precedence over a match. An unknown value (the labels of a namespace, the user of a file on
the command line) counts as a match, and the decision is marked as not certain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from jobsworth.policy.patterns import compiled_names, compiled_selector, selector_text
from jobsworth.policy.request import CREATE, KINDS, OPERATIONS, PolicyRequest, owner_kinds

Test = Callable[[PolicyRequest], bool | None]
Describe = Callable[[PolicyRequest], str]


NAMESPACE_NAME = "kubernetes.io/metadata.name"
"""The label that the API server sets on every namespace (Kubernetes 1.22)."""

USER_CRITERIA = ("users", "groups")

_IF_UNKNOWN: Mapping[str, str] = {
    "namespaceSelector": "the labels of the namespace, which are not known here, match",
    "users": "the user, who is not known here, is among users",
    "groups": "the user, who is not known here, is in one of the groups",
}
"""The condition that a criterion stands for while its value is unknown."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One condition of a matcher.

    Attributes:
        name: the field of the matcher: ``namespaces``.
        value: the value of that field, as decoded.
        expected: the expected value, as text.
        test: returns True, False, or None if the value is unknown.
        describe: returns the actual value, as text.
    """

    name: str
    value: Any
    expected: str
    test: Test
    describe: Describe

    def sentence(self, request: PolicyRequest, outcome: bool | None) -> str:
        """Describe the outcome, with the expected and the actual value."""
        verb = {True: "is among", False: "is not among", None: "may be among"}[outcome]
        if self.name.endswith("Selector"):
            verb = {True: "matches", False: "does not match", None: "may match"}[outcome]
        return f"{self.describe(request)} {verb} {self.name} {self.expected}"


@dataclass(frozen=True, slots=True)
class MatchDecision:
    """The decision if a policy applies to a request.

    Attributes:
        applies: True if the policy applies.
        certain: False if the decision depends on an unknown value.
    """

    applies: bool
    certain: bool
    _clause: str
    _criteria: tuple[Criterion, ...]
    _outcome: bool | None
    _request: PolicyRequest
    _exemptions: tuple[Criterion, ...] = ()
    _applies_if: Literal["if", "unless"] = "if"

    @property
    def because(self) -> str:
        """The reason, in words."""
        sentences = (
            criterion.sentence(self._request, self._outcome) for criterion in self._criteria
        )
        text = ", and ".join(sentences)
        because = f"{self._clause}: {text}" if text else self._clause
        if not self._exemptions:
            return because
        exempt = " or ".join(f"{each.name} {each.expected}" for each in self._exemptions)
        return f"{because}; not exempt by {exempt}, because the user is not known (set --user)"

    @property
    def exempt(self) -> bool:
        """True if the policy would apply without an exemption."""
        return not self.applies and self._outcome is True

    @property
    def condition(self) -> str:
        """The unknown values that a decision depends on: ``if the user, who is not known here, is …``."""
        parts = (f"{_IF_UNKNOWN[each.name]} {each.expected}" for each in self._criteria)
        return f"{self._applies_if} {', and '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Matcher:
    """Criteria that must all match."""

    criteria: tuple[Criterion, ...]

    def admits(self, kind: str, operation: str) -> bool:
        """Return True if the matcher can match an operation on objects of a kind."""
        values = {each.name: each.value for each in self.criteria}
        return kind in values.get("kinds", KINDS) and operation in values.get(
            "operations", OPERATIONS
        )

    def test(self, request: PolicyRequest) -> tuple[bool | None, tuple[Criterion, ...]]:
        """Return the outcome, and the criteria that decided it: all criteria if all match."""
        unknown: tuple[Criterion, ...] = ()
        for criterion in self.criteria:
            one = criterion.test(request)
            if one is False:
                return False, (criterion,)
            if one is None:
                unknown = (*unknown, criterion)
        return (None, unknown) if unknown else (True, self.criteria)


@dataclass(frozen=True, slots=True)
class Matching:
    """The compiled ``match`` and ``exempt`` of a policy.

    Attributes:
        match: matchers of which one must match; empty for a policy that applies to every request.
        exempt: matchers of which none may match.
        needs_namespace_labels: True if a criterion selects namespaces by label.
        kinds: the kinds that the policy can apply to.
        operations: the operations that the policy can apply to.
    """

    match: tuple[Matcher, ...]
    exempt: tuple[Matcher, ...]
    needs_namespace_labels: bool
    kinds: frozenset[str]
    operations: frozenset[str]

    @property
    def is_unconditional(self) -> bool:
        """Return True if the policy applies to every request."""
        return not self.exempt and (
            not self.match or any(not matcher.criteria for matcher in self.match)
        )

    @property
    def includes_cron_jobs(self) -> bool:
        """Return True if the policy evaluates each CronJob whose Job it would evaluate.

        False if a matcher selects Jobs that are created and not every write of CronJobs, or an exemption
        CronJobs and not Jobs that are created. Selection by name and label is up to the author.
        """
        return all(
            not each.admits("Job", CREATE) or all(each.admits("CronJob", one) for one in OPERATIONS)
            for each in self.match
        ) and all(
            each.admits("Job", CREATE) or not any(each.admits("CronJob", one) for one in OPERATIONS)
            for each in self.exempt
        )

    def decide(self, request: PolicyRequest) -> MatchDecision:
        """Decide if the policy applies to a request."""
        matched = self._matched(request)
        if not matched.applies:
            return matched
        by_user: tuple[Criterion, ...] = ()
        for matcher in self.exempt:
            outcome, criteria = matcher.test(request)
            if outcome:
                return MatchDecision(False, True, "exempt", criteria, True, request)
            if outcome is None:
                users = tuple(one for one in criteria if one.name in USER_CRITERIA)
                if not users:
                    return MatchDecision(
                        True, False, "may be exempt", criteria, None, request, _applies_if="unless"
                    )
                by_user += users
        return replace(matched, _exemptions=by_user) if by_user else matched

    def _matched(self, request: PolicyRequest) -> MatchDecision:
        if not self.match:
            return MatchDecision(True, True, "applies to every Job and CronJob", (), True, request)
        perhaps: tuple[Criterion, ...] = ()
        failed: tuple[Criterion, ...] = ()
        for matcher in self.match:
            outcome, criteria = matcher.test(request)
            if outcome:
                return MatchDecision(True, True, "matches", criteria, True, request)
            if outcome is None:
                perhaps = perhaps or criteria
            else:
                failed = (*failed, *criteria)
        if perhaps:
            return MatchDecision(True, False, "may match", perhaps, None, request)
        return MatchDecision(False, True, "does not match", failed, False, request)


def matcher(value: Mapping[str, Any], *, exempting: bool = False) -> Matcher:
    """Compile a matcher.

    Args:
        value: the matcher, valid against the schema.
        exempting: True in ``exempt``: on an update, the labels and owners of the stored object must match
            too, so that a user cannot exempt an object with the update that the policy would deny. In
            ``match`` those of either object are enough, so that a user cannot remove an object from a policy.
    """
    return Matcher(
        tuple(build(value[name], exempting) for name, build in CRITERIA.items() if name in value)
    )


def matching(match: list[dict[str, Any]], exempt: list[dict[str, Any]]) -> Matching:
    """Compile the ``match`` and ``exempt`` of a policy."""
    matchers = tuple(matcher(value) for value in match)
    exemptions = tuple(matcher(value, exempting=True) for value in exempt)
    return Matching(
        matchers,
        exemptions,
        any("namespaceSelector" in value for value in (*match, *exempt)),
        _reached(match, "kinds", KINDS),
        _reached(match, "operations", OPERATIONS),
    )


def _reached(match: list[dict[str, Any]], name: str, every: tuple[str, ...]) -> frozenset[str]:
    """Return the values of a criterion that the matchers together admit, out of all known values."""
    if not match:
        return frozenset(every)
    return frozenset(one for value in match for one in value.get(name, every))


def _any_of(
    name: str, values: list[str], of: Callable[[PolicyRequest], str], what: str
) -> Criterion:
    matches = compiled_names(values)
    return Criterion(
        name,
        values,
        _expected(values),
        lambda request: matches(of(request)),
        lambda request: f'{what} "{of(request)}"',
    )


def _expected(values: list[str]) -> str:
    return f"[{', '.join(values)}]"


def _users(values: list[str], exempting: bool) -> Criterion:
    matches = compiled_names(values)
    return Criterion(
        "users",
        values,
        _expected(values),
        lambda request: None if request.user is None else matches(request.user),
        lambda request: "unknown user" if request.user is None else f'user "{request.user}"',
    )


def _groups(values: list[str], exempting: bool) -> Criterion:
    matches = compiled_names(values)
    return Criterion(
        "groups",
        values,
        _expected(values),
        lambda request: None if request.user is None else any(map(matches, request.groups)),
        lambda request: (
            "unknown user" if request.user is None else f"a group of [{', '.join(request.groups)}]"
        ),
    )


def _owners(values: list[str], exempting: bool) -> Criterion:
    matches = compiled_names(values)
    one_is_enough = any if not exempting else all

    def test(request: PolicyRequest) -> bool:
        objects = [request.object, *([] if request.old is None else [request.old])]
        return one_is_enough(any(map(matches, owner_kinds(each))) for each in objects)

    def describe(request: PolicyRequest) -> str:
        kinds = owner_kinds(request.object)
        return f"an owner of [{', '.join(kinds)}]" if kinds else "no owner"

    return Criterion("owners", values, _expected(values), test, describe)


def _namespace_selector(value: Mapping[str, Any], exempting: bool) -> Criterion:
    matches = compiled_selector(value)
    keys = {*(value.get("matchLabels") or ())}
    keys |= {requirement["key"] for requirement in value.get("matchExpressions") or ()}
    only_name = keys <= {NAMESPACE_NAME}

    def test(request: PolicyRequest) -> bool | None:
        if request.namespace_labels is not None:
            return matches(request.namespace_labels)
        return matches({NAMESPACE_NAME: request.namespace}) if only_name else None

    def describe(request: PolicyRequest) -> str:
        known = request.namespace_labels is not None or only_name
        return f'namespace "{request.namespace}"' + ("" if known else " with unknown labels")

    return Criterion("namespaceSelector", value, selector_text(value), test, describe)


def _object_selector(value: Mapping[str, Any], exempting: bool) -> Criterion:
    matches = compiled_selector(value)
    one_is_enough = any if not exempting else all

    def test(request: PolicyRequest) -> bool:
        if request.old is None:
            return matches(request.labels)
        old = request.old["metadata"].get("labels") or {}
        return one_is_enough(matches(labels) for labels in (request.labels, old))

    return Criterion(
        "objectSelector",
        value,
        selector_text(value),
        test,
        lambda request: f'{request.kind} "{request.name}"',
    )


def _name(request: PolicyRequest) -> str:
    return request.name or request.object["metadata"].get("generateName") or ""


CRITERIA: dict[str, Callable[[Any, bool], Criterion]] = {
    "kinds": lambda values, _: _any_of("kinds", values, lambda request: request.kind, "kind"),
    "operations": lambda values, _: _any_of(
        "operations", values, lambda request: request.operation, "operation"
    ),
    "namespaces": lambda values, _: _any_of(
        "namespaces", values, lambda request: request.namespace, "namespace"
    ),
    "namespaceSelector": _namespace_selector,
    "names": lambda values, _: _any_of("names", values, _name, "name"),
    "objectSelector": _object_selector,
    "owners": _owners,
    "users": _users,
    "groups": _groups,
}
"""The constructor of each criterion, in evaluation order: the cheapest first."""
