"""Each command of docs/agents.md runs, and answers as the page says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/agents.md").read_text("utf-8")
COMMANDS = [
    line
    for line in re.findall(r"^(?:    )?(jobsworth .*)$|`(jobsworth [^`]+)`", PAGE, re.MULTILINE)
    for line in line
    if line and "FILE" not in line and "CODE" not in line
]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with the files that the page names, and ``jobsworth`` in a folder of programs."""
    job = (ROOT / "examples/tutorial/train-naive.yaml").read_text("utf-8")
    scenario = (ROOT / "examples/scenarios/two-scale-downs.yaml").read_text("utf-8")
    (tmp_path / "old.yaml").write_text(job)
    (tmp_path / "job.yaml").write_text(job)
    (tmp_path / "scenario.yaml").write_text(scenario)
    program = tmp_path / "bin/jobsworth"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jobsworth "$@"\n')
    program.chmod(0o755)
    bash(
        "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm first",
        tmp_path,
    )
    (tmp_path / "job.yaml").write_text(job.replace("backoffLimit: ", "backoffLimit: 1"))
    return tmp_path


def bash(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    with (folder / "job.yaml").open() as job:
        return subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdin=job,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs(command: str, folder: Path) -> None:
    done = bash(command, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    if "--output json " in f"{command} ":
        json.loads(done.stdout)


def test_the_page_has_commands() -> None:
    assert len(COMMANDS) > 10


@pytest.mark.slow
def test_a_repaired_manifest_and_the_report_are_apart(folder: Path) -> None:
    wrong = (ROOT / "examples/invalid/exit-codes-not-sorted.yaml").read_text("utf-8")
    (folder / "job.yaml").write_text(wrong)
    (command,) = [each for each in COMMANDS if "repaired.yaml" in each]
    assert bash(command, folder).returncode == 0
    assert (folder / "repaired.yaml").read_text() == wrong.replace("[42, 3]", "[3, 42]")
    report = json.loads((folder / "report.json").read_text())
    assert report["results"][0]["fixed"][0]["title"] == "Sort the exit codes"
