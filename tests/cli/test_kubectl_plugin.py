"""``kubectl jobsworth``: the same command line, under the name with which kubectl runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the console script, as pip writes it."""
    script = tmp_path / "kubectl-jobsworth"
    script.write_text(f"#!{sys.executable}\nfrom jobsworth.cli import main\nmain()\n")
    script.chmod(0o755)
    return tmp_path


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_an_installation_has_the_plugin() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert scripts["kubectl-jobsworth"] == scripts["jobsworth"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the script is one of POSIX")
def test_the_usage_names_the_plugin_as_the_user_writes_it(folder: Path) -> None:
    done = run(str(folder / "kubectl-jobsworth"), "validate", "--help", folder=folder)
    assert done.stdout.startswith("Usage: kubectl jobsworth validate [OPTIONS]")
    wrong = run(str(folder / "kubectl-jobsworth"), "validate", "--wrong", folder=folder)
    assert "Try 'kubectl jobsworth validate" in wrong.stderr
    assert wrong.returncode == 2


def test_another_name_is_that_of_the_program() -> None:
    command = [sys.executable, "-m", "jobsworth", "validate", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("Usage: jobsworth validate [OPTIONS]")
