"""A Job that a program makes with the kubernetes package, and its tests."""

from __future__ import annotations

from kubernetes import client

from jobsworth import validate
from jobsworth.testing import assert_completes, assert_simulation, assert_valid


def training_job(shards: int) -> client.V1Job:
    """Return the Job that trains on a number of shards."""
    disrupted = client.V1PodFailurePolicyRule(
        action="Ignore",
        on_pod_conditions=[
            client.V1PodFailurePolicyOnPodConditionsPattern(type="DisruptionTarget", status="True")
        ],
    )
    container = client.V1Container(
        name="main",
        image="registry.example.com/train:1.4",
        resources=client.V1ResourceRequirements(requests={"cpu": "1", "memory": "2Gi"}),
    )
    pod = client.V1PodSpec(restart_policy="Never", containers=[container])
    return client.V1Job(
        api_version="batch/v1",
        kind="Job",
        metadata=client.V1ObjectMeta(name="train"),
        spec=client.V1JobSpec(
            completion_mode="Indexed",
            completions=shards,
            parallelism=shards,
            backoff_limit_per_index=2,
            pod_failure_policy=client.V1PodFailurePolicy(rules=[disrupted]),
            template=client.V1PodTemplateSpec(spec=pod),
        ),
    )


def test_the_job_is_valid() -> None:
    assert_valid(training_job(shards=8), fail_on="warning")


def test_old_clusters_accept_it() -> None:
    assert validate(training_job(shards=8), kubernetes_version="1.29") == []


def test_it_survives_the_drain_of_two_nodes() -> None:
    assert_completes(training_job(shards=8), drain=("5m:2", "10m:2"), at_least=0.99, within="2h")


def test_few_pod_hours_are_wasted_on_spot_nodes() -> None:
    assert_simulation(training_job(shards=8), "wastedHours <= 0.5", spot="4h")
