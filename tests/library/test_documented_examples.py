"""The examples in docs/examples/python pass, and docs/testing-jobs.md shows them.

To update the page: ``JOBSWORTH_RENEW=1 pytest tests/library/test_documented_examples.py``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/testing-jobs.md"
FOLDER = ROOT / "docs/examples/python"
SHOWN = re.compile(r"<!-- file: (?P<file>.*?) -->\n(?P<text>.*?)<!-- end of file -->", re.DOTALL)
FAILURE = re.compile(r"<!-- failure -->\n(?P<text>.*?)<!-- end of failure -->", re.DOTALL)
FAILING = """\
from jobsworth.testing import assert_valid
from test_training_job import training_job


def test_the_job_is_valid() -> None:
    job = training_job(shards=8)
    job.spec.completion_mode = "NonIndexed"
    assert_valid(job)
"""
PACKAGES = {
    "test_cdk8s_chart.py": ("cdk8s>=2.70", "cdk8s-plus-32>=2.5"),
    "test_airflow_operator.py": ("apache-airflow-providers-cncf-kubernetes>=10",),
}
"""The packages that an example needs, which no extra of jobsworth installs."""


def run_example(python: str, folder: Path, name: str, **environment: str) -> tuple[int, str]:
    """Run the tests of an example in a folder of its own; return the exit code and the output."""
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", name],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(ROOT / "webhook"), *sys.path[1:])),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_page_shows_the_examples_as_they_are() -> None:
    text = PAGE.read_text(encoding="utf-8")
    now = SHOWN.sub(
        lambda match: (
            f"<!-- file: {match['file']} -->\n```python\n"
            f"{(ROOT / match['file']).read_text(encoding='utf-8')}```\n<!-- end of file -->"
        ),
        text,
    )
    if os.environ.get("JOBSWORTH_RENEW"):
        PAGE.write_text(now, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == now
    shown = {match["file"] for match in SHOWN.finditer(now)}
    assert shown == {str(path.relative_to(ROOT)) for path in FOLDER.glob("*.py")}


@pytest.mark.slow
def test_the_page_shows_the_failure_as_pytest_prints_it(tmp_path: Path) -> None:
    (tmp_path / "test_failing.py").write_text(FAILING)
    _, out = run_example(sys.executable, tmp_path, "test_failing.py")
    report = "".join(line + "\n" for line in out.splitlines() if line.startswith(("E ", ">")))
    text = PAGE.read_text(encoding="utf-8")
    now = FAILURE.sub(
        lambda _: f"<!-- failure -->\n```\n{report}```\n<!-- end of failure -->", text
    )
    if os.environ.get("JOBSWORTH_RENEW"):
        PAGE.write_text(now, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == now
    assert "spec.backoffLimitPerIndex" in report


@pytest.mark.slow
def test_the_example_with_the_kubernetes_package_passes(tmp_path: Path) -> None:
    assert run_example(sys.executable, tmp_path, "test_training_job.py")[0] == 0


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize("name", PACKAGES)
def test_the_example_with_another_package_passes(name: str, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(tmp_path / "venv/bin/python")
    subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES[name]], check=True)
    code, out = run_example(python, tmp_path / "example", name, AIRFLOW_HOME=str(tmp_path))
    assert code == 0, out
