"""Fixtures for the tests of the hook and the action: the project as a repository, and a package index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from support.artifacts.action_steps import GOOD, git

ROOT = Path(__file__).parent.parent.parent
PARTS = (
    ".github", ".pre-commit-hooks.yaml", "LICENSE", "README.md", "action-requirements.txt", "action.yml",
    "pyproject.toml", "schemas", "webhook",
)  # fmt: skip


@pytest.fixture(scope="session")
def package_index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip what builds an environment where there is no git, or no package index to build it from."""
    if shutil.which("git") is None:
        pytest.skip("there is no git command here")
    folder = tmp_path_factory.mktemp("download")
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check",
        "--retries", "0", "--timeout", "5", "--dest", str(folder), "hatchling",
    ]  # fmt: skip
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no package index can be reached here, to build the hook's environment from")


@pytest.fixture(scope="session")
def git_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment for git commands: no user's configuration, nor the repository of an outer hook."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") and name != "PYTHONPATH"
    }
    who = {"NAME": "A tester", "EMAIL": "tester@example.com"}
    for part, value in who.items():
        environment |= {f"GIT_AUTHOR_{part}": value, f"GIT_COMMITTER_{part}": value}
    home = tmp_path_factory.mktemp("pre-commit-home")
    return environment | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PRE_COMMIT_HOME": str(home),
    }


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, git_environment: dict[str, str]) -> Path:
    """The project as it stands, as a git repository of one commit."""
    folder = tmp_path_factory.mktemp("project")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(
                ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", ".*_cache")
            )
        else:
            shutil.copy(ROOT / part, folder / part)
    for arguments in (
        ["init", "--quiet"],
        ["add", "--all"],
        ["commit", "--quiet", "-m", "As it is"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, env=git_environment, check=True)
    return folder


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's folder for temporary files, with an environment that has jobsworth in it.

    Its processes are started as Python does by default on macOS and Windows, and since 3.14 on Linux: anew,
    not by a fork.
    """
    temp = tmp_path_factory.mktemp("temp")
    environment = temp / "jobsworth"
    venv.create(environment, symlinks=True)
    places = {"base": str(environment), "platbase": str(environment)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=places))
    spawning = (
        "import sys; '-m' in sys.orig_argv"
        " and __import__('multiprocessing').set_start_method('spawn', force=True)"
    )
    lines = [str(ROOT / "webhook"), *{sysconfig.get_path(name) for name in ("purelib", "platlib")}]
    (packages / "as_if_installed.pth").write_text("\n".join([*lines, spawning]))
    return temp


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "checkout/some jobs").mkdir(parents=True)
    return tmp_path / "checkout"


@pytest.fixture
def committed(folder: Path) -> Path:
    (folder / "job.yaml").write_text(GOOD)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder
