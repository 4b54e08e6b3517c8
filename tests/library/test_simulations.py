"""The public function that simulates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import jobsworth
from jobsworth.documents.declared import json_value
from jobsworth.reports.simulation_report import run_report, variant_report
from support.cli.command_runs import Command

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "examples/valid/ml-training.yaml"
JOB_SET = ROOT / "docs/examples/job-set.yaml"
SCENARIO = {
    "apiVersion": "jobsworth.dev/v1alpha1",
    "kind": "JobScenario",
    "metadata": {"name": "short"},
    "spec": {"until": "4h", "pods": {"duration": "10m"}},
}


def manifest(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = next(yaml.safe_load_all(path.read_text()))
    return found


def test_the_runs_are_those_of_the_command(command: Command) -> None:
    one = command("simulate", str(TRAINING), "--drain", "5m:2", "-o", "json").loaded
    assert (
        json_value(run_report(jobsworth.simulate(manifest(TRAINING), drain="5m:2").first_run))
        == one
    )
    options = ("--runs", "5", "--seed", "3", "--until", "2h", "-o", "json")
    (many,) = command("simulate", str(TRAINING), *options).loaded["variants"]
    simulation = jobsworth.simulate(manifest(TRAINING), runs=5, seed=3, until="2h")
    assert (
        json.loads(json.dumps(json_value(variant_report(many["variant"], simulation.statistics))))
        == many
    )


def test_a_scenario_is_a_mapping_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "scenario.yaml").write_text(yaml.safe_dump(SCENARIO))
    job = manifest(TRAINING)
    given = jobsworth.simulate(job, SCENARIO)
    assert given.scenario == "short"
    assert jobsworth.simulate(job, tmp_path / "scenario.yaml").statistics == given.statistics
    assert jobsworth.simulate(job, str(tmp_path / "scenario.yaml")).scenario == "short"


def test_a_job_set_is_simulated() -> None:
    simulation = jobsworth.simulate(manifest(JOB_SET), runs=2)
    assert simulation.kind == "JobSet"
    assert simulation.check("restarts <= 100").holds


def test_a_measure_of_another_kind_is_refused_with_those_of_this_kind() -> None:
    with pytest.raises(
        jobsworth.BadRequirement, match=r"not a measure of a Job\. Use one of compl"
    ):
        jobsworth.simulate(manifest(TRAINING)).check("missed <= 0")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"runs": 0}, jobsworth.BadQuestion, "runs: 0"),
        ({"runs": 10**9}, jobsworth.SimulationTooLarge, "1,000,000,000 runs"),
        ({"until": "soon"}, jobsworth.BadQuestion, 'until: "soon" is not a duration'),
        ({"drain": "soon"}, jobsworth.BadQuestion, '^drain: "soon"'),
        ({"node_lost": "1h:0"}, jobsworth.BadQuestion, '^node_lost: "0"'),
        ({"scenario": {"kind": "JobScenario"}}, jobsworth.BadScenario, "apiVersion"),
        ({"scenario": "no/such.yaml"}, jobsworth.InputError, "no/such.yaml"),
    ],
)
def test_a_wrong_argument_has_a_clear_error(
    arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        jobsworth.simulate(manifest(TRAINING), **arguments)


def test_a_rejected_object_is_not_simulated() -> None:
    job = manifest(TRAINING)
    job["spec"]["template"]["spec"]["restartPolicy"] = "Always"
    with pytest.raises(jobsworth.InputError, match="the API server rejects the object"):
        jobsworth.simulate(job)
