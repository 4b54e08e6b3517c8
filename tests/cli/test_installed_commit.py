"""The commit in `jobsworth --version`, where it is known."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import jobsworth
from jobsworth.cli import installed_commit as module
from jobsworth.cli.installed_commit import checked_out_commit, installed_commit
from support.cli.command_runs import Command

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "webhook" / "jobsworth"
    package.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/topic/a-b\n")
    monkeypatch.setattr(module, "PACKAGE", package)
    monkeypatch.setattr(module, "_recorded_commit", lambda: "")
    return tmp_path


def loose(clone: Path) -> None:
    branch = clone / ".git" / "refs" / "heads" / "topic" / "a-b"
    branch.parent.mkdir(parents=True)
    branch.write_text(COMMIT + "\n")


def packed(clone: Path) -> None:
    (clone / ".git" / "packed-refs").write_text(
        f"# pack-refs with: peeled\n{'f' * 40} refs/heads/topic/a\n{COMMIT} refs/heads/topic/a-b\n"
    )


def detached(clone: Path) -> None:
    (clone / ".git" / "HEAD").write_text(COMMIT + "\n")


def worktree(clone: Path) -> None:
    loose(clone)
    (clone / ".git").rename(clone / "main.git")
    own = clone / "main.git" / "worktrees" / "one"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/topic/a-b\n")
    (own / "commondir").write_text("../..\n")
    (clone / ".git").write_text(f"gitdir: {own}\n")


@pytest.mark.parametrize("state", [loose, packed, detached, worktree])
def test_a_clone_has_the_commit_that_is_checked_out(state: object, clone: Path) -> None:
    state(clone)  # type: ignore[operator]
    assert checked_out_commit(clone) == COMMIT
    assert installed_commit() == "clone at commit 0123456789ab"


@pytest.mark.parametrize("head", ["", "ref: refs/../../secret", "ref: /etc/passwd", "0123"])
def test_a_clone_without_a_readable_commit_names_none(head: str, clone: Path) -> None:
    (clone / ".git" / "HEAD").write_text(head)
    assert installed_commit() == ""


def test_another_repository_around_the_package_is_not_its_clone(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    detached(clone)
    monkeypatch.setattr(module, "PACKAGE", clone / "lib" / "jobsworth")
    assert installed_commit() == ""


def test_an_archive_has_the_commit_that_git_wrote_into_it(clone: Path) -> None:
    (clone / "webhook" / "jobsworth" / "commit.txt").write_text(COMMIT + "\n")
    assert installed_commit() == "commit 0123456789ab"


def test_the_file_for_archives_is_substituted_by_git() -> None:
    root = Path(jobsworth.__file__).parents[2]
    text = (root / "webhook/jobsworth/commit.txt").read_text()
    assert re.fullmatch(r"(\$Format:%H\$|[0-9a-f]{40})\n", text)  # in a clone, in an archive
    assert "/webhook/jobsworth/commit.txt export-subst\n" in (root / ".gitattributes").read_text()


@pytest.mark.parametrize(
    ("recorded", "commit"),
    [
        ({"vcs_info": {"vcs": "git", "commit_id": COMMIT}}, COMMIT),
        ({"dir_info": {"editable": True}}, ""),
        ([], ""),
        ({"vcs_info": {"commit_id": 1}}, ""),
    ],
)
def test_an_installation_from_git_has_the_commit_that_pip_recorded(
    recorded: object, commit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Installed:
        def read_text(self, name: str) -> str:
            return json.dumps(recorded)

    monkeypatch.setattr(module, "distribution", lambda name: Installed())
    assert module._recorded_commit() == commit


def test_the_version_names_the_commit(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "installed_commit", lambda: "commit 0123456789ab")
    done = command("--version")
    assert (done.code, done.out) == (
        0,
        f"jobsworth, version {jobsworth.__version__} (commit 0123456789ab)\n",
    )
    monkeypatch.setattr(module, "installed_commit", lambda: "")
    assert command("--version").out == f"jobsworth, version {jobsworth.__version__}\n"
