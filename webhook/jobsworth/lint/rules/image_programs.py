"""Rules for what the image of a container lacks: a shell, its dialect, programs, the right to install them.

They report images whose contents are known: see :mod:`jobsworth.lint.usual_images`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from jobsworth.lint import needs
from jobsworth.lint.command_line import base_name
from jobsworth.lint.container_start import ContainerStart
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.script_text import expanded_part
from jobsworth.lint.shell_script import ShellScript, commands_in
from jobsworth.lint.usual_images import ABSENT, FOREIGN_MANAGERS, OWN_MANAGER, base_image
from jobsworth.lint.usual_programs import MANAGERS, NEED_ROOT, ONLY_BASH, READING

ALSO_IN_ASH = ("[[", "source", "pipefail")
_BASH_SYNTAX = (
    (re.compile(r"(?:^|[\s;])\w+=\("), "an array"),
    (re.compile(r"<<<"), "<<<"),
    (re.compile(r"[<>]\([^()]"), "<( )"),
    (re.compile(r"(?:^|[\s;])function\s+\w+\s*\{"), "function"),
)
_HERE_DOCUMENT = re.compile(r"(?<!<)<<-?\s*[\"']?\w")
_ASH_HAS_NO = ("an array", "<( )")
_GNU_ONLY = (
    (re.compile(r"\bgrep\s+(?:-\w+\s+)*-\w*P"), "grep -P"),
    (re.compile(r"\bfind\s[^\n;|&]*-printf\b"), "find -printf"),
    (re.compile(r"\bxargs\s+(?:-\w+\s+)*(?:-d|--delimiter)"), "xargs -d"),
)  # fmt: skip
"""Options of the GNU programs that those of busybox do not have."""
_RELATIVE = re.compile(
    r"\b(?:ago|last|next|now|today|tomorrow|yesterday)\b|\b(?:(?:mon|tues?|wed(?:nes)?|thurs?|fri|satur?|sun)day)\b"
    r"|[-+\d]\s*(?:sec(?:ond)?|min(?:ute)?|hour|day|week|fortnight|month|year)s?\b",
    re.IGNORECASE,
)
"""A date that is counted from another one."""


@lint_rule(
    "JW538",
    "no-such-shell",
    severity="warning",
    summary="A container starts a shell that its image does not have.",
    confidence="likely",
    needs=needs.a_shell,
)
def no_such_shell(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.starts:
        family, shell = start.family, start.line.program
        if not start.line.starts_shell or family is None or shell in family.shells:
            continue
        if _has_own_programs(start):
            continue
        has = f"only {' and '.join(family.shells)}" if family.shells else "no shell"
        advice = (
            "Start sh"
            if family.shells
            else "Start its program without a shell, or take another image"
        )
        yield Diagnostic(
            f"{start.path}.{start.line.field(start.line.at)}",
            f"The container never starts: {start.container.get('image', '')[:80]} has {has}, and {shell} is "
            f"not found (StartError). {advice}.",
        )


def _has_own_programs(start: ContainerStart) -> bool:
    """Return True if a volume or a variable may bring programs into the container."""
    mounts = start.container.get("volumeMounts", ())
    paths = [each.get("mountPath", "") for each in mounts]
    return (
        any("bin" in each or "tools" in each for each in paths)
        or start.source_of_variable("PATH") == "value"
    )


@lint_rule(
    "JW539",
    "syntax-of-bash",
    severity="warning",
    summary="A script for sh has syntax of bash, and sh of its image is another shell.",
    confidence="certain",
    needs=needs.scripts,
)
def syntax_of_bash(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        family = start.family
        if family is None or start.line.program not in ("sh", "ash", "dash"):
            continue
        found = _bash_syntax(script, family.dialect)
        if found:
            yield Diagnostic(
                start.field,
                f"sh is {family.dialect} in images of {family.name}, which does not have `{found}`: the "
                f"script ends there, or takes a test for false. {_advice(family.shells)}",
            )


def _advice(shells: tuple[str, ...]) -> str:
    return (
        "Start it with bash."
        if "bash" in shells
        else "Write it for POSIX, or take an image with bash."
    )


def _bash_syntax(script: ShellScript, dialect: str) -> str:
    """Return the first syntax of bash in a script that a dialect lacks; empty for none."""
    lacking = [name for name in ONLY_BASH if dialect == "dash" or name not in ALSO_IN_ASH]
    if dialect not in ("ash", "dash"):
        return ""
    if dialect == "dash" and script.pipefail:
        return "set -o pipefail"
    for command in script.commands:
        if command.name in lacking:
            return command.name
    text = expanded_part(_HERE_DOCUMENT.split(script.text)[0])
    for pattern, name in _BASH_SYNTAX:
        if (
            (dialect == "dash" or name in _ASH_HAS_NO)
            and script.commands
            and pattern.search(_unquoted(text))
        ):
            return name
    return ""


def _unquoted(text: str) -> str:
    return re.sub(r'"[^"]*"', '""', text)


@lint_rule(
    "JW540",
    "no-such-program",
    severity="warning",
    summary="A container runs a program, or an option of one, that its image does not have.",
    confidence="likely",
    needs=needs.a_base_image,
)
def no_such_program(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.starts:
        image: str = start.container.get("image", "")
        base = base_image(image)
        text = start.script.text if start.script is not None else " ".join(start.line.words)
        if not (base or start.has_busybox) or _has_own_programs(start):
            continue
        managers, absent = FOREIGN_MANAGERS.get(base, ()), ABSENT.get(base, ())
        foreign = next((each for each in start.commands if each.name in managers), None)
        if foreign is not None and foreign.step is not None and _is_needed(start, foreign.name):
            yield Diagnostic(
                foreign.field,
                f"{image[:80]} does not have {foreign.name}: the command is not found (exit code 127). Its "
                f"package manager is {OWN_MANAGER[base]}.",
                line=foreign.line,
            )
            continue
        if _brings_programs(start, text):
            continue
        missing = next((each for each in start.commands if each.words[0] in absent), None)
        if missing is not None and (missing.step is None or _is_needed(start, missing.name)):
            yield Diagnostic(
                missing.field,
                f"{image[:80]} does not have {missing.name}: the command is not found (exit code 127). Take "
                "an image with it, or install it first.",
                line=missing.line,
            )
            continue
        gnu = next((what for pattern, what in _GNU_ONLY if pattern.search(text)), "")
        gnu = gnu or _relative_date(start)
        if gnu and start.has_busybox:
            yield Diagnostic(
                start.field,
                f"{image[:80]} has the programs of busybox, which do not know {gnu}: the command fails. "
                "Write it without, or install the GNU program.",
            )


def _relative_date(start: ContainerStart) -> str:
    """Return a use of date, also in a substitution, that only the GNU program knows; empty for none.

    Source: busybox, coreutils/date.c: ``-d`` takes a few fixed formats.
    """
    statements = start.script.statements if start.script is not None else ()
    for words in (*(each.words for each in commands_in(statements)), start.line.arguments):
        if not words or base_name(words[0]) != "date" or "-D" in words:
            continue
        for before, word in pairwise(words):
            attached = word.startswith(("-d", "--date=")) and word != "-d"
            given = word.removeprefix("--date=").removeprefix("-d") if attached else word
            if (attached or before in ("-d", "--date")) and _RELATIVE.search(given):
                return f"date -d with a text such as '{given[:40]}'"
    return ""


def _brings_programs(start: ContainerStart, text: str) -> bool:
    """Return True if a container installs or downloads programs, or changes where they are looked for."""
    names = {each.name for each in start.commands}
    installs = not names.isdisjoint(
        (*MANAGERS, "pip", "pip3", "npm", "install", "chroot", "nsenter")
    )
    return installs or "chmod" in names or "PATH=" in text or "/usr/local/bin" in text


def _is_needed(start: ContainerStart, program: str) -> bool:
    """Return True if a script runs a program without looking whether it is there."""
    script = start.script
    if script is None:
        return True
    if re.search(rf"\b(?:command\s+-v|which|type|hash)\s+{re.escape(program)}\b", script.text):
        return False
    used = [each for each in script.commands if each.name == program]
    defined = re.search(rf"\b{re.escape(program)}\s*\(\)", script.text)
    return not defined and all(not each.checked and each.after != "||" for each in used)


@lint_rule(
    "JW541",
    "install-without-rights",
    severity="warning",
    summary="A command needs root or a file system to write to, and its container has neither.",
    confidence="certain",
    needs=needs.a_program(*MANAGERS, *NEED_ROOT, "chmod", "pip", "pip3"),
)
def install_without_rights(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.starts:
        for command in start.commands:
            step = command.step
            if step is not None and (step.checked or step.after == "||"):
                continue
            why = _needs_root(start, command.words) or _cannot_install(
                start, command.name, command.words
            )
            if why:
                shown = " ".join(command.words[:3])[:60]
                yield Diagnostic(command.field, f"`{shown}` fails: {why}.", line=command.line)
                break


def _cannot_install(start: ContainerStart, name: str, words: Sequence[str]) -> str:
    """Return the reason why a command cannot install packages, as a clause; empty for none."""
    arguments = words[1:]
    of_system = any(each in arguments for each in MANAGERS.get(name, ()))
    of_python = name in ("pip", "pip3") and "install" in arguments
    if not of_system and not of_python:
        return ""
    if start.place("/usr/lib").read_only and not any(
        each.startswith(("--target", "-t", "--prefix", "--user", "--root")) for each in arguments
    ):
        return "readOnlyRootFilesystem is true; build an image with the packages"
    if of_system and start.is_not_root:
        return "the container does not run as root; build an image with the packages"
    return ""


def _keeps_owner(start: ContainerStart, words: Sequence[str]) -> bool:
    """Return True for a chown to the user and group of the container, which may do so with its own files."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    user, _, group = operands[0].partition(":") if operands else ("", "", "")
    groups = (None, start.group, start.group_of_volumes)
    return user == str(start.user) and (not group or group in map(str, groups))


def _needs_root(start: ContainerStart, words: Sequence[str]) -> str:
    """Return the reason why another user than root cannot run a command, as a clause; empty if it can."""
    name = base_name(words[0])
    if not start.is_not_root:
        return ""
    if name == "chown" and _keeps_owner(start, words):
        return ""
    if name in NEED_ROOT and len(words) > 2 and not any(word in READING for word in words):
        return "only root may do so, and the container runs as another user"
    folders = [
        each.get("mountPath", "").rstrip("/") for each in start.container.get("volumeMounts", ())
    ]
    if name == "chmod" and words[-1].rstrip("/") in folders:
        return "the folder of a volume belongs to root; set fsGroup instead"
    return ""
