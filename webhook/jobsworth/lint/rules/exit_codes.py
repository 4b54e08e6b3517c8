"""Rules for exit codes: impossible codes, codes that shells, runtimes and signals produce, and codes that the
command of the container cannot end with.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.container_start import ContainerStart
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.matched_failures import LINUX_EXIT_CODES
from jobsworth.lint.rules.disruptions import TERMINATION_CODES, rules_before_disruptions
from jobsworth.lint.shell_script import HARMLESS, ShellCommand, ShellScript

_OF_SHELL = frozenset((0, 1, 2))
"""Codes with which a shell, its builtins and Python end by themselves, beside those above 125."""
_MAX_CODE = 125
"""The largest code that a program chooses; those above are from shells, runtimes and signals."""
_MAX_LENGTH = 32_768
_RUNS_CODE = ("__import__", "compile", "eval", "exec")
_EXITS = ("exit", "_exit", "quit", "SystemExit")


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
    needs=needs.a_failure_policy,
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
    "JW128",
    "code-never-returned",
    severity="warning",
    summary="A rule lists exit codes with which the command of no container can end.",
    confidence="certain",
    needs=needs.a_failure_policy,
)
def code_never_returned(job: LintedJob) -> Iterator[Diagnostic]:
    if job.windows or not job.rules:
        return
    codes = {start.container.get("name"): _returned_codes(start) for start in job.starts}
    for _, path, requirement, values in exit_code_rules(job):
        name = requirement.get("containerName")
        of_rule = list(codes.values()) if name is None else [codes.get(name)]
        if requirement.get("operator") != "In" or not values or max(values) > _MAX_CODE:
            continue
        known = [each for each in of_rule if each is not None]
        if len(known) < len(of_rule) or not known or any(each & set(values) for each in known):
            continue
        seen = ", ".join(str(code) for code in sorted(frozenset().union(*known) - {0}))
        yield Diagnostic(
            f"{path}.values",
            f"This rule never matches: by its command, the container ends with {seen} or a code above "
            f"{_MAX_CODE}, whatever the program in it returns. Pass the code on, such as by `exit $?`.",
        )


@lint_rule(
    "JW111",
    "notin-zero",
    severity="info",
    summary="A NotIn list contains 0 and other exit codes.",
    fixable="safe",
    confidence="certain",
    needs=needs.a_failure_policy,
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
    needs=needs.a_failure_policy,
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


def _returned_codes(start: ContainerStart) -> frozenset[int] | None:
    """Return the codes up to 125 with which a container can end; None if another program decides.

    >>> from jobsworth.lint.container_start import container_starts
    >>> container = {"command": ["sh", "-c", "train || exit 3"]}
    >>> sorted(_returned_codes(*container_starts([("", container)], {})))
    [0, 1, 2, 3]
    """
    if start.script is not None:
        return _of_script(start.script)
    words = start.line.arguments
    if start.line.program.startswith("python") and list(words[1:2]) == ["-c"] and len(words) > 2:
        return _of_python(words[2])
    return None


def _of_script(script: ShellScript) -> frozenset[int] | None:
    """Return the codes of a script; None if one of its commands decides."""
    if not script.commands:
        return None
    codes = set(_OF_SHELL)
    commands = script.commands
    for index, command in enumerate(commands):
        if command.name in ("exit", "return") and len(command.words) > 1:
            if not command.words[1].isdecimal():
                return None
            codes.add(int(command.words[1]) & 255)
        elif command.name in (".", "eval", "source", "trap"):
            return None
        elif not command.works or not command.words:
            continue
        elif command.after != "||" or not _ends(commands[index + 1 :]):
            return None
    return frozenset(codes)


def _ends(commands: Sequence[ShellCommand]) -> bool:
    """Return True if the commands that handle a failure end the script, after commands such as ``echo``."""
    for command in commands:
        if command.name in ("exit", "return"):
            return len(command.words) > 1
        if command.name not in HARMLESS or not command.depth:
            return False
    return False


def _of_python(text: str) -> frozenset[int] | None:
    """Return the codes of Python code that imports the standard library alone; None for other code."""
    if len(text) > _MAX_LENGTH:
        return None
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    modules = set(_imported(nodes))
    if not modules <= sys.stdlib_module_names or modules & {"runpy", "importlib"}:
        return None
    codes = set(_OF_SHELL)
    for node in nodes:
        if isinstance(node, ast.Call):
            name = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else getattr(node.func, "id", "")
            )
            if name in _RUNS_CODE:
                return None
            if name in _EXITS and node.args:
                code = node.args[0]
                if not isinstance(code, ast.Constant) or not isinstance(
                    code.value, int | str | None
                ):
                    return None
                if isinstance(code.value, int):
                    codes.add(code.value & 255)
    return frozenset(codes)


def _imported(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
