"""Rules for work that a retry or a second run repeats, or cannot continue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.container_start import ContainerStart, literal_variables
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.script_flow import MAX_COMMANDS
from jobsworth.lint.usual_programs import migrates

MAX_SHOWN = 60
_FOLDER = re.compile(r"[\"']?(?:/|\$)[^*?\[]*")

LOCKING = {
    "restic": ("unlock", "--retry-lock"),
    "borg": ("break-lock", "--lock-wait"),
    "kopia": (),
    "pgbackrest": (),
    "terraform": ("force-unlock", "-lock-timeout", "-lock=false"),
    "tofu": ("force-unlock", "-lock-timeout", "-lock=false"),
    "liquibase": ("release-locks", "releaseLocks"),
}
"""Programs whose lock in a repository or state outlives their Pod, with the words that handle an old lock."""

LOCKING_ACTIONS = frozenset(
    (
        "apply",
        "archive",
        "backup",
        "check",
        "create",
        "destroy",
        "forget",
        "prune",
        "snapshot",
        "update",
    )
)
"""Arguments of such programs that take the lock."""

SERIAL = frozenset(
    (
        "alembic", "borg", "flyway", "kopia", "liquibase", "mongodump", "mysqldump", "pg_basebackup",
        "pg_dump", "pg_dumpall", "pgbackrest", "restic", "terraform", "tofu", "velero",
    )
)  # fmt: skip
"""Programs of which two must not run on the same data at the same time."""

CHECKPOINTS = ("checkpoint", "ckpt", "resume_from")


@lint_rule(
    "JW253",
    "lock-outlives-pod",
    severity="info",
    summary="A program leaves its lock behind when its Pod is killed, and every retry fails on it.",
    needs=needs.a_program(*LOCKING),
)
def lock_outlives_pod(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.may_retry() and job.cron is None:
        return
    for start in job.starts:
        said = {word for command in start.commands for word in command.words}
        for command in start.commands:
            handles = LOCKING.get(command.name)
            if handles is None or LOCKING_ACTIONS.isdisjoint(command.words):
                continue
            if any(word.startswith(handle) for word in said for handle in handles):
                continue
            yield Diagnostic(
                command.field,
                f"{command.name} locks its repository or state. A Pod that is evicted or exceeds a "
                "deadline leaves the lock behind, and every retry and later run fails on it. Handle an "
                f"old lock before the work{f' ({command.name} {handles[0]})' if handles else ''}.",
                line=command.line,
            )
            break


@lint_rule(
    "JW254",
    "checkpoint-lost",
    severity="warning",
    summary="Checkpoints are written to a folder that a replaced Pod does not have.",
    needs=needs.known_commands_or_variables,
)
def checkpoint_lost(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.may_retry():
        return
    for start in job.main_starts:
        for field, name, folder in _checkpoint_folders(start):
            place = start.place(folder)
            if not place.lost:
                continue
            yield Diagnostic(
                field,
                f"{name} is {folder[:60]}, which is in {place}: a Pod that replaces a failed or "
                "evicted one does not have its checkpoints, and starts from the beginning. Write them "
                "to a claim or an object store.",
            )


def _checkpoint_folders(start: ContainerStart) -> Iterator[tuple[str, str, str]]:
    """Yield the field, the name and the value of each absolute folder of checkpoints."""
    for command in start.commands:
        for name, value in command.options:
            if value.startswith("/") and any(mark in name for mark in CHECKPOINTS):
                yield command.field, f"--{name.replace('_', '-')}", value
    for index, name, value in literal_variables(start.container):
        if value.startswith("/") and any(mark in name.lower() for mark in CHECKPOINTS):
            yield f"{start.path}.env[{index}].value", name, value


@lint_rule(
    "JW266",
    "snapshots-never-expire",
    severity="warning",
    summary="A clean-up deletes no old copy: restic makes each for another host, or rm gets other names.",
    confidence="certain",
    needs=needs.a_program("restic", "xargs"),
)
def snapshots_never_expire(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: restic, "Removing snapshots according to a policy": snapshots are grouped by host and paths."""
    yield from _names_without_folder(job)
    pod = job.pod
    if job.cron is None or pod.get("hostname") or pod.get("hostNetwork"):
        return
    for start in job.starts:
        if start.source_of_variable("RESTIC_HOST") or "envFrom" in start.container:
            continue
        used = [each for each in start.commands if each.name == "restic"]
        makes = next((each for each in used if "backup" in each.words), None)
        named = any(
            word.startswith(("--host", "-H", "--group-by", "-g"))
            for each in used
            for word in each.words
        )
        if makes is not None and not named and any("forget" in each.words for each in used):
            yield Diagnostic(
                makes.field,
                "restic takes the name of the Pod for the host, which is another one for each run, and "
                "forget keeps snapshots for each host: none is deleted. Add --host to backup and forget.",
                line=makes.line,
            )


def _names_without_folder(job: LintedJob) -> Iterator[Diagnostic]:
    """Report an rm that gets the names of the files in another folder. Source: POSIX, ls."""
    for start, script in job.scripts:
        for command in script.commands[:MAX_COMMANDS]:
            if command.name != "xargs" or "rm" not in command.words or command.before != "|":
                continue
            listing = command.fed_by[0] if command.fed_by else None
            if listing is None or listing.name != "ls":
                continue
            named = [each for each in listing.words[1:] if not each.startswith("-")]
            whole = any(word.startswith("-") and "d" in word for word in listing.words[1:])
            builds = {"awk", "sed", "while"} & {each.name for each in command.fed_by}
            replaces = any(word.startswith(("-I", "-i", "--replace")) for word in command.words)
            if len(named) != 1 or not _FOLDER.fullmatch(named[0]) or whole or builds or replaces:
                continue
            if not any(each.name in ("cd", "pushd") for each in script.commands):
                folder = named[0][:MAX_SHOWN]
                yield Diagnostic(
                    start.field,
                    f"ls prints the names in {folder} without the folder, so rm looks for them in the "
                    f"working directory: no old file is deleted. Write `cd {folder}` first, or use find.",
                    line=command.line,
                )
                return


@lint_rule(
    "JW440",
    "overlapping-backup",
    severity="warning",
    summary="A CronJob allows two runs at once of a program that must run alone on its data.",
    fixable="unsafe",
    needs=needs.known_commands_or_variables,
)
def overlapping_backup(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.starts_runs("Allow"):
        return
    deadline, gap = job.spec.get("activeDeadlineSeconds"), job.shortest_gap
    if deadline is not None and gap is not None and deadline <= gap:
        return
    for command in job.commands:
        serial = command.name in SERIAL or migrates(command.words)
        if serial and ".initContainers[" not in command.path:
            yield Diagnostic(
                "spec.concurrencyPolicy"
                if "concurrencyPolicy" in job.written["spec"]
                else "spec.schedule",
                f"A run of {command.name} that is late or slow is joined by the next one, on the same "
                "data. Set concurrencyPolicy: Forbid, and activeDeadlineSeconds so that a run that "
                "hangs does not block all.",
                Fix(
                    "Set concurrencyPolicy: Forbid",
                    Edit("set", "spec.concurrencyPolicy", "Forbid"),
                    safe=False,
                ),
            )
            return
