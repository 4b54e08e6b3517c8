"""A task of Airflow that runs a Job, and the tests of the Job."""

from __future__ import annotations

from unittest.mock import patch

from airflow.providers.cncf.kubernetes.hooks.kubernetes import KubernetesHook
from airflow.providers.cncf.kubernetes.operators.job import KubernetesJobOperator
from kubernetes.client import V1Job

from jobsworth.testing import assert_completes, assert_valid

train = KubernetesJobOperator(
    task_id="train",
    namespace="ml",
    name="train",
    image="registry.example.com/train:1.4",
    backoff_limit=3,
    completions=4,
    parallelism=4,
    completion_mode="Indexed",
    ttl_seconds_after_finished=3600,
)


def job_of(task: KubernetesJobOperator) -> V1Job:
    """Return the Job that a task creates; no cluster is needed for it."""
    with patch.object(KubernetesHook, "is_in_cluster", False):
        return task.build_job_request_obj({})


def test_the_job_is_valid() -> None:
    assert_valid(job_of(train))


def test_it_survives_a_drain() -> None:
    assert_completes(job_of(train), drain="5m:2", at_least=0.9)
