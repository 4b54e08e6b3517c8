"""Rules for failure policies: rules that never match, and rules without effect (KEP-3329)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.matched_failures import Facts, covering, possible_codes
from jobsworth.wording import listing

MAX_EXIT_CODES = 255


def rule_names(numbers: Iterable[int]) -> str:
    """Return rules of a failure policy by their indexes, as text.

    >>> rule_names([0, 2, 5])
    'rules[0], rules[2] and rules[5]'
    """
    return listing([f"rules[{number}]" for number in numbers])


def names_disruptions(rule: dict[str, Any]) -> bool:
    """Return True if a rule matches on the condition DisruptionTarget."""
    patterns = rule.get("onPodConditions", ())
    return any(pattern.get("type") == "DisruptionTarget" for pattern in patterns)


@lint_rule(
    "JW101",
    "rule-shadowed",
    severity="warning",
    summary="A rule of a failure policy never applies, because earlier rules cover it.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_failure_policy,
)
def rule_shadowed(job: LintedJob) -> Iterator[Diagnostic]:
    for index, earlier in enumerate(covering(job.facts)):
        if not earlier:
            continue
        path = job.rule_path(index)
        actions = {job.rules[number].get("action") for number in earlier}
        fix = None
        if actions == {job.rules[index].get("action")}:
            fix = Fix("Delete the rule", Edit("delete", path), safe=True)
        elif len(earlier) == 1 and job.facts[earlier[0]] - job.facts[index]:
            position = job.rule_path(earlier[0])
            fix = Fix("Move the rule up", Edit("move", path, position), safe=False)
        verb, goal = ("matches", "that rule") if len(earlier) == 1 else ("match", "those rules")
        yield Diagnostic(
            path,
            f"This rule never applies: {rule_names(earlier)} {verb} first. Delete this rule, or move it "
            f"before {goal}.",
            fix,
        )


@lint_rule(
    "JW112",
    "trailing-count",
    severity="info",
    summary="The last rules of a failure policy have the action Count, which is the default.",
    fixable="safe",
    confidence="opinion",
    needs=needs.a_failure_policy,
)
def trailing_count(job: LintedJob) -> Iterator[Diagnostic]:
    end = len(job.rules)
    while end and job.rules[end - 1].get("action") == "Count":
        end -= 1
    taken = Facts({})
    for facts in job.facts[:end]:
        taken |= facts
    idle = [
        index
        for index in range(end, len(job.rules))
        # rule-shadowed reports rules that never apply; a rule on disruptions documents an intention.
        if job.facts[index] - taken and not names_disruptions(job.rules[index])
    ]
    if idle:
        fix = Fix(
            "Delete the rules that only count",
            *(Edit("delete", job.rule_path(index)) for index in reversed(idle)),
            safe=True,
        )
        others = f" The same holds for {rule_names(idle[1:])}." if idle[1:] else ""
        yield Diagnostic(
            job.rule_path(idle[0]),
            f"This rule has no effect: a failure that no rule matches is counted anyway. Delete it.{others}",
            fix if len(idle) < len(job.rules) else None,
        )


@lint_rule(
    "JW113",
    "mergeable-rules",
    severity="info",
    summary="Adjacent rules differ only in their exit codes.",
    fixable="safe",
    confidence="opinion",
    needs=needs.a_failure_policy,
)
def mergeable_rules(job: LintedJob) -> Iterator[Diagnostic]:
    rules, start = job.rules, 0
    while start < len(rules):
        end = start + 1
        while end < len(rules) and _alike(job, start, end):
            end += 1
        values = {code for rule in rules[start:end] for code in _codes_in(rule)}
        if end - start > 1 and len(values) <= MAX_EXIT_CODES:
            first = job.rule_path(start)
            fix = Fix(
                "Merge the rules",
                Edit("set", f"{first}.onExitCodes.values", sorted(values)),
                *(Edit("delete", job.rule_path(index)) for index in range(end - 1, start, -1)),
                safe=True,
            )
            others = rule_names(range(start + 1, end))
            yield Diagnostic(
                first,
                f"Only the exit codes differ in {others}. Merge {others} into this rule.",
                fix,
            )
        start = end


def _alike(job: LintedJob, one: int, other: int) -> bool:
    """Return True if two rules have the same action and containers for a list of exit codes."""
    rules = job.rules[one], job.rules[other]
    requirements = [rule.get("onExitCodes", {}) for rule in rules]
    return (
        rules[0].get("action") == rules[1].get("action")
        and requirements[0].get("operator") == requirements[1].get("operator") == "In"
        and requirements[0].get("containerName") == requirements[1].get("containerName")
    )


def _codes_in(rule: dict[str, Any]) -> list[int]:
    codes: list[int] = rule.get("onExitCodes", {}).get("values", [])
    return codes


@lint_rule(
    "JW114",
    "empty-policy",
    severity="info",
    summary="A failure policy has no rules.",
    fixable="safe",
    confidence="certain",
    needs=needs.a_failure_policy,
)
def empty_policy(job: LintedJob) -> Iterator[Diagnostic]:
    if "podFailurePolicy" not in job.spec or job.rules:
        return
    path = f"{job.path}.podFailurePolicy"
    edits = [Edit("delete", path)]
    if "podReplacementPolicy" in job.spec and "podReplacementPolicy" not in job.written_spec:
        edits.append(Edit("set", f"{job.path}.podReplacementPolicy", "Failed"))
    yield Diagnostic(
        path,
        "A failure policy without rules has one effect: Pods are replaced only after they have "
        "terminated. Remove the policy and set podReplacementPolicy: Failed.",
        Fix("Delete the empty failure policy", *edits, safe="podReplacementPolicy" in job.spec),
    )


@lint_rule(
    "JW118",
    "retry-dead",
    severity="info",
    summary="A failure policy fails the Job on every exit code, so backoffLimit has no effect.",
    confidence="certain",
    needs=needs.a_failure_policy,
)
def retry_dead(job: LintedJob) -> Iterator[Diagnostic]:
    limit = job.written_spec.get("backoffLimit")
    if not limit or not job.rules:
        return
    final = []
    for index, rule in enumerate(job.rules):
        action = rule.get("action")
        if action in ("Count", "FailIndex") and job.decided[index]:
            return
        if action == "FailJob" and job.codes_decided(index):
            final.append(index)
    containers = [name for name in job.container_names if name not in job.sidecars]
    codes = possible_codes(job.rules, windows=job.windows) - {0}
    left = Facts(dict.fromkeys(containers, codes))
    for facts in job.facts:
        left -= facts
    if final and not left:
        yield Diagnostic(
            f"{job.path}.backoffLimit",
            f"backoffLimit: {limit} has no effect: the failure policy ({rule_names(final)}) fails the Job on "
            "the first failure. Remove it, or narrow the rules.",
        )
