"""A stored object has the violations that the webhook reported when it was created."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.reader import read
from jobsworth.validation.engine import engine_for

SERVER = ApiServer("1.36")
RULES = {
    "apiVersion": "jobsworth.dev/v1alpha1",
    "kind": "JobPolicy",
    "metadata": {"name": "rules"},
    "spec": {"rules": {"default": "deny"}},
}
BY_A_SERVER = {"namespace": "batch", "uid": "1", "creationTimestamp": "2026-01-15T08:00:00Z"}
CREATED = [{"manager": "kubectl-create", "operation": "Update", "fieldsV1": {}}]


def stored(**spec: Any) -> dict[str, Any]:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.36"}]}
    pod |= spec.pop("pod", {})
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train"},
        "spec": {"template": {"spec": pod}, **spec},
    }
    found: dict[str, Any] = engine_for(SERVER).default(job)
    found["metadata"] |= {**BY_A_SERVER, "managedFields": CREATED}
    return found


@pytest.mark.parametrize(
    "job",
    [
        stored(completionMode="Indexed", completions=5, parallelism=5),
        stored(pod={"restartPolicy": "OnFailure"}),
        stored(backoffLimit=6, activeDeadlineSeconds=60),
    ],
)
def test_a_policy_with_rules_has_the_same_violations_in_both(job: dict[str, Any]) -> None:
    evaluator = Evaluator(SERVER, policies=read([RULES]), api=False, lint=False)

    def found(source: Any) -> set[tuple[str, str]]:
        policy = evaluator.evaluate(Subject(job, source, kind="Job", namespace="batch")).policy
        assert policy is not None
        return {(one.violation.code, one.violation.field) for one in policy.verdict.findings}

    assert found("stored") == found("request")
