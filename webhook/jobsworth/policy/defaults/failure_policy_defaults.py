"""Defaults for ``podFailurePolicy``: a complete policy, or rules to add before and after the user's rules.

The first rule that matches a failed Pod decides (KEP-3329). A rule to add before the user's rules is
therefore removed from its later position, where it no longer has an effect; a rule to add after them is
skipped if an equal rule is present. Adding the same rules twice changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    Rule = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FailurePolicyDefault:
    """The failure policy defaults of a policy.

    Attributes:
        value: a complete policy; None if there is none.
        when: the condition of the complete policy.
        before: the rules to add before the user's rules.
        after: the rules to add after the user's rules.
    """

    value: Mapping[str, Any] | None
    when: str
    before: tuple[Rule, ...]
    after: tuple[Rule, ...]

    def parts(self) -> Iterator[tuple[str, Sequence[Rule]]]:
        """Yield the lists of rules, each with its path in the document."""
        if self.value is not None:
            yield "value.rules", self.value["rules"]
        yield "rulesBefore", self.before
        yield "rulesAfter", self.after


def read(value: Mapping[str, Any]) -> FailurePolicyDefault:
    """Read the failure policy defaults, valid against the schema."""
    whole = value.get("value")
    return FailurePolicyDefault(
        None if whole is None else {"rules": [_complete(rule) for rule in whole["rules"]]},
        value.get("when", "ifUnset"),
        tuple(map(_complete, value.get("rulesBefore", ()))),
        tuple(map(_complete, value.get("rulesAfter", ()))),
    )


def merged(
    rules: Sequence[Rule], before: Iterable[Rule] = (), after: Iterable[Rule] = ()
) -> list[Rule]:
    """Return the rules of a Job with those of a policy added.

    >>> ignore = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    >>> fail = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    >>> merged([fail, ignore], before=[ignore]) == merged([fail], before=[ignore]) == [ignore, fail]
    True

    Args:
        rules: the rules of the Job.
        before: the rules to add at the start.
        after: the rules to add at the end.
    """
    found: list[Rule] = []
    _add(found, before)
    first = tuple(found)
    found += [rule for rule in rules if not is_among(rule, first)]
    _add(found, after)
    return found


def _add(found: list[Rule], rules: Iterable[Rule]) -> None:
    for rule in rules:
        if not is_among(rule, found):
            found.append(rule)


def is_among(rule: Rule, rules: Iterable[Rule]) -> bool:
    """Return True if a list contains an equivalent rule."""
    meaning = _meaning(rule)
    return any(_meaning(other) == meaning for other in rules)


def meaning(rules: Iterable[Rule]) -> list[tuple[Any, ...]]:
    """Return rules in canonical form: equal for lists with the same effect in the same order.

    Raises:
        AttributeError, TypeError: the rules have values of wrong types.
    """
    return [_meaning(rule) for rule in rules]


def _meaning(rule: Rule) -> tuple[Any, ...]:
    """Return a rule in canonical form; also for a rule that the server would reject."""
    codes = rule.get("onExitCodes") or {}
    patterns = rule.get("onPodConditions") or ()
    return (
        rule.get("action"),
        codes.get("containerName"),
        codes.get("operator"),
        sorted(codes.get("values") or ()),
        sorted(
            (pattern.get("type") or "", pattern.get("status") or "True") for pattern in patterns
        ),
    )


def _complete(rule: Rule) -> Rule:
    """Return a rule with the server's defaults, which Kubernetes 1.33 and earlier do not set in a CronJob."""
    patterns = rule.get("onPodConditions")
    if not patterns:
        return rule
    return {**rule, "onPodConditions": [{"status": "True", **pattern} for pattern in patterns]}
