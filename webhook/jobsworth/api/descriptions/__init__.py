"""Short descriptions of fields, for JSON Schemas; validation does not import them."""

from __future__ import annotations


def field_descriptions() -> dict[str, str]:
    """Return the description of each field, by ``Type.field``."""
    from jobsworth.api.descriptions.container_fields import DESCRIPTIONS as CONTAINERS
    from jobsworth.api.descriptions.job_fields import DESCRIPTIONS as JOBS
    from jobsworth.api.descriptions.job_fields import JOB_SETS
    from jobsworth.api.descriptions.pod_fields import DESCRIPTIONS as PODS
    from jobsworth.api.descriptions.volume_fields import DESCRIPTIONS as VOLUMES

    return {**JOBS, **JOB_SETS, **PODS, **CONTAINERS, **VOLUMES}
