"""The failure policy that a document gives to Jobs: a whole one, or rules before and after the user's.

Of a failure policy the first rule that matches a failed Pod decides (KEP-3329). So a rule that is to come
before the user's is taken out where it stands further down, for there it no longer decides anything; and a
rule that is to come after is left out where an equal one is there. To add the same rules twice therefore
changes nothing.
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
    """What a document does about failure policies.

    Attributes:
        value: a whole policy; None where there is none.
        when: when the whole policy applies.
        before: the rules that come before the user's.
        after: those that come after.
    """

    value: Mapping[str, Any] | None
    when: str
    before: tuple[Rule, ...]
    after: tuple[Rule, ...]

    def parts(self) -> Iterator[tuple[str, Sequence[Rule]]]:
        """Its lists of rules, each with its path in the document."""
        if self.value is not None:
            yield "value.rules", self.value["rules"]
        yield "rulesBefore", self.before
        yield "rulesAfter", self.after


def read(value: Mapping[str, Any]) -> FailurePolicyDefault:
    """What a document says about failure policies, well-formed by the schema."""
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
    """The rules of a Job with a document's.

    >>> ignore = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    >>> fail = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    >>> merged([fail, ignore], before=[ignore]) == merged([fail], before=[ignore]) == [ignore, fail]
    True

    Args:
        rules: of the Job.
        before: to come before them; in front of all others.
        after: to come after them.
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
    """Whether a list has a rule that says the same."""
    meaning = _meaning(rule)
    return any(_meaning(other) == meaning for other in rules)


def _meaning(rule: Rule) -> tuple[Any, ...]:
    """What a rule says, apart from how it is written; also of one that the server would refuse."""
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
    """A rule with what the server fills in; in a CronJob Kubernetes 1.33 and before did not."""
    patterns = rule.get("onPodConditions")
    if not patterns:
        return rule
    return {**rule, "onPodConditions": [{"status": "True", **pattern} for pattern in patterns]}
