"""The commands of the start pages run in a clone, as they are printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_RUN = ("pip ", "jobsworth serve ")


def run(script: str, folder: Path) -> str:
    """Return what a script prints, with the program of this environment first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_policy_of_the_page_on_the_webhook_warns_of_the_job_of_the_page(tmp_path: Path) -> None:
    page = (ROOT / "docs/start/webhook.md").read_text(encoding="utf-8")
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in ("examples", "policies", "certs"):
        (clone / name).symlink_to(ROOT / name)
    first = re.findall(r"^```\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0]
    commands = [line for line in first.splitlines() if not line.startswith(NOT_RUN)]
    assert "ok   policies/limited-retries_test.yaml (3 cases)" in run("\n".join(commands), clone)
    explained = re.search(r"`(jobsworth policy explain [^`]+)`", page)
    assert explained is not None
    assert "warn        spec.activeDeadlineSeconds" in run(explained[1], tmp_path / "try")
