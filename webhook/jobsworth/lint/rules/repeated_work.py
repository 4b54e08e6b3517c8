"""Rules for work that a retry or a second run repeats, or cannot continue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.run_commands import literal_variables, mounted_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import LintedJob

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


def applies(job: LintedJob) -> bool:
    return bool(job.commands) or any("env" in container for _, container in job.containers)


@lint_rule(
    "JW253",
    "lock-outlives-pod",
    severity="info",
    summary="A program leaves its lock behind when its Pod is killed, and every retry fails on it.",
)
def lock_outlives_pod(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.may_retry() and job.cron is None:
        return
    words_of: dict[str, set[str]] = {}
    for command in job.commands:
        words_of.setdefault(command.path, set()).update(command.words)
    seen = set()
    for command in job.commands:
        handles = LOCKING.get(command.name)
        if handles is None or command.path in seen or LOCKING_ACTIONS.isdisjoint(command.words):
            continue
        said = words_of[command.path]
        if any(word.startswith(handle) for word in said for handle in handles):
            continue
        seen.add(command.path)
        yield Diagnostic(
            command.field,
            f"{command.name} locks its repository or state. A Pod that is evicted or exceeds a "
            "deadline leaves the lock behind, and every retry and later run fails on it. Handle an "
            f"old lock before the work{f' ({command.name} {handles[0]})' if handles else ''}.",
        )


@lint_rule(
    "JW254",
    "checkpoint-lost",
    severity="warning",
    summary="Checkpoints are written to a folder that a replaced Pod does not have.",
)
def checkpoint_lost(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.may_retry():
        return
    volumes = {volume.get("name"): volume for volume in job.pod.get("volumes", ())}
    for path, container in job.containers:
        if f"{job.pod_path}.initContainers" in path:
            continue
        for field, name, folder in _checkpoint_folders(job, path, container):
            mount = mounted_at(container, folder)
            volume = {} if mount is None else volumes.get(mount.get("name"), {})
            if mount is not None and "emptyDir" not in volume:
                continue
            where = "the file system of the container" if mount is None else "an emptyDir"
            yield Diagnostic(
                field,
                f"{name} is {folder[:60]}, which is in {where}: a Pod that replaces a failed or "
                "evicted one does not have its checkpoints, and starts from the beginning. Write them "
                "to a claim or an object store.",
            )


def _checkpoint_folders(
    job: LintedJob, path: str, container: dict[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Yield the field, the name and the value of each absolute folder of checkpoints."""
    for command in job.commands:
        if command.path == path:
            for name, value in command.options:
                if any(mark in name for mark in CHECKPOINTS) and value.startswith("/"):
                    yield command.field, f"--{name.replace('_', '-')}", value
    for index, name, value in literal_variables(container):
        if any(mark in name.lower() for mark in CHECKPOINTS) and value.startswith("/"):
            yield f"{path}.env[{index}].value", name, value


@lint_rule(
    "JW440",
    "overlapping-backup",
    severity="warning",
    summary="A CronJob allows two runs at once of a program that must run alone on its data.",
    fixable="unsafe",
)
def overlapping_backup(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.starts_runs("Allow"):
        return
    deadline, gap = job.spec.get("activeDeadlineSeconds"), job.shortest_gap
    if deadline is not None and gap is not None and deadline <= gap:
        return
    for command in job.commands:
        if command.name in SERIAL and ".initContainers[" not in command.path:
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
