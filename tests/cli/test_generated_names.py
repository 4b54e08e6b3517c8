"""Objects whose name the API server generates are named by its prefix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli.command_processes import BAD, GOOD, run

JOB = BAD.replace("name: train", "generateName: train-")
WORKFLOW = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {generateName: nightly-}\n"
    "spec:\n  manifest: |\n    apiVersion: batch/v1\n    kind: Job\n"
)


def test_the_report_names_a_job_by_the_prefix_of_its_name(tmp_path: Path) -> None:
    assert "error: Job train-*: spec." in run("validate", "-", stdin=JOB).stdout


def test_the_note_on_a_contained_job_names_the_object_by_its_prefix() -> None:
    shown = run("validate", "-", stdin=WORKFLOW).stdout
    assert "Workflow nightly-*: manifest [JW095" in shown
    assert "Workflow nightly-* is not validated" in shown


def test_reports_for_programs_have_no_generated_name() -> None:
    (result,) = json.loads(run("validate", "-o", "json", "-", stdin=JOB).stdout)["results"]
    assert result["name"] is None


def test_a_test_case_is_named_by_the_prefix() -> None:
    assert 'name="Job train-*"' in run("validate", "-o", "junit", "-", stdin=JOB).stdout


@pytest.mark.slow
@pytest.mark.parametrize("output", ["text", "markdown"])
def test_an_explanation_names_the_job_by_its_prefix(output: str) -> None:
    job = GOOD.replace("name: train", "generateName: train-")
    assert "train-" in run("explain", "-o", output, "-", stdin=job).stdout.splitlines()[0]
