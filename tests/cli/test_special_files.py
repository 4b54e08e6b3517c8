"""A file that never ends, or that is far too large, is an error and not a process without memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import jobsworth.regular_files
from jobsworth.certificates.folder_store import published
from jobsworth.regular_files import MAX_CONFIGURATION_BYTES, MIB, read_regular_file
from support.cli.command_runs import Command, CommandResult

JOB = (Path(__file__).parent.parent.parent / "examples" / "valid" / "ml-training.yaml").read_text()
SOURCES = Path(jobsworth.regular_files.__file__).parent.parent

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX files")


def to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


SPECIAL = pytest.mark.parametrize(
    ("special", "kind"), [(to_device, "a device"), (to_pipe, "a named pipe")]
)


@pytest.fixture
def limited(tmp_path: Path) -> Callable[..., CommandResult]:
    """Runs a command in a process that may neither wait nor use much memory."""

    def limited(*arguments: str) -> CommandResult:
        command = " ".join([sys.executable, "-m", "jobsworth", *arguments])
        done = subprocess.run(
            ["sh", "-c", f"ulimit -v 4000000; exec {command}"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(SOURCES)},
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )
        return CommandResult(done.returncode, done.stdout, done.stderr)

    return limited


@pytest.mark.slow
@SPECIAL
@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", "x.yaml"],
        ["validate", "--policy", "x.yaml", "job.yaml"],
        ["validate", "--config", "x.yaml", "job.yaml"],
        ["validate", "--baseline", "x.yaml", "job.yaml"],
        ["validate", "--against", "x.yaml", "job.yaml"],
        ["validate", "--fix", "x.yaml"],
        ["default", "x.yaml"],
        ["policy", "check", "x.yaml"],
        ["policy", "test", "x.yaml"],
    ],
    ids=" ".join,
)
def test_a_link_to_what_never_ends_is_named(
    arguments: list[str],
    special: Callable[[Path], None],
    kind: str,
    tmp_path: Path,
    limited: Callable[..., CommandResult],
) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    special(tmp_path / "x.yaml")
    done = limited(*arguments)
    assert done.code == (1 if arguments[:2] == ["policy", "check"] else 2)
    reasons = (f"it is {kind}, not a regular file", "is a symbolic link out of")
    assert any(reason in done.out + done.err for reason in reasons)
    assert "x.yaml" in done.out + done.err


@pytest.mark.slow
@SPECIAL
def test_a_folder_is_searched_for_regular_files_only(
    special: Callable[[Path], None],
    kind: str,
    tmp_path: Path,
    limited: Callable[..., CommandResult],
) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    special(tmp_path / "x.yaml")
    done = limited("validate", ".")
    assert (done.code, done.err) == (0, "1 object in 1 file; 1 valid, 0 invalid\n")


@pytest.mark.slow
@SPECIAL
def test_a_changed_file_that_never_ends_is_named(
    special: Callable[[Path], None],
    kind: str,
    tmp_path: Path,
    limited: Callable[..., CommandResult],
) -> None:
    def git(*words: str) -> None:
        name = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *name, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / "x.yaml").write_text(JOB)
    git("add", ".")
    git("commit", "-m", "all")
    (tmp_path / "x.yaml").unlink()
    special(tmp_path / "x.yaml")
    done = limited("validate", "--git-ref", "HEAD")
    assert done.code == 2
    reasons = (f"it is {kind}, not a regular file", "this is a symbolic link out of the repository")
    assert any(reason in done.out for reason in reasons)


def test_a_pipe_of_the_shell_is_read(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m jobsworth validate <(cat job.yaml)"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "1 object in 1 file; 1 valid, 0 invalid\n")


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * MIB)
    assert len(read_regular_file(str(file), MIB)) == MIB
    file.write_bytes(b"x" * (MIB + 1))
    with pytest.raises(OSError, match="too large: the limit is 1 MiB") as raised:
        read_regular_file(str(file), MIB)
    assert raised.value.filename == str(file)


def test_a_file_that_states_no_size_is_read() -> None:
    assert b"MemTotal" in read_regular_file("/proc/meminfo", MIB)


def test_a_configuration_of_a_manifest_s_size_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / ".jobsworth.yaml").write_text("#" * (MAX_CONFIGURATION_BYTES + 1))
    done = command("validate", "job.yaml", files={"job.yaml": JOB})
    assert done.code == 2
    assert ".jobsworth.yaml: cannot read this: the file is too large" in done.err


def test_certificates_are_read_from_regular_files_only(tmp_path: Path) -> None:
    for name in ("tls.crt", "tls.key", "ca.crt"):
        os.mkfifo(tmp_path / name)
    assert published(tmp_path) == (None, b"")
