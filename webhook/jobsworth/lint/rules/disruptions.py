"""Rules for disruptions: Pods that the cluster terminates, such as by eviction, preemption or a drain.

The kubelet stops such a Pod with SIGTERM and, after its grace period, with SIGKILL: its containers exit
with 143 or 137, and the Pod has the condition ``DisruptionTarget`` (KEP-3329).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules.failure_policies import rule_names
from jobsworth.lint.rules.pod_conditions import meant_condition

DISRUPTION = "DisruptionTarget"
DISRUPTED = f"{DISRUPTION}=True"
TERMINATION_CODES = frozenset((137, 143))
MAX_RULES = 20
FEW_RETRIES = 2
"""The number of retries that evictions soon consume, for example while all nodes are upgraded."""

CONSEQUENCES = {
    "FailJob": "a drained node fails the Job",
    "FailIndex": "a drained node fails the index",
    "Count": "a drained node costs a retry",
    "Ignore": "a drained node costs no retry",
}
"""The effect, by action, of an exit code rule that matches an evicted Pod."""


def ignore_disruptions() -> dict[str, Any]:
    """Return the failure policy rule that does not count disruptions as failures."""
    return {"action": "Ignore", "onPodConditions": [{"type": DISRUPTION, "status": "True"}]}


def ignore_disruptions_first(job: LintedJob, title: str) -> Fix | None:
    """Return the fix that inserts this rule first.

    None if the policy has the maximum number of rules, or if the Job never runs its work twice: that may be
    meant, as by a restore, and the rule would let it run again.
    """
    edits = insert_ignore_disruptions(job) if job.may_retry() else []
    return Fix(title, *edits, safe=False) if edits else None


def _advice(job: LintedJob, advice: str) -> str:
    """Return an advice, under the condition that the work may run again if no retry is allowed."""
    return (
        advice if job.may_retry() else f"If the work may run twice, {advice[0].lower()}{advice[1:]}"
    )


def insert_ignore_disruptions(job: LintedJob) -> list[Edit]:
    """Return the edit that inserts this rule first; empty if the policy has the maximum number of rules."""
    if len(job.rules) >= MAX_RULES:
        return []
    return [Edit("insert", job.rule_path(0), ignore_disruptions())]


def disruption_rule(job: LintedJob) -> int | None:
    """Return the index of the first rule that matches the condition DisruptionTarget; None if none does."""
    for index, decided in enumerate(job.decided):
        if DISRUPTED in decided.conditions:
            return index
    return None


def termination_codes(job: LintedJob, index: int) -> list[int]:
    """Return the exit codes of evicted Pods that a rule handles; empty on Windows, which has none."""
    if job.windows:
        return []
    return sorted(TERMINATION_CODES & job.codes_decided(index))


def rules_before_disruptions(job: LintedJob) -> list[int]:
    """Return the indexes of the rules that treat disrupted Pods as failed because of their exit code."""
    rules, position = job.rules, disruption_rule(job)
    if position is None:
        return [
            index
            for index, rule in enumerate(rules)
            if rule.get("action") in ("FailJob", "FailIndex") and termination_codes(job, index)
        ]
    wanted = rules[position].get("action")
    return [
        index
        for index in range(position)
        if rules[index].get("action") != wanted and termination_codes(job, index)
    ]


def _how_they_end(job: LintedJob, rules: Iterable[int]) -> str:
    codes = sorted({code for index in rules for code in termination_codes(job, index)})
    return " or ".join(map(str, codes))


def _consequence(job: LintedJob, index: int) -> str:
    return CONSEQUENCES.get(job.rules[index].get("action", ""), "it matches first")


@lint_rule(
    "JW102",
    "disruption-after-exit-code",
    severity="warning",
    summary="An exit code rule matches evicted Pods before the rule on DisruptionTarget.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_failure_policy_or_no_retries,
)
def disruption_after_exit_code(job: LintedJob) -> Iterator[Diagnostic]:
    position = disruption_rule(job)
    if not position:
        return
    before = rules_before_disruptions(job)
    if before:
        path = job.rule_path(position)
        yield Diagnostic(
            path,
            f"{rule_names(before)} comes first and matches exit code {_how_they_end(job, before)} of evicted "
            f"Pods: {_consequence(job, before[0])}. Move this rule before {rule_names(before[:1])}.",
            Fix("Move the rule up", Edit("move", path, job.rule_path(before[0])), safe=False),
        )


@lint_rule(
    "JW129",
    "fail-on-disruption",
    severity="warning",
    summary="A rule fails the Job or index on a disruption, although its Pods may be retried.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_failure_policy_or_no_retries,
)
def fail_on_disruption(job: LintedJob) -> Iterator[Diagnostic]:
    position = disruption_rule(job)
    if position is None or not job.may_retry():
        return
    path, action = job.rule_path(position), job.rules[position].get("action")
    if action in ("FailJob", "FailIndex"):
        yield Diagnostic(
            f"{path}.action",
            f"By this rule {CONSEQUENCES[action]}, although a failed program is retried. Set Ignore, so that "
            "disrupted Pods are replaced.",
            Fix("Set action: Ignore", Edit("set", f"{path}.action", "Ignore"), safe=False),
        )


@lint_rule(
    "JW103",
    "fail-on-signal-code",
    severity="warning",
    summary="A rule fails the Job or index on an exit code of evicted Pods, and no rule handles disruptions.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_failure_policy_or_no_retries,
)
def fail_on_signal_code(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.rules or disruption_rule(job) is not None:
        return
    blamed = rules_before_disruptions(job)
    if not blamed:
        return
    others = f" (like {rule_names(blamed[1:])})" if blamed[1:] else ""
    yield Diagnostic(
        f"{job.rule_path(blamed[0])}.onExitCodes",
        f"An evicted Pod exits with {_how_they_end(job, blamed)}, which this rule{others} treats as a "
        f"failure of the program: {_consequence(job, blamed[0])}. "
        f"{_advice(job, f'Add a rule that ignores {DISRUPTION} before it.')}",
        ignore_disruptions_first(job, f"Insert a rule that ignores {DISRUPTION} first"),
    )


@lint_rule(
    "JW104",
    "missing-disruption-rule",
    severity="info",
    summary="A failure policy, or a limit of 0 retries, does not distinguish evictions from failures.",
    fixable="unsafe",
    needs=needs.a_failure_policy_or_no_retries,
)
def missing_disruption_rule(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.rules:
        yield from _no_retries_and_no_policy(job)
        return
    if _minds_disruptions(job) or rules_before_disruptions(job) or _low_limit(job) is not None:
        return  # another rule reports it
    yield Diagnostic(
        f"{job.path}.podFailurePolicy.rules",
        "An eviction counts as a failure and consumes a retry. Add a rule that ignores "
        f"{DISRUPTION}.",
        ignore_disruptions_first(job, f"Insert a rule that ignores {DISRUPTION}"),
    )


def _minds_disruptions(job: LintedJob) -> bool:
    """Return True if some rule was written for evicted Pods, correctly or not."""
    for index, rule in enumerate(job.rules):
        for pattern in rule.get("onPodConditions", ()):
            if meant_condition(pattern.get("type", "")) == DISRUPTION:
                return True
        if rule.get("action") == "Ignore" and termination_codes(job, index):
            return True
    return False


def _no_retries_and_no_policy(job: LintedJob) -> Iterator[Diagnostic]:
    limits = ("backoffLimit", "backoffLimitPerIndex")
    zero = [field for field in limits if job.written_spec.get(field) == 0]
    if not zero or job.pod.get("restartPolicy") != "Never":
        return
    what = "the Job" if zero[0] == "backoffLimit" else "its index"
    yield Diagnostic(
        f"{job.path}.{zero[0]}",
        f"A single eviction fails {what}, because no retry is allowed. If the work may run twice, add a "
        f"failure policy rule that ignores {DISRUPTION}.",
    )


@lint_rule(
    "JW127",
    "disruption-counted",
    severity="warning",
    summary="A failure policy counts evictions as failures, and few retries are allowed.",
    fixable="unsafe",
    needs=needs.a_failure_policy_or_no_retries,
)
def disruption_counted(job: LintedJob) -> Iterator[Diagnostic]:
    limit = _low_limit(job)
    if not job.rules or limit is None:
        return
    position = disruption_rule(job)
    if position is None:
        if not _minds_disruptions(job) and not rules_before_disruptions(job):
            yield Diagnostic(
                f"{job.path}.podFailurePolicy.rules",
                f"{_evictions(job, limit)}: the failure policy does not distinguish them from failures. "
                f"{_advice(job, f'Add a rule that ignores {DISRUPTION}.')}",
                ignore_disruptions_first(job, f"Insert a rule that ignores {DISRUPTION}"),
            )
    elif job.rules[position].get("action") == "Count":
        path = f"{job.rule_path(position)}.action"
        fix = Fix("Set action: Ignore", Edit("set", path, "Ignore"), safe=False)
        yield Diagnostic(
            path,
            f"{_evictions(job, limit)}: Count counts each as a failure. "
            f"{_advice(job, 'Use the action Ignore.')}",
            fix if job.may_retry() else None,
        )


def _low_limit(job: LintedJob) -> int | None:
    """Return the number of retries if it is low, of an index if there is a limit for each; else None."""
    limit: int = job.spec.get("backoffLimitPerIndex", job.spec.get("backoffLimit", 0))
    return limit if 0 <= limit <= FEW_RETRIES else None


def _evictions(job: LintedJob, limit: int) -> str:
    """Return the number of evictions that end the Job or the index."""
    what = "the index" if "backoffLimitPerIndex" in job.spec else "the Job"
    return f"{limit + 1} evictions fail {what}" if limit else f"A single eviction fails {what}"
