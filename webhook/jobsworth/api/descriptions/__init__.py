"""Short descriptions of fields, for JSON Schemas; the verdict does not need them."""

from __future__ import annotations


def field_descriptions() -> dict[str, str]:
    """What each field is for, by ``Type.field``."""
    from jobsworth.api.descriptions import containers, jobs, pods, volumes

    return {
        **jobs.DESCRIPTIONS,
        **pods.DESCRIPTIONS,
        **containers.DESCRIPTIONS,
        **volumes.DESCRIPTIONS,
    }
