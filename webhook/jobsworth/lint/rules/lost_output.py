"""A rule for backups that are gone with their Pod."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.lint import needs
from jobsworth.lint.container_start import ContainerStart, RunCommand
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.shell_script import HARMLESS
from jobsworth.lint.usual_programs import DUMPS, dump_name

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


@lint_rule(
    "JW258",
    "backup-lost",
    severity="warning",
    summary="A dump is written to a place that is gone with the Pod, and nothing brings it to another one.",
    needs=needs.a_program(*DUMPS),
)
def backup_lost(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.starts:
        if any(each.name not in LOCAL for each in start.commands):
            continue
        for dump, target in dumped_files(start):
            place = start.place(target)
            if not target.startswith("/") or f"{target}/".startswith("/dev/"):
                continue
            if not place.lost or (not place.of_image and len(job.containers) > 1):
                continue
            yield Diagnostic(
                dump.field,
                f"{dump.name} writes {target[:60]}, which is in {place}: it is gone with the Pod, and no "
                "command brings it to another place. Write it to a claim or an object store.",
                line=dump.line,
            )
            break


def dumped_files(start: ContainerStart) -> Iterator[tuple[RunCommand, str]]:
    """Yield each dump of a database with the files that it writes, by itself or at the end of its pipe."""
    dump: RunCommand | None = None
    for command in start.commands:
        step = command.step
        if dump_name(command.words):
            dump = command
            for name, value in command.options:
                if name in OUTPUTS and value.startswith("/"):
                    yield dump, value
        elif step is None or step.before != "|":
            dump = None
        if dump is not None and step is not None:
            for output in step.outputs:
                yield dump, output
