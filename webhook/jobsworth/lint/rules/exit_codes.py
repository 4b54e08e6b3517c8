"""Rules about exit codes: which there are, and which have a meaning that the program did not give them."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.matched_failures import LINUX_EXIT_CODES
from jobsworth.lint.rule import Complaint, lint_rule
from jobsworth.lint.rules.disruptions import TERMINATION_CODES, rules_before_disruptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import Subject


MEANINGS = {
    125: "a tool that runs a command (docker, timeout, env) failed itself; no code of Kubernetes",
    126: "the command was found but could not be executed",
    127: "the command was not found",
    128: "containerd could not start the process at all (StartError)",
    137: "killed (SIGKILL): out of memory, or at the end of the grace period of an eviction",
    139: "crashed on an invalid memory access (SIGSEGV)",
    143: "told to stop (SIGTERM), as at an eviction",
}
"""Exit codes that shells, runtimes and signals produce, and not the program."""

OUT_OF_MEMORY = 137


def exit_code_rules(job: Subject) -> Iterator[tuple[int, str, dict[str, Any], list[int]]]:
    """Of each rule on exit codes: its position, field path, requirement, and values."""
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
)
def exit_code_range(job: Subject) -> Iterator[Complaint]:
    if job.windows:
        return
    for index, path, requirement, values in exit_code_rules(job):
        beyond = [code for code in values if code not in LINUX_EXIT_CODES]
        if not beyond:
            continue
        named = ", ".join(map(str, beyond))
        if requirement.get("operator") == "In" and not job.facts[index]:
            effect = "this rule never matches"
        else:
            effect = "they have no effect" if len(beyond) > 1 else "it has no effect"
        yield Complaint(
            f"{path}.values",
            f"a container ends with an exit code from 0 to 255, never with {named}: {effect}"
            f"{_where_from(beyond)}",
            _as_the_kernel_does(path, requirement, values),
        )


def _where_from(beyond: list[int]) -> str:
    if min(beyond) < -255:
        return "; if these are codes of Windows, say so in spec.os or the node selector of the Pod"
    seen = ", ".join(f"{code} arrives as {code & 255}" for code in beyond if abs(code) < 512)
    return f" ({seen})" if seen else ""


def _as_the_kernel_does(path: str, requirement: dict[str, Any], values: list[int]) -> Fix | None:
    """A fix that takes the low byte of each code, as exit(2) does; none for codes far away."""
    if any(abs(code) >= 512 for code in values):
        return None
    kept = [code for code in sorted({code & 255 for code in values}) if code]
    if not kept:
        return None
    return Fix("take the low byte", Edit("set", f"{path}.values", kept), safe=False)


@lint_rule(
    "JW111",
    "notin-zero",
    severity="info",
    summary="A NotIn list names 0 beside other exit codes.",
    fixable="safe",
)
def notin_zero(job: Subject) -> Iterator[Complaint]:
    for _, path, requirement, values in exit_code_rules(job):
        if requirement.get("operator") == "NotIn" and 0 in values and len(values) > 1:
            at = f"{path}.values[{values.index(0)}]"
            yield Complaint(
                at,
                "exit code 0 is never looked at: to name it beside others says nothing",
                Fix("drop the 0", Edit("delete", at), safe=True),
            )


@lint_rule(
    "JW121",
    "reserved-exit-code",
    severity="info",
    summary="A rule lists an exit code that has a meaning of its own: 125 to 128, 137, 139 or 143.",
)
def reserved_exit_code(job: Subject) -> Iterator[Complaint]:
    if job.windows or not job.rules:
        return
    told = rules_before_disruptions(job)
    for index, path, requirement, values in exit_code_rules(job):
        if requirement.get("operator") != "In":
            continue
        ignored = job.rules[index].get("action") == "Ignore"
        named = [
            code
            for code in values
            if code in MEANINGS
            # Other rules have said it already, with what comes of it.
            and not (index in told and code in TERMINATION_CODES)
            and not (ignored and code == OUT_OF_MEMORY)
        ]
        if named:
            meanings = "; ".join(f"{code}: {MEANINGS[code]}" for code in named)
            yield Complaint(f"{path}.values", meanings)
