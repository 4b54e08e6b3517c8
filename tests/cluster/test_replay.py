"""`jobsworth replay` on a Job of a real cluster, whose Job controller made the decisions."""

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
ROLE = re.compile(r"<!-- role: replay -->\n```yaml\n(.*?)```", re.DOTALL)
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


def replayed(kubeconfig: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "jobsworth", "replay", *arguments, "-o", "json"],
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


def test_a_live_job_is_replayed_by_a_user_with_the_documented_rights(
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
    (role,) = ROLE.findall((ROOT / "docs/replay.md").read_text(encoding="utf-8"))
    bed.create(yaml.safe_load(role), namespace)
    bed.kubectl(
        "create",
        "rolebinding",
        "reader",
        "--role=jobsworth-replay",
        "--user=alice",
        "-n",
        namespace,
    )
    value = replayed(bed.user("alice"), "-n", namespace, "sweep")
    status = bed.get(path)["status"]
    assert value["end"]["reason"] == "MaxFailedIndexesExceeded"
    assert value["unknown"] == []
    failures = [each["failure"] for each in value["pods"] if each["failure"]]
    assert sum(each["counts"] for each in failures) == status["failed"]
    assert ",".join(sorted(value["failed_indexes"])) == status["failedIndexes"] == "1,2"
    effects = [
        (each["index"], each["failure"]["effect"]) for each in value["pods"] if each["failure"]
    ]
    assert sorted(effects) == [
        (1, "fails the index"),
        (2, "counted"),
        (2, "fails the index"),
    ]
    recording = bed.kubectl("get", "job,pods,events", "-n", namespace, "-o", "yaml").stdout
    (tmp_path / "recording.yaml").write_text(recording, encoding="utf-8")
    from_file = replayed(bed.kubeconfig, str(tmp_path / "recording.yaml"))
    assert {**from_file, "file": "", "line": None} == {**value, "file": "", "line": None}
