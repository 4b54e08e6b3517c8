"""Jobs inside objects of other kinds, which are not validated.

>>> contained_jobs({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "fit"}})
'JobSet fit contains Job templates, which are not validated'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_OWN_TEMPLATES = {
    "JobSet": "jobset.x-k8s.io/",
    "ScaledJob": "keda.sh/",
}
"""Kinds with the template of a Job, and the beginning of their apiVersion."""

_KINDS = ("Job", "CronJob")
_REFERENCES = ("ownerReferences", "involvedObject", "regarding", "related")
"""Fields that name a Job and contain none: those of its Pods and Events."""
MAX_VALUES = 20_000
"""The search stops after so many values."""


def contained_jobs(value: Any) -> str:
    """Return a clause about the Jobs that an object of another kind contains; empty if it contains none."""
    if not isinstance(value, dict):
        return ""
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return ""
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    subject = f"{kind} {name}" if isinstance(name, str) and name else kind
    if version.startswith(_OWN_TEMPLATES.get(kind, "\0")):
        return f"{subject} contains Job templates, which are not validated"
    number = _jobs_in(value)
    if not number:
        return ""
    if number == 1:
        return f"{subject} contains a Job, which is not validated"
    return f"{subject} contains {number} Jobs, which are not validated"


def is_list_of_jobs(value: Any) -> bool:
    """Return True for a list at the top of a document that contains a Job or CronJob.

    kubectl decodes a document into a map (k8s.io/cli-runtime, ``StreamVisitor``), and stops at a list.

    >>> is_list_of_jobs([{"apiVersion": "batch/v1", "kind": "Job"}]), is_list_of_jobs([{"op": "remove"}])
    (True, False)
    """
    return isinstance(value, list) and _jobs_in(value) > 0


def _jobs_in(value: Any) -> int:
    """Count the Jobs in an object's values and texts."""
    found, visited, rest = 0, 0, [value]
    while rest and visited < MAX_VALUES:
        visited += 1
        part = rest.pop()
        if isinstance(part, dict):
            version = part.get("apiVersion")
            if part is not value and isinstance(version, str) and version.startswith("batch/"):
                found += part.get("kind") in _KINDS
            rest.extend(inner for key, inner in part.items() if key not in _REFERENCES)
        elif isinstance(part, list):
            rest.extend(part)
        elif isinstance(part, str) and "apiVersion: batch/" in part:
            found += sum(part.count(f"kind: {kind}\n") for kind in _KINDS)
    return found
