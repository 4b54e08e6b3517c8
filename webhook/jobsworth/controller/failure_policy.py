"""Which rule of a Job's failure policy a failed Pod matches, and what follows.

Source: KEP-3329; ``FailIndex``: KEP-3850; the order and the exceptions: Kubernetes 1.36. The rules on
termination reasons are ours (:mod:`jobsworth.api.batch.termination_rules`) and are asked first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jobsworth.controller import well_known_names

if TYPE_CHECKING:
    from jobsworth.api.batch.termination_rules import Action, Operator, TerminationRule
    from jobsworth.controller.pods import Pod, Termination

_ACTIONS = (
    well_known_names.FAIL_JOB,
    well_known_names.FAIL_INDEX,
    well_known_names.IGNORE,
    well_known_names.COUNT,
)


@dataclass(frozen=True, slots=True)
class Match:
    """What the policy says of a failed Pod.

    Attributes:
        action: of the first rule that matched; None if none did, which counts the failure.
        position: of that rule, in the list that it stands in.
        ended: the container that matched, None if that was a condition.
        condition: the type of the condition that matched.
        by_reason: it was the container's termination reason, not its exit code, that matched.
    """

    action: Action | None = None
    position: int = 0
    ended: Termination | None = None
    condition: str = ""
    by_reason: bool = False

    @property
    def counts(self) -> bool:
        """The failure counts towards the limits."""
        return self.action != well_known_names.IGNORE

    def message(self, pod: Pod) -> str:
        """How the Pod matched, in the words of the Job's FailureTarget condition."""
        if self.ended is None:
            return well_known_names.CONDITION_MATCHED.format(
                namespace=pod.namespace,
                pod=pod.name,
                condition=self.condition,
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
            rule=self.position,
        )


NO_MATCH = Match()


@dataclass(frozen=True, slots=True)
class ExitCodeRule:
    """A rule on exit codes; ``container`` None means any."""

    position: int
    action: Action
    operator: str
    codes: frozenset[int]
    container: str | None

    def match(self, pod: Pod) -> Match | None:
        """How the Pod matches; None if it does not."""
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
        """How the Pod matches; None if it does not."""
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
        """How the Pod matches; None if it does not."""
        for condition in pod.conditions:
            if condition in self.patterns:
                return Match(self.action, self.position, condition=condition.partition("=")[0])
        return None


Rule = ExitCodeRule | ReasonRule | ConditionRule


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """The rules in the order in which they are asked."""

    rules: tuple[Rule, ...] = ()

    @property
    def can_fail_job(self) -> bool:
        """Some rule has the action FailJob."""
        return any(rule.action == well_known_names.FAIL_JOB for rule in self.rules)

    def match(self, pod: Pod) -> Match:
        """What the policy says of a Pod that has failed, or is taken for failed."""
        for rule in self.rules:
            match = rule.match(pod)
            if match is not None:
                return match
        return NO_MATCH


class FailurePolicyMatcher:
    """Asks a policy once for all the Pods that ended alike: thousands of them, as a rule."""

    __slots__ = ("_known", "policy")

    def __init__(self, policy: FailurePolicy | None) -> None:
        self.policy = policy
        self._known: dict[tuple[object, object], Match] = {}

    def match(self, pod: Pod) -> Match:
        """What the policy says of a Pod that has failed; nothing without a policy."""
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

    A rule whose action is unknown is left out, as is one that nothing can match; positions are
    those in the list that the rule stands in.

    Returns:
        None if there is no policy at all.
    """
    if policy is None and not extension:
        return None
    rules: list[Rule] = [
        ReasonRule(position, rule.action, rule.operator, frozenset(rule.reasons), rule.container)
        for position, rule in enumerate(extension)
    ]
    for position, entry in enumerate((policy or {}).get("rules") or ()):
        rule = _read_rule(position, entry)
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
        frozenset(f"{entry.get('type')}={entry.get('status') or 'True'}" for entry in patterns),
    )


def _meets(operator: str, listed: bool) -> bool:
    return (operator == "In" and listed) or (operator == "NotIn" and not listed)
