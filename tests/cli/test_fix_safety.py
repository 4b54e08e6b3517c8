"""``--fix`` writes to the files that were given, as they were read, and to no other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jobsworth.files.fixing import fixer
from support.cli.command_runs import Command

GOOD = (Path(__file__).parent.parent.parent / "examples" / "valid" / "ml-training.yaml").read_text()
BEFORE = GOOD.replace("apiVersion: batch/v1", "apiversion: batch/v1", 1)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Path:
    """A folder beside the current one, with a manifest to fix; `command` has changed the folder before."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "job.yaml").write_text(BEFORE)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return outside


@pytest.mark.parametrize("git", [False, True])
@pytest.mark.parametrize("given", [".", "link.yaml"])
def test_a_link_to_a_file_elsewhere_is_reported_and_left(
    given: str, git: bool, outside: Path, command: Command
) -> None:
    if git:
        Path(".git").mkdir()
    Path("link.yaml").symlink_to(outside / "job.yaml")
    done = command("validate", "--fix", given)
    assert done.code == 2
    assert "symbolic link" in done.out
    assert "fixed:" not in done.err
    assert (outside / "job.yaml").read_text() == BEFORE


def test_a_link_to_a_folder_elsewhere_is_reported_and_left(outside: Path, command: Command) -> None:
    Path("linked").symlink_to(outside)
    done = command("validate", "--fix", ".")
    assert done.code == 2
    assert f"cannot write the fixes: it is a symbolic link to {outside}/job.yaml" in done.out
    assert (outside / "job.yaml").read_text() == BEFORE


@pytest.mark.parametrize("given", ["{}", "{}/job.yaml"])
def test_a_folder_that_the_user_names_is_written(
    given: str, outside: Path, command: Command
) -> None:
    assert command("validate", "--fix", given.format(outside)).code == 0
    assert (outside / "job.yaml").read_text() == GOOD


def test_an_edit_made_meanwhile_is_kept(
    outside: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    autofix = fixer.autofix

    def edited_meanwhile(*given: object, **named: object) -> object:
        (outside / "job.yaml").write_text(BEFORE + "# mine\n")
        return autofix(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(fixer, "autofix", edited_meanwhile)
    done = command("validate", "--fix", str(outside))
    assert done.code == 2
    assert "cannot write the fixes: the file was changed meanwhile; run jobsworth again" in done.out
    assert (outside / "job.yaml").read_text() == BEFORE + "# mine\n"
    assert os.listdir(outside) == ["job.yaml"]


def test_a_file_replaced_meanwhile_by_one_of_the_same_content_is_kept(
    outside: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def replaced_meanwhile(descriptor: int) -> None:
        fsync(descriptor)
        (outside / "new").write_text(BEFORE)
        (outside / "new").replace(outside / "job.yaml")

    monkeypatch.setattr(os, "fsync", replaced_meanwhile)
    assert command("validate", "--fix", str(outside)).code == 2
    assert (outside / "job.yaml").read_text() == BEFORE


def test_a_file_of_the_temporary_name_is_kept(
    outside: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"job.yaml.jobsworth-{os.getpid()}", f"job.yaml.jobsworth-{bytes(8).hex()}"]
    monkeypatch.setattr(os, "urandom", bytes)
    for name in names:
        (outside / name).write_text("another's")
    done = command("validate", "--fix", str(outside))
    assert done.code == 2
    assert "cannot write the fixes: File exists" in done.out
    assert all((outside / name).read_text() == "another's" for name in names)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="Linux")
def test_extended_attributes_are_kept(outside: Path, command: Command) -> None:
    try:
        os.setxattr(outside / "job.yaml", "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has none")
    assert command("validate", "--fix", str(outside)).code == 0
    assert os.getxattr(outside / "job.yaml", "user.note") == b"mine"


def test_a_read_only_file_is_not_written_even_by_root(outside: Path, command: Command) -> None:
    (outside / "job.yaml").chmod(0o444)
    done = command("validate", "--fix", str(outside))
    assert done.code == 2
    assert "cannot write the fixes: the file is read-only" in done.out


def test_a_file_of_another_user_is_left_alone(
    outside: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(path: str, user: int, group: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    try:
        os.chown(outside / "job.yaml", 12345, 12345)
    except PermissionError:
        pytest.skip("only root may give files away")
    monkeypatch.setattr(os, "chown", denied)
    done = command("validate", "--fix", str(outside))
    assert done.code == 2
    assert "cannot write the fixes: the file belongs to another user or group" in done.out
    assert (outside / "job.yaml").stat().st_uid == 12345


@pytest.mark.parametrize("root", [".git", ".jobsworth.yaml", ""])
@pytest.mark.parametrize("absolute", [False, True])
def test_folders_above_the_project_do_not_make_test_data_of_it(
    root: str, absolute: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    project = tmp_path / "tests" / "shop"
    (project / "testdata").mkdir(parents=True)
    if root == ".git":
        (project / root).mkdir()
    elif root:
        (project / root).write_text("")
    for file in ("job.yaml", "testdata/job.yaml"):
        (project / file).write_text(BEFORE)
    monkeypatch.chdir(project)
    paths = [
        str(project / file) if absolute else file for file in ("job.yaml", "testdata/job.yaml")
    ]
    done = command("validate", "--fix", *paths)
    assert (project / "job.yaml").read_text() == GOOD
    assert (project / "testdata/job.yaml").read_text() == BEFORE
    assert "it is test data in testdata/" in done.err


def test_a_file_is_test_data_from_whatever_folder_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "job.yaml").write_text(BEFORE)
    monkeypatch.chdir(folder)
    assert "it is test data in tests/" in command("validate", "--fix", "job.yaml").err
    assert (folder / "job.yaml").read_text() == BEFORE
