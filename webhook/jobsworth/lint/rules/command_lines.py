"""Rules for command lines that do something else than they seem to, without a shell or with one.

The kubelet starts the first word of ``command`` as a program with the others as its arguments; no shell reads
them. Source: "Define a Command and Arguments for a Container" in the documentation of Kubernetes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.command_line import dollars
from jobsworth.lint.container_start import SET_BY_RUNTIME
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.shell_script import ShellCommand, ShellScript
from jobsworth.lint.usual_programs import MYSQL_CLIENTS, sleeps_forever

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
CODE_OPTIONS = ("-c", "-e", "--command", "--eval", "--execute")
NAMES_OF_SCRIPTS = ("-", "--", "_", "ash", "bash", "dash", "ksh", "sh", "zsh")
"""Usual values of ``$0``, which a script need not read."""
_VARIABLE_NAME = re.compile(r"\w+(?:$|\+?=)|-[fnp]$|[\"'{(]")
_ONE_WORD = re.compile(r"[\w./-]+\s+\S")
_PLAIN_WORDS = re.compile(r"[\w\s./:=,@%+-]+")
_PATTERN = re.compile(r"[*?]|\[[^\[\]]+\]")
_SUBSTITUTION = re.compile(
    r"\$\((?:basename|cat|date|dirname|echo|hostname|id|kubectl|ls|printf|pwd|uname)\b[^()]*\)|`[a-z]+[^`]*`"
)
"""A command substitution; the kubelet leaves what is not a variable as it is."""
_PARAMETER = re.compile(
    r"\$\{?[0-9@*#]|\$\{!|\$\([\w.-]+\)|\b(?:eval|shift|getopts|source)\b|(?:^|[\s;&|(])\.\s|\bfor\s+\w+\s*[;\n]"
)
"""What reads the parameters of a script; a file that it sources may, too."""


def _one_line(text: str) -> str:
    """Return the beginning of a text on one line."""
    return " ".join(text[: 2 * MAX_SHOWN].split())[:MAX_SHOWN]


@lint_rule(
    "JW531",
    "command-in-one-word",
    severity="warning",
    summary="A command line is one word, which no program has as its name.",
    confidence="likely",
    fixable="unsafe",
    needs=needs.commands,
)
def command_in_one_word(job: LintedJob) -> Iterator[Diagnostic]:
    if job.windows:
        return
    for start in job.starts:
        line = start.line
        if line.at >= line.written or not _ONE_WORD.match(line.words[line.at]):
            continue
        word = line.words[line.at]
        fix = None
        if _PLAIN_WORDS.fullmatch(word):
            words = [*line.words[: line.at], *word.split(), *line.words[line.at + 1 : line.written]]
            edit = Edit("set", f"{start.path}.command", words)
            fix = Fix("Split the command into words", edit, safe=False)
        yield Diagnostic(
            f"{start.path}.command[{line.at}]",
            f"`{_one_line(word)}` cannot be started: it is one word, and no program has this name, with its "
            "spaces. Write each word as a separate item, or start it with sh -c.",
            fix,
        )


@lint_rule(
    "JW532",
    "syntax-without-shell",
    severity="warning",
    summary="A command line has operators, variables or patterns of a shell, and no shell reads it.",
    confidence="likely",
    needs=needs.syntax_of_shells,
)
def syntax_without_shell(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.starts:
        line, words = start.line, start.line.words
        if not (line.written or line.implied) or not line.program or line.starts_shell:
            continue
        names = {each.get("name", "") for each in start.container.get("env", ())}
        for index in range(line.at + 1, len(words)):
            if not needs.SHELL_SYNTAX.search(words[index]):
                continue
            problem = _shell_syntax(line.program, words[index], words[index - 1], names)
            if problem:
                yield Diagnostic(f"{start.path}.{line.field(index)}", problem)
                break


def _shell_syntax(program: str, word: str, before: str, names: set[str]) -> str:
    """Return the message for a word that only a shell understands; empty for another.

    Args:
        names: the variables of the container.
    """
    shown = _one_line(word)
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
    if program == "aws" and word.startswith("/") and "*" in word and not before.startswith("--"):
        return (
            f"No shell reads this command line, and aws expands no patterns: no file has the name `{shown}`. "
            "Name the folder with --recursive, --exclude and --include, or start it with sh -c and one text."
        )
    if program in EXPANDS_DOLLARS or before in CODE_OPTIONS:
        return ""
    substitution = _SUBSTITUTION.search(word)
    if substitution:
        return (
            f"No shell reads this command line: {program} gets the text `{_one_line(substitution[0])}`. "
            "Start it with sh -c and one text."
        )
    for found in dollars(word):
        name = found.name
        if found.kind in ("variable", "braced") and (name in names or name in SET_BY_RUNTIME):
            advice = (
                f"Write $({name}), which the kubelet replaces"
                if name in names
                else "Start it with sh -c and one text"
            )
            return f"No shell reads this command line: {program} gets the text `{found.text}`. {advice}."
    return ""


_COMMENT = re.compile(r"[;&]\s+(#\s.*[;&])")


@lint_rule(
    "JW533",
    "words-after-script",
    severity="warning",
    summary="After the script of sh -c, or after set, cd or export in it, are words that nothing runs.",
    confidence="certain",
    needs=needs.commands,
)
def words_after_script(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: POSIX.1-2024, sh, "-c": the words after the script are ``$0``, ``$1`` and so on."""
    for start, script in job.scripts:
        comment = _joined_comment(script.text.strip())
        if comment:
            yield Diagnostic(
                start.field,
                f"The script is one line, and `{_one_line(comment)}` is a comment to its end: nothing "
                "behind it runs. A folded block (>) joins lines: write it in a literal block (|).",
            )
            continue
        joined = _takes_next_lines(script)
        if joined is not None:
            yield Diagnostic(
                start.field,
                f"`{_one_line(' '.join(joined.words))}` is one command: {joined.name} takes the words after "
                "its own for arguments, and nothing runs them. A folded block (>) joins lines: write the "
                "script in a literal block (|), or put ; or && between its commands.",
                line=joined.line,
            )
            continue
        words = [word for word in script.parameters if word.strip()]
        if not words or not script.text.strip() or _PARAMETER.search(script.text):
            continue
        only_names = len(words) == 1 and (
            words[0] in NAMES_OF_SCRIPTS or len(script.text.split()) > 1
        )
        if only_names:  # it sets $0, which error messages show
            continue
        yield Diagnostic(
            start.field,
            f"sh -c runs one word, here `{_one_line(script.text)}`: `{_one_line(words[0])}` and the words "
            "after it are its parameters, which the script does not read. Join them into one text.",
        )


def _joined_comment(text: str) -> str:
    """Return the comment of a script of one line that has further commands in it; empty for another.

    >>> _joined_comment("set -e; # all at once dump; mv a b"), _joined_comment("echo 'a; # b;'")
    ('# all at once dump;', '')
    """
    found = _COMMENT.search(text) if "\n" not in text else None
    if found is None or any(text.count(quote, 0, found.start()) % 2 for quote in "'\""):
        return ""
    return found[1]


def _takes_next_lines(script: ShellScript) -> ShellCommand | None:
    """Return the command that has the next lines of its script as arguments; None without one."""
    for command in script.commands:
        words = command.words[1:]
        if (
            command.name == "set"
            and words[:1]
            and words[0][0] in "-+"
            and words[0] not in ("-", "--")
        ):
            named = [word for word in words if word[:1] not in ("-", "+")]
            options = sum(word[-1:] == "o" for word in words if word[:1] in ("-", "+"))
            if (
                len(named) > options + 1
                and "--" not in words
                and not _PARAMETER.search(script.text)
            ):
                return command
        elif command.name == "cd":
            if len([word for word in words if not word.startswith("-")]) > 1:
                return command
        elif command.name == "export" and words and "=" in words[0]:
            programs = [word for word in words if not _VARIABLE_NAME.match(word)]
            if programs and "$" not in "".join(programs):
                return command
    return None


@lint_rule(
    "JW534",
    "work-in-background",
    severity="warning",
    summary="A script starts its work in the background and ends, which stops the work.",
    confidence="certain",
    needs=needs.commands,
)
def work_in_background(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        left = _left_behind(script)
        if left is not None:
            yield Diagnostic(
                start.field,
                f"The script starts {_one_line(left.name)} in the background and ends. The container ends "
                "with it, so the Job succeeds without the work. Remove the `&`, or end with `wait $!`.",
                line=left.line,
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


@lint_rule(
    "JW546",
    "password-after-space",
    severity="warning",
    summary="A client of MySQL gets -p and a password as two words, and asks for a password.",
    confidence="certain",
    needs=needs.a_program(*MYSQL_CLIENTS),
)
def password_after_space(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: MySQL, "Password Options": with -p, there must be no space before the password."""
    for command in job.commands:
        words = list(command.words)
        if command.name in MYSQL_CLIENTS and "-p" in words[:-1]:
            value = words[words.index("-p") + 1]
            if "$" in value:
                yield Diagnostic(
                    command.field,
                    f"{command.name} takes {value[:40]} for the name of a database, and asks for the "
                    "password, which must follow -p without a space. Set MYSQL_PWD, or write --password=.",
                    line=command.line,
                )
