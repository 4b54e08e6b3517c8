"""Rules for exit codes: impossible codes, and codes that shells, runtimes and signals produce."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.matched_failures import LINUX_EXIT_CODES
from jobsworth.lint.rules.disruptions import TERMINATION_CODES, rules_before_disruptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import LintedJob


MEANINGS = {
    125: "a wrapper command (docker, timeout, env) failed itself; not a code of Kubernetes",
    126: "the command was found but could not be executed",
    127: "the command was not found",
    128: "containerd could not start the process at all (StartError)",
    137: "killed (SIGKILL): out of memory, or at the end of the grace period of an eviction",
    139: "crashed on an invalid memory access (SIGSEGV)",
    143: "terminated (SIGTERM), for example by an eviction",
}
"""Exit codes that shells, container runtimes and signals produce, not the program."""

OUT_OF_MEMORY = 137


def applies(job: LintedJob) -> bool:
    return job.has_failure_policy


def exit_code_rules(job: LintedJob) -> Iterator[tuple[int, str, dict[str, Any], list[int]]]:
    """Yield the index, field path, requirement and values of each exit code rule."""
    for index, rule in enumerate(job.rules):
        requirement = rule.get("onExitCodes")
        if requirement is not None:
            path = f"{job.rule_path(index)}.onExitCodes"
            yield index, path, requirement, requirement.get("values", [])


@lint_rule(
    "JW110",
    "exit-code-range",
    severity="warning",
    summary="A rule names an exit code below 0 or above 255.",
    fixable="unsafe",
    confidence="certain",
)
def exit_code_range(job: LintedJob) -> Iterator[Diagnostic]:
    if job.windows:
        return
    for index, path, requirement, values in exit_code_rules(job):
        beyond = [code for code in values if code not in LINUX_EXIT_CODES]
        if not beyond:
            continue
        named = ", ".join(map(str, beyond))
        if requirement.get("operator") == "In" and not job.facts[index]:
            effect = "This rule never matches"
        else:
            effect = (
                "These values have no effect" if len(beyond) > 1 else "This value has no effect"
            )
        yield Diagnostic(
            f"{path}.values",
            f"{effect}: an exit code is between 0 and 255, never {named}{_where_from(beyond)}. Use the "
            "codes that the container reports.",
            _as_the_kernel_does(path, requirement, values),
        )


def _where_from(beyond: list[int]) -> str:
    if min(beyond) < -255:
        return "; for Windows exit codes, set spec.os or the node selector of the Pod"
    seen = ", ".join(f"{code} is reported as {code & 255}" for code in beyond if abs(code) < 512)
    return f" ({seen})" if seen else ""


def _as_the_kernel_does(path: str, requirement: dict[str, Any], values: list[int]) -> Fix | None:
    """Return a fix that keeps the low byte of each code, as exit(2) does; None for codes out of range."""
    if any(abs(code) >= 512 for code in values):
        return None
    kept = [code for code in sorted({code & 255 for code in values}) if code]
    if not kept:
        return None
    return Fix("Replace each code by its low byte", Edit("set", f"{path}.values", kept), safe=False)


@lint_rule(
    "JW111",
    "notin-zero",
    severity="info",
    summary="A NotIn list contains 0 and other exit codes.",
    fixable="safe",
    confidence="certain",
)
def notin_zero(job: LintedJob) -> Iterator[Diagnostic]:
    for _, path, requirement, values in exit_code_rules(job):
        if requirement.get("operator") == "NotIn" and 0 in values and len(values) > 1:
            at = f"{path}.values[{values.index(0)}]"
            yield Diagnostic(
                at,
                "Exit code 0 has no effect here: the Job controller never evaluates it. Remove it.",
                Fix("Remove exit code 0", Edit("delete", at), safe=True),
            )


@lint_rule(
    "JW121",
    "reserved-exit-code",
    severity="info",
    summary="A rule lists a reserved exit code: 125 to 128, 137, 139 or 143.",
    confidence="opinion",
)
def reserved_exit_code(job: LintedJob) -> Iterator[Diagnostic]:
    if job.windows or not job.rules:
        return
    reported = rules_before_disruptions(job)
    for index, path, requirement, values in exit_code_rules(job):
        if requirement.get("operator") != "In":
            continue
        ignored = job.rules[index].get("action") == "Ignore"
        named = [
            code
            for code in values
            if code in MEANINGS
            # JW102, JW103 and JW106 report these codes, with their effect.
            and not (index in reported and code in TERMINATION_CODES)
            and not (ignored and code == OUT_OF_MEMORY)
        ]
        if named:
            meanings = "; ".join(f"{code}: {MEANINGS[code]}" for code in named)
            yield Diagnostic(
                f"{path}.values",
                f"Exit code {meanings}. Check that the rule means this cause.",
            )
