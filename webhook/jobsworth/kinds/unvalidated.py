"""Jobs and Pod templates inside objects of kinds that are not validated.

>>> from jobsworth.kinds.kind_table import SHIPPED
>>> unvalidated({"apiVersion": "tekton.dev/v1", "kind": "Task", "metadata": {"name": "build"}}, SHIPPED)
'Task build is not validated: its steps are containers with fields of their own, not Pod templates'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.formats.names import readable_name

if TYPE_CHECKING:
    from typing import Any

    from jobsworth.kinds.kind_table import KindTable

_KINDS = ("Job", "CronJob")
_REFERENCES = ("ownerReferences", "involvedObject", "regarding", "related")
"""Fields that name a Job and contain none: those of its Pods and Events."""
_TEXTS = ("ConfigMap", "Template")
"""Kinds of the core group that may contain other objects."""
MAX_VALUES = 20_000
"""The search stops after so many values."""


def unvalidated(value: Any, table: KindTable) -> str:
    """Return a sentence about what is not validated in an object of another kind; empty if that is nothing.

    Args:
        value: the object, as JSON decodes it.
        table: the kinds that contain templates.
    """
    if not isinstance(value, dict):
        return ""
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return ""
    skipped = table.unvalidated_kind(version, kind)
    if skipped is None and not _may_contain_jobs(version, kind):
        return ""
    name = readable_name(value.get("metadata"))
    subject = f"{kind} {name}" if name else kind
    if skipped is not None:
        return f"{subject} is not validated: {skipped.reason}"
    jobs, templates = _jobs_and_templates_in(value)
    if jobs:
        number = "a Job" if jobs == 1 else f"{jobs} Jobs"
        return f"{subject} contains {number}, which {_are(jobs)} not validated; {_ADVICE}"
    if templates:
        number = "a Pod template" if len(templates) == 1 else f"{len(templates)} Pod templates"
        return (
            f"{subject} contains {number} ({templates[0]}), which {_are(len(templates))} not validated; "
            "describe the kind in the configuration: see jobsworth kinds --help"
        )
    return ""


def is_list_of_jobs(value: Any) -> bool:
    """Return True for a list at the top of a document that contains a Job or CronJob.

    kubectl decodes a document into a map (k8s.io/cli-runtime, ``StreamVisitor``), and stops at a list.

    >>> is_list_of_jobs([{"apiVersion": "batch/v1", "kind": "Job"}]), is_list_of_jobs([{"op": "remove"}])
    (True, False)
    """
    return isinstance(value, list) and _jobs_and_templates_in(value)[0] > 0


_ADVICE = "validate them as manifests of their own"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _may_contain_jobs(version: str, kind: str) -> bool:
    """Return False for kinds that Kubernetes itself has, except those that may contain whole objects.

    Their Pods belong to servers, not to Jobs, and the schema of a CustomResourceDefinition is no object.
    """
    group, slash, _ = version.rpartition("/")
    if not slash or "." not in group:
        return kind in _TEXTS
    return not group.endswith(".k8s.io") or group.endswith(".x-k8s.io")


def _jobs_and_templates_in(value: Any) -> tuple[int, list[str]]:
    """Count the Jobs in an object's values and texts, and find the Pod templates."""
    jobs, visited = 0, 0
    templates: list[str] = []
    rest: list[tuple[str, Any]] = [("", value)]
    while rest and visited < MAX_VALUES:
        visited += 1
        path, part = rest.pop()
        if isinstance(part, dict):
            version = part.get("apiVersion")
            if part is not value and isinstance(version, str) and version.startswith("batch/"):
                jobs += part.get("kind") in _KINDS
            if path and _is_pod_template(part):
                templates.append(path)
                continue
            rest.extend(
                (f"{path}.{key}" if path else str(key), inner)
                for key, inner in reversed(part.items())
                if key not in _REFERENCES
            )
        elif isinstance(part, list):
            rest.extend((f"{path}[{index}]", item) for index, item in enumerate(part))
        elif isinstance(part, str) and "apiVersion: batch/" in part:
            jobs += sum(part.count(f"kind: {kind}\n") for kind in _KINDS)
    return jobs, templates


def _is_pod_template(part: dict[str, Any]) -> bool:
    spec = part.get("spec")
    containers = spec.get("containers") if isinstance(spec, dict) else None
    if not isinstance(containers, list) or not containers or "apiVersion" in part:
        return False
    first = containers[0]
    return isinstance(first, dict) and "name" in first
