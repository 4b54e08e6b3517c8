"""Rules for shell scripts in command lines that lose the exit code of a program.

The exit code of the container is all that a Job knows about a run: with exit code 0 the Pod has succeeded,
whatever happened. Only a program that exceeds the memory limit cannot be lost with most settings of a node:
with cgroup v2, the kernel kills all processes of the container (memory.oom.group, Kubernetes 1.28).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from jobsworth.api.batch.termination_rules import ANNOTATION
from jobsworth.lint import needs
from jobsworth.lint.command_line import SHELLS, base_name
from jobsworth.lint.container_start import ContainerStart
from jobsworth.lint.effects import ASKING, COPYING, SQL_CLIENTS, backs_up, effects
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.mounted_scripts import texts_read
from jobsworth.lint.program_steps import steps_of
from jobsworth.lint.program_text import hidden_failure, program_texts, unseen_failure
from jobsworth.lint.rules.container_commands import PREPARING
from jobsworth.lint.script_flow import MAX_COMMANDS, after_failure, is_looked_at, trapped
from jobsworth.lint.shell_script import HARMLESS, ShellCommand, ShellScript, commands_in
from jobsworth.lint.usual_programs import DUMPS, RESTORES, dump_name, migrates
from jobsworth.wording import shortened

ALWAYS_ZERO = (["exit", "0"], ["true"], [":"])
"""Commands that only set the exit code 0. An echo after ``||`` is no such command: it reports the failure."""

CLOSING = ("date", "echo", "printf")
"""Commands at the end of a script that hardly fail. An rm or a cp at the end may be the work itself."""

REQUESTS = ("curl", "wget")
LOCAL = ("localhost", "127.0.0.1", "[::1]")
"""Addresses of the other containers of the Pod: a request at the end, such as to a proxy's /quitquitquit."""

KEPT = (*DUMPS, "tar")
"""Programs whose output is kept: a part of it looks like the whole."""

FEEDING = frozenset(("cut", "head", "jq", "sed", "sort", "tail", "tr", "yes"))
"""Commands that only feed a pipe, beside those that do no work: they hardly fail."""

FAILING_WITHOUT_INPUT = ("egrep", "grep", "read")
"""Commands that show, further down a pipe, that the program before them had no output."""

INSTALLERS = ("bundle", "conda", "npm", "pip", "pip3", "pnpm", "uv", "yarn")
"""Commands that prepare the work: a message names the work, if it has some."""

MAX_NAME_LENGTH = 40
"""The maximum length of a name of a command in a message."""


def lost_by(script: ShellScript) -> tuple[str, ShellCommand] | None:
    """Return the end of a script by which it always exits with 0, and a program that may fail in it."""
    for signal in ("EXIT", "ERR"):
        trap = trapped(script, signal, len(script.text))
        if trap is not None and trap.final is not None and trap.final.words == ["exit", "0"]:
            return _first(script.commands, ["trap", "exit 0", signal])
    final = script.final
    if final is None or final.depth:
        return None
    before = script.commands[:-1]
    if final.words == ["exit", "$?"] and before and before[-1].name in ("echo", "printf"):
        # The exit code is that of the echo.
        return (
            None if before[-1].depth else _first(before[:-1], [before[-1].name, ";", *final.words])
        )
    if _exits_otherwise(script):
        return None
    if _closes(final) and final.before == ";" and not script.errexit and "$?" not in script.text:
        unchecked = [each for each in before if each.after in (";", "|") and not each.assigns]
        return _first(unchecked, [final.name])
    if final.words in ALWAYS_ZERO and final.before == ";" and not script.errexit:
        return _first(before, final.words)
    if final.words in ALWAYS_ZERO and final.before == "||":
        if script.errexit and _first(before[: script.last], []):
            return None  # the work is before the last list, and its failure ends the script
        found, guarded = _first(before, ["||", *final.words]), before[-1]
        return (found[0], guarded) if found and guarded.name not in HARMLESS else found
    if final.words == ["wait"]:
        started = [command for command in before if command.background]
        return _first(started, final.words)
    return None


def _closes(command: ShellCommand) -> bool:
    """Return True for a command that reports the end of the work, and does not fail with it.

    One that writes into a file may be the work.
    """
    if command.outputs:
        return False
    if command.name in REQUESTS:
        return any(address in word for word in command.words for address in LOCAL)
    return command.name in CLOSING


def _first(commands: Sequence[ShellCommand], end: list[str]) -> tuple[str, ShellCommand] | None:
    working = [command for command in commands if command.works]
    work = [each for each in working if each.name not in INSTALLERS and each.name not in FEEDING]
    for command in (*work, *working):
        return " ".join(end), command
    return None


def _exits_otherwise(script: ShellScript) -> bool:
    """Return True if the script exits with another code somewhere, so that it checks for failures."""
    return any(
        command.name in ("exit", "return") and command.words[1:] != ["0"]
        for command in script.commands
    )


def lost_in_pipe(script: ShellScript) -> ShellCommand | None:
    """Return the first program whose failure a pipe hides from the script; None if there is none."""
    if script.pipefail:
        return None
    found, following, shows = None, None, False
    for index in range(len(script.commands) - 1, -1, -1):
        command = script.commands[index]
        if command.after != "|" or following is None:
            shows = command.after == "||" or command.checked
        else:
            shows = shows or following.name in FAILING_WITHOUT_INPUT
            decides = script.errexit or index >= script.last
            if decides and not shows and command.works and command.name not in FEEDING:
                found = command
        following = command
    return found


def _named(command: ShellCommand) -> str:
    if command.assigns:
        return "a command substitution"
    name = command.name
    return name if name.isprintable() and 0 < len(name) <= MAX_NAME_LENGTH else "a command"


def _rules_read_codes(job: LintedJob, start: ContainerStart) -> bool:
    """Return True if rules of a failure policy match on how a container ends."""
    if start.is_init:
        return False
    holder = job.object if job.cron is None else job.cron["jobTemplate"]
    if ANNOTATION in holder.get("metadata", {}).get("annotations", ()):
        return True
    name = start.container.get("name")
    return any(
        rule["onExitCodes"].get("containerName", name) == name
        for rule in job.rules
        if "onExitCodes" in rule
    )


@lint_rule(
    "JW126",
    "exit-code-hidden",
    severity="warning",
    summary="A failure policy has rules on exit codes, which a shell script or a pipe hides.",
    needs=needs.scripts,
)
def exit_code_hidden(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        if not _rules_read_codes(job, start):
            continue
        found = lost_by(script)
        piped = lost_in_pipe(script)
        if found is not None:
            end, command = found
            yield Diagnostic(
                start.field,
                f"The script ends with `{end}`, so it exits with 0 even if {_named(command)} fails, and no "
                "rule of the failure policy matches. Exit with the code of the program.",
                line=command.line,
            )
        elif piped is not None:
            yield Diagnostic(
                start.field,
                f"The pipe hides the exit code of {_named(piped)} from the failure policy: only its last "
                "command decides. In bash, begin the script with `set -o pipefail`.",
                line=piped.line,
            )


def _piped_into_shell(script: ShellScript) -> ShellCommand | None:
    """Return the download that a shell at the end of a script runs; None for another end."""
    final = script.final
    if final is None or final.before != "|" or script.pipefail or len(script.commands) < 2:
        return None
    download = script.commands[-2]
    return download if final.name in SHELLS and download.name in REQUESTS else None


def ignored_step(script: ShellScript) -> ShellCommand | None:
    """Return a migration, restore or backup that a script goes on after, whatever becomes of it."""
    for index, command in enumerate(script.commands[:MAX_COMMANDS]):
        if command.name in HARMLESS or command.after == "|":
            continue
        saves = backs_up(command.words)
        if saves and dump_name(command.words):
            saves = bool(command.outputs or "-f" in command.words)
        # A migration before || may fail because its work is done.
        moves = migrates(command.words) or _uploads(command)
        replaces = command.name in RESTORES and effects(command.words) is not None
        if not (saves or replaces) and (command.after == "||" or not moves):
            continue
        if after_failure(script, command).succeeds and _goes_on_working(script, index):
            return command
    return None


REMOTE = ("aws", "azcopy", "gsutil", "mc", "rclone", "rsync", "s3cmd", "s5cmd", "scp")
_UPLOADS = frozenset(("copy", "copyto", "cp", "mirror", "mv", "put", "sync"))


def _uploads(command: ShellCommand) -> bool:
    """Return True for a command that copies data to or from another host, which is the work of a script."""
    words = command.words[1:]
    remote = any(":" in word and not word.startswith("-") for word in words) or command.name == "mc"
    copies = command.name in ("rsync", "scp") or not _UPLOADS.isdisjoint(words)
    return command.name in REMOTE and remote and copies and ASKING.isdisjoint(words)


def _goes_on_working(script: ShellScript, index: int) -> bool:
    """Return True unless a script only looks at the result of a command in what follows."""
    following = script.commands[index + 1 : index + 2]
    checks = following and following[0].name in ("[", "[[", "test") and "exit" in script.text
    return not checks


GOING_ON: dict[str, tuple[tuple[str, ...], str, str]] = {
    "psql": (("-f", "--file"), "ON_ERROR_STOP", "-v ON_ERROR_STOP=1"),
    "snowsql": (("-f", "--filename"), "exit_on_error", "-o exit_on_error=true"),
    "sqlcmd": (("-i",), "-b", "-b"),
    "sqlplus": ((), "WHENEVER SQLERROR", "WHENEVER SQLERROR EXIT FAILURE"),
}
"""Clients of databases that go on after errors in a file or their input: the options before a file, a text
with which they stop, and how to write it."""
_OWN_SETTINGS = re.compile(r"(?<!no-)psqlrc")
_CHANGES = re.compile(
    r"\b(?:CALL|COPY|DELETE|EXEC|INSERT|MERGE|REFRESH|TRUNCATE|UPDATE|VACUUM)\b|\\i\b|^@",
    re.IGNORECASE,
)


def _unnoticed_sql(job: LintedJob) -> Iterator[Diagnostic]:
    """Report a client that runs a file or input of statements and goes on after their errors.

    Source: psql, "Exit Status": 3 for an error in a script only if ON_ERROR_STOP is set.
    """
    seen = set()
    for start in job.all_starts:
        for command in start.commands[:MAX_COMMANDS]:
            options, stop, advice = GOING_ON.get(command.name, ((), "", ""))
            if not stop or command.field in seen or _is_checked(command.step):
                continue
            step = command.step
            given = [word.partition("=")[0] for word in command.words]
            piped = step is not None and (step.reads or step.before == "|") and "-c" not in given
            from_file = piped or not set(options).isdisjoint(given)
            if not from_file and not (step is not None and _CHANGES.search(step.input)):
                continue
            texts = [*texts_read(start, job.neighbors, job.namespace, command), *given]
            texts += [str(command.container.get(part)) for part in ("command", "args")]
            texts += [start.script.text] if start.script else []
            if any(stop in text or _OWN_SETTINGS.search(text) for text in texts):
                continue
            seen.add(command.field)
            yield Diagnostic(
                command.field,
                f"{command.name} goes on after a statement that fails, and exits with 0 at the end of the "
                f"file: the Job succeeds. Add {advice}.",
                line=command.line,
            )


_BEGINS = re.compile(
    r"^[ \t]*(?:BEGIN|START\s+TRANSACTION)\b\s*(?:WORK|TRANSACTION)?\s*;", re.I | re.M
)
_ENDS_IT = re.compile(r"\b(?:COMMIT|END|ROLLBACK)\b", re.IGNORECASE)


def _never_stored(job: LintedJob) -> Iterator[Diagnostic]:
    """Report statements in a transaction that nothing ends. Source: PostgreSQL, BEGIN; MySQL, COMMIT."""
    for start in job.all_starts:
        for command in start.commands[:MAX_COMMANDS]:
            if command.name not in SQL_CLIENTS:
                continue
            texts = list(texts_read(start, job.neighbors, job.namespace, command))
            if any(map(_BEGINS.search, texts)) and not any(map(_ENDS_IT.search, texts)):
                yield Diagnostic(
                    command.field,
                    f"{command.name} ends within a transaction, which is rolled back: nothing is stored, and "
                    "the Job succeeds. Add COMMIT.",
                    line=command.line,
                )
                return


def _is_checked(step: ShellCommand | None) -> bool:
    return step is not None and (step.checked or step.after in ("||", "|"))


@lint_rule(
    "JW222",
    "exit-code-lost",
    severity="warning",
    summary="A script exits with 0 even if its program fails.",
    confidence="certain",
    needs=needs.scripts_or_programs,
)
def exit_code_lost(job: LintedJob) -> Iterator[Diagnostic]:
    for program in program_texts(job):
        hidden = hidden_failure(program.interpreter, program.text)
        if hidden is not None:
            yield Diagnostic(
                program.field,
                "The program catches every failure, reports it and ends with exit code 0: the Job succeeds, "
                "and no retry starts. End it with another code, such as by sys.exit(1) or process.exit(1).",
                line=program.line + hidden,
            )
        unseen = unseen_failure(program.interpreter, program.text) if hidden is None else None
        if unseen is not None:
            yield Diagnostic(
                program.field,
                f"{unseen[1]}: without it, the Job succeeds although its work has failed.",
                line=program.line + unseen[0],
            )
        steps = steps_of(program.interpreter, program.text) if hidden is None else None
        ignored = ignored_step(steps.script) if steps is not None else None
        if steps is not None and ignored is not None:
            yield Diagnostic(
                program.field,
                f"If `{shortened(' '.join(ignored.words), MAX_NAME_LENGTH)}` fails, the program goes on, "
                f"and exits with 0: the Job succeeds without it. {steps.advice}",
                line=program.line + steps.lines[ignored.line],
            )
    yield from _unnoticed_sql(job)
    yield from _never_stored(job)
    for start, script in job.scripts:
        if start.is_init:
            continue
        found = lost_by(script)
        download = _piped_into_shell(script)
        if download is not None:
            yield Diagnostic(
                start.field,
                f"If {download.name} fails, the shell behind the pipe gets an empty script and exits with 0: "
                "the Job succeeds without any work. In bash, begin the script with `set -o pipefail`.",
            )
            continue
        ignored = ignored_step(script)
        if found is None and ignored is not None and not _rules_read_codes(job, start):
            yield Diagnostic(
                start.field,
                f"If `{shortened(' '.join(ignored.words), MAX_NAME_LENGTH)}` fails, the script goes on, "
                "and exits with 0: the Job succeeds without it, and no retry starts. "
                f"{_advice(script, ignored)}",
                line=ignored.line,
            )
            continue
        swallowed = _swallowed(script) if found is None else None
        if found is None and swallowed and not _rules_read_codes(job, start):
            yield Diagnostic(start.field, swallowed[0], line=swallowed[1])
            continue
        if found is None:
            replaced = next((each for each in script.commands if each.replaced_by), None)
            if replaced is not None and not script.errexit:
                yield Diagnostic(
                    start.field,
                    f"The script reads $? after `{replaced.replaced_by[:MAX_NAME_LENGTH]}`, which "
                    f"has replaced the exit code of {_named(replaced)} by 0: its failure counts as "
                    "success. Save $? right after the command, or test the command itself.",
                    line=replaced.line,
                )
            continue
        if not _rules_read_codes(job, start):
            end, command = found
            yield Diagnostic(
                start.field,
                f"The script ends with `{end}`, so it exits with 0 even if {_named(command)} fails: "
                "the Job succeeds, and no retry starts. Exit with the code of the program.",
                line=command.line,
            )


COPYING_OUTPUT = ("logger", "pv", "tee", "ts")
"""Programs that pass on what they get."""


def _swallowed(script: ShellScript) -> tuple[str, int] | None:
    """Return the message about a program whose exit code a pipe or find hides, and its line; else None."""
    piped = lost_in_pipe(script)
    following = script.commands[script.commands.index(piped) + 1] if piped is not None else None
    if piped is not None and following is not None and piped.name not in KEPT:
        later = "\n".join(script.text.splitlines()[following.line + 1 :])
        looks = any(file in later for file in following.words[1:] if file[:1] != "-")
        if following.name in COPYING_OUTPUT and not looks:
            return (
                f"If {_named(piped)} fails, the pipe into {following.name} succeeds, and so does the Job. In "
                "bash, begin the script with `set -o pipefail`."
            ), piped.line
        if following.name in GOING_ON and following.after != "|":
            return (
                f"If {_named(piped)} fails, {following.name} gets a part of its input, or none, and "
                "succeeds: its data is incomplete. In bash, begin the script with `set -o pipefail`."
            ), piped.line
    for command in script.commands[:MAX_COMMANDS]:
        words = command.words
        if command.name != "find" or ";" not in words or "-delete" in words:
            continue
        inner = next((base_name(word) for option, word in pairwise(words) if option == "-exec"), "")
        if (inner in COPYING or inner in (*REQUESTS, *SQL_CLIENTS)) and inner not in PACKING:
            return (
                f"find ends with 0 although a `{inner}` of -exec … \\; fails, and the Job succeeds. Write "
                "-exec … {} +, or use xargs."
            ), command.line
    return None


PACKING = ("gzip", "mv", "cp", "tar", "zip")


def _advice(script: ShellScript, step: ShellCommand) -> str:
    if after_failure(script, step, errexit=True).succeeds:
        return "Exit with its code."
    return "Begin the script with `set -e`."


ASKING_SERVERS = ("aws", "az", "curl", "gcloud", "kubectl", "psql", "vault", "wget")


def _hidden_request(script: ShellScript) -> tuple[ShellCommand, str, str] | None:
    """Return a declaration, its variable and the request that sets it; None without one."""
    for command in script.commands:
        first = next(commands_in(command.inner), None)
        if first is None or first.name not in ASKING_SERVERS:
            continue
        for word in command.words[1:]:
            name = word.partition("=")[0]
            if name in script.hidden and not is_looked_at(script, name):
                return command, name, first.name
    return None


@lint_rule(
    "JW223",
    "no-errexit",
    severity="info",
    summary="A shell script continues after a command that fails.",
    needs=needs.scripts,
)
def no_errexit(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        hidden = _hidden_request(script) if script.errexit else None
        if hidden is not None:
            command, variable, program = hidden
            yield Diagnostic(
                start.field,
                f"If {program} fails, the script continues in spite of `set -e`: {command.name} "
                f"replaces its exit code by 0. Set {variable} by a command of its own.",
                line=command.line,
            )
            continue
        if script.errexit or "$?" in script.text or lost_by(script) is not None:
            continue
        if ignored_step(script) is not None and not start.is_init:
            continue
        # A failure in the last list decides about the exit code anyway.
        unchecked = list(filter(_decides_nothing, script.commands[: script.last]))
        work = [command for command in unchecked if command.name not in INSTALLERS]
        for command in (work or unchecked)[:1]:
            yield Diagnostic(
                start.field,
                f"If {_named(command)} fails, the script continues, and may still exit with 0. "
                "Begin the script with `set -e`.",
                line=command.line,
            )


def _decides_nothing(command: ShellCommand) -> bool:
    """Return True for work whose failure no later command is likely to notice.

    Scripts test what they have assigned to a variable, and fail later without a file that they did not get.
    """
    return (
        command.works
        and not command.assigns
        and command.name not in PREPARING
        and command.after in (";", "|")
    )


@lint_rule(
    "JW224",
    "no-pipefail",
    severity="info",
    summary="A pipe hides the exit code of a program.",
    needs=needs.scripts,
)
def no_pipefail(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        command = lost_in_pipe(script)
        if command is None or command.name in KEPT or _rules_read_codes(job, start):
            continue
        if not start.is_init and _swallowed(script):
            continue  # JW222 reports it
        yield Diagnostic(
            start.field,
            f"If {_named(command)} fails, the pipe may still succeed: only its last command decides. In "
            "bash, begin the script with `set -o pipefail`.",
            line=command.line,
        )


@lint_rule(
    "JW256",
    "truncated-dump",
    severity="warning",
    summary="A pipe hides the failure of a dump, and keeps an incomplete file.",
    confidence="certain",
    needs=needs.scripts,
)
def truncated_dump(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        command = lost_in_pipe(script)
        if command is not None and command.name in KEPT and not _rules_read_codes(job, start):
            yield Diagnostic(
                start.field,
                f"If {command.name} fails, the pipe succeeds with the part that it has written: the "
                "Job is complete, and the backup is not. In bash, begin the script with `set -o "
                "pipefail`.",
                line=command.line,
            )
