"""Short ways to write a Job, a scenario and a run."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import jobsworth
from jobsworth.runs.run_record import JobRecord, RunRecord
from jobsworth.runs.simulation.scenario import Scenario
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.scenario_run import run_once

Object = dict[str, Any]

IGNORE_DISRUPTIONS = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}


def on_exit(action: str, *codes: int, operator: str = "In") -> Object:
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(codes)}}


def pod_template(restart: str = "Never", **spec: Any) -> Object:
    container = {"name": "main", "image": "registry.example.com/train:1.4"}
    return {"spec": {"restartPolicy": restart, "containers": [container], **spec}}


def job(*rules: Object, restart: str = "Never", pod: Object | None = None, **spec: Any) -> Object:
    """Return a Job with the API server's defaults, with these rules as its failure policy."""
    if rules:
        spec["podFailurePolicy"] = {"rules": list(rules)}
    return jobsworth.default(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "train", "namespace": "batch"},
            "spec": {"template": pod_template(restart, **(pod or {})), **spec},
        }
    )


def indexed(*rules: Object, size: int, restart: str = "Never", **spec: Any) -> Object:
    """Return an Indexed Job that runs all indexes at once, unless `parallelism` says otherwise."""
    return job(
        *rules,
        restart=restart,
        **{"completionMode": "Indexed", "completions": size, "parallelism": size, **spec},
    )


def scenario_document(*cases: Object, disruptions: tuple[Object, ...] = (), **spec: Any) -> Object:
    pods = {"startup": "5s", "duration": "10m", **spec.pop("pods", {}), "cases": list(cases)}
    return {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobScenario",
        "metadata": {"name": "test"},
        "spec": {"pods": pods, "disruptions": list(disruptions), **spec},
    }


def scenario(*cases: Object, disruptions: tuple[Object, ...] = (), **spec: Any) -> Scenario:
    """Return a scenario with these cases of Pods; by default each Pod runs for ten minutes and succeeds."""
    return read_scenario(scenario_document(*cases, disruptions=disruptions, **spec))


def run(manifest: Object, given: Scenario, seed: int = 1) -> RunRecord:
    return run_once(manifest, given, seed)


def outcome(record: RunRecord) -> tuple[str, str]:
    return record.job.outcome, record.job.reason


def ends(record: JobRecord) -> list[tuple[str, str]]:
    """Return the name of each Pod with how it was counted."""
    return [(pod.name, pod.counted) for pod in record.pods]


def gaps(record: JobRecord, index: int | None = None) -> list[int]:
    """Return the seconds from the end of each Pod of an index to the creation of its replacement."""
    pods = [pod for pod in record.pods if pod.index == index]
    return [(later.created - (earlier.ended or 0)) // 1000 for earlier, later in pairwise(pods)]
