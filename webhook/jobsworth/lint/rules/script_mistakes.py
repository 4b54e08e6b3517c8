"""Rules for mistakes in scripts: an end or a loop that ends early, and tests that are always true."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jobsworth.lint import needs
from jobsworth.lint.command_line import base_name
from jobsworth.lint.container_start import literal_variables
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.program_text import program_texts
from jobsworth.lint.script_flow import MAX_COMMANDS, TESTS
from jobsworth.lint.script_text import expanded_part, line_of
from jobsworth.lint.shell_script import (
    HARMLESS,
    Clause,
    Compound,
    ShellCommand,
    ShellScript,
    Statement,
    commands_in,
)
from jobsworth.wording import shortened

MAX_SHOWN = 60
INTERACTIVE = ("-i", "-it", "-ti", "--interactive", "--stdin")
READ_INPUT: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "ssh": ((), ("-n", "-f", "-fn", "-nT", "-Tn"), "-n"),
    "ffmpeg": ((), ("-nostdin",), "-nostdin"),
    **dict.fromkeys(
        ("docker", "kubectl", "nerdctl", "oc", "podman"), (INTERACTIVE, (), "no -i, or < /dev/null")
    ),
}
"""Programs that read their standard input: with one of some options, without others, and what keeps them."""
NEED_OPERANDS: dict[str, tuple[str, ...]] = {
    "docker": ("rm", "rmi", "stop", "kill"),
    "git": ("branch", "push"),
    "helm": ("uninstall", "delete"),
    "kill": (),
    "kubectl": ("delete", "annotate", "label", "cordon", "drain"),
    "oc": ("delete", "annotate", "label"),
    "podman": ("rm", "rmi", "stop"),
}
"""Programs that fail without a name, with the subcommands that do."""
_INCREMENT = re.compile(r"^(?:\(\(|let)\s*[\"']?\(?\s*(\w+)\+\+")
_OPTIONAL = re.compile(r"^(?:\[\[?|test)\s+-n\s+[\"']?\$\{?(\w+)|^(?:\[\[?|test)\s+-[efd]\s")


@lint_rule(
    "JW549",
    "loop-input-read",
    severity="warning",
    summary="A program in a loop over lines reads the lines itself, and the loop ends after the first.",
    confidence="likely",
    needs=needs.a_program("read"),
)
def loop_input_read(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: ssh(1), -n; kubectl exec, --stdin; ffmpeg, -stdin."""
    for start, script in job.scripts:
        lines = script.text.splitlines()
        for loop in _loops(script.statements):
            asked = [each for each in commands_in(loop.asked) if each.name == "read"]
            if not asked or "-u" in asked[0].words or "<&" in script.text:
                continue
            for command in commands_in(loop.body):
                advice = _reads_input(command)
                if advice and "<" not in lines[command.line]:
                    yield Diagnostic(
                        start.field,
                        f"{command.name} reads the rest of the list from the input of the loop, which "
                        f"ends after its first line: the script succeeds without the others. Add {advice}.",
                        line=command.line,
                    )
                    return


def _reads_input(command: ShellCommand) -> str:
    needed, without, advice = READ_INPUT.get(command.name, ((), (), ""))
    words = command.words[1:]
    if "--" in words:
        words = words[: words.index("--")]
    if not advice or command.before == "|" or command.input or command.background:
        return ""
    if any(each in words for each in without) or (
        needed and not any(each in words for each in needed)
    ):
        return ""
    return advice if not needed or "exec" in words or "run" in words else ""


def _loops(statements: Sequence[Statement]) -> Iterator[Clause]:
    """Yield the loops with a condition in some lists of commands."""
    for statement in statements:
        for part in statement.parts:
            if isinstance(part.node, Compound):
                if part.node.kind in ("while", "until"):
                    yield part.node.clauses[0]
                for clause in part.node.clauses:
                    yield from _loops(clause.body)


@lint_rule(
    "JW550",
    "fails-without-reason",
    severity="warning",
    summary="A script fails although nothing is wrong: at a counter, a test or an empty list.",
    confidence="likely",
    needs=needs.scripts,
)
def fails_without_reason(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        for index, command in enumerate(script.commands[:MAX_COMMANDS]):
            found = (
                _counts_from_zero(script, command)
                or _last_test(script, index)
                or _empty_list(script, index)
                or _nothing_found(script, command)
            )
            if found:
                yield Diagnostic(start.field, found, line=command.line)
                break


def _counts_from_zero(script: ShellScript, command: ShellCommand) -> str:
    """Return the message for a counter whose first step has the exit code 1; empty for others."""
    found = _INCREMENT.match(" ".join(command.words))
    if found is None or not script.errexit or command.checked:
        return ""
    if "||" in (command.after, command.before) or command.after == "&&":
        return ""
    if script.assigned.get(found[1], ["0"])[:1] not in ([], ["0"]):
        return ""
    return (
        f"(({found[1]}++)) has the exit code 1 while {found[1]} is 0, and `set -e` ends the script there. "
        f"Write {found[1]}=$(({found[1]} + 1))."
    )


def _last_test(script: ShellScript, index: int) -> str:
    """Return the message for a script whose last line is a test that may be false; empty for another."""
    command, after = script.commands[index], script.commands[index + 1 : index + 2]
    last = script.final is not None and index + 2 == len(script.commands)
    if not last or command.name not in TESTS or command.depth or after[0].before != "&&":
        return ""
    does_little = after[0].name in (*HARMLESS, "kill", "rm")
    found = _OPTIONAL.match(" ".join(command.words))
    worked = any(each.works for each in script.commands[:index])
    own = found is not None and found[1] in script.assigned
    if found is None or own or not does_little or not worked or after[0].name in ("exit", "return"):
        return ""
    shown = shortened(" ".join(command.words), MAX_SHOWN)
    return (
        f"The script ends with `{shown} && {after[0].name[:MAX_SHOWN]}`: if the test is false, its exit code "
        "is 1, and the Job fails after its work. Write it with if."
    )


def _empty_list(script: ShellScript, index: int) -> str:
    """Return the message for an xargs that fails if it gets nothing; empty for another."""
    command = script.commands[index]
    if command.name != "xargs" or command.before != "|" or command.checked or command.after == "||":
        return ""
    if not (script.errexit or index >= script.last):
        return ""
    words = command.words
    for at, word in enumerate(words[1:], 1):
        if word.startswith(("-I", "-i", "--no-run", "--replace")) or (
            word[:1] == "-" and word[1:2] != "-" and "r" in word
        ):
            return ""
        name = base_name(word)
        if name in NEED_OPERANDS:
            rest = [each for each in words[at + 1 :] if not each.startswith("-")]
            subcommands = NEED_OPERANDS[name]
            verb = next((each for each in rest if each in subcommands), "")
            if verb or not subcommands:
                shown = f"{name} {verb}".strip()
                return (
                    f"If the list is empty, xargs runs `{shown}` without a name, which fails: the Job fails "
                    "although there is nothing to do. Add -r."
                )
            return ""
    return ""


def _nothing_found(script: ShellScript, command: ShellCommand) -> str:
    """Return the message for a grep that ends the script before it looks at an empty result."""
    if not (script.errexit and command.assigns) or command.after == "||" or command.checked:
        return ""
    inner = list(commands_in(command.inner))
    found = next((each for each in inner if each.name in ("grep", "egrep", "pgrep")), None)
    if found is None or any(each.after == "||" or each.before == "||" for each in inner):
        return ""
    if found is not inner[-1] and not (script.pipefail and found.after == "|"):
        return ""
    if any(word.startswith("-") and set("cL") & set(word) for word in found.words[1:]):
        return ""
    name = next(
        (
            name
            for name, texts in script.assigned.items()
            for text in texts
            if text.strip('"').startswith(("$(", "`")) and " ".join(found.words[:1]) in text
        ),
        "",
    )
    test = rf"-z\s+\"?\$\{{?{re.escape(name)}\b|for\s+\w+\s+in\s+\"?\$\{{?{re.escape(name)}\b"
    asked = re.search(rf"(?:{test})(.{{0,200}})", script.text, re.S) if name else None
    if asked is None or re.search(r"\b(?:exit|return)\s+[1-9]", asked[1]):
        return ""
    return (
        f"If {found.name} finds nothing, its exit code is 1, and `set -e` ends the script there: what "
        f"follows never sees an empty {name[:MAX_SHOWN]}. Add || true within the substitution."
    )


_ALWAYS_TRUE = re.compile(
    r"(?:(?<!\[)\[|\btest)\s+-n\s+(\$(?:\w+|\{\w+\}|\([^()\"]*\)))\s*(?:\]|;|&&|\|\|)"
)
_OF_TEXT = re.compile(r"\bbool\(\s*os\.(?:environ(?:\.get)?\s*[\[(]|getenv\()\s*[\"'](\w+)")
_REDIRECTED = re.compile(r"\[ (?:! )?(?:\"[^\"]*\"|\S+) > (\S+) \]")
_NEGATIVE = ("0", "false", "no", "off")


@lint_rule(
    "JW545",
    "test-always-true",
    severity="warning",
    summary="A test is always true: for a text without quotes, a redirection, or the text false.",
    confidence="certain",
    needs=needs.scripts_or_programs,
)
def test_always_true(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: POSIX, test: with one argument, ``[ -n ]`` is true because the text ``-n`` is not empty."""
    for start, script in job.scripts:
        unquoted = _ALWAYS_TRUE.search(expanded_part(script.text))
        if unquoted:
            yield Diagnostic(
                start.field,
                f"`[ -n {unquoted[1]} ]` is true for an empty text, too: without quotes, nothing is left of "
                f'it. Write `[ -n "{unquoted[1]}" ]`.',
                line=line_of(script.text, unquoted[0]),
            )
            continue
        for command in script.commands[:MAX_COMMANDS]:
            found = _REDIRECTED.fullmatch(" ".join(command.words))
            file = found[1] if found else "".join(command.outputs)
            if file and command.name in ("[", "test"):
                yield Diagnostic(
                    start.field,
                    f"`>` in {command.name} writes a file named {file[:MAX_SHOWN]}, and the "
                    "test is true whatever the numbers are. Write -gt.",
                    line=command.line,
                )
                break
    for program in program_texts(job):
        asked = _OF_TEXT.search(program.text) if program.interpreter.startswith("python") else None
        values = {name: value for _, name, value in literal_variables(program.start.container)}
        if asked is not None and values.get(asked[1], "").lower() in _NEGATIVE:
            yield Diagnostic(
                program.field,
                f"bool() is True for every text but the empty one, also for the {values[asked[1]]} of "
                f"{asked[1][:MAX_SHOWN]}. Compare it with 'true'.",
                line=program.line + program.text.count("\n", 0, asked.start()),
            )
