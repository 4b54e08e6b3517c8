"""Rules for shell scripts in command lines that lose the exit code of a program.

The exit code of the container is all that a Job knows about a run: with exit code 0 the Pod has succeeded,
whatever happened. Only a program that exceeds the memory limit cannot be lost with most settings of a node:
with cgroup v2, the kernel kills all processes of the container (memory.oom.group, Kubernetes 1.28).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.batch.termination_rules import ANNOTATION
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.rules.container_commands import PREPARING
from jobsworth.lint.usual_programs import DUMPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jobsworth.lint.linted_job import LintedJob
    from jobsworth.lint.shell_script import ShellCommand, ShellScript

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

MAX_NAME_LENGTH = 40
"""The maximum length of a name of a command in a message."""


def applies(job: LintedJob) -> bool:
    return bool(job.scripts) and job.has_few_rules


def lost_by(script: ShellScript) -> tuple[str, ShellCommand] | None:
    """Return the end of a script by which it always exits with 0, and a program that may fail in it."""
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
        return _first(before, ["||", *final.words])
    if final.words == ["wait"]:
        started = [command for command in before if command.background]
        return _first(started, final.words)
    return None


def _closes(command: ShellCommand) -> bool:
    """Return True for a command that reports the end of the work, and does not fail with it."""
    if command.name in REQUESTS:
        return any(address in word for word in command.words for address in LOCAL)
    return command.name in CLOSING


def _first(commands: Sequence[ShellCommand], end: list[str]) -> tuple[str, ShellCommand] | None:
    for command in commands:
        if command.works:
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


def _rules_read_codes(job: LintedJob, path: str) -> bool:
    """Return True if rules of a failure policy match on how a container ends."""
    if path.startswith(f"{job.pod_path}.initContainers"):
        return False
    holder = job.object if job.cron is None else job.cron["jobTemplate"]
    if ANNOTATION in holder.get("metadata", {}).get("annotations", ()):
        return True
    index = int(path.rpartition("[")[2].rstrip("]"))
    name = job.pod["containers"][index].get("name")
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
)
def exit_code_hidden(job: LintedJob) -> Iterator[Diagnostic]:
    for field, container, script in job.scripts:
        if not _rules_read_codes(job, container):
            continue
        found = lost_by(script)
        piped = lost_in_pipe(script)
        if found is not None:
            end, command = found
            yield Diagnostic(
                field,
                f"The script ends with `{end}`, so it exits with 0 even if {_named(command)} fails, and no "
                "rule of the failure policy matches. Exit with the code of the program.",
            )
        elif piped is not None:
            yield Diagnostic(
                field,
                f"The pipe hides the exit code of {_named(piped)} from the failure policy: only its last "
                "command decides. In bash, begin the script with `set -o pipefail`.",
            )


@lint_rule(
    "JW222",
    "exit-code-lost",
    severity="warning",
    summary="A shell script exits with 0 even if its program fails.",
    confidence="certain",
)
def exit_code_lost(job: LintedJob) -> Iterator[Diagnostic]:
    for field, container, script in job.scripts:
        if container.startswith(f"{job.pod_path}.initContainers"):
            continue
        found = lost_by(script)
        if found is None:
            replaced = next((each for each in script.commands if each.replaced_by), None)
            if replaced is not None and not script.errexit:
                yield Diagnostic(
                    field,
                    f"The script reads $? after `{replaced.replaced_by[:MAX_NAME_LENGTH]}`, which "
                    f"has replaced the exit code of {_named(replaced)} by 0: its failure counts as "
                    "success. Save $? right after the command, or test the command itself.",
                )
            continue
        if not _rules_read_codes(job, container):
            end, command = found
            yield Diagnostic(
                field,
                f"The script ends with `{end}`, so it exits with 0 even if {_named(command)} fails: "
                "the Job succeeds, and no retry starts. Exit with the code of the program.",
            )


@lint_rule(
    "JW223",
    "no-errexit",
    severity="info",
    summary="A shell script continues after a command that fails.",
)
def no_errexit(job: LintedJob) -> Iterator[Diagnostic]:
    for field, _, script in job.scripts:
        if script.errexit or "$?" in script.text or lost_by(script) is not None:
            continue
        # A failure in the last list decides about the exit code anyway.
        for command in script.commands[: script.last]:
            if _decides_nothing(command):
                yield Diagnostic(
                    field,
                    f"If {_named(command)} fails, the script continues, and may still exit with 0. "
                    "Begin the script with `set -e`.",
                )
                break


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
)
def no_pipefail(job: LintedJob) -> Iterator[Diagnostic]:
    for field, container, script in job.scripts:
        command = lost_in_pipe(script)
        if command is None or command.name in KEPT or _rules_read_codes(job, container):
            continue
        yield Diagnostic(
            field,
            f"If {_named(command)} fails, the pipe may still succeed: only its last command decides. In "
            "bash, begin the script with `set -o pipefail`.",
        )


@lint_rule(
    "JW256",
    "truncated-dump",
    severity="warning",
    summary="A pipe hides the failure of a dump, and keeps an incomplete file.",
    confidence="certain",
)
def truncated_dump(job: LintedJob) -> Iterator[Diagnostic]:
    for field, container, script in job.scripts:
        command = lost_in_pipe(script)
        if command is not None and command.name in KEPT and not _rules_read_codes(job, container):
            yield Diagnostic(
                field,
                f"If {command.name} fails, the pipe succeeds with the part that it has written: the "
                "Job is complete, and the backup is not. In bash, begin the script with `set -o "
                "pipefail`.",
            )
