"""The GitHub Action: what its steps run, run here as a runner would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
INSTALL, JUDGE = (step for step in STEPS if "run" in step)

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
BAD = GOOD.replace("spec:\n", "spec:\n  backoffLimitPerIndex: 1\n", 1)
NEW = GOOD.replace("spec:\n", "spec:\n  managedBy: example.com/x\n", 1)

if shutil.which("bash") is None:
    pytest.skip("there is no bash here, in which the action's steps run", allow_module_level=True)


def run(
    step: dict[str, Any], folder: Path, temp: Path, **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub's runner does: expressions into the environment, then `bash -eo pipefail`."""
    values = {f"inputs.{name}": facts["default"] for name, facts in ACTION["inputs"].items()}
    values |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
    values |= {"steps.python.outputs.python-path": sys.executable, "runner.temp": str(temp)}
    environment = {**os.environ, "GITHUB_ACTION_PATH": str(ROOT)}
    for name, text in step["env"].items():
        written = text
        for expression, value in values.items():
            written = written.replace(f"${{{{ {expression} }}}}", value)
        assert "${{" not in written, f"what is {written}?"
        environment[name] = written
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    """The runner's folder for what is temporary, with jobsworth in it as if it were installed."""
    (tmp_path / "temp").mkdir()
    (tmp_path / "temp/jobsworth").symlink_to(ROOT / "webhook")
    return tmp_path / "temp"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "checkout/some jobs").mkdir(parents=True)
    return tmp_path / "checkout"


def test_it_is_a_composite_action_with_three_inputs() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert set(ACTION["inputs"]) == {"paths", "kubernetes-version", "args"}
    assert all(not facts.get("required") for facts in ACTION["inputs"].values())
    assert {"name", "description", "branding"} <= ACTION.keys()


def test_no_input_is_pasted_into_a_script() -> None:
    for step in (INSTALL, JUDGE):
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    assert set(JUDGE["env"].values()) >= {f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}


def test_a_bad_job_fails_the_step_and_is_annotated(folder: Path, temp: Path) -> None:
    (folder / "job.yaml").write_text(BAD)
    done = run(JUDGE, folder, temp)
    assert done.returncode == 1, done.stderr
    assert "::error file=job.yaml,line=6" in done.stdout.replace("./", "")


def test_by_default_the_whole_checkout_is_judged_and_templates_are_no_failure(
    folder: Path, temp: Path
) -> None:
    (folder / "some jobs/job.yaml").write_text(GOOD)
    (folder / "template.yaml").write_text("{{ if .Values.job }}\n" + BAD + "{{ end }}\n")
    done = run(JUDGE, folder, temp)
    assert done.returncode == 0, done.stdout + done.stderr


def test_paths_are_lines_and_may_have_spaces(folder: Path, temp: Path) -> None:
    (folder / "some jobs/job.yaml").write_text(BAD)
    (folder / "other.yaml").write_text(BAD)
    (folder / "third.yaml").write_text(BAD)
    done = run(JUDGE, folder, temp, paths="some jobs\nother.yaml\n")
    assert done.returncode == 1
    assert "some jobs/job.yaml" in done.stdout
    assert "other.yaml" in done.stdout
    assert "third.yaml" not in done.stdout


def test_the_release_and_more_arguments_are_handed_on(folder: Path, temp: Path) -> None:
    (folder / "job.yaml").write_text(NEW)
    assert run(JUDGE, folder, temp, kubernetes_version="1.36").returncode == 0
    assert run(JUDGE, folder, temp, kubernetes_version="1.29").returncode == 1
    done = run(
        JUDGE,
        folder,
        temp,
        kubernetes_version="1.31",
        args="--feature-gates\n  JobManagedBy=true -o json",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("{")


def test_what_an_input_says_is_never_run(folder: Path, temp: Path) -> None:
    done = run(JUDGE, folder, temp, paths="$(touch here)", args="`touch there` ; touch everywhere")
    assert done.returncode == 2
    assert list(folder.iterdir()) == [folder / "some jobs"]


@pytest.mark.network
@pytest.mark.usefixtures("package_index")
def test_what_it_installs_is_what_judges(folder: Path, tmp_path: Path, project: Path) -> None:
    installed = run(
        {**INSTALL, "run": f"GITHUB_ACTION_PATH={project}\n{INSTALL['run']}"}, folder, tmp_path
    )
    assert installed.returncode == 0, installed.stderr
    (folder / "job.yaml").write_text(BAD)
    done = run(JUDGE, folder, tmp_path)
    assert done.returncode == 1, done.stderr
    assert "::error" in done.stdout
