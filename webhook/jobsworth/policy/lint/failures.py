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

ANY_OTHER_CODE = -1
"""Stands, on Windows, for every exit code that no rule names."""


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


def possible_codes(rules: Sequence[dict[str, Any]], *, windows: bool) -> list[int]:
    """The exit codes that have to be told apart: all of Linux, or on Windows those that rules name."""
    if not windows:
        return list(LINUX_EXIT_CODES)
    named = {code for rule in rules for code in rule.get("onExitCodes", {}).get("values", ())}
    return [*sorted(named), ANY_OTHER_CODE]


def covering(
    rules: Sequence[dict[str, Any]], containers: Sequence[str], *, windows: bool = False
) -> list[list[int]]:
    """Of each rule, the earlier rules that together match whenever it would.

    An empty list means that the rule can decide; a rule that matches nothing at all is not covered.

    >>> policy = [
    ...     {"onExitCodes": {"operator": "In", "values": [1, 2]}},
    ...     {"onExitCodes": {"operator": "NotIn", "values": [1, 2]}},
    ...     {"onExitCodes": {"operator": "In", "values": [42], "containerName": "main"}},
    ... ]
    >>> covering(policy, ["main"])
    [[], [], [1]]
    """
    codes = possible_codes(rules, windows=windows)
    of_each = [facts(rule, containers, codes) for rule in rules]
    answers = []
    for index, wanted in enumerate(of_each):
        left, coverers = set(wanted), []
        for earlier in range(index):
            if left & of_each[earlier]:
                coverers.append(earlier)
                left -= of_each[earlier]
        answers.append(coverers if wanted and not left else [])
    return answers
