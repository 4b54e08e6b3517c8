"""A Job in which the defaults of a policy are validated when the policy is loaded."""

from __future__ import annotations

from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import engine_for


def sample_job(spec: dict[str, Any], metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a Job that has everything that defaults need."""
    container = {"name": "main", "image": "busybox:1.36"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sample", **(metadata or {})},
        "spec": {
            "completionMode": "Indexed",
            "completions": 100_000,
            "backoffLimitPerIndex": 1,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
            **spec,
        },
    }


def with_server_defaults(job: dict[str, Any]) -> dict[str, Any]:
    """Return a Job as the API server stores it."""
    return engine_for(ApiServer()).default(job)
