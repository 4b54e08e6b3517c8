"""Rules about the action Ignore: a failure that is not counted is tried again without end (KEP-3329)."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import examples
from jobsworth.lint.rule import Complaint, Rule
from jobsworth.lint.rules.disruptions import (
    DISRUPTION,
    disruption_rule,
    insert_ignore_disruptions,
)
from jobsworth.lint.rules.exit_codes import OUT_OF_MEMORY, exit_code_rules
from jobsworth.lint.rules.failure_policies import KEP, MATCHING, POLICY_PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import Subject

CODES_OF_BUGS = frozenset((1, 2, 126, 127, 128, 134, 139))
"""What a program ends with by mistake: an exception (1, in Go 2), a missing command, a crash."""


def _ignore_loop(job: Subject) -> Iterator[Complaint]:
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


def _ignore_oom(job: Subject) -> Iterator[Complaint]:
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


RULES = (
    Rule(
        "JW105",
        "ignore-loop",
        severity="warning",
        summary="A rule ignores exit codes that may come again and again.",
        why="""\
A failure that is ignored counts towards no limit, so a Pod that keeps on ending in this way is replaced for
ever; the pause between two attempts grows to ten minutes, but there is no last one. Only
activeDeadlineSeconds ends such a Job. Even with it, codes that every bug produces (1, 2, 127, 139 …) should
be counted: ignore a code that the program keeps for this one purpose.""",
        sources=(
            f"KEP-3329, JobSpec API, {KEP}",
            "https://github.com/kubernetes/kubernetes/issues/119378",
            POLICY_PAGE,
        ),
        bad=examples.policy("""\
      - action: Ignore
        onExitCodes: {containerName: main, operator: In, values: [75]}
"""),
        good=examples.policy(
            """\
      - action: Ignore
        onExitCodes: {containerName: main, operator: In, values: [75]}
""",
            "  activeDeadlineSeconds: 7200\n",
        ),
        check=_ignore_loop,
    ),
    Rule(
        "JW106",
        "ignore-oom",
        severity="warning",
        summary="A rule ignores exit code 137, which is also that of a container out of memory.",
        why="""\
137 says that the container was killed, not why. At an eviction the Pod has the condition DisruptionTarget
as well; a container that exceeds its memory limit has only the code. It will need as much memory the next
time, and as ignored failures are not counted, nothing stops the attempts.""",
        sources=(f"KEP-3329, Container memory limit exceeded, {KEP}", MATCHING),
        bad=examples.policy(
            """\
      - action: Ignore
        onExitCodes: {containerName: main, operator: In, values: [137, 143]}
""",
            "  activeDeadlineSeconds: 7200\n",
        ),
        good=examples.policy(
            """\
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: "True"
""",
            "  activeDeadlineSeconds: 7200\n",
        ),
        check=_ignore_oom,
        fixable="unsafe",
    ),
)
