"""The steps of the GitHub Action, run as a runner would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent.parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
INSTALL, VALIDATE, EXPLAIN, COMMENT = (step for step in STEPS if "run" in step)

GOOD = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/train:1.4
"""

WHERE = "${{ runner.os == 'Windows' && 'Scripts' || 'bin' }}"


def run(
    step: dict[str, Any],
    folder: Path,
    temp: Path,
    *,
    action: Path = ROOT,
    environment: dict[str, str] | None = None,
    **inputs: str,
) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub's runner does: expressions into the environment, then `bash -eo pipefail`.

    Args:
        step: of the action.
        folder: the checkout.
        temp: the runner's folder for temporary files.
        action: where the runner has the action's repository.
        environment: what the workflow sets for the whole job.
        inputs: of the action, with underscores for hyphens.
    """
    values = {f"inputs.{name}": facts["default"] for name, facts in ACTION["inputs"].items()}
    values |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
    values |= {"steps.python.outputs.python-path": sys.executable, "runner.temp": str(temp)}

    def written(text: str) -> str:
        text = text.replace(WHERE, "bin")
        for expression, value in values.items():
            text = text.replace(f"${{{{ {expression} }}}}", value)
        assert "${{" not in text, f"what is {text}?"
        return text

    set_by_runner = {"GITHUB_ACTION_PATH": str(action)}
    set_by_step = {name: written(text) for name, text in step["env"].items()}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=written(step.get("working-directory", str(folder))),
        env={**os.environ, **set_by_runner, **(environment or {}), **set_by_step},
        capture_output=True,
        text=True,
        check=False,
    )


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Jo", "-c", "user.email=jo@example.com")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def explained(
    folder: Path, temp: Path, ref: str, **inputs: str
) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run the step, and return what it adds to the summary of the workflow run."""
    summary = temp / "summary.md"
    summary.write_text("# Before\n")
    environment = {"GITHUB_STEP_SUMMARY": str(summary)}
    done = run(EXPLAIN, folder, temp, environment=environment, explain_changes_since=ref, **inputs)
    return done, summary.read_text().removeprefix("# Before\n")
