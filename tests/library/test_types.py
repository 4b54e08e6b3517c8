"""Programs that use the library pass mypy and pyright in strict mode, and see its types."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs/examples/python/test_training_job.py"
PROGRAM = """\
from collections.abc import Mapping
from typing import Any, TypedDict, assert_type

from kubernetes import client

import jobsworth
from jobsworth.testing import assert_completes, assert_simulation, assert_valid


class Manifest(TypedDict):
    apiVersion: str
    kind: str


def check(
    mapping: Mapping[str, object], decoded: dict[str, Any], typed: Manifest, model: client.V1Job
) -> None:
    for job in (mapping, decoded, typed, model):
        assert_type(jobsworth.validate(job), list[jobsworth.Finding])
        assert_type(jobsworth.default(job), dict[str, Any])
        assert_type(jobsworth.evaluate(job), jobsworth.Evaluation)
        assert_type(jobsworth.explain(job), jobsworth.Explanation)
        assert_type(jobsworth.simulate(job, drain="5m"), jobsworth.Simulation)
        assert_valid(job, fail_on="warning")
        assert_completes(job, decoded, at_least=0.9)
        assert_simulation(job, "pods <= 3")
    assert_type(jobsworth.validate([decoded]), list[list[jobsworth.Finding]])
    assert_type(jobsworth.validate([model, mapping]), list[list[jobsworth.Finding]])
    assert_type(jobsworth.default([decoded]), list[dict[str, Any]])
    assert_type(jobsworth.evaluate([typed]), list[jobsworth.Evaluation])
    assert_type(jobsworth.simulate(decoded).check("complete >= 1").holds, bool)
    assert_valid([model, decoded])
"""
WRONG = """\
import jobsworth

jobsworth.validate("kind: Job")
jobsworth.simulate({}, runs="many")
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    shutil.copy(EXAMPLE, tmp_path)
    # As for an installed package, only the errors of the program count.
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\n[mypy-jobsworth.*,kube_cel.*]\nfollow_imports = silent\n"
    )
    (tmp_path / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "strict", "extraPaths": [str(ROOT / "webhook")]})
    )
    return tmp_path


def checked(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT / "webhook")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_mypy_accepts_the_examples_and_refuses_what_is_wrong(programs: Path) -> None:
    done = checked(programs, "mypy", "--strict", "program.py", EXAMPLE.name)
    assert done.returncode == 0, done.stdout
    done = checked(programs, "mypy", "--strict", "wrong.py")
    assert "Found 2 errors in 1 file" in done.stdout


def test_pyright_accepts_the_examples_and_refuses_what_is_wrong(programs: Path) -> None:
    pytest.importorskip("pyright", reason="pyright comes with the extra dev")
    path = ("--pythonpath", sys.executable)
    done = checked(programs, "pyright", *path, "program.py", EXAMPLE.name)
    assert done.returncode == 0, done.stdout
    done = checked(programs, "pyright", *path, "wrong.py")
    assert "wrong.py:3:" in done.stdout
    assert "wrong.py:4:" in done.stdout
