"""Find the templates in an object of another kind, and build what the operator creates from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jobsworth.api.field_errors import FieldError, forbidden, not_supported
from jobsworth.api.jobset.versions import API_VERSION, KIND, is_job_set
from jobsworth.kinds.child import Child, Template
from jobsworth.kinds.kind_table import (
    ABOUT_APPLYING,
    METADATA,
    POD,
    SHIPPED,
    EmbeddedTemplate,
    KindTable,
)
from jobsworth.kinds.template_parameters import with_parameters
from jobsworth.validation.engine import UnknownKind, kind_of

RANDOM_CHARACTERS = "xxxxx"
"""Stands for the characters that the API server adds to a generateName."""
MAX_NAME = 63 - len(RANDOM_CHARACTERS)

_PARTS = {
    "Object": "",
    "JobTemplateSpec": "",
    "JobSpec": "spec",
    "PodTemplateSpec": "spec.template",
}
"""The field path in the child of each type of template."""

RESTART_POLICY = f"{POD}.restartPolicy"
DEADLINE = f"{POD}.activeDeadlineSeconds"
RESTART_POLICIES = ("Always", "OnFailure", "Never")
"""The restart policies of Pods, in the order of the API server's message
(``validateRestartPolicy`` in ``pkg/apis/core/validation``)."""


class Found:
    """A template in an object.

    Attributes:
        path: its field path.
        value: its value.
        holder: the field path of the map that has it.
        siblings: that map.
    """

    __slots__ = ("holder", "path", "siblings", "value")

    def __init__(self, path: str, value: Any, holder: str, siblings: Mapping[str, Any]) -> None:
        self.path = path
        self.value = value
        self.holder = holder
        self.siblings = siblings


def children_of(value: Mapping[str, Any], table: KindTable) -> list[Child]:
    """Return what operators create from the templates of an object.

    Jobs and objects that are not maps are left out: nothing can be created from them.

    Args:
        value: the object, as JSON decodes it.
        table: the kinds that contain templates.
    """
    entries = table.templates_of(value.get("apiVersion"), value.get("kind"))
    return [
        _child(value, entry, found)
        for entry in entries
        for found in templates_at(value, entry.path)
        if isinstance(found.value, dict) or entry.type == "PodTemplateSpec"
    ]


def templates_at(value: Mapping[str, Any], pattern: str) -> Iterator[Found]:
    """Yield the values at a path with ``[*]`` for every item of a list, and ``{*}`` for every key of a map.

    >>> replicas = {"spec": {"roles": {"Master": {"template": 1}, "Worker": {"template": 2}}}}
    >>> [(found.path, found.value) for found in templates_at(replicas, "spec.roles.{*}.template")]
    [('spec.roles.Master.template', 1), ('spec.roles.Worker.template', 2)]
    """
    yield from _expanded(Found("", value, "", value), pattern.split("."))


def _expanded(found: Found, steps: list[str]) -> Iterator[Found]:
    if not steps:
        yield found
        return
    step, rest = steps[0], steps[1:]
    holder = found.value
    if not isinstance(holder, dict):
        return
    if step == "{*}":
        names = [name for name in holder if isinstance(name, str)]
    else:
        names = [step.removesuffix("[*]")]
    for name in names:
        path = f"{found.path}.{name}" if found.path else name
        inner = holder.get(name)
        if step.endswith("[*]"):
            if isinstance(inner, list):
                for index, item in enumerate(inner):
                    yield from _expanded(Found(f"{path}[{index}]", item, found.path, holder), rest)
        elif inner is not None:
            yield from _expanded(Found(path, inner, found.path, holder), rest)


def _child(value: Mapping[str, Any], entry: EmbeddedTemplate, found: Found) -> Child:
    if entry.type == "Object":
        created, kind = found.value, found.value.get("kind")
        if entry.kind == "Template":
            created = with_parameters(created, value.get("parameters"))
        what = f"the {kind} that {entry.operator or 'a client'} creates"
        ignores = ABOUT_APPLYING if entry.operator else ()
        return Child(value=created, what=what, origins={"": found.path}, ignores=ignores)
    if entry.type == "JobSetSpec":
        return _job_set(value, entry, found)
    job, causes = _job(value, entry, found)
    added = _add_volumes(job, value, entry)
    errors = _judged_by_owner(entry, job)
    unset = (target for target in entry.defaults if _value_at(job, target) is None)
    origins = {_PARTS[entry.type]: found.path}
    if not entry.operator and "metadata" in value:
        origins["metadata"] = "metadata"
        causes.pop("metadata", None)
    return Child(
        value=job,
        what=_what(entry),
        origins=origins,
        causes=causes if entry.owner == "Job" else _in_template(causes),
        silent=(*entry.overwrites, *unset, *added) if entry.operator else _without_source(value),
        ignores=entry.ignores,
        variables=entry.variables,
        owner="PodTemplate" if entry.kind == "PodTemplate" else entry.owner,
        errors=errors,
        replaced=_replaced(entry, found, job, causes),
        unknown=_unknown_metadata(job) if entry.of_controller_gen else (),
        template=Template(entry.type, found.path, found.value) if entry.of_controller_gen else None,
        is_complete=not entry.is_patch,
    )


def _job_set(value: Mapping[str, Any], entry: EmbeddedTemplate, found: Found) -> Child:
    job_set = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": _metadata(value, entry),
        "spec": found.value,
    }
    return Child(
        value=job_set,
        what=f"the JobSet that {entry.operator} creates",
        origins={"spec": found.path},
        causes={"metadata": "metadata.name"},
        silent=entry.overwrites,
        ignores=(*entry.ignores, *ABOUT_APPLYING),
        variables=entry.variables,
    )


def _what(entry: EmbeddedTemplate) -> str:
    if not entry.operator:
        return ""
    created = {"Job": "Job", "StatefulSet": "StatefulSet", "Pod": "Pods"}[entry.owner]
    return f"the {created} that {entry.operator} creates"


def _judged_by_owner(entry: EmbeddedTemplate, job: dict[str, Any]) -> tuple[FieldError, ...]:
    """Take from a Job what only other owners of Pods may have, and return their errors about it.

    Sources: ``ValidateStatefulSetSpec`` in ``pkg/apis/apps/validation``; ``validateResizePolicy`` in
    ``pkg/apis/core/validation``, which distinguishes ``Never`` from the others.
    """
    if entry.owner == "Job":
        return ()
    policy = _value_at(job, RESTART_POLICY)
    if policy is None or isinstance(policy, str):
        _put(job, RESTART_POLICY, "Never" if policy == "Never" else "OnFailure")
    errors = []
    if entry.is_patch or not isinstance(policy, str | None):
        return ()
    if policy and policy not in RESTART_POLICIES:
        errors.append(not_supported(RESTART_POLICY, policy, RESTART_POLICIES, "restartPolicy.enum"))
    if entry.owner == "StatefulSet":
        if policy and policy != "Always":
            errors.append(not_supported(RESTART_POLICY, policy, ("Always",), "restartPolicy.enum"))
        if isinstance(_value_at(job, DEADLINE), int):
            detail = "activeDeadlineSeconds in StatefulSet is not Supported"
            errors.append(forbidden(DEADLINE, detail))
    return tuple(errors)


def _job(
    value: Mapping[str, Any], entry: EmbeddedTemplate, found: Found
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the Job for a template, and the causes of what the template does not say."""
    job: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job"}
    if entry.type == "JobTemplateSpec":
        job.update(found.value)
    elif entry.type == "JobSpec":
        job["spec"] = {**found.value}
    else:
        job["spec"] = {"template": found.value}
    metadata = job.get("metadata")
    job["metadata"] = {
        **(metadata if isinstance(metadata, dict) else {}),
        **_metadata(value, entry),
    }
    causes = {"metadata.name": "metadata.name", "metadata.generateName": "metadata.name"}
    if entry.type != "JobTemplateSpec":
        causes["metadata"] = "metadata.name"
    for target, source in entry.copies.items():
        at, holder = (
            (f"{found.holder}{source}", found.siblings) if source[0] == "." else (source, value)
        )
        copied = _value_at(holder, source.lstrip("."))
        if copied is not None:
            _put(
                job,
                target,
                entry.translates.get(copied, copied) if isinstance(copied, str) else copied,
            )
        elif _value_at(job, target) is not None:
            _put(job, target, None)
        causes[target] = at
    for target, default in entry.defaults.items():
        if not isinstance(_value_at(job, target.rpartition(".")[0]), dict):
            continue  # nothing can be set in a template that is not there
        if _value_at(job, target) in (None, ""):
            _put(job, target, default)
            causes.setdefault(target, found.path)
    for label in entry.labels:
        _put_label(job, label, str(_value_at(value, "metadata.name")))
    return job, causes


def _replaced(
    entry: EmbeddedTemplate, found: Found, job: dict[str, Any], causes: Mapping[str, str]
) -> dict[str, str]:
    """Return the fields of a template that lose their value to a field beside it, with that field."""
    part = _PARTS[entry.type]
    replaced = {}
    for target in entry.copies:
        written = _value_at(found.value, target.removeprefix(f"{part}."))
        if target.startswith(f"{part}.") and written not in (None, _value_at(job, target)):
            replaced[f"{found.path}{target.removeprefix(part)}"] = causes[target]
    return replaced


def _add_volumes(
    job: dict[str, Any], value: Mapping[str, Any], entry: EmbeddedTemplate
) -> tuple[str, ...]:
    """Add the volumes of the operator that a template mounts and does not have; return their field paths."""
    pod = _value_at(job, POD)
    if not (entry.volumes or entry.claims) or not isinstance(pod, dict):
        return ()
    volumes = pod.get("volumes")
    if not isinstance(volumes, list | None):
        return ()
    written = volumes or []
    have = _names(pod, "volumes[*].name")
    mounted = _names(pod, "containers[*].volumeMounts[*].name")
    mounted |= _names(pod, "initContainers[*].volumeMounts[*].name")
    claims = _names(value, entry.claims) if entry.claims else set()
    added = sorted(mounted & {*entry.volumes, *claims} - have)
    if added:
        _put(job, f"{POD}.volumes", [*written, *({"name": name, "emptyDir": {}} for name in added)])
    return tuple(f"{POD}.volumes[{len(written) + index}]" for index in range(len(added)))


def _names(value: Mapping[str, Any], pattern: str) -> set[str]:
    found = (each.value for each in templates_at(value, pattern))
    return {name for name in found if isinstance(name, str)}


def _metadata(value: Mapping[str, Any], entry: EmbeddedTemplate) -> dict[str, Any]:
    metadata = value.get("metadata")
    own = metadata if isinstance(metadata, dict) else {}
    if not entry.operator:
        return {**own}  # the API server validates the object itself
    name = own.get("name")
    name = name if isinstance(name, str) and name else "x"
    job_name = entry.job_name.format(name=name)
    if job_name.endswith("-"):
        job_name = job_name[:MAX_NAME] + RANDOM_CHARACTERS
    found: dict[str, Any] = {"name": job_name}
    if isinstance(own.get("namespace"), str):
        found["namespace"] = own["namespace"]
    return found


def _value_at(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _unknown_metadata(job: dict[str, Any]) -> tuple[str, ...]:
    metadata = _value_at(job, "spec.template.metadata")
    if not isinstance(metadata, dict):
        return ()
    return tuple(f"spec.template.metadata.{name}" for name in metadata if name not in METADATA)


def _without_source(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the labels of a Job if the object has none: the API server takes them from the template."""
    return () if _value_at(value, "metadata.labels") else ("metadata.labels",)


def _in_template(causes: dict[str, str]) -> dict[str, str]:
    """Return the causes of what Pods have: there is no Job."""
    return {path: cause for path, cause in causes.items() if path.startswith(f"{POD}.")}


def _put_label(job: dict[str, Any], label: str, text: str) -> None:
    metadata = job["metadata"]
    labels = metadata.get("labels")
    metadata["labels"] = {**(labels if isinstance(labels, dict) else {}), label: text}


def _put(value: dict[str, Any], path: str, new: Any) -> None:
    """Set a field; copies each map on the way, which belongs to the parent. A value of another type stays."""
    *steps, last = path.split(".")
    for step in steps:
        inner = value.get(step)
        if inner is not None and not isinstance(inner, dict):
            return
        value[step] = value = {**(inner or {})}
    value[last] = new


def created_jobs(value: Any) -> list[Child]:
    """Return the Jobs, CronJobs and JobSets that operators create from an object.

    Pods that have no Job are left out, and templates that the operator completes.
    """
    if not isinstance(value, dict) or is_job_set(value):
        return []
    return [
        child
        for child in children_of(value, SHIPPED)
        if child.what and not child.is_pod and child.is_complete and _is_run(child.value)
    ]


def _is_run(value: Any) -> bool:
    if is_job_set(value):
        return True
    try:
        kind_of(value)
    except UnknownKind:
        return False
    return True
