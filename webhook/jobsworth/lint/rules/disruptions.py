"""Rules about disruptions: Pods that end because their node does, not because of what they run.

A Pod that is evicted, preempted or drained away is told to stop by SIGTERM and, after its grace period, by
SIGKILL: its containers end with 143 or 137, and it has the condition ``DisruptionTarget`` (KEP-3329).
"""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.rule import Complaint, lint_rule
from jobsworth.lint.rules.failure_policies import listed
from jobsworth.lint.rules.pod_conditions import meant_condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from jobsworth.lint.linted_job import Subject

DISRUPTION = "DisruptionTarget"
DISRUPTED = f"{DISRUPTION}=True"
TERMINATION_CODES = frozenset((137, 143))
MAX_RULES = 20

CONSEQUENCES = {
    "FailJob": "a drained node fails the Job",
    "FailIndex": "a drained node fails the index",
    "Count": "a drained node costs a retry",
    "Ignore": "a drained node costs no retry",
}
"""What it comes to when a rule on exit codes decides about a Pod that was evicted, by its action."""


def ignore_disruptions() -> dict[str, Any]:
    """The rule by which a disruption costs no retry."""
    return {"action": "Ignore", "onPodConditions": [{"type": DISRUPTION, "status": "True"}]}


def insert_ignore_disruptions(job: Subject) -> list[Edit]:
    """The edit that puts such a rule first; none where there is no room for another rule."""
    if len(job.rules) >= MAX_RULES:
        return []
    return [Edit("insert", job.rule_path(0), ignore_disruptions())]


def disruption_rule(job: Subject) -> int | None:
    """The position of the rule that decides about disrupted Pods of which nothing else is known."""
    for index, decided in enumerate(job.decided):
        if DISRUPTED in decided.conditions:
            return index
    return None


def termination_codes(job: Subject, index: int) -> list[int]:
    """The exit codes of evicted Pods that a rule decides; on Windows there are no usual ones."""
    if job.windows:
        return []
    return sorted(TERMINATION_CODES & job.codes_decided(index))


def rules_before_disruptions(job: Subject) -> list[int]:
    """The rules that take disrupted Pods, by their exit codes, for Pods that failed."""
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


def _how_they_end(job: Subject, rules: Iterable[int]) -> str:
    codes = sorted({code for index in rules for code in termination_codes(job, index)})
    return " or ".join(map(str, codes))


def _consequence(job: Subject, index: int) -> str:
    return CONSEQUENCES.get(job.rules[index].get("action", ""), "it decides first")


@lint_rule(
    "JW102",
    "disruption-after-exit-code",
    severity="warning",
    summary="A rule on exit codes takes evicted Pods before the rule on DisruptionTarget can.",
    fixable="unsafe",
)
def disruption_after_exit_code(job: Subject) -> Iterator[Complaint]:
    position = disruption_rule(job)
    if not position:
        return
    before = rules_before_disruptions(job)
    if before:
        path = job.rule_path(position)
        yield Complaint(
            path,
            f"the exit code of an evicted Pod, {_how_they_end(job, before)}, is matched before by "
            f"{listed(before)}: {_consequence(job, before[0])}; this rule has to come first",
            Fix("move the rule up", Edit("move", path, job.rule_path(before[0])), safe=False),
        )


@lint_rule(
    "JW103",
    "fail-on-signal-code",
    severity="warning",
    summary="A rule fails the Job or index for an exit code of evicted Pods, and none minds disruptions.",
    fixable="unsafe",
)
def fail_on_signal_code(job: Subject) -> Iterator[Complaint]:
    if not job.rules or disruption_rule(job) is not None:
        return
    blamed = rules_before_disruptions(job)
    if not blamed:
        return
    edits = insert_ignore_disruptions(job)
    others = f", like {listed(blamed[1:])}," if blamed[1:] else ""
    yield Complaint(
        f"{job.rule_path(blamed[0])}.onExitCodes",
        f"an evicted Pod ends with {_how_they_end(job, blamed)}, which this rule{others} takes for a "
        f"failure of the program: {_consequence(job, blamed[0])}; let a rule on {DISRUPTION} come first",
        Fix("ignore disruptions first", *edits, safe=False) if edits else None,
    )


@lint_rule(
    "JW104",
    "missing-disruption-rule",
    severity="info",
    summary="A failure policy, or a limit of 0 retries, does not tell evictions from failures.",
    fixable="unsafe",
)
def missing_disruption_rule(job: Subject) -> Iterator[Complaint]:
    if not job.rules:
        yield from _no_retries_and_no_policy(job)
        return
    if _minds_disruptions(job) or rules_before_disruptions(job):
        return
    edits = insert_ignore_disruptions(job)
    yield Complaint(
        f"{job.path}.podFailurePolicy.rules",
        f"an eviction is counted like a failure of the program; a rule that ignores {DISRUPTION} would "
        "spare its retries",
        Fix("ignore disruptions", *edits, safe=False) if edits else None,
    )


def _minds_disruptions(job: Subject) -> bool:
    """Whether some rule was written for Pods that are evicted, rightly or wrongly."""
    for index, rule in enumerate(job.rules):
        for pattern in rule.get("onPodConditions", ()):
            if meant_condition(pattern.get("type", "")) == DISRUPTION:
                return True
        if rule.get("action") == "Ignore" and termination_codes(job, index):
            return True
    return False


def _no_retries_and_no_policy(job: Subject) -> Iterator[Complaint]:
    limits = ("backoffLimit", "backoffLimitPerIndex")
    zero = [field for field in limits if job.written_spec.get(field) == 0]
    if not zero or job.pod.get("restartPolicy") != "Never":
        return
    edits = [Edit("set", f"{job.path}.podFailurePolicy", {"rules": [ignore_disruptions()]})]
    if (
        "podReplacementPolicy" in job.spec
        and job.written_spec.get("podReplacementPolicy") != "Failed"
    ):
        edits.append(Edit("set", f"{job.path}.podReplacementPolicy", "Failed"))
    what = "the Job" if zero[0] == "backoffLimit" else "its index"
    yield Complaint(
        f"{job.path}.{zero[0]}",
        f"one eviction fails {what}: with no retries, only a failure policy that ignores {DISRUPTION} "
        "tells a drained node from a failure of the program",
        Fix("ignore disruptions", *edits, safe=False),
    )
