"""Match failed Pods against the rules of a Job's Pod failure policy.

Source: KEP-3329; ``FailIndex``: KEP-3850; the order and the exceptions: Kubernetes 1.36. Rules on
termination reasons are an extension (:mod:`jobsworth.api.batch.termination_rules`) and come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jobsworth.api.batch.termination_rules import Action, Operator, TerminationRule
from jobsworth.controller import well_known_names
from jobsworth.controller.pods import Pod, Termination

_ACTIONS = (
    well_known_names.FAIL_JOB,
    well_known_names.FAIL_INDEX,
    well_known_names.IGNORE,
    well_known_names.COUNT,
)


@dataclass(frozen=True, slots=True)
class Match:
    """The result of matching a failed Pod against the policy.

    Attributes:
        action: action of the first rule that matched; None without a match: the failure counts.
        position: index of that rule in its list.
        ended: the container that matched; None if a Pod condition matched.
        condition: type of the Pod condition that matched.
        by_reason: the container's termination reason matched, not its exit code.
    """

    action: Action | None = None
    position: int = 0
    ended: Termination | None = None
    condition: str = ""
    by_reason: bool = False

    @property
    def counts(self) -> bool:
        """True if the failure counts towards the backoff limits."""
        return self.action != well_known_names.IGNORE

    @property
    def rule(self) -> str:
        """The rule among all rules of the Job."""
        return f"termination rule {self.position}" if self.by_reason else f"rule {self.position}"

    def message(self, pod: Pod) -> str:
        """Return the message of the Job's FailureTarget condition, or of the event for another action."""
        if self.ended is None:
            return well_known_names.CONDITION_MATCHED.format(
                namespace=pod.namespace,
                pod=pod.name,
                condition=self.condition,
                action=self.action,
                rule=self.position,
            )
        text = (
            well_known_names.CONTAINER_TERMINATED
            if self.by_reason
            else well_known_names.CONTAINER_FAILED
        )
        return text.format(
            container=self.ended.container,
            namespace=pod.namespace,
            pod=pod.name,
            code=self.ended.exit_code,
            reason=self.ended.reason,
            action=self.action,
            rule=self.position,
        )


NO_MATCH = Match()


@dataclass(frozen=True, slots=True)
class ExitCodeRule:
    """A rule on exit codes; ``container`` None means any container."""

    position: int
    action: Action
    operator: str
    codes: frozenset[int]
    container: str | None

    def match(self, pod: Pod) -> Match | None:
        """Return the match of a Pod; None if the rule does not match."""
        for ended in pod.terminations:
            if self.container in (None, ended.container) and _meets(
                self.operator, ended.exit_code in self.codes
            ):
                return Match(self.action, self.position, ended)
        return None


@dataclass(frozen=True, slots=True)
class ReasonRule:
    """A rule on termination reasons; ``container`` None means any."""

    position: int
    action: Action
    operator: Operator
    reasons: frozenset[str]
    container: str | None

    def match(self, pod: Pod) -> Match | None:
        """Return the match of a Pod; None if the rule does not match."""
        for ended in pod.terminations:
            if self.container in (None, ended.container) and _meets(
                self.operator, ended.reason in self.reasons
            ):
                return Match(self.action, self.position, ended, by_reason=True)
        return None


@dataclass(frozen=True, slots=True)
class ConditionRule:
    """A rule on the Pod's conditions, each as ``type=status``."""

    position: int
    action: Action
    patterns: frozenset[str]

    def match(self, pod: Pod) -> Match | None:
        """Return the match of a Pod; None if the rule does not match."""
        for condition in pod.conditions:
            if condition in self.patterns:
                return Match(self.action, self.position, condition=condition.partition("=")[0])
        return None


Rule = ExitCodeRule | ReasonRule | ConditionRule


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """The rules of a failure policy in the order of evaluation."""

    rules: tuple[Rule, ...] = ()

    @property
    def can_fail_job(self) -> bool:
        """True if a rule has the action FailJob."""
        return any(rule.action == well_known_names.FAIL_JOB for rule in self.rules)

    def match(self, pod: Pod) -> Match:
        """Return the match of a Pod that has failed, or that counts as failed."""
        for rule in self.rules:
            match = rule.match(pod)
            if match is not None:
                return match
        return NO_MATCH


class FailurePolicyMatcher:
    """Matches Pods against a policy, with a cache: often thousands of Pods fail in the same way."""

    __slots__ = ("_known", "policy")

    def __init__(self, policy: FailurePolicy | None) -> None:
        self.policy = policy
        self._known: dict[tuple[object, object], Match] = {}

    def match(self, pod: Pod) -> Match:
        """Return the match of a failed Pod; NO_MATCH without a policy."""
        if self.policy is None or not (pod.terminations or pod.conditions):
            return NO_MATCH
        likeness = (pod.terminations, pod.conditions)
        match = self._known.get(likeness)
        if match is None:
            match = self._known[likeness] = self.policy.match(pod)
        return match


def read_failure_policy(
    policy: dict[str, Any] | None, extension: tuple[TerminationRule, ...] = ()
) -> FailurePolicy | None:
    """Read the rules of ``spec.podFailurePolicy`` and those of the annotation.

    Omit rules with an unknown action. Positions are indexes in the list that a rule comes from.

    Returns:
        The policy; None if the Job has neither.
    """
    if policy is None and not extension:
        return None
    rules: list[Rule] = [
        ReasonRule(position, rule.action, rule.operator, frozenset(rule.reasons), rule.container)
        for position, rule in enumerate(extension)
    ]
    for position, written in enumerate((policy or {}).get("rules") or ()):
        rule = _read_rule(position, written)
        if rule is not None:
            rules.append(rule)
    return FailurePolicy(tuple(rules))


def _read_rule(position: int, rule: dict[str, Any]) -> Rule | None:
    action = rule.get("action")
    if action not in _ACTIONS:
        return None
    codes = rule.get("onExitCodes")
    if codes is not None:
        return ExitCodeRule(
            position,
            action,
            codes.get("operator") or "",
            frozenset(codes.get("values") or ()),
            codes.get("containerName"),
        )
    patterns = rule.get("onPodConditions") or ()
    return ConditionRule(
        position,
        action,
        frozenset(
            f"{pattern.get('type')}={pattern.get('status') or 'True'}" for pattern in patterns
        ),
    )


def _meets(operator: str, listed: bool) -> bool:
    return (operator == "In" and listed) or (operator == "NotIn" and not listed)
