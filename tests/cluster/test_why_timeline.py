"""`jobsworth why --timeline` on a Job of a real cluster, whose Job controller made the decisions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from cluster.controller.waiting import eventually
from cluster.small_jobs import JOBS

if TYPE_CHECKING:
    from cluster.bed import TestBed

ROOT = Path(__file__).parent.parent.parent
ROLE = re.compile(r"<!-- role: why -->\n```yaml\n(.*?)```", re.DOTALL)
SWEEP: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "sweep"},
    "spec": {
        "completions": 3,
        "parallelism": 3,
        "completionMode": "Indexed",
        "backoffLimitPerIndex": 1,
        "maxFailedIndexes": 1,
        "podFailurePolicy": {
            "rules": [{"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [42]}}]
        },
        "template": {
            "metadata": {
                "annotations": {
                    "bed/exit-code.1": "42",
                    "bed/exit-code.2": "1",
                    "bed/run-for": "1s",
                }
            },
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "solver", "image": "registry.example.com/solver:1"}],
            },
        },
    },
}


@pytest.fixture(scope="module")
def bed() -> Iterator[TestBed]:
    with bed_or_skip(controllers="job-controller", kubelet=True) as bed:
        yield bed


def timeline(kubeconfig: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "jobsworth",
            "why",
            *arguments,
            "--timeline",
            "--no-logs",
            "-o",
            "json",
        ],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "KUBECONFIG": str(kubeconfig),
            "PYTHONPATH": str(ROOT / "webhook"),
        },
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def test_a_live_job_has_a_timeline_for_a_user_with_the_documented_rights(
    bed: TestBed, tmp_path: Path
) -> None:
    namespace = bed.namespace()
    bed.create(SWEEP, namespace)
    path = f"{JOBS.format(namespace)}/sweep"

    def unfinished() -> str:
        conditions = bed.get(path)["status"].get("conditions") or []
        done = any(each["type"] == "Failed" for each in conditions)
        return "" if done else f"the Job has {conditions}"

    eventually(unfinished, within=60)
    (role,) = ROLE.findall((ROOT / "docs/why.md").read_text(encoding="utf-8"))
    bed.create(yaml.safe_load(role), namespace)
    bed.kubectl(
        "create",
        "rolebinding",
        "reader",
        "--role=jobsworth-why",
        "--user=alice",
        "-n",
        namespace,
    )
    value = timeline(bed.user("alice"), "-n", namespace, "job/sweep")
    status = bed.get(path)["status"]
    assert value["reason"] == "MaxFailedIndexesExceeded"
    assert value["unknown"] == []
    pods = [each for each in value["timeline"]["pods"] if each["failure"]]
    assert sum(each["failure"]["effect"] != "Ignore" for each in pods) == status["failed"]
    failed = sorted(str(each["index"]) for each in value["timeline"]["failed_indexes"])
    assert ",".join(failed) == status["failedIndexes"] == "1,2"
    effects = [(each["index"], each["failure"]["effect"]) for each in pods]
    assert sorted(effects) == [(1, "FailIndex"), (2, "Count"), (2, "FailIndex")]
    recording = bed.kubectl("get", "job,pods,events", "-n", namespace, "-o", "yaml").stdout
    (tmp_path / "recording.yaml").write_text(recording, encoding="utf-8")
    from_file = timeline(bed.kubeconfig, str(tmp_path / "recording.yaml"))
    assert from_file["timeline"] == value["timeline"]
