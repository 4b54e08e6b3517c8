"""Rules for files on volumes that other Pods, or the next run, write or delete, too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jobsworth.lint import needs
from jobsworth.lint.container_start import INDEX_VARIABLE, ContainerStart
from jobsworth.lint.effects import effects, written_by
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules.lost_output import dumped_files
from jobsworth.lint.script_flow import MAX_COMMANDS, constants, resolved
from jobsworth.lint.script_text import line_of
from jobsworth.lint.shell_script import ShellCommand, ShellScript

MAX_SHOWN = 60
SHARING = ("mkdir", "touch", "git")
"""Programs that several Pods may run on one path."""
_OF_ONE_POD = re.compile(
    rf"\$\{{?(?:{INDEX_VARIABLE}|HOSTNAME|POD_NAME|\w*INDEX\w*|RANDOM|\w*_ID\b)|\$\(|`"
)


@lint_rule(
    "JW263",
    "pods-overwrite-each-other",
    severity="warning",
    summary="Pods that run at the same time delete or write the same files of a shared volume.",
    needs=needs.scripts,
)
def pods_overwrite_each_other(job: LintedJob) -> Iterator[Diagnostic]:
    parallelism = job.spec.get("parallelism", 1)
    if parallelism < 2 or job.spec.get("completions", 2) == 1:
        return
    for start, script in job.scripts:
        if "flock" in script.text:
            continue
        values = constants(start, script)
        for command in script.commands[:MAX_COMMANDS]:
            found = _shared(start, values, command)
            if found and not command.depth:
                yield Diagnostic(
                    start.field,
                    f"`{command.name}` {found}, which is shared: {parallelism} Pods run at a time, and each "
                    f"does so. Give each its own path, such as one with ${INDEX_VARIABLE}.",
                    line=command.line,
                )
                break


def _shared(start: ContainerStart, values: Mapping[str, str], command: ShellCommand) -> str:
    """Return what a command does to a path that is the same for all Pods, as a clause; empty for none."""
    loss = effects(command.words)
    deleted = loss.targets if loss is not None and loss.loss == "files" else ()
    written = [
        *command.replaces,
        *(written_by(command.words) if command.name not in SHARING else ()),
    ]
    for verb, targets in (("deletes", deleted), ("writes", written)):
        for target in targets:
            path = resolved(values, target)
            if path.startswith("/") and "$" not in path and not _OF_ONE_POD.search(target):
                place = start.place(path)
                if place.kept and not _has_own_folder(place.mount):
                    return f"{verb} {path[:MAX_SHOWN]}"
    return ""


def _has_own_folder(mount: object) -> bool:
    return "subPathExpr" in mount if isinstance(mount, dict) else False


@lint_rule(
    "JW264",
    "last-backup-overwritten",
    severity="warning",
    summary="Each run writes its dump over that of the last run, which is lost if the dump fails.",
    needs=needs.scripts,
)
def last_backup_overwritten(job: LintedJob) -> Iterator[Diagnostic]:
    if job.cron is None:
        return
    for start, script in job.scripts:
        values = constants(start, script)
        for _, target in dumped_files(start):
            path = resolved(values, target)
            fixed = path.startswith("/") and "$" not in path and "`" not in path
            if fixed and start.place(path).kept and not _moved(script, target):
                yield Diagnostic(
                    start.field,
                    f"Each run opens {path[:MAX_SHOWN]} for writing, which deletes the dump of the last run. "
                    "If this dump fails, there is none. Write to another name, and rename it in the end.",
                    line=line_of(script.text, target),
                )
                break


def _moved(script: ShellScript, path: str) -> bool:
    """Return True if a script moves, copies or uploads a file after it has written it."""
    moving = ("mv", "cp", "aws", "rclone", "gsutil", "mc", "restic", "scp", "rsync", "git")
    return any(each.name in moving and path in " ".join(each.words) for each in script.commands)
