"""The public function that explains failure handling."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

import jobsworth
from jobsworth.documents.declared import json_value
from jobsworth.reports.explanation_report import explanation_report
from support.cli.command_runs import Command

ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "examples/valid/ml-training.yaml"
JOB_SET = ROOT / "docs/examples/job-set.yaml"


def manifest(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = next(yaml.safe_load_all(path.read_text()))
    return found


def test_the_table_is_that_of_the_command(command: Command) -> None:
    printed = command("explain", str(TRAINING), "-o", "json").loaded["jobs"][0]
    returned = json_value(explanation_report([jobsworth.explain(manifest(TRAINING))]))
    for key in ("settings", "exit_codes", "causes", "failed_index_limits"):
        assert returned["jobs"][0][key] == printed[key]


def test_two_versions_are_compared() -> None:
    job = manifest(TRAINING)
    assert jobsworth.explain(job).before is None
    assert not jobsworth.explain(job, before=job).changed
    changed = {**job, "spec": {**job["spec"], "backoffLimit": 17}}
    assert jobsworth.explain(changed, before=job).changed


def test_of_several_jobs_one_is_named() -> None:
    job_set = manifest(JOB_SET)
    with pytest.raises(jobsworth.InputError, match="set part to one of 'ReplicatedJob "):
        jobsworth.explain(job_set)
    name = job_set["spec"]["replicatedJobs"][0]["name"]
    explained = jobsworth.explain(job_set, part=f"ReplicatedJob {name}")
    assert explained.object.part == f"ReplicatedJob {name}"


def test_the_runs_of_a_cron_job_follow_the_given_time() -> None:
    job = manifest(TRAINING)
    cron_job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": job["spec"]}},
    }
    facts = dict(jobsworth.explain(cron_job, now=datetime(2027, 3, 27, tzinfo=UTC)).facts)
    assert any("2027-03-27 03:00" in value for value in facts.values()), facts


def test_a_rejected_object_is_not_explained() -> None:
    job = manifest(TRAINING)
    job["spec"]["template"]["spec"]["restartPolicy"] = "Always"
    with pytest.raises(jobsworth.InputError, match=r"the API server rejects the object:\nspec\.te"):
        jobsworth.explain(job)


def test_an_object_of_another_kind_is_named() -> None:
    with pytest.raises(jobsworth.UnknownKind, match="is a Service of v1"):
        jobsworth.explain({"apiVersion": "v1", "kind": "Service"})


def test_the_update_of_a_cron_job_names_the_runs_that_it_starts() -> None:
    job = manifest(TRAINING)
    spec = {"schedule": "0 23 * * *", "jobTemplate": {"spec": job["spec"]}}
    before = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": spec,
    }
    after = {**before, "spec": {**spec, "schedule": "0 5 * * *"}}
    now = datetime(2027, 1, 2, 12, tzinfo=UTC)
    (update,) = jobsworth.explain(after, before=before, now=now).updates
    assert update.startswith("The run of Sat 2027-01-02 05:00 +0000, which has passed")
    assert jobsworth.explain(before, before=before, now=now).updates == ()


@pytest.mark.parametrize("code", ["1", True, 1.0])
def test_find_refuses_a_code_of_another_type_by_name(code: Any) -> None:
    table = jobsworth.explain(yaml.safe_load(TRAINING.read_text())).table
    with pytest.raises(TypeError, match="code must be an int or None, not"):
        table.find("main", code)
