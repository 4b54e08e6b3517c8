"""Rules for backups and other files that are kept: the wrong ones deleted, files read while they change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from jobsworth.lint import needs
from jobsworth.lint.container_start import ContainerStart
from jobsworth.lint.effects import COPYING, LOSSES, effects, operands
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.script_flow import MAX_COMMANDS, VARIABLE, constants, resolved
from jobsworth.lint.shell_script import ShellCommand, ShellScript
from jobsworth.lint.usual_programs import DUMPS, dump_name
from jobsworth.wording import shortened

MAX_SHOWN = 60
LISTING = {"aws": "ls", "gcloud": "ls", "gsutil": "ls", "mc": "ls", "rclone": "lsf", "s3cmd": "ls"}
"""Programs beside ``ls`` and ``find`` that list files by their names, with the subcommand."""
DELETING = ("rm", *LISTING)
_DATE = re.compile(r"\+['\"]?(%[^\s'\")`]*)")
_DATED = re.compile(r"%[FsYy]")
_BY_DAY = re.compile(r"%(?:[dejuaAbBhDx]|m.?%[dY]).*%[mbBhYy]|%[bBhaA]|%m.?%d.?%[Yy]|%D")
"""Formats of dates that a sort does not bring into the order of time."""
_COUNT = re.compile(r"-(?:n\s*)?([-+]?\d+|[-+]?\$.*)$|([-+]\d+)$")
_AGES = ("-amin", "-atime", "-cmin", "-ctime", "-mmin", "-mtime", "-newermt")
_NOT = ("!", "-not")
_NARROW = ("-type", "-name", "-iname", "-mindepth", "-path", "-regex", "-wholename")


@lint_rule(
    "JW273",
    "newest-files-deleted",
    severity="warning",
    summary="A clean-up deletes the newest files and keeps the old ones.",
    needs=needs.a_program("find", "rm", "xargs", *LISTING),
)
def newest_files_deleted(job: LintedJob) -> Iterator[Diagnostic]:
    for command in job.commands:
        if command.name == "find" and (found := _recent(command.words)):
            yield Diagnostic(command.field, found, line=command.line)
            return
    for start, script in job.scripts:
        for step in script.commands[:MAX_COMMANDS]:
            loss = effects(step.words)
            found = _newest(script, step) if loss is not None and loss.name in DELETING else ""
            if found:
                yield Diagnostic(start.field, found, line=step.line)
                break


def _recent(words: Sequence[str]) -> str:
    """Return the message for a find that deletes what is new, or its first folder; empty for another.

    >>> _recent(["find", "/a", "-mtime", "-7", "-delete"])[:10], _recent(["find", "/a", "-mtime", "+7", "rm"])
    ('`-mtime -7', '')
    """
    at = next((words.index(each) for each in ("-delete", "rm") if each in words), 0)
    if not at:
        return ""
    tests = words[:at]
    for index, (option, value) in enumerate(pairwise(tests)):
        inverted = index and tests[index - 1] in _NOT
        if option in _AGES[:-1] and value.startswith("-") and not inverted:
            return (
                f"`{option} {value[:10]}` matches the files of the last {value[1:10]} "
                f"{'minutes' if option.endswith('min') else 'days'}: find deletes those and keeps the old "
                f"ones. Write {option} +{value[1:10]}."
            )
    if "-o" in tests and "(" not in tests:
        return (
            "-o binds less tightly than the other parts: find deletes only what the tests after the last -o "
            "match, whatever those before it ask. Put the alternatives between \\( and \\)."
        )
    removes_folders = words[at] == "rm" and any(
        "r" in word.lower() for word in words[at + 1 : at + 2] if word.startswith("-")
    )
    aged = any(each in _AGES for each in tests)
    if removes_folders and aged and not any(each in _NARROW for each in tests):
        folder = "." if words[1].startswith("-") else words[1]
        return (
            f"find begins with {folder[:MAX_SHOWN]} itself: if nothing was added there for so many days, "
            "rm deletes the folder with all in it. Add -mindepth 1."
        )
    return ""


class _Order(NamedTuple):
    """The order of a list of files: by the dates in their names, or by their times."""

    by_name: bool
    newest_first: bool


def _newest(script: ShellScript, command: ShellCommand) -> str:
    """Return the message for a command that deletes the newest of a list of files; empty for another."""
    formats = [each for each in _DATE.findall(script.text) if _DATED.search(each)]
    unsorted = next((each for each in formats if _BY_DAY.search(each)), "")
    order: _Order | None = None
    for each in command.fed_by:
        if each.name not in ("head", "tail") or order is None:
            order = _order(each, command.fed_by, order, dated=bool(formats))
            continue
        if order.by_name and unsorted:
            return (
                f"The names have dates as {unsorted[:MAX_SHOWN]}, which do not sort by time: at the turn "
                "of a month the newest files are deleted. Write the year first, as %Y-%m-%d."
            )
        first = each.name == "head"
        if order.newest_first is first and _COUNT.search(" ".join(each.words[1:])):
            shown = shortened(" ".join(each.words), MAX_SHOWN)
            return (
                f"The list has the {'newest' if first else 'oldest'} files first, and `{shown}` gives "
                f"the newest to {command.words[0][:MAX_SHOWN]}: the old ones are kept. Reverse the order."
            )
        order = None
    return ""


def _order(
    command: ShellCommand, fed_by: Sequence[ShellCommand], order: _Order | None, *, dated: bool
) -> _Order | None:
    """Return the order in which a command of a pipe prints files; None if it is unknown.

    Args:
        order: the order in which it gets them.
        dated: the names of the files have dates.
    """
    name, words = command.name, command.words
    letters = "".join(word for word in words[1:] if word[:1] == "-" and word[:2] != "--")
    backwards = "r" in letters or "--reverse" in words
    if name == "ls":
        timed = "t" in letters or "--sort=time" in words
        return _Order(not timed, timed != backwards) if timed or dated else None
    if name in LISTING and LISTING[name] in words[1:3]:
        return _Order(by_name=True, newest_first=False) if dated else None
    if name == "sort":
        timed = any("-T" in word or "%T@" in word for each in fed_by for word in each.words)
        return _Order(not timed, backwards) if timed or dated else None
    if name == "tac" and order is not None:
        return order._replace(newest_first=not order.newest_first)
    return order


@lint_rule(
    "JW274",
    "reads-what-it-writes",
    severity="warning",
    summary="A command empties the file that it reads, or writes its archive into the folder that it packs.",
    needs=needs.scripts,
)
def reads_what_it_writes(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        values = constants(start, script)
        for command in script.commands[:MAX_COMMANDS]:
            found = _emptied_before(script, command) or _within_itself(values, command)
            if found:
                yield Diagnostic(start.field, found, line=command.line)
                break


def _emptied_before(script: ShellScript, command: ShellCommand) -> str:
    """Return the message for a command whose shell empties what it, or its pipe, reads; empty for others."""
    at = script.commands.index(command)
    pipe = [command]
    while at and script.commands[at].before == "|":
        at -= 1
        pipe.append(script.commands[at])
    for file in command.replaces:
        for each in pipe:
            if each.name not in ("", "echo", "printf", "rm", "truncate") and file in each.words[1:]:
                return (
                    f"The shell empties {file[:MAX_SHOWN]} before {each.name[:MAX_SHOWN]} reads it: its data "
                    "is lost. Write to another file, and rename that with mv."
                )
    return ""


def _within_itself(values: Mapping[str, str], command: ShellCommand) -> str:
    """Return the message for an archive or copy that is in the folder that it packs; empty for another."""
    words = command.words
    if any(word.startswith(("--exclude", "-x")) for word in words):
        return ""
    if (command.name == "tar" and "c" in "".join(words[1:2]).lstrip("-")) or "--create" in words:
        at = next(
            (
                index
                for index, word in enumerate(words[:-1])
                if word[:2] != "--" and word[-1:] == "f"
            ),
            0,
        )
        folder = next((b for a, b in pairwise(words) if a in ("-C", "--directory")), "")
        file = words[at + 1] if at and (at == 1 or words[at].startswith("-")) else ""
        sources = [folder if word in (".", "./", "*") else word for word in operands(words)]
    elif command.name == "zip" and len(operands(words)) > 1:
        file, *sources = operands(words)
    elif command.name == "rsync" or (
        command.name == "cp" and {"r", "R", "a"} & set("".join(words[1:2]))
    ):
        *sources, file = operands(words) or [""]
    else:
        return ""
    target = resolved(values, file)
    for source in sources:
        path = resolved(values, source).rstrip("/.") + "/"
        if (
            file
            and len(path) > 1
            and path.startswith("/")
            and target.startswith(path)
            and source != file
        ):
            return (
                f"{target[:MAX_SHOWN]} is in {path[:MAX_SHOWN]}, which it packs or copies: each run also "
                "takes the copies of all runs before. Write to another volume, or exclude the folder."
            )
    return ""


_DATABASE_FILE = re.compile(r"\.(?:db3?|sqlite3?)$", re.IGNORECASE)
_DATA_FOLDER = re.compile(r"/(?:var/lib/(?:postgresql|mysql|mariadb|mongo\w*)|pgdata|PGDATA)\b")
_CONSISTENT = re.compile(
    r"\.backup\b|VACUUM\s+INTO|backup_start|start_backup|fsfreeze|READ\s+LOCK|checkpoint|basebackup|\bscale\b"
    r"|\bstop\b|shutdown|restor|snapshot|xtrabackup|mariabackup|fsyncLock",
    re.IGNORECASE,
)
"""Words of scripts that stop a database, or have it write a copy by itself."""


@lint_rule(
    "JW275",
    "copy-of-live-database",
    severity="warning",
    summary="A copy of the files of a database, which writes to them at the same time.",
    needs=needs.a_program("redis-cli", "valkey-cli", *COPYING),
)
def copy_of_live_database(job: LintedJob) -> Iterator[Diagnostic]:
    if job.cron is None:
        return
    for start in job.all_starts:
        text = " ".join(word for each in start.commands for word in each.words)
        if start.is_init or _CONSISTENT.search(text):
            continue
        values = {} if start.script is None else constants(start, start.script)
        begun = False
        for command in start.commands[:MAX_COMMANDS]:
            begun = begun or "bgsave" in map(str.lower, command.words)
            if command.name not in COPYING or command.name == "mv":
                continue
            if (
                begun
                and "LASTSAVE" not in text.upper()
                and any(".rdb" in word for word in command.words)
            ):
                yield Diagnostic(
                    command.field,
                    "BGSAVE only starts the dump: the copy is that of an earlier one, or of a part. Use SAVE "
                    "or redis-cli --rdb, or wait until LASTSAVE has another time.",
                    line=command.line,
                )
                break
            found = next(
                (
                    word
                    for word in _sources(command.words)
                    if _is_live(start, resolved(values, word))
                ),
                "",
            )
            if found:
                yield Diagnostic(
                    command.field,
                    f"{found[:MAX_SHOWN]} is a file of a database, and `{command.name}` copies it while its "
                    "server may write: the copy lacks the last transactions, or is damaged. Let the database "
                    "write the copy, such as by sqlite3 .backup, pg_dump or pg_basebackup.",
                    line=command.line,
                )
                break


def _sources(words: Sequence[str]) -> Sequence[str]:
    """Return the operands that a program copies."""
    rest = operands(words)
    return rest if rest and words[0].endswith(("tar", "zip")) else rest[:-1] or rest


def _is_live(start: ContainerStart, path: str) -> bool:
    if not path.startswith("/") or VARIABLE.search(path) or not start.place(path).kept:
        return False
    return _DATABASE_FILE.search(path) is not None or _DATA_FOLDER.search(path) is not None


STARTED = {
    "aws": ("create-backup", "create-db-cluster-snapshot", "create-db-snapshot", "create-image",
            "create-snapshot", "start-backup-job", "start-export-task"),
    "curl": (), "gcloud": ("--async",), "redis-cli": ("bgsave", "BGSAVE"), "velero": ("create",),
    "az": ("--no-wait",),
}  # fmt: skip
"""Programs that only start a copy, with words of which one makes them do so."""
_WAITS = re.compile(
    r"\bwait\b|--wait|-w\b|LASTSAVE|wait_for_completion=true|\bsleep\b|describe|get-", re.I
)


@lint_rule(
    "JW276",
    "deletes-before-copy-is-done",
    severity="warning",
    summary="A script starts a copy, does not wait for it, and deletes what it copies or the older copies.",
    needs=needs.a_program(*STARTED),
)
def deletes_before_copy_is_done(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        commands = script.commands[:MAX_COMMANDS]
        for index, command in enumerate(commands):
            if not _only_starts(command.words):
                continue
            for later in commands[index + 1 :]:
                if _WAITS.search(" ".join(later.words)):
                    break
                loss = effects(later.words, later.input)
                if loss is not None and loss.loss in ("reset", "schema") and loss.name in LOSSES:
                    yield Diagnostic(
                        start.field,
                        f"`{shortened(' '.join(command.words), MAX_SHOWN)}` only starts the copy, which may "
                        f"still fail when `{loss.shown}` deletes. Wait for its end first.",
                        line=command.line,
                    )
                    return


def _only_starts(words: Sequence[str]) -> bool:
    name = words[0].rpartition("/")[2] if words else ""
    if name == "curl":
        text = " ".join(words)
        return "_snapshot/" in text and "PUT" in words and not _WAITS.search(text)
    if name == "velero" and "backup" not in words:
        return False
    return any(each in words for each in STARTED.get(name, ())) and not _WAITS.search(
        " ".join(words)
    )


_TO_FILE = re.compile(r"(?<![0-9&>])>>?[^|;>\n]*\s2>&1|&>")
_TO_PIPE = re.compile(r"2>&1\s*(?:\\\n\s*)?\|(?!\|)|\|&")
PACKERS = ("bzip2", "gpg", "gzip", "lz4", "openssl", "pigz", "pixz", "xz", "zstd", *COPYING)
"""Programs that keep what they read."""
OWN_FILES = ("-f", "--file", "-r", "--result-file", "-o", "--out", "--archive=", "-D", "--pgdata")
"""Options of dumps with the file that they write: their output is then messages."""


@lint_rule(
    "JW278",
    "messages-in-dump",
    severity="warning",
    summary="The file of a dump also gets the messages of the program.",
    needs=needs.a_program("kubectl", "oc", *DUMPS),
)
def messages_in_dump(job: LintedJob) -> Iterator[Diagnostic]:
    for start, script in job.scripts:
        lines = script.text.splitlines()
        for command, following in zip_longest(script.commands, script.commands[1:MAX_COMMANDS]):
            name = dump_name(command.words)
            piped = following is not None and following.name in PACKERS and command.after == "|"
            logs = any(each.endswith((".log", "/dev/null")) for each in command.outputs)
            if not name or logs or any(word.startswith(OWN_FILES) for word in command.words):
                continue
            end = len(lines) if following is None else max(following.line, command.line) + 1
            written = "\n".join(lines[command.line : end])
            if (_TO_PIPE if piped else _TO_FILE).search(written):
                yield Diagnostic(
                    start.field,
                    f"2>&1 puts the warnings and errors of {name} into the dump, which cannot be restored "
                    "then. Remove it.",
                    line=command.line,
                )
                break
