"""Jobs and Pod templates inside objects of kinds that are not validated.

>>> from jobsworth.kinds.kind_table import SHIPPED
>>> unvalidated({"apiVersion": "tekton.dev/v1", "kind": "Task", "metadata": {"name": "build"}}, SHIPPED)
'Task build is not validated: its steps are containers with fields of their own, not Pod templates'
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.kinds.children import templates_at
from jobsworth.kinds.kind_table import KindTable, UnvalidatedKind
from jobsworth.kinds.operator_kinds import operator_kind
from kube_cel.formats.names import readable_name

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
    if not _is_object(value):
        return ""
    kind, version = value["kind"], value["apiVersion"]
    reason = _reason(value, version, kind, table)
    if not reason and not _may_contain_jobs(version, kind):
        return ""
    name = readable_name(value.get("metadata"))
    subject = f"{kind} {name}" if name else kind
    if reason:
        return f"{subject} is not validated: {reason}"
    jobs, templates = _jobs_and_templates_in(value)
    if jobs:
        return _contains(subject, jobs)
    if templates:
        number = "a Pod template" if len(templates) == 1 else f"{len(templates)} Pod templates"
        return (
            f"{subject} contains {number} ({templates[0]}), which {_are(len(templates))} not validated. "
            "Describe the kind in the configuration: see jobsworth kinds --help."
        )
    return ""


def unvalidated_jobs(value: Any) -> tuple[str, str]:
    """Return a sentence about the Jobs of a document that is not an object, and the path of the first.

    Both are empty if there are none. Such a document is a playbook of Ansible, or the values of a chart. A
    mapping that only names a Job has no spec.

    >>> job = {"apiVersion": "batch/v1", "kind": "Job", "spec": {}}
    >>> unvalidated_jobs([{"tasks": [{"k8s": {"definition": job}}]}])[1]
    '[0].tasks[0].k8s.definition'
    """
    if _is_object(value):
        return "", ""
    paths = [
        path
        for path, part in _parts(value)
        if isinstance(part, dict) and _is_job(part) and isinstance(part.get("spec"), dict)
    ]
    return (_contains("this document", len(paths)), paths[0]) if paths else ("", "")


def _is_object(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("kind"), str)
        and isinstance(value.get("apiVersion"), str)
    )


def _contains(subject: str, jobs: int) -> str:
    if jobs == 1:
        return f"{subject} contains a Job that is not validated. Move it to its own manifest to check it."
    return (
        f"{subject} contains {jobs} Jobs that are not validated. Move them to their own manifests to check "
        "them."
    )


def _reason(value: dict[str, Any], version: str, kind: str, table: KindTable) -> str:
    """Return why an object of a known kind is not validated, as a clause; empty for an unknown kind."""
    skipped = table.unvalidated_kind(version, kind)
    if skipped is not None:
        return (
            skipped.reason
            if _has_own(value, skipped)
            else f"it runs what {skipped.reference} names"
        )
    templates = table.templates_of(version, kind)
    if templates:
        paths = " or ".join(dict.fromkeys(entry.path for entry in templates))
        what = _TEMPLATES.get(templates[0].type, "Job template")
        return f"it has no {paths}, and nothing else in it is a {what}"
    known = operator_kind(version, kind)
    if known is None:
        return ""
    versions = " and ".join(f"{known.group}/{each}" for each in known.versions)
    return f"{version} is not known, only {versions}"


def _has_own(value: dict[str, Any], kind: UnvalidatedKind) -> bool:
    """Return False for an object that names another one instead of what the reason is about."""
    if not kind.reference or any(templates_at(value, kind.own)):
        return True
    return not any(templates_at(value, kind.reference))


def is_list_of_jobs(value: Any) -> bool:
    """Return True for a list of objects at the top of a document that contains a Job or CronJob.

    kubectl decodes a document into a map (k8s.io/cli-runtime, ``StreamVisitor``), and stops at a list. A list
    of something else, such as tasks of Ansible, is not a manifest.

    >>> is_list_of_jobs([{"apiVersion": "batch/v1", "kind": "Job"}]), is_list_of_jobs([{"op": "remove"}])
    (True, False)
    """
    if not isinstance(value, list) or not any(
        isinstance(item, list) or (isinstance(item, dict) and "apiVersion" in item)
        for item in value
    ):
        return False
    return _jobs_and_templates_in(value)[0] > 0


_TEMPLATES = {"PodTemplateSpec": "Pod template", "Object": "manifest"}


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _may_contain_jobs(version: str, kind: str) -> bool:
    """Return False for kinds that Kubernetes itself has, except those that may contain whole objects.

    Their Pods belong to servers, not to Jobs, and the schema of a CustomResourceDefinition is not an object.
    """
    group, slash, _ = version.rpartition("/")
    if not slash or "." not in group:
        return kind in _TEXTS
    return not group.endswith(".k8s.io") or group.endswith(".x-k8s.io")


def _jobs_and_templates_in(value: Any) -> tuple[int, list[str]]:
    """Count the Jobs in an object's values and texts, and find the Pod templates."""
    jobs = 0
    templates: list[str] = []
    for path, part in _parts(value):
        if isinstance(part, dict):
            if part is not value:
                jobs += _is_job(part)
            if path and _is_pod_template(part):
                templates.append(path)
        elif isinstance(part, str) and "apiVersion: batch/" in part:
            jobs += sum(part.count(f"kind: {kind}\n") for kind in _KINDS)
    return jobs, templates


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the first parts of a value in which Jobs may be, with their paths, in the order of the text."""
    rest: list[tuple[str, Any]] = [("", value)]
    visited = 0
    while rest and visited < MAX_VALUES:
        visited += 1
        path, part = rest.pop()
        if isinstance(part, dict):
            if path and _is_server(part):
                continue
            yield path, part
            if path and _is_pod_template(part):
                continue
            rest.extend(
                (f"{path}.{key}" if path else str(key), inner)
                for key, inner in reversed(part.items())
                if key not in _REFERENCES
            )
        else:
            yield path, part
            if isinstance(part, list):
                rest.extend(
                    (f"{path}[{index}]", part[index]) for index in reversed(range(len(part)))
                )


def _is_job(part: dict[str, Any]) -> bool:
    version = part.get("apiVersion")
    return isinstance(version, str) and version.startswith("batch/") and part.get("kind") in _KINDS


def _is_server(part: dict[str, Any]) -> bool:
    """Return True for an object of Kubernetes itself whose Pods are not those of a Job."""
    version, kind = part.get("apiVersion"), part.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str) or version.startswith("batch/"):
        return False
    return not _may_contain_jobs(version, kind)


def _is_pod_template(part: dict[str, Any]) -> bool:
    spec = part.get("spec")
    containers = spec.get("containers") if isinstance(spec, dict) else None
    if not isinstance(containers, list) or not containers or "apiVersion" in part:
        return False
    first = containers[0]
    return isinstance(first, dict) and "name" in first
