"""A rule for steps that can be done only once, in scripts that run again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jobsworth.lint import needs
from jobsworth.lint.container_start import ContainerStart
from jobsworth.lint.effects import (
    MAKES_FILES,
    SQL_CLIENTS,
    effects,
    operands,
    repetition,
    written_by,
)
from jobsworth.lint.hooks import release_of
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules.data_losses import EACH_UPGRADE
from jobsworth.lint.script_flow import MAX_COMMANDS, TESTS, constants, resolved, trapped
from jobsworth.lint.shell_script import ShellCommand, ShellScript
from jobsworth.wording import shortened

_INSERT = re.compile(
    r"(?:\bINSERT\s+INTO|\bCOPY(?=[^;]*\bFROM\b)|\bUPDATE(?=\s+\S+\s+SET\s+(\w+)\s*=\s*\1\s*[+-]))"
    r"\s+([\w.\"`]+)",
    re.IGNORECASE,
)
"""What changes a table in another way the second time: new rows, or a sum that grows."""
_ONCE = re.compile(
    r"\bON\s+(?:CONFLICT|DUPLICATE)\b|\bINSERT\s+(?:IGNORE|OR\s)|\bWHERE\s+NOT\s+EXISTS\b|\bMERGE\b|\bREPLACE\s+INTO\b"
    r"|\bTRUNCATE\b|\bDELETE\s+FROM\b|\bDROP\s+TABLE\b|\bCREATE\s+(?:TEMP|TEMPORARY|UNIQUE)\b|\bUNIQUE\b|\bEXCEPT\b",
    re.IGNORECASE,
)
"""What keeps a row from being inserted twice, or deletes the rows before."""
_RECORDS = re.compile(r"audit|event|histor|log|metric|run|stat", re.IGNORECASE)
"""Parts of the names of tables that get a row for each attempt."""
_CREATES = re.compile(
    r"\bCREATE\s+(?:DATABASE|ROLE|SCHEMA|TABLE|USER)\s+(?!IF\s+NOT\s+EXISTS)[\w\"`]+", re.IGNORECASE
)
MAX_SHOWN = 60


@lint_rule(
    "JW271",
    "step-cannot-run-twice",
    severity="warning",
    summary="A step of a script that runs again inserts its rows twice, or finds what it made before.",
    needs=needs.scripts,
)
def step_cannot_run_twice(job: LintedJob) -> Iterator[Diagnostic]:
    upgrades = bool(release_of(job.annotations).events & EACH_UPGRADE)
    again = "each upgrade" if upgrades else "each run" if job.cron is not None else ""
    retry = "each attempt" if job.may_retry() and not again else ""
    for start, script in job.scripts:
        if start.is_init:
            continue
        commands = script.commands[:MAX_COMMANDS]
        lock = _left_lock(start, script) if job.cron is not None or job.may_retry() else None
        if lock is not None:
            taking, path = lock
            yield Diagnostic(
                start.field,
                f"If the script ends before it removes {path[:MAX_SHOWN]}, or its Pod is evicted, the file "
                "stays on the volume, and no later run does its work. Take a lock that ends with its process "
                "(flock), or remove it by a trap for EXIT and when it is old.",
                line=taking.line,
            )
            continue
        for index, command in enumerate(commands):
            if command.depth or command.checked or "||" in (command.before, command.after):
                continue
            shown = shortened(" ".join(command.words), MAX_SHOWN)
            when = again or (retry if script.errexit and _may_fail_later(script, index) else "")
            if when and _fails_again(start, command, commands[:index]) and _decides(script, index):
                yield Diagnostic(
                    start.field,
                    f"`{shown}` fails if what it makes exists, so {when} after the first one fails. Look for "
                    "it before, or use the option of the program for that.",
                    line=command.line,
                )
                break
            table = _inserted(script, command)
            if (
                repetition(command.words) == "again"
                and job.may_retry()
                and (later := _may_fail_later(script, index))
            ):
                yield Diagnostic(
                    start.field,
                    f"If {later} fails, the retry runs the script from its beginning and does `{shown}` "
                    "again, which adds the same once more. Do it in the last step, or set backoffLimit: 0.",
                    line=command.line,
                )
                break
            if table and job.may_retry() and (later := _may_fail_later(script, index)):
                yield Diagnostic(
                    start.field,
                    f"If {later} fails, the retry runs the script from its beginning and changes "
                    f"{table[:MAX_SHOWN]} again, such as by the same rows once more. Write INSERT … ON "
                    "CONFLICT DO NOTHING, do it in the last step, or set backoffLimit: 0.",
                    line=command.line,
                )
                break


def _left_lock(start: ContainerStart, script: ShellScript) -> tuple[ShellCommand, str] | None:
    """Return a command that makes a lock file on a kept volume, which only a later line removes."""
    values, commands = constants(start, script), script.commands[:MAX_COMMANDS]
    for at, taking in enumerate(commands):
        asks = taking.name == "mkdir" and (taking.checked or taking.after == "||")
        made = written_by(taking.words) if taking.name in ("mkdir", "touch") else taking.outputs
        for file in made:
            path = resolved(values, file)
            if not path.startswith("/") or not start.place(path).kept:
                continue
            tested = asks or any(
                each.name in TESTS and file in " ".join(each.words) for each in commands[:at]
            )
            removals = [
                index
                for index, each in enumerate(commands)
                if each.name in ("find", "rm", "rmdir", "unlink") and file in each.words
            ]
            works = removals and any(each.works for each in commands[at + 1 : removals[0]])
            trap = trapped(script, "EXIT", len(script.text))
            if tested and works and removals[0] > at and trap is None:
                return taking, path
    return None


def _inserted(script: ShellScript, command: ShellCommand) -> str:
    """Return the table into which a client of a database inserts rows that it may have; empty for none."""
    if command.name not in SQL_CLIENTS or _ONCE.search(script.text):
        return ""
    found = _INSERT.search("\n".join((*command.words, command.input)))
    return "" if found is None or _RECORDS.search(found[2]) else found[2].strip('"`')


def _may_fail_later(script: ShellScript, index: int) -> str:
    """Return the name of a later program whose failure is that of the script; empty for none."""
    for at in range(index + 1, len(script.commands)):
        command = script.commands[at]
        decides = script.errexit or at >= script.last
        if (
            command.works
            and command.waits
            and not command.depth
            and decides
            and command.after != "||"
        ):
            return command.name
    return ""


def _decides(script: ShellScript, index: int) -> bool:
    return script.errexit or index >= script.last


def _fails_again(
    start: ContainerStart, command: ShellCommand, before: Sequence[ShellCommand]
) -> bool:
    """Return True for a command that fails if what it makes exists, and no command before deletes that."""
    words = command.words
    if any(
        "$" in word
        for word in words[1:]
        if "date" in word or "RANDOM" in word or "HOSTNAME" in word
    ):
        return False
    if command.name in SQL_CLIENTS:
        texts = (*words[1:], command.input)
        return any(_CREATES.search(each) and "EXISTS" not in each.upper() for each in texts)
    if repetition(words) != "exists":
        return False
    named = operands(words)[-1:]
    if any(effects(each.words) and named == operands(each.words)[-1:] for each in before):
        return False
    made = named if command.name in MAKES_FILES else ()
    return all(each.startswith("/") and start.place(each).kept for each in made)
