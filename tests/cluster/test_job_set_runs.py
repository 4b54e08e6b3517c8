"""JobSet's manager restarts, completes and fails JobSets as the simulator does, with Pods that end in real time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.bed.stages import EXIT_CODE, NEVER, RUN_FOR
from cluster.programs import NEWEST, MissingProgram
from jobsworth.api.api_server import ApiServer
from jobsworth.kinds.job_set_children import children
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.scenario_run import run_once
from jobsworth.validation.engine import engine_for
from jobsworth.validation.job_sets import verdict

if TYPE_CHECKING:
    from cluster.bed import TestBed
    from cluster.jobset_manager import JobSetManager

Object = dict[str, Any]
CONTROLLERS = "job-controller,garbage-collector-controller"
WITHIN = 90.0
"""Seconds in which a JobSet finishes on a busy machine."""
OUTCOMES = {"Completed": "Complete", "Failed": "Failed"}


@pytest.fixture(scope="module")
def managed() -> Iterator[tuple[TestBed, JobSetManager]]:
    from cluster.jobset_manager import JobSetManager

    with bed_or_skip(NEWEST, controllers=CONTROLLERS, kubelet=True) as bed:
        try:
            manager = JobSetManager(bed)
        except MissingProgram as missing:
            pytest.skip(str(missing))
        with manager:
            yield bed, manager


def replicated(name: str, code: str, seconds: int, replicas: int = 1, **more: Any) -> Object:
    """Return a ReplicatedJob whose Pods run for some seconds and end with an exit code, or never."""
    annotations = {EXIT_CODE: code, RUN_FOR: f"{seconds}s"}
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    job = {
        "backoffLimit": 0,
        "podFailurePolicy": {"rules": [rule]},
        "template": {
            "metadata": {"annotations": annotations},
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "registry.example.com/train:1.4"}],
            },
        },
    }
    return {"name": name, "replicas": replicas, "template": {"spec": job}, **more}


DRIVER = replicated("driver", NEVER, 0)
FAILING = replicated("workers", "1", 2)
BROKEN = replicated("workers", "42", 2)
FAIL_ON_RULE = {"action": "FailJobSet", "onJobFailureReasons": ["PodFailurePolicy"]}
FAIL_ON_MESSAGE = {"action": "FailJobSet", "onJobFailureMessagePatterns": ["exit code 4[12] "]}
FAIL_ON_DRIVER = {"action": "FailJobSet", "targetReplicatedJobs": ["driver"]}


def in_order(*jobs: Object) -> Object:
    return {"replicatedJobs": [*jobs], "startupPolicy": {"startupPolicyOrder": "InOrder"}}


def policy(*rules: Object, most: int, **more: Any) -> Object:
    return {"failurePolicy": {"maxRestarts": most, "rules": [*rules], **more}}


# No two Jobs of a JobSet end at the same time: which of them its controller would see first is chance.
CASES: dict[str, Object] = {
    "all-complete": {
        "replicatedJobs": [replicated("driver", "0", 3), replicated("workers", "0", 2, 2)]
    },
    "no-policy": {"replicatedJobs": [DRIVER, FAILING]},
    "two-restarts": {"replicatedJobs": [DRIVER, FAILING], **policy(most=2)},
    "blocking": {
        "replicatedJobs": [DRIVER, FAILING],
        **policy(most=1, restartStrategy="BlockingRecreate"),
    },
    "fail-on-rule": {"replicatedJobs": [DRIVER, BROKEN], **policy(FAIL_ON_RULE, most=2)},
    "fail-on-message": {"replicatedJobs": [DRIVER, BROKEN], **policy(FAIL_ON_MESSAGE, most=2)},
    "other-target": {"replicatedJobs": [DRIVER, FAILING], **policy(FAIL_ON_DRIVER, most=1)},
    "success-of-one": {
        "replicatedJobs": [DRIVER, replicated("workers", "0", 2)],
        "successPolicy": {"operator": "Any", "targetReplicatedJobs": ["workers"]},
    },
    "in-order": in_order(replicated("driver", "0", 6), replicated("workers", "0", 2, 2)),
    "depends-on": {
        "replicatedJobs": [
            replicated("first", "0", 3),
            replicated("second", "1", 2, dependsOn=[{"name": "first", "status": "Complete"}]),
        ],
        **policy(most=1),
    },
}


def simulated(manifest: Object) -> dict[str, Any]:
    defaulted = verdict(manifest).defaulted
    assert defaulted is not None
    engine = engine_for(ApiServer())
    cases = []
    for job in manifest["spec"]["replicatedJobs"]:
        said = job["template"]["spec"]["template"]["metadata"]["annotations"]
        ends = said[EXIT_CODE] != NEVER
        cases.append(
            {
                "replicatedJobs": job["name"],
                "duration": said[RUN_FOR] if ends else "never",
                "exitCode": int(said[EXIT_CODE]) if ends else 0,
            }
        )
    scenario = read_scenario(
        {
            "apiVersion": "jobsworth.dev/v1alpha1",
            "kind": "JobScenario",
            "spec": {
                "until": "10m",
                "pods": {"startup": "0s", "termination": "0s", "cases": cases},
            },
        }
    )
    created = [engine.default(child.value) for child in children(defaulted)]
    record = run_once(defaulted, scenario, 1, children=created)
    assert record.job_set is not None
    return {
        "outcome": record.job_set.outcome,
        "reason": record.job_set.reason,
        "restarts": len(record.job_set.restarts),
        "counted": sum(decision.counts for _, decision in record.job_set.restarts),
        "kept": sorted(
            job.name
            for job in record.jobs
            if job.run == record.job_set.attempts and job.deleted is None
        ),
    }


def measured(bed: TestBed, path: str) -> dict[str, Any]:
    begun = time.monotonic()
    while True:
        found = bed.request("GET", path).body
        status = found.get("status", {})
        for condition in status.get("conditions", ()):
            if condition["type"] in OUTCOMES and condition["status"] == "True":
                time.sleep(3)  # the Jobs that it deletes are gone
                return {
                    "outcome": OUTCOMES[condition["type"]],
                    "reason": condition["reason"],
                    "restarts": status.get("restarts", 0),
                    "counted": status.get("restartsCountTowardsMax", 0),
                    "kept": _jobs(bed, found["metadata"]["namespace"]),
                }
        assert time.monotonic() < begun + WITHIN, f"not finished: {status}"
        time.sleep(0.2)


def _jobs(bed: TestBed, namespace: str) -> list[str]:
    found = bed.get(f"/apis/batch/v1/namespaces/{namespace}/jobs")["items"]
    return sorted(
        job["metadata"]["name"] for job in found if "deletionTimestamp" not in job["metadata"]
    )


@pytest.fixture(scope="module")
def started(managed: tuple[TestBed, JobSetManager]) -> dict[str, str]:
    """Create all JobSets at once, each in a namespace of its own, and return their paths."""
    bed, manager = managed
    paths = {}
    for name, spec in CASES.items():
        namespace = bed.namespace(name)
        answer = bed.request("POST", manager.path(namespace), manifest(name, spec, namespace))
        assert answer.code == 201, answer.body
        paths[name] = f"{manager.path(namespace)}/train"
    return paths


def manifest(name: str, spec: Object, namespace: str) -> Object:
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "train", "namespace": namespace, "labels": {"case": name}},
        "spec": spec,
    }


@pytest.mark.parametrize("name", CASES)
def test_a_job_set_ends_as_simulated(
    managed: tuple[TestBed, JobSetManager], started: dict[str, str], name: str
) -> None:
    assert measured(managed[0], started[name]) == simulated(manifest(name, CASES[name], "default"))
