"""The kind JobSet, its minor versions, and the Kubernetes release whose Go types each of them is built on.

A JobSet manager decodes Job templates into the types of that release, whatever the API server could do: a
field that they lack is dropped. Sources: ``go.mod`` and the CRD of v0.8.0, v0.10.1, v0.11.1 and v0.12.0.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.feature_gates import FEATURE_GATES

API_VERSION, KIND = "jobset.x-k8s.io/v1alpha2", "JobSet"
BUILT_ON = {"0.8": "1.32", "0.10": "1.34", "0.11": "1.35", "0.12": "1.36"}
"""The release of ``k8s.io/api`` that each version is built on. The sources of 0.9 were not at hand."""

VERSIONS = tuple(BUILT_ON)
"""The known versions, the oldest first."""

NEWEST = VERSIONS[-1]


def is_job_set(value: Any) -> bool:
    """Return True for an object of the kind JobSet and an apiVersion that is declared."""
    return (
        isinstance(value, dict)
        and value.get("kind") == KIND
        and value.get("apiVersion") == API_VERSION
    )


class UnknownJobSetVersion(ValueError):
    """A version of JobSet that this version of jobsworth does not know."""


def known_version(text: str) -> str:
    """Return the minor version of a text such as ``0.12``, ``v0.12.0`` or ``0.12.1``.

    Raises:
        UnknownJobSetVersion: it is none of :data:`VERSIONS`.
    """
    version = ".".join(text.removeprefix("v").split(".")[:2])
    if version not in BUILT_ON:
        raise UnknownJobSetVersion(
            f'unknown JobSet version "{text}"; known are {", ".join(VERSIONS)}'
        )
    return version


def since(version: str) -> str:
    """Return how :class:`~jobsworth.api.declare.Field` states the first JobSet version that has a field."""
    return BUILT_ON[version]


def at_least(version: str, wanted: str) -> bool:
    """Return True if a version is the wanted one or a later one."""
    return VERSIONS.index(version) >= VERSIONS.index(wanted)


@cache
def go_types(version: str) -> ApiServer:
    """Return the release on which a JobSet version is built, with every field of its Go types.

    Feature gates concern an API server: the Go types of the manager have the fields of all of them.
    """
    return ApiServer(BUILT_ON[version]).with_fields_of(FEATURE_GATES)
