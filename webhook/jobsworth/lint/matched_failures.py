"""The failed Pods that each rule of a failure policy matches, as sets of exit codes and conditions.

KEP-3329, "Evaluation": the controller evaluates the rules in order, and the first rule that matches decides.
A rule on exit codes matches if one container in its scope exited with such a code; exit code 0 never
matches. A rule on conditions matches if the Pod has one of them. Another exited container or another
condition never prevents a match, so a rule can be the first match for some Pod only if it is the first match
for a Pod with a single such fact. Comparing single facts is therefore an exact test for rules that earlier
rules cover.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

LINUX_EXIT_CODES = frozenset(range(256))
"""The exit codes of a process on Linux; a container runtime reports no others."""

ANY_OTHER_CODE = 2**31
"""Represents, on Windows, all exit codes that no rule names; a rule cannot name it: it exceeds int32."""


class Facts:
    """A set of single facts about a failed Pod, each enough for some rule to match.

    Attributes:
        codes: possible exit codes by container name; containers without any are omitted.
        conditions: possible conditions of the Pod, as ``type=status``.
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
        """Return True if the two sets have a fact in common."""
        return not self.conditions.isdisjoint(other.conditions) or any(
            name in other.codes and not values.isdisjoint(other.codes[name])
            for name, values in self.codes.items()
        )

    def every_code(self) -> frozenset[int]:
        """Return the exit codes of all containers."""
        return frozenset().union(*self.codes.values())

    def __repr__(self) -> str:
        codes = {name: sorted(values) for name, values in self.codes.items()}
        return f"Facts({codes}, {sorted(self.conditions)})"


def facts_of(rule: dict[str, Any], containers: Iterable[str], codes: frozenset[int]) -> Facts:
    """Return the single facts that a rule matches, regardless of the other rules.

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
    """Return the exit codes to distinguish: all codes of Linux; on Windows, those that rules name."""
    if not windows:
        return LINUX_EXIT_CODES
    named = {code for rule in rules for code in rule.get("onExitCodes", {}).get("values", ())}
    return frozenset((*named, ANY_OTHER_CODE))


def facts_of_each(
    rules: Sequence[dict[str, Any]], containers: Sequence[str], *, windows: bool = False
) -> list[Facts]:
    """Return, for each rule, the single facts that it matches, regardless of the other rules."""
    codes = possible_codes(rules, windows=windows)
    return [facts_of(rule, containers, codes) for rule in rules]


def deciding(of_each: Sequence[Facts]) -> list[Facts]:
    """Return, for each rule, the single facts that it decides: those that no earlier rule matches.

    Args:
        of_each: the result of :func:`facts_of_each` for the policy.

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
    """Return, for each rule, the indexes of the earlier rules that together match all that it matches.

    The list is empty for a rule that can decide, and for a rule that matches nothing at all.

    Args:
        of_each: the result of :func:`facts_of_each` for the policy.

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
