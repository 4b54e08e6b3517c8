"""Limits of the rules of a podFailurePolicy (KEP-3329).

The limits apply to Jobs that have a failure policy; ``required`` makes it mandatory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jobsworth.api.batch.pod_failure_policy import ACTIONS, MAX_RULES
from jobsworth.api.field_errors import FieldError, invalid, not_supported, required
from jobsworth.policy.problems import Problems
from jobsworth.policy.request import JobView
from jobsworth.policy.violation import (
    FAILURE_POLICY_ACTION,
    FAILURE_POLICY_EXIT_CODES,
    FAILURE_POLICY_IGNORES_DISRUPTIONS,
    FAILURE_POLICY_RULES,
    Violation,
)
from jobsworth.wording import count

LimitCheck = Callable[[JobView], Iterable[Violation]]
Rules = list[dict[str, Any]]

DISRUPTION = "DisruptionTarget"
"""The condition of a Pod that the cluster terminated."""


def read(value: Mapping[str, Any], path: str, problems: Problems) -> Iterator[LimitCheck]:
    """Yield the checks of a failure policy's rules.

    Args:
        value: the limits of ``podFailurePolicy``, valid against the schema.
        path: their path in the document.
        problems: collects the errors that the schema cannot express.
    """
    hint = value.get("message", "")
    allowed = value.get("allowedActions", ACTIONS)
    must_fail = value.get("failJobOnExitCodes", ())
    if must_fail and "FailJob" not in allowed:
        problems.add(
            f"{path}.failJobOnExitCodes",
            "no exit code can fail the Job: the action FailJob is not among allowedActions",
            "add FailJob to allowedActions",
        )
    if value.get("ignoreDisruptionsFirst") and "Ignore" not in allowed:
        problems.add(
            f"{path}.ignoreDisruptionsFirst",
            "disruptions cannot be ignored: the action Ignore is not among allowedActions",
            "add Ignore to allowedActions",
        )
    least, most = value.get("minimumRules", 0), value.get("maximumRules", MAX_RULES)
    if least > most:
        problems.add(
            f"{path}.minimumRules",
            f"the minimum {least} is greater than the maximum {most}",
            "lower the minimum or raise the maximum",
        )
    if "allowedActions" in value:
        yield _check(hint, lambda rules, view: _actions(rules, allowed))
    if value.get("ignoreDisruptionsFirst"):
        yield _check(hint, _ignores_disruptions_first)
    if must_fail:
        yield _check(hint, lambda rules, view: _fails_job(rules, view, must_fail))
    if "minimumRules" in value or "maximumRules" in value:
        yield _check(hint, lambda rules, view: _count(rules, least, most))


Found = tuple[str, str, FieldError]
"""A code, a path below the failure policy, and the error."""


def _check(hint: str, find: Callable[[Rules, JobView], Iterable[Found]]) -> LimitCheck:
    def check(view: JobView) -> Iterable[Violation]:
        policy = view.spec.get("podFailurePolicy")
        if policy is None:
            return ()
        at = f"{view.path}.podFailurePolicy"
        return [
            Violation(code, f"{at}.{field}", error.reason, error.message, hint=hint)
            for code, field, error in find(policy.get("rules") or [], view)
        ]

    return check


def _actions(rules: Rules, allowed: tuple[str, ...]) -> Iterator[Found]:
    for index, rule in enumerate(rules):
        action = rule.get("action", "")
        if action not in allowed:
            found = not_supported("", action, allowed)
            yield FAILURE_POLICY_ACTION, f"rules[{index}].action", found


def _ignores_disruptions_first(rules: Rules, view: JobView) -> Iterator[Found]:
    if rules and _ignores_disruptions(rules[0]):
        return
    place = next((index for index, rule in enumerate(rules) if _ignores_disruptions(rule)), None)
    code = FAILURE_POLICY_IGNORES_DISRUPTIONS
    if place is None:
        yield code, "rules", no_rule_for_disruptions()
    else:
        yield code, f"rules[{place}]", disruptions_not_first()


def no_rule_for_disruptions() -> FieldError:
    """Return the error of rules that do not ignore disruptions."""
    detail = f"the first rule must have the action Ignore for the Pod condition {DISRUPTION}"
    return required("", detail)


def disruptions_not_first() -> FieldError:
    """Return the error of rules of which not the first one ignores disruptions."""
    detail = (
        f"the rule that ignores the Pod condition {DISRUPTION} must be the first: "
        "an earlier rule may match a disrupted Pod"
    )
    return FieldError("FieldValueInvalid", "", f"Invalid value: {detail}")


def _ignores_disruptions(rule: dict[str, Any]) -> bool:
    return rule.get("action") == "Ignore" and any(
        pattern.get("type") == DISRUPTION and pattern.get("status", "True") == "True"
        for pattern in rule.get("onPodConditions") or ()
    )


def _count(rules: Rules, least: int, most: int) -> Iterator[Found]:
    if len(rules) < least:
        yield FAILURE_POLICY_RULES, "rules", too_few_rules(least, len(rules))
    elif len(rules) > most:
        yield FAILURE_POLICY_RULES, "rules", too_many_rules(most, len(rules))


def too_few_rules(least: int, number: Any) -> FieldError:
    """Return the error of too few rules."""
    return invalid("", number, f"must have at least {count(least, 'rule')}")


def too_many_rules(most: int, number: Any) -> FieldError:
    """Return the error of too many rules."""
    return invalid("", number, f"must have at most {count(most, 'rule')}")


def _fails_job(rules: Rules, view: JobView, exit_codes: Iterable[int]) -> Iterator[Found]:
    """Yield the exit codes that do not fail the Job, for each container.

    Rules on Pod conditions are skipped: they match Pods that are terminated from outside, independently of
    the exit code of the program.
    """
    containers = [container.get("name", "") for container in view.pod.get("containers") or ()]
    for exit_code in exit_codes:
        for container in containers:
            index, action = _decided(rules, exit_code, container)
            if action == "FailJob":
                continue
            cause = "no rule matches it" if index is None else f"rules[{index}] has {action}"
            yield (
                FAILURE_POLICY_EXIT_CODES,
                "rules" if index is None else f"rules[{index}].action",
                required(
                    "",
                    f"exit code {exit_code} of container {container} must lead to FailJob, but {cause}",
                ),
            )


def _decided(rules: Rules, exit_code: int, container: str) -> tuple[int | None, str]:
    """Return the first rule that matches an exit code of a container, and its action."""
    for index, rule in enumerate(rules):
        condition = rule.get("onExitCodes")
        if condition is None or condition.get("containerName", container) != container:
            continue
        if (exit_code in (condition.get("values") or ())) == (condition.get("operator") == "In"):
            return index, rule.get("action", "")
    return None, ""
