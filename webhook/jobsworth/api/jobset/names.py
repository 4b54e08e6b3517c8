"""The labels and names of what a JobSet creates, and the endpoint of its coordinator.

Source: api/jobset/v1alpha2/jobset_types.go of JobSet 0.12.
"""

from __future__ import annotations

from typing import Any

JOB_SET_NAME = "jobset.sigs.k8s.io/jobset-name"
"""The name of the JobSet."""
REPLICATED_JOB = "jobset.sigs.k8s.io/replicatedjob-name"
"""The name of the ReplicatedJob."""


def job_name(job_set: str, replicated_job: str, index: int) -> str:
    """Return the name of a Job.

    >>> job_name("train", "workers", 3)
    'train-workers-3'
    """
    return f"{job_set}-{replicated_job}-{index}"


def claim_name(job_set: str, template: str) -> str:
    """Return the name of the claim of a template in volumeClaimPolicies."""
    return f"{template}-{job_set}"


def subdomain(job_set: dict[str, Any]) -> str:
    """Return the subdomain of the Pods, and the name of the headless Service."""
    network = job_set["spec"].get("network", {})
    name: str = network.get("subdomain") or job_set["metadata"].get("name", "")
    return name


def coordinator_endpoint(job_set: dict[str, Any]) -> str:
    """Return the value of the coordinator label.

    Args:
        job_set: a JobSet with ``spec.coordinator``.
    """
    coordinator = job_set["spec"]["coordinator"]
    name = job_name(
        job_set["metadata"].get("name", ""),
        coordinator.get("replicatedJob", ""),
        coordinator.get("jobIndex", 0),
    )
    return f"{name}-{coordinator.get('podIndex', 0)}.{subdomain(job_set)}"
