"""What a failure policy matches: sets of exit codes and conditions, compared exactly.

KEP-3329, "Evaluation": the rules are taken in order, and the first that matches decides. A rule on exit
codes matches when one container in its scope ended with such a code, where 0 is never examined; a rule on
conditions matches when the Pod has one of them. More containers that ended, or more conditions, never make
a rule match less: so a rule is reached at all exactly when it is reached by a Pod of which a single fact is
known, and to look at single facts decides whether one rule is covered by earlier ones, without error.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

LINUX_EXIT_CODES = frozenset(range(256))
"""What a process can end with on Linux; a container runtime reports no others."""

ANY_OTHER_CODE = 2**31
"""Stands, on Windows, for every exit code that no rule names: no rule can name it, as it is no int32."""


class Facts:
    """A set of single facts about a failed Pod, each enough for some rule to match.

    Attributes:
        codes: of each container, by its name, exit codes that it may have ended with; none is empty.
        conditions: conditions that the Pod may have, as ``type=status``.
    """

    __slots__ = ("codes", "conditions")

    def __init__(
        self, codes: dict[str, frozenset[int]], conditions: frozenset[str] = frozenset()
    ) -> None:
        self.codes = {name: values for name, values in codes.items() if values}
        self.conditions = conditions

    def __bool__(self) -> bool:
        return bool(self.codes or self.conditions)

    def __or__(self, other: Facts) -> Facts:
        codes = dict(self.codes)
        for name, values in other.codes.items():
            codes[name] = codes[name] | values if name in codes else values
        return Facts(codes, self.conditions | other.conditions)

    def __sub__(self, other: Facts) -> Facts:
        codes = {
            name: values - other.codes[name] if name in other.codes else values
            for name, values in self.codes.items()
        }
        return Facts(codes, self.conditions - other.conditions)

    def meets(self, other: Facts) -> bool:
        """Whether the two have a fact in common."""
        return not self.conditions.isdisjoint(other.conditions) or any(
            name in other.codes and not values.isdisjoint(other.codes[name])
            for name, values in self.codes.items()
        )

    def every_code(self) -> frozenset[int]:
        """The exit codes, whichever container may have ended with them."""
        return frozenset().union(*self.codes.values())

    def __repr__(self) -> str:
        codes = {name: sorted(values) for name, values in self.codes.items()}
        return f"Facts({codes}, {sorted(self.conditions)})"


def facts_of(rule: dict[str, Any], containers: Iterable[str], codes: frozenset[int]) -> Facts:
    """The single facts that make a rule match when it is asked.

    Args:
        rule: a decoded rule of a failure policy.
        containers: the names of all containers and init containers of the Pod.
        codes: the exit codes that are possible.
    """
    requirement = rule.get("onExitCodes")
    if requirement is None:
        patterns = rule.get("onPodConditions", ())
        return Facts(
            {},
            frozenset(
                f"{pattern.get('type', '')}={pattern.get('status', 'True')}" for pattern in patterns
            ),
        )
    values = requirement.get("values", ())
    matching = codes.intersection(values) if _listing(requirement) else codes.difference(values)
    name = requirement.get("containerName")
    scope = containers if name is None else (name,)
    return Facts(dict.fromkeys(scope, matching - {0}))


def _listing(requirement: dict[str, Any]) -> bool:
    return bool(requirement.get("operator") == "In")


def possible_codes(rules: Sequence[dict[str, Any]], *, windows: bool) -> frozenset[int]:
    """The exit codes that have to be told apart: all of Linux, or on Windows those that rules name."""
    if not windows:
        return LINUX_EXIT_CODES
    named = {code for rule in rules for code in rule.get("onExitCodes", {}).get("values", ())}
    return frozenset((*named, ANY_OTHER_CODE))


def facts_of_each(
    rules: Sequence[dict[str, Any]], containers: Sequence[str], *, windows: bool = False
) -> list[Facts]:
    """Of each rule, the single facts that make it match when it is asked."""
    codes = possible_codes(rules, windows=windows)
    return [facts_of(rule, containers, codes) for rule in rules]


def deciding(of_each: Sequence[Facts]) -> list[Facts]:
    """Of each rule, the single facts that it decides: those that no earlier rule takes.

    Args:
        of_each: what :func:`facts_of_each` says of the policy.

    >>> deciding([Facts({"main": frozenset([1, 2])}), Facts({"main": frozenset([2, 3])})])[1]
    Facts({'main': [3]}, [])
    """
    taken = Facts({})
    answers = []
    for wanted in of_each:
        answers.append(wanted - taken)
        taken |= wanted
    return answers


def covering(of_each: Sequence[Facts]) -> list[list[int]]:
    """Of each rule, the earlier rules that together match whenever it would.

    An empty list means that the rule can decide; a rule that matches nothing at all is not covered.

    Args:
        of_each: what :func:`facts_of_each` says of the policy.

    >>> policy = [
    ...     {"onExitCodes": {"operator": "In", "values": [1, 2]}},
    ...     {"onExitCodes": {"operator": "NotIn", "values": [1, 2]}},
    ...     {"onExitCodes": {"operator": "In", "values": [42], "containerName": "main"}},
    ... ]
    >>> covering(facts_of_each(policy, ["main"]))
    [[], [], [1]]
    """
    answers = []
    for index, wanted in enumerate(of_each):
        left, coverers = wanted, []
        for earlier in range(index):
            if left.meets(of_each[earlier]):
                coverers.append(earlier)
                left -= of_each[earlier]
        answers.append(coverers if wanted and not left else [])
    return answers
