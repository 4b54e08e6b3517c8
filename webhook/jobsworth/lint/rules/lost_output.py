"""A rule for backups that are gone with their Pod."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from jobsworth.findings.near_names import slips
from jobsworth.lint import needs
from jobsworth.lint.container_start import ContainerStart, RunCommand
from jobsworth.lint.effects import backs_up, written_by
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.script_flow import MAX_COMMANDS, constants, resolved
from jobsworth.lint.shell_script import HARMLESS
from jobsworth.lint.usual_programs import DUMPS, dump_name

OUTPUTS = ("archive", "d", "f", "file", "o", "out", "output", "pgdata", "r", "result_file")
"""The options of dumps for the file or folder."""
RESULTS = (
    "export_dir", "out_dir", "outdir", "output_dir", "output_directory", "output_path", "result_dir",
    "results_dir", "save_dir",
)  # fmt: skip
"""Options for the folder of the results of a program."""
SCRATCH = ("/dev/", "/proc/", "/run/", "/tmp", "/var/tmp")
MIN_NAME = 3
MAX_LONGER = 3
"""Bounds of names of folders that are taken for the same one: ``out`` and ``output``."""
LOCAL = frozenset(
    (
        *HARMLESS, *DUMPS, "apk", "apt", "apt-get", "bzip2", "chmod", "chown", "df", "du", "find", "gpg",
        "grep", "gzip", "head", "md5sum", "mkdir", "openssl", "pigz", "rm", "sha256sum", "stat", "sync",
        "etcdctl", "etcdutl", "tail", "tar", "touch", "wc", "xz", "zstd",
    )
)  # fmt: skip
"""Programs beside them that bring no file to another place."""


@lint_rule(
    "JW258",
    "backup-lost",
    severity="warning",
    summary="A dump, or a file beside a volume, is gone with the Pod, and nothing brings it elsewhere.",
    needs=needs.known_commands,
)
def backup_lost(job: LintedJob) -> Iterator[Diagnostic]:
    for start in job.main_starts:
        yield from _beside_mounts(start)
    for start in job.starts:
        if not all(each.name in LOCAL or _renames(each) for each in start.commands):
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


def _renames(command: RunCommand) -> bool:
    """Return True for a command that gives a file another name in its folder."""
    folders = {posixpath.dirname(word) for word in command.words[1:] if word[:1] == "/"}
    return command.name in ("cp", "mv") and len(command.words) == 3 and len(folders) == 1


def _beside_mounts(start: ContainerStart) -> Iterator[Diagnostic]:
    """Report a file in a folder whose name is nearly that of a volume that is kept."""
    if "volumeMounts" not in start.container:
        return
    mounts = [each.get("mountPath", "").rstrip("/") for each in start.container["volumeMounts"]]
    mounts = [each for each in mounts if each.count("/") and start.place(each).kept]
    if not mounts:
        return
    values = {} if start.script is None else constants(start, start.script)
    for command in start.commands[:MAX_COMMANDS]:
        outputs = command.step.outputs if command.step is not None else ()
        if dump_name(command.words):
            continue
        last = command is start.commands[-1]
        results = [value for name, value in command.options if name in RESULTS and last]
        for target in (*outputs, *written_by(command.words), *results):
            path = resolved(values, target)
            near = next((each for each in mounts if _is_beside(path, each)), "")
            if target in results and path.startswith("/") and not path.startswith(SCRATCH):
                near = near or mounts[0]
            if near and start.place(path).of_image and not _is_used_later(start, command, path):
                yield Diagnostic(
                    command.field,
                    f"{command.name} writes {path[:60]}, which is in the file system of the container: it "
                    f"is gone with the Pod. The volume is mounted at {near[:60]}: correct one of the two.",
                    line=command.line,
                )
                return


def _is_beside(target: str, mount: str) -> bool:
    """Return True for a path that is in no mount, but in a folder with nearly the same name beside it.

    >>> _is_beside("/data/output/a", "/data/out"), _is_beside("/data/log/a", "/data/out")
    (True, False)
    """
    folder, name = mount.rsplit("/", 1)
    if not target.startswith(f"{folder}/"):
        return False
    other = target[len(folder) + 1 :].partition("/")[0]
    short, long = sorted((name, other), key=len)
    longer = long.startswith(short) and 0 < len(long) - len(short) <= MAX_LONGER
    return len(short) >= MIN_NAME and (longer or slips(short, long, 1) == 1)


def _is_used_later(start: ContainerStart, command: RunCommand, target: str) -> bool:
    folder = target.rpartition("/")[0]
    later = list(start.commands)[list(start.commands).index(command) + 1 :]
    return any(folder in word for each in later for word in each.words)


def dumped_files(start: ContainerStart) -> Iterator[tuple[RunCommand, str]]:
    """Yield each dump of a database with the files that it writes, by itself or at the end of its pipe."""
    dump: RunCommand | None = None
    values = {} if start.script is None else constants(start, start.script, computed=True)
    for command in start.commands:
        step = command.step
        if dump_name(command.words) or (backs_up(command.words) and "snapshot" in command.words):
            dump = command
            last = resolved(values, command.words[-1])
            if not dump_name(command.words) and last.startswith("/"):
                yield dump, last
            for name, value in command.options:
                if name in OUTPUTS and value.startswith("/"):
                    yield dump, value
        elif step is None or step.before != "|":
            dump = None
        if dump is not None and step is not None:
            for output in step.outputs:
                yield dump, output
