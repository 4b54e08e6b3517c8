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

    Fact = tuple[str, str | int]

LINUX_EXIT_CODES = range(256)
"""What a process can end with on Linux; a container runtime reports no others."""

ANY_OTHER_CODE = 2**31
"""Stands, on Windows, for every exit code that no rule names: no rule can name it, as it is no int32."""


def facts(rule: dict[str, Any], containers: Sequence[str], codes: Iterable[int]) -> set[Fact]:
    """The single facts about a failed Pod that make a rule match.

    Args:
        rule: a decoded rule of a failure policy.
        containers: the names of all containers and init containers of the Pod.
        codes: the exit codes that are possible.

    Returns:
        Pairs of a container and an exit code, or of ``type=status`` and an empty string.
    """
    requirement = rule.get("onExitCodes")
    if requirement is None:
        return {
            (f"{pattern.get('type', '')}={pattern.get('status', 'True')}", "")
            for pattern in rule.get("onPodConditions", ())
        }
    values = set(requirement.get("values", ()))
    wanted = requirement.get("operator") == "In"
    matching = [code for code in codes if code != 0 and (code in values) == wanted]
    name = requirement.get("containerName")
    scope = containers if name is None else [name]
    return {(container, code) for container in scope for code in matching}


def possible_codes(rules: Sequence[dict[str, Any]], *, windows: bool) -> Iterable[int]:
    """The exit codes that have to be told apart: all of Linux, or on Windows those that rules name."""
    if not windows:
        return LINUX_EXIT_CODES
    named = {code for rule in rules for code in rule.get("onExitCodes", {}).get("values", ())}
    return [*sorted(named), ANY_OTHER_CODE]


def facts_of_each(
    rules: Sequence[dict[str, Any]], containers: Sequence[str], *, windows: bool = False
) -> list[set[Fact]]:
    """Of each rule, the single facts that make it match when it is asked."""
    codes = possible_codes(rules, windows=windows)
    return [facts(rule, containers, codes) for rule in rules]


def deciding(of_each: Sequence[set[Fact]]) -> list[set[Fact]]:
    """Of each rule, the single facts that it decides: those that no earlier rule takes.

    Args:
        of_each: what :func:`facts_of_each` says of the policy.

    >>> first, second = {("main", 1), ("main", 2)}, {("main", 2), ("main", 3)}
    >>> deciding([first, second])[1]
    {('main', 3)}
    """
    taken: set[Fact] = set()
    answers = []
    for wanted in of_each:
        answers.append(wanted - taken)
        taken |= wanted
    return answers


def covering(of_each: Sequence[set[Fact]]) -> list[list[int]]:
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
        left, coverers = set(wanted), []
        for earlier in range(index):
            if left & of_each[earlier]:
                coverers.append(earlier)
                left -= of_each[earlier]
        answers.append(coverers if wanted and not left else [])
    return answers


def codes_among(some: Iterable[Fact]) -> set[int]:
    """The exit codes among facts, whichever container ended with them."""
    return {value for _, value in some if isinstance(value, int)}
