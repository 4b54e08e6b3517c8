"""Rules about the action Ignore: a failure that is not counted is tried again without end (KEP-3329)."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.rule import Complaint, lint_rule
from jobsworth.lint.rules.disruptions import (
    DISRUPTION,
    disruption_rule,
    insert_ignore_disruptions,
)
from jobsworth.lint.rules.exit_codes import OUT_OF_MEMORY, exit_code_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import Subject

CODES_OF_BUGS = frozenset((1, 2, 126, 127, 128, 134, 139))
"""What a program ends with by mistake: an exception (1, in Go 2), a missing command, a crash."""


@lint_rule(
    "JW105",
    "ignore-loop",
    severity="warning",
    summary="A rule ignores exit codes that may come again and again.",
)
def ignore_loop(job: Subject) -> Iterator[Complaint]:
    deadline = job.spec.get("activeDeadlineSeconds")
    for index, path, requirement, _ in exit_code_rules(job):
        decided = job.codes_decided(index)
        if job.rules[index].get("action") != "Ignore" or decided <= {OUT_OF_MEMORY}:
            continue
        if deadline is None:
            listing = requirement.get("operator") == "In"
            what = "a Pod that ends like this" if listing else "nearly every Pod that fails"
            yield Complaint(
                path,
                f"{what} is replaced without end: no limit counts it, and there is no "
                "activeDeadlineSeconds",
            )
            continue
        bugs = [] if job.windows else sorted(decided & CODES_OF_BUGS)
        if bugs:
            named = ", ".join(map(str, bugs))
            yield Complaint(
                path,
                f"a bug can end the program with {named} each time: it is started again until "
                f"activeDeadlineSeconds ({deadline}) are over",
            )


@lint_rule(
    "JW106",
    "ignore-oom",
    severity="warning",
    summary="A rule ignores exit code 137, which is also that of a container out of memory.",
    fixable="unsafe",
)
def ignore_oom(job: Subject) -> Iterator[Complaint]:
    if job.windows:
        return
    for index, path, requirement, values in exit_code_rules(job):
        if job.rules[index].get("action") == "Ignore" and OUT_OF_MEMORY in job.codes_decided(index):
            yield Complaint(
                f"{path}.values",
                "137 is also what a container ends with that used more memory than its limit: it is "
                f"started again, and again killed; for evictions, ignore {DISRUPTION}",
                _without_oom(job, index, requirement, values),
            )


def _without_oom(job: Subject, index: int, requirement: dict[str, Any], values: list[int]) -> Fix:
    rule = job.rule_path(index)
    covered = disruption_rule(job) is not None
    listing = requirement.get("operator") == "In"
    kept = [code for code in values if code != OUT_OF_MEMORY]
    if not listing:
        kept = sorted([*values, OUT_OF_MEMORY])
    if listing and not kept:
        if covered:
            return Fix("delete the rule", Edit("delete", rule), safe=False)
        return Fix(
            f"ignore {DISRUPTION}",
            Edit("delete", f"{rule}.onExitCodes"),
            Edit("set", f"{rule}.onPodConditions", [{"type": DISRUPTION, "status": "True"}]),
            safe=False,
        )
    edits = [Edit("set", f"{rule}.onExitCodes.values", kept)]
    if not covered:
        edits.extend(insert_ignore_disruptions(job))
    return Fix(f"ignore {DISRUPTION} in place of 137", *edits, safe=False)
