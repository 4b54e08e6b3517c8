"""The assertions for tests of programs that write Jobs, and the plugin of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import jobsworth
from jobsworth.testing import assert_completes, assert_simulation, assert_valid

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "examples/valid/ml-training.yaml"
POLICY = ROOT / "policies/ml-training.yaml"
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}


def training(**spec: Any) -> dict[str, Any]:
    job: dict[str, Any] = yaml.safe_load(TRAINING.read_text())
    job["spec"].update(spec)
    return job


def test_a_valid_job_passes() -> None:
    assert_valid(training())
    assert_valid([SERVICE, training()])


def test_an_invalid_job_fails_with_the_findings_of_the_command() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_valid([SERVICE, training(completions=-1)])
    text = str(caught.value)
    assert text.startswith("1 of 2 objects fail:\n\n<manifest>:")
    assert (
        "spec.completions [JW004]\n  Invalid value: -1: must be greater than or equal to 0" in text
    )
    assert "|   completions: -1\n" in text


def test_a_list_without_a_job_fails() -> None:
    with pytest.raises(AssertionError, match="no Job, CronJob or JobSet among 1 objects"):
        assert_valid([SERVICE])


@pytest.mark.slow
def test_an_object_that_is_not_evaluated_fails() -> None:
    with pytest.raises(AssertionError, match="more than 500,000 values"):
        assert_valid(training(more=[1] * 500_000))


def test_policies_and_thresholds_are_those_of_the_command() -> None:
    job = training()
    job["metadata"].pop("labels", None)
    with pytest.raises(AssertionError, match="JP004"):
        assert_valid(job, policies=[POLICY], namespace="ml-vision")
    assert_valid(training(backoffLimit=0, parallelism=0))
    with pytest.raises(AssertionError, match="JW208"):
        assert_valid(training(parallelism=0), fail_on="info")
    assert_valid(training(parallelism=0), fail_on="warning", ignore=["JW208"])


def test_the_configuration_of_the_folder_applies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".jobsworth.yaml").write_text("kubernetes-version: '1.25'\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="podFailurePolicy"):
        assert_valid(training())
    assert_valid(training(), isolated=True)
    assert_valid(training(), kubernetes_version="1.36")


def test_too_few_completed_runs_fail_with_the_statistics() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_completes(training(backoffLimit=0), drain="5m", runs=20, within="1m")
    text = str(caught.value)
    assert text.startswith("complete >= 0.95 does not hold: ")
    assert "\nJob train-recommender, scenario default, drain 5m:\n20 runs;" in text


def test_a_job_that_completes_passes() -> None:
    assert_completes(training(), runs=20, at_least=0.5)


def test_the_duration_of_pods_needs_no_scenario() -> None:
    assert_completes(training(), runs=2, duration="1m", within="5m")
    with pytest.raises(AssertionError, match=r"complete >= 0\.95"):
        assert_completes(training(), runs=2, duration="2h", within="1h")
    with pytest.raises(AssertionError, match=r"time\.p50 <= 1h"):
        assert_simulation(training(), "time.p50 <= 1h", runs=2, duration="2h")


def test_each_requirement_that_does_not_hold_is_reported() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_simulation(training(), "pods <= 0", "complete >= 0", "time.max <= 1s", runs=3)
    first, second, *_ = str(caught.value).splitlines()
    assert first.startswith("pods <= 0 does not hold")
    assert second.startswith("time.max <= 1s does not hold")


COMPARISONS = """
import jobsworth

JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"}, "spec": {
    "backoffLimitPerIndex": 1,
    "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x:1"}]}},
}}

def test_findings():
    assert jobsworth.validate(JOB) == []

def test_other_lists():
    assert [1] == [2]
"""


IMPORTS = """
import sys

def test_imports():
    loaded = {name for name in sys.modules if name.startswith("jobsworth")}
    assert loaded == {"jobsworth", "jobsworth.pytest_plugin"}

def test_lists():
    assert [1] == [1]
"""


def pytest_run(folder: Path, tests: str) -> str:
    (folder / "test_jobs.py").write_text(tests)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook")},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


@pytest.mark.slow
def test_the_plugin_prints_findings_and_leaves_other_comparisons_alone(tmp_path: Path) -> None:
    out = pytest_run(tmp_path, COMPARISONS)
    assert "error: spec.backoffLimitPerIndex [JW004]" in out
    assert "fix: Set completionMode: Indexed (safe)" in out
    assert "At index 0 diff: 1 != 2" in out


@pytest.mark.slow
def test_the_plugin_imports_nothing_before_it_is_used(tmp_path: Path) -> None:
    assert "2 passed" in pytest_run(tmp_path, IMPORTS)


def test_findings_at_places_are_compared_too() -> None:
    from jobsworth.pytest_plugin import pytest_assertrepr_compare

    located = jobsworth.validate_text("x: [\n")
    lines = pytest_assertrepr_compare("==", located, [])
    assert lines is not None
    assert lines[0] == "1 findings == 0 findings"
    assert lines[2].startswith("  1:4: error: manifest [JW090]")
    assert pytest_assertrepr_compare("==", [], []) is None
    assert pytest_assertrepr_compare("!=", located, []) is None
    assert pytest_assertrepr_compare("==", located, ()) is None
