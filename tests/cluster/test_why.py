"""`jobsworth why` names the cause of failures made on a test bed, whose Job controllers made the decisions.

``JOBSWORTH_RENEW=1`` writes what the API server has of each Job to tests/runs/why/data, where a fast test reads it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.why.failures import CASES, Case
from support.why.recorded_failures import diagnosed, write_failures

if TYPE_CHECKING:
    from cluster.controller.controllers import Controller

BUILT_IN, OURS = "kube-controller-manager", "jobsworth"
AT_ONCE = 6


@pytest.fixture(scope="module")
def saved() -> Iterator[dict[str, Any]]:
    """The objects of each failure, by the name of its case and its controller."""
    from cluster.controller.controllers import Jobsworth

    with bed_or_skip(
        controllers="job-controller,garbage-collector-controller", qps=200, burst=400
    ) as bed:
        ours: Controller = Jobsworth(bed)
        ours.as_usual()
        wanted = [(case, manager) for case in CASES for manager in (BUILT_IN, OURS)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = pool.map(lambda each: play(bed, *each), wanted)
            yield {
                f"{case.name} {manager}": objects
                for (case, manager), objects in zip(wanted, found, strict=True)
            }
        ours.kill()


def play(bed: Any, case: Case, manager: str) -> dict[str, Any]:
    """Make a failure, and return what the API server has of it."""
    from cluster.why.played_pods import PlayedJob

    namespace = prepared_namespace(bed, case)
    job = PlayedJob(bed, namespace, manifest(case, manager), keep=case.keep)
    case.play(job)
    return job.saved()


def prepared_namespace(bed: Any, case: Case) -> str:
    """Return a new namespace, with the labels and the quota of a case."""
    namespace: str = bed.namespace("why")
    if case.namespace_labels:
        patch = {"metadata": {"labels": case.namespace_labels}}
        path = f"/api/v1/namespaces/{namespace}"
        bed.request("PATCH", path, patch, content_type="application/merge-patch+json")
    if case.quota is not None:
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "pods"}}
        bed.create({**quota, "spec": {"hard": case.quota}}, namespace)
        path = f"/api/v1/namespaces/{namespace}/resourcequotas/pods/status"
        status = {"status": {"hard": case.quota, "used": {"pods": "0"}}}
        bed.request("PATCH", path, status, content_type="application/merge-patch+json")
    return namespace


def manifest(case: Case, manager: str) -> dict[str, Any]:
    pod = {
        "restartPolicy": "Never",
        "nodeName": "node-0",
        "containers": [{"name": "main", "image": "registry.example.com/solver:1"}],
        **case.pod,
    }
    managed = {"managedBy": "jobsworth.dev/job-controller"} if manager == OURS else {}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": case.name},
        "spec": {**managed, **case.spec, "template": {"spec": pod}},
    }


def test_the_sentence_names_the_cause_of_each_failure(saved: dict[str, Any]) -> None:
    """Print the sentences with ``pytest -s``."""
    wrong = []
    for case in CASES:
        for manager in (BUILT_IN, OURS):
            name = f"{case.name} {manager}"
            found = diagnosed(saved[name])
            print(f"\n{name}\n    {found.sentence}")
            if found.cause != case.cause:
                wrong.append(
                    f"{name}: the cause is {found.cause}, not {case.cause}: {found.sentence}"
                )
            wrong += [
                f"{name}: {words!r} is missing: {found.sentence}"
                for words in case.names
                if words not in found.sentence
            ]
    if os.environ.get("JOBSWORTH_RENEW"):
        write_failures(saved, {case.name: (case.cause, case.names) for case in CASES})
    assert not wrong, "\n".join(wrong)
