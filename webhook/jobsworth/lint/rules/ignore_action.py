"""Rules for the action Ignore: an ignored failure is not counted, so no limit ends the retries (KEP-3329)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules.disruptions import (
    DISRUPTION,
    disruption_rule,
    insert_ignore_disruptions,
)
from jobsworth.lint.rules.exit_codes import OUT_OF_MEMORY, exit_code_rules

CODES_OF_BUGS = frozenset((1, 2, 126, 127, 128, 134, 139))
"""Exit codes of bugs: an exception (1, in Go 2), a missing command, a crash."""


@lint_rule(
    "JW105",
    "ignore-loop",
    severity="warning",
    summary="A rule ignores exit codes that may recur on every retry.",
    needs=needs.a_failure_policy,
)
def ignore_loop(job: LintedJob) -> Iterator[Diagnostic]:
    deadline = job.spec.get("activeDeadlineSeconds")
    for index, path, requirement, _ in exit_code_rules(job):
        decided = job.codes_decided(index)
        if job.rules[index].get("action") != "Ignore" or decided <= {OUT_OF_MEMORY}:
            continue
        if deadline is None:
            listing = requirement.get("operator") == "In"
            what = "A Pod with this exit code" if listing else "Nearly every failed Pod"
            yield Diagnostic(
                path,
                f"{what} is replaced without limit: an ignored failure does not count towards "
                f"backoffLimit. Set {job.path}.activeDeadlineSeconds.",
            )
            continue
        bugs = [] if job.windows else sorted(decided & CODES_OF_BUGS)
        if bugs:
            named = ", ".join(map(str, bugs))
            yield Diagnostic(
                path,
                f"A bug can cause exit code {named} on every retry: Pods are replaced until "
                f"activeDeadlineSeconds ({deadline}) expires. Ignore only codes of transient failures.",
            )


@lint_rule(
    "JW106",
    "ignore-oom",
    severity="warning",
    summary="A rule ignores exit code 137, which an out-of-memory kill also produces.",
    fixable="unsafe",
    needs=needs.a_failure_policy,
)
def ignore_oom(job: LintedJob) -> Iterator[Diagnostic]:
    if job.windows:
        return
    for index, path, requirement, values in exit_code_rules(job):
        if job.rules[index].get("action") == "Ignore" and OUT_OF_MEMORY in job.codes_decided(index):
            yield Diagnostic(
                f"{path}.values",
                "Exit code 137 also means that the container exceeded its memory limit: every retry may be "
                f"killed again. To ignore evictions only, match the condition {DISRUPTION}.",
                _without_oom(job, index, requirement, values),
            )


def _without_oom(job: LintedJob, index: int, requirement: dict[str, Any], values: list[int]) -> Fix:
    rule = job.rule_path(index)
    covered = disruption_rule(job) is not None
    listing = requirement.get("operator") == "In"
    kept = [code for code in values if code != OUT_OF_MEMORY]
    if not listing:
        kept = sorted([*values, OUT_OF_MEMORY])
    if listing and not kept:
        if covered:
            return Fix("Delete the rule", Edit("delete", rule), safe=False)
        return Fix(
            f"Match {DISRUPTION} instead of exit code 137",
            Edit("delete", f"{rule}.onExitCodes"),
            Edit("set", f"{rule}.onPodConditions", [{"type": DISRUPTION, "status": "True"}]),
            safe=False,
        )
    edits = [Edit("set", f"{rule}.onExitCodes.values", kept)]
    if not covered:
        edits.extend(insert_ignore_disruptions(job))
    return Fix(f"Ignore {DISRUPTION} instead of exit code 137", *edits, safe=False)
