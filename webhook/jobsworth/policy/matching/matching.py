"""Which requests a document speaks about: ``match`` and ``exempt``, and why.

Within one matcher every criterion must hold, and of a criterion's list one entry is enough; of several
matchers one is enough. An exemption wins over a match. What cannot be known (the labels of a namespace,
the user behind a file on the command line) is taken for a match, and the decision says that it is not
certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jobsworth.policy.matching import label_conditions, name_patterns
from jobsworth.policy.policy_request import KINDS, OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jobsworth.policy.policy_request import PolicyRequest

    Test = Callable[[PolicyRequest], bool | None]
    Tell = Callable[[PolicyRequest], str]

NAMESPACE_NAME = "kubernetes.io/metadata.name"
"""The label that every namespace has (Kubernetes 1.22)."""

USERCRITERIA = ("users", "groups")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One condition on a request.

    Attributes:
        name: the field of the matcher: ``namespaces``.
        wanted: what it asks for, as text.
        test: True, False, or None where it cannot be known.
        tell: what the request has, as text.
    """

    name: str
    wanted: str
    test: Test
    tell: Tell

    def sentence(self, request: PolicyRequest, outcome: bool | None) -> str:
        """What came out, with what was wanted and what there is."""
        verb = {True: "is among", False: "is not among", None: "may be among"}[outcome]
        if self.name.endswith("Selector"):
            verb = {True: "matches", False: "does not match", None: "may match"}[outcome]
        return f"{self.tell(request)} {verb} {self.name} {self.wanted}"


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a document speaks about a request.

    Attributes:
        applies: it does.
        certain: nothing that could not be known was needed to say so.
    """

    applies: bool
    certain: bool
    _clause: str
    _criteria: tuple[Criterion, ...]
    _outcome: bool | None
    _request: PolicyRequest

    @property
    def because(self) -> str:
        """Why, in words."""
        sentences = (
            criterion.sentence(self._request, self._outcome) for criterion in self._criteria
        )
        text = ", and ".join(sentences)
        return f"{self._clause}: {text}" if text else self._clause


@dataclass(frozen=True, slots=True)
class Matcher:
    """Conditions that must all hold."""

    criteria: tuple[Criterion, ...]

    def test(self, request: PolicyRequest) -> tuple[bool | None, tuple[Criterion, ...]]:
        """The outcome, and the criteria that decided it: all of them when all hold."""
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
    """The ``match`` and ``exempt`` of a document.

    Attributes:
        match: one must hold; empty for a document that speaks about every request.
        exempt: none may hold.
        asks_namespace_labels: some criterion is about the labels of namespaces.
        kinds: the kinds that it can speak about.
        operations: the operations that it can speak about.
    """

    match: tuple[Matcher, ...]
    exempt: tuple[Matcher, ...]
    asks_namespace_labels: bool
    kinds: frozenset[str]
    operations: frozenset[str]

    @property
    def is_unconditional(self) -> bool:
        """Whether the document speaks about every request."""
        return not self.exempt and (
            not self.match or any(not matcher.criteria for matcher in self.match)
        )

    def decide(self, request: PolicyRequest) -> Decision:
        """Whether the document speaks about a request, and why."""
        matched = self._matched(request)
        if not matched.applies:
            return matched
        for matcher in self.exempt:
            outcome, criteria = matcher.test(request)
            if outcome:
                return Decision(False, True, "exempt", criteria, True, request)
            if outcome is None and not any(one.name in USERCRITERIA for one in criteria):
                return Decision(True, False, "perhaps exempt", criteria, None, request)
        return matched

    def _matched(self, request: PolicyRequest) -> Decision:
        if not self.match:
            return Decision(True, True, "speaks about every Job and CronJob", (), True, request)
        perhaps: tuple[Criterion, ...] = ()
        failed: tuple[Criterion, ...] = ()
        for matcher in self.match:
            outcome, criteria = matcher.test(request)
            if outcome:
                return Decision(True, True, "matches", criteria, True, request)
            if outcome is None:
                perhaps = perhaps or criteria
            else:
                failed = (*failed, *criteria)
        if perhaps:
            return Decision(True, False, "perhaps matches", perhaps, None, request)
        return Decision(False, True, "does not match", failed, False, request)


def matcher(value: Mapping[str, Any], *, exempting: bool = False) -> Matcher:
    """A matcher of a document.

    Args:
        value: well-formed.
        exempting: it stands in ``exempt``: on an update the stored object's labels must match too, so
            that nobody exempts an object with the update that the policy would refuse. In ``match`` the
            labels of either are enough, so that nobody leaves a policy that way.
    """
    return Matcher(
        tuple(build(value[name], exempting) for name, build in CRITERIA.items() if name in value)
    )


def matching(match: list[dict[str, Any]], exempt: list[dict[str, Any]]) -> Matching:
    """The matching of a document, from its well-formed matchers."""
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
    """What the matchers together let through of a criterion whose values are all known."""
    if not match:
        return frozenset(every)
    return frozenset(one for value in match for one in value.get(name, every))


def _listed(
    name: str, values: list[str], of: Callable[[PolicyRequest], str], what: str
) -> Criterion:
    matches = name_patterns.compiled(values)
    return Criterion(
        name,
        _wanted(values),
        lambda request: matches(of(request)),
        lambda request: f'{what} "{of(request)}"',
    )


def _wanted(values: list[str]) -> str:
    return f"[{', '.join(values)}]"


def _users(values: list[str], exempting: bool) -> Criterion:
    matches = name_patterns.compiled(values)
    return Criterion(
        "users",
        _wanted(values),
        lambda request: None if request.user is None else matches(request.user),
        lambda request: (
            "the user, who is not known," if request.user is None else f'user "{request.user}"'
        ),
    )


def _groups(values: list[str], exempting: bool) -> Criterion:
    matches = name_patterns.compiled(values)
    return Criterion(
        "groups",
        _wanted(values),
        lambda request: None if request.user is None else any(map(matches, request.groups)),
        lambda request: (
            "the user, who is not known,"
            if request.user is None
            else f"a group of [{', '.join(request.groups)}]"
        ),
    )


def _owners(values: list[str], exempting: bool) -> Criterion:
    matches = name_patterns.compiled(values)
    return Criterion(
        "owners",
        _wanted(values),
        lambda request: any(map(matches, request.owner_kinds)),
        lambda request: (
            f"an owner of [{', '.join(request.owner_kinds)}]" if request.owner_kinds else "no owner"
        ),
    )


def _namespace_selector(value: Mapping[str, Any], exempting: bool) -> Criterion:
    matches = label_conditions.compiled(value)
    keys = {*(value.get("matchLabels") or ())}
    keys |= {requirement["key"] for requirement in value.get("matchExpressions") or ()}
    only_name = keys <= {NAMESPACE_NAME}

    def test(request: PolicyRequest) -> bool | None:
        if request.namespace_labels is not None:
            return matches(request.namespace_labels)
        return matches({NAMESPACE_NAME: request.namespace}) if only_name else None

    def tell(request: PolicyRequest) -> str:
        known = request.namespace_labels is not None or only_name
        return f'namespace "{request.namespace}"' + (
            "" if known else ", whose labels are not known,"
        )

    return Criterion("namespaceSelector", label_conditions.text(value), test, tell)


def _object_selector(value: Mapping[str, Any], exempting: bool) -> Criterion:
    matches = label_conditions.compiled(value)
    one_is_enough = any if not exempting else all

    def test(request: PolicyRequest) -> bool:
        if request.old is None:
            return matches(request.labels)
        old = request.old["metadata"].get("labels") or {}
        return one_is_enough(matches(labels) for labels in (request.labels, old))

    return Criterion(
        "objectSelector",
        label_conditions.text(value),
        test,
        lambda request: f'{request.kind} "{request.name}"',
    )


def _name(request: PolicyRequest) -> str:
    return request.name or request.object["metadata"].get("generateName") or ""


CRITERIA: dict[str, Callable[[Any, bool], Criterion]] = {
    "kinds": lambda values, _: _listed("kinds", values, lambda request: request.kind, "kind"),
    "operations": lambda values, _: _listed(
        "operations", values, lambda request: request.operation, "operation"
    ),
    "namespaces": lambda values, _: _listed(
        "namespaces", values, lambda request: request.namespace, "namespace"
    ),
    "namespaceSelector": _namespace_selector,
    "names": lambda values, _: _listed("names", values, _name, "name"),
    "objectSelector": _object_selector,
    "owners": _owners,
    "users": _users,
    "groups": _groups,
}
"""Of each criterion what makes it, in the order in which they are tested: the cheap ones first."""
