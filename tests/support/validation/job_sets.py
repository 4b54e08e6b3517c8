"""JobSets for tests."""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]


def job_set(*jobs: JsonObject, name: str = "train", **spec: Any) -> JsonObject:
    """Return a JobSet of these ReplicatedJobs; further arguments are fields of its spec."""
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name},
        "spec": {"replicatedJobs": [*jobs], **spec},
    }


def replicated(
    name: str = "workers",
    *,
    job: JsonObject | None = None,
    pod: JsonObject | None = None,
    **fields: Any,
) -> JsonObject:
    """Return a ReplicatedJob.

    Args:
        name: of it.
        job: fields of the JobSpec.
        pod: fields of the PodSpec.
        fields: of the ReplicatedJob.
    """
    spec = {"containers": [{"name": "main", "image": "busybox"}], **(pod or {})}
    template = {"spec": {"template": {"spec": spec}, **(job or {})}}
    return {"name": name, "template": template, **fields}
