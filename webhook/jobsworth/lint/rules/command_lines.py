"""Rules for command lines that do something else than they seem to, without a shell or with one.

The kubelet starts the first word of ``command`` as a program with the others as its arguments; no shell reads
them. Source: "Define a Command and Arguments for a Container" in the documentation of Kubernetes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.agents import sleeps_forever
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.shells import base_name, launched, runs_shell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import LintedJob
    from jobsworth.lint.shell_script import ShellCommand, ShellScript

MAX_SHOWN = 80
OPERATORS = ("&&", "||", "|", ";", ">", ">>", "2>", "2>>", "2>&1", "&>", "<", "&")
"""Words that only a shell understands."""
OPERATORS_OF = ("[", "expr", "find", "parallel", "ssh", "su", "test", "xargs")
"""Programs that have such arguments, or give them to a shell."""
TAKES_NAMES = frozenset(
    ("cat", "chmod", "chown", "cp", "gunzip", "gzip", "ln", "ls", "mv", "rm", "wc", "zcat")
)
"""Programs whose arguments are names of files, and that expand no patterns."""
EXPANDS_DOLLARS = (
    "awk", "envsubst", "expect", "gawk", "jq", "make", "mawk", "mongo", "mongosh", "node", "perl", "php",
    "pwsh", "ruby", "ssh", "su", "tclsh", "yq",
)  # fmt: skip
"""Programs for which a dollar sign has a meaning of its own, or that give it to a shell."""
SET_BY_RUNTIME = ("HOME", "HOSTNAME", "PATH")
"""Variables that every container has, and that the kubelet does not know."""
CODE_OPTIONS = ("-c", "-e", "--command", "--eval", "--execute")
NAMES_OF_SCRIPTS = ("-", "--", "_", "ash", "bash", "dash", "ksh", "sh", "zsh")
"""Usual values of ``$0``, which a script need not read."""
_ONE_WORD = re.compile(r"[\w./-]+\s+\S")
_PLAIN_WORDS = re.compile(r"[\w\s./:=,@%+-]+")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_PATTERN = re.compile(r"[*?]|\[[^\[\]]+\]")
_PARAMETER = re.compile(
    r"\$\{?[0-9@*#]|\$\{!|\$\([\w.-]+\)|\b(?:eval|shift|getopts|source)\b|(?:^|[\s;&|(])\.\s|\bfor\s+\w+\s*[;\n]"
)
"""What reads the parameters of a script; a file that it sources may, too."""


def applies(job: LintedJob) -> bool:
    return any("command" in container for _, container in job.containers)


def _shown(text: str) -> str:
    """Return the beginning of a text on one line."""
    return " ".join(text[: 2 * MAX_SHOWN].split())[:MAX_SHOWN]


@lint_rule(
    "JW531",
    "command-in-one-word",
    severity="warning",
    summary="A command line is one word, which no program has as its name.",
    confidence="likely",
    fixable="unsafe",
)
def command_in_one_word(job: LintedJob) -> Iterator[Diagnostic]:
    if job.windows:
        return
    for path, container in job.containers:
        command = container.get("command", [])
        at = launched(command)
        if at == len(command) or not _ONE_WORD.match(command[at]):
            continue
        word = command[at]
        fix = None
        if _PLAIN_WORDS.fullmatch(word):
            words = [*command[:at], *word.split(), *command[at + 1 :]]
            edit = Edit("set", f"{path}.command", words)
            fix = Fix("Split the command into words", edit, safe=False)
        yield Diagnostic(
            f"{path}.command[{at}]",
            f"`{_shown(word)}` cannot be started: it is one word, and no program has this name, with its "
            "spaces. Write each word as an item of its own, or start it with sh -c.",
            fix,
        )


@lint_rule(
    "JW532",
    "syntax-without-shell",
    severity="warning",
    summary="A command line has operators, variables or patterns of a shell, and no shell reads it.",
    confidence="likely",
)
def syntax_without_shell(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        command = container.get("command", [])
        words = [*command, *container.get("args", [])]
        at = launched(words)
        if not command or at >= len(words) or runs_shell(words):
            continue
        program = base_name(words[at])
        names = {each.get("name", "") for each in container.get("env", ())}
        for index in range(at + 1, len(words)):
            problem = _shell_syntax(program, words[index], words[index - 1], names)
            if problem:
                inside = index < len(command)
                field = f"command[{index}]" if inside else f"args[{index - len(command)}]"
                yield Diagnostic(f"{path}.{field}", problem)
                break


def _shell_syntax(program: str, word: str, before: str, names: set[str]) -> str:
    """Return the message for a word that only a shell understands; empty for another.

    Args:
        names: the variables of the container.
    """
    shown = _shown(word)
    is_value = len(word) == 1 and before.startswith("-")  # such as a delimiter: cut -d |
    if word in OPERATORS and program not in OPERATORS_OF and not is_value:
        return (
            f"No shell reads this command line: `{shown}` and all words after it are arguments of {program}. "
            "Start it with sh -c and one text."
        )
    if program in TAKES_NAMES and not word.startswith("-") and _PATTERN.search(word):
        return (
            f"No shell reads this command line: {program} gets `{shown}` as a name, which no file has. "
            "Start it with sh -c and one text."
        )
    if program in EXPANDS_DOLLARS or before in CODE_OPTIONS:
        return ""
    for found in _VARIABLE.finditer(word):
        name = found[1] or found[2]
        if name in names or name in SET_BY_RUNTIME:
            advice = (
                f"Write $({name}), which the kubelet replaces"
                if name in names
                else "Start it with sh -c and one text"
            )
            return (
                f"No shell reads this command line: {program} gets the text `{found[0]}`. {advice}."
            )
    return ""


@lint_rule(
    "JW533",
    "words-after-script",
    severity="warning",
    summary="After the script of sh -c are words that the script does not read.",
    confidence="certain",
)
def words_after_script(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: POSIX.1-2024, sh, "-c": the words after the script are ``$0``, ``$1`` and so on."""
    for field, _, script in job.scripts:
        words = [word for word in script.parameters if word.strip()]
        if not words or not script.text.strip() or _PARAMETER.search(script.text):
            continue
        only_names = len(words) == 1 and (
            words[0] in NAMES_OF_SCRIPTS or len(script.text.split()) > 1
        )
        if only_names:  # it sets $0, which error messages show
            continue
        yield Diagnostic(
            field,
            f"The shell runs `{_shown(script.text)}` alone: `{_shown(words[0])}`, like each word after "
            "it, is a parameter that this script does not read. Join them into one text.",
        )


@lint_rule(
    "JW534",
    "work-in-background",
    severity="warning",
    summary="A script starts its work in the background and ends, which stops the work.",
    confidence="certain",
)
def work_in_background(job: LintedJob) -> Iterator[Diagnostic]:
    for field, _, script in job.scripts:
        left = _left_behind(script)
        if left is not None:
            yield Diagnostic(
                field,
                f"The script starts {_shown(left.name)} in the background and ends. The container ends "
                "with it, so the Job succeeds without the work. Remove the `&`, or end with `wait $!`.",
            )


def _left_behind(script: ShellScript) -> ShellCommand | None:
    """Return the last command that works in the background while the script ends; None without one."""
    if script.closed:
        return None
    for command in reversed(script.commands):
        if command.depth:
            return None
        if command.background:
            if command.works:
                return command
        elif command.works or command.name == "wait" or sleeps_forever(command.words):
            return None
    return None
