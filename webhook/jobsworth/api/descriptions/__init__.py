"""Short descriptions of fields, for JSON Schemas; the verdict does not need them."""

from __future__ import annotations


def field_descriptions() -> dict[str, str]:
    """What each field is for, by ``Type.field``."""
    from jobsworth.api.descriptions.containers import DESCRIPTIONS as CONTAINERS
    from jobsworth.api.descriptions.jobs import DESCRIPTIONS as JOBS
    from jobsworth.api.descriptions.pods import DESCRIPTIONS as PODS
    from jobsworth.api.descriptions.volumes import DESCRIPTIONS as VOLUMES

    return {**JOBS, **PODS, **CONTAINERS, **VOLUMES}
