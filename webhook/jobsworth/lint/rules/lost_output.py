"""A rule for backups that are gone with their Pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.run_commands import mounted_at
from jobsworth.lint.script_text import statements, written_paths
from jobsworth.lint.shell_script import HARMLESS
from jobsworth.lint.usual_programs import DUMPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import LintedJob
    from jobsworth.lint.run_commands import RunCommand

OUTPUTS = ("archive", "d", "f", "file", "o", "out", "output", "pgdata", "r", "result_file")
"""The options of dumps for the file or folder."""
LOCAL = frozenset(
    (
        *HARMLESS, *DUMPS, "apk", "apt", "apt-get", "bzip2", "chmod", "chown", "df", "du", "find", "gpg",
        "grep", "gzip", "head", "md5sum", "mkdir", "openssl", "pigz", "rm", "sha256sum", "stat", "sync",
        "tail", "tar", "touch", "wc", "xz", "zstd",
    )
)  # fmt: skip
"""Programs beside them that bring no file to another place."""


def applies(job: LintedJob) -> bool:
    return True


@lint_rule(
    "JW258",
    "backup-lost",
    severity="warning",
    summary="A dump is written to a place that is gone with the Pod, and nothing brings it to another one.",
)
def backup_lost(job: LintedJob) -> Iterator[Diagnostic]:
    volumes = {volume.get("name"): volume for volume in job.pod.get("volumes", ())}
    scripts = {path: script.text for _, path, script in job.scripts}
    for path, container in job.containers:
        commands = [each for each in job.commands if each.path == path]
        dump = next((each for each in commands if each.name in DUMPS), None)
        if dump is None or any(each.name not in LOCAL for each in commands):
            continue
        for target in _targets(dump, scripts.get(path, "")):
            mount = mounted_at(container, target)
            volume = {} if mount is None else volumes.get(mount.get("name"), {})
            if mount is not None and ("emptyDir" not in volume or len(job.containers) > 1):
                continue
            where = "the file system of the container" if mount is None else "an emptyDir"
            yield Diagnostic(
                dump.field,
                f"{dump.name} writes {target[:60]}, which is in {where}: it is gone with the Pod, and no "
                "command brings it to another place. Write it to a claim or an object store.",
            )
            break


def _targets(dump: RunCommand, script: str) -> Iterator[str]:
    """Yield the absolute paths to which a dump may write."""
    for name, value in dump.options:
        if name in OUTPUTS and value.startswith("/"):
            yield value
    for statement in statements(script):
        if dump.name in statement:
            yield from written_paths(statement, errors=False)
