"""Small changes of a manifest: each field absent, each number one more or one less, each list reversed, and so on."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Steps = tuple[str | int, ...]

KEPT = {"apiVersion", "kind"}
"""The fields without which an object is not a Job."""

SHELL = ["sh", "-c"]
OTHER_VALUES: dict[str, tuple[Any, ...]] = {
    "action": ("FailJob", "FailIndex", "Ignore", "Count"),
    "args": (["echo done | tee log"], ["wget -q https://example.com || exit 3"]),
    "command": ([*SHELL, "train; cleanup"], ["bash", "-c", "set -e\ntrain | tee log"], ["train"]),
    "completionMode": ("Indexed", "NonIndexed"),
    "concurrencyPolicy": ("Allow", "Forbid", "Replace"),
    "image": ("train", "train:latest", "registry.example.com/train:1", f"train@sha256:{'0' * 64}"),
    "imagePullPolicy": ("Always", "IfNotPresent", "Never"),
    "name": ("other", "a" * 53),
    "operator": ("In", "NotIn"),
    "podReplacementPolicy": ("Failed", "TerminatingOrFailed"),
    "restartPolicy": ("Always", "OnFailure", "Never"),
    "schedule": ("*/5 * * * *", "0 0 30 2 *", "30 2 * * *", "0 0 1 * 1", "@hourly", "CRON_TZ=UTC 1 * * * *"),
    "status": ("True", "False", "Unknown"),
    "timeZone": ("Etc/UTC", "Europe/Berlin", "America/New_York"),
    "type": ("DisruptionTarget", "ConfigIssue", "Other"),
}  # fmt: skip
"""Values that fields of this name get in turn."""

JOB_FIELDS: dict[str, tuple[Any, ...]] = {
    "activeDeadlineSeconds": (1, 600, 100_000),
    "backoffLimit": (0, 1, 6, 1000),
    "backoffLimitPerIndex": (0, 1),
    "completionMode": ("Indexed", "NonIndexed"),
    "completions": (0, 1, 2, 100, 100_001),
    "managedBy": ("example.com/queue",),
    "manualSelector": (True,),
    "maxFailedIndexes": (0, 1),
    "parallelism": (0, 1, 2, 100, 10_001),
    "podFailurePolicy": (
        {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 42]}}]},
        {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
        {"rules": [{"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [0]}}]},
    ),
    "podReplacementPolicy": ("Failed", "TerminatingOrFailed"),
    "successPolicy": ({"rules": [{"succeededIndexes": "0"}]}, {"rules": [{"succeededCount": 1}]}),
    "suspend": (True,),
    "ttlSecondsAfterFinished": (0, 1, 600, 10_000_000),
}
CRON_FIELDS: dict[str, tuple[Any, ...]] = {
    "concurrencyPolicy": ("Allow", "Forbid", "Replace"),
    "failedJobsHistoryLimit": (0, 1, 100),
    "startingDeadlineSeconds": (0, 1, 9, 10, 11, 600),
    "successfulJobsHistoryLimit": (0, 1, 100),
    "suspend": (True,),
    "timeZone": ("Etc/UTC", "Europe/Berlin"),
}
POD_FIELDS: dict[str, tuple[Any, ...]] = {
    "activeDeadlineSeconds": (1, 600),
    "automountServiceAccountToken": (False, True),
    "hostNetwork": (True,),
    "hostPID": (True,),
    "nodeName": ("node-1",),
    "os": ({"name": "linux"}, {"name": "windows"}),
    "priority": (1,),
    "restartPolicy": ("Never", "OnFailure"),
    "securityContext": ({"runAsNonRoot": True}, {"runAsUser": 0}, {"runAsUser": 1000}),
    "serviceAccountName": ("train",),
    "shareProcessNamespace": (True,),
    "subdomain": ("train",),
    "terminationGracePeriodSeconds": (0, 1, 30, 600),
}
SIDECAR = {"name": "proxy", "image": "registry.example.com/proxy:1.2", "restartPolicy": "Always"}
INIT = {"name": "prepare", "image": "registry.example.com/prepare:1.2"}
CONTAINER_FIELDS: dict[str, tuple[Any, ...]] = {
    "args": (["train; true"],),
    "command": (
        ["sh", "-c", "train || true"],
        ["bash", "-c", "train | tee log"],
        ["train", "--all"],
    ),
    "imagePullPolicy": ("Always", "IfNotPresent"),
    "livenessProbe": ({"exec": {"command": ["true"]}},),
    "resources": ({"requests": {"cpu": "1"}}, {"limits": {"cpu": "1", "memory": "1Gi"}}),
    "restartPolicy": ("Always",),
    "securityContext": (
        {"privileged": True},
        {"allowPrivilegeEscalation": False},
        {"capabilities": {"drop": ["ALL"]}},
    ),
    "workingDir": ("/work",),
}


def changes_of(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what each change does, and the changed object."""
    for steps, part in parts_of(value):
        name = steps[-1]
        if name in KEPT:
            continue
        place = written_steps(steps)
        yield f"without {place}", _deleted(value, steps)
        for new in _instead_of(name, part):
            yield f"{place}: {shown_value(new)}", _set(value, steps, new)
        if isinstance(part, list) and len(part) > 1:
            yield f"{place} reversed", _set(value, steps, part[::-1])
        if isinstance(name, int):
            yield f"{place} twice", _inserted(value, steps, part)
    for steps, fields in _places_to_add(value):
        holder = at_steps(value, steps)
        for field, values in fields.items():
            for new in values if field not in holder else ():
                place = (*steps, field)
                yield f"{written_steps(place)}: {shown_value(new)}", _set(value, place, new)
    pod = (*_job_spec(value), "template", "spec")
    for added, beside in (
        (INIT, "initContainers"),
        (SIDECAR, "initContainers"),
        (INIT, "containers"),
    ):
        listed = [*at_steps(value, pod).get(beside, ()), added]
        yield (
            f"{written_steps((*pod, beside))} with {added['name']}",
            _set(value, (*pod, beside), listed),
        )


def parts_of(value: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield each part of a value, below its place."""
    items = enumerate(value) if isinstance(value, list) else ()
    for key, part in value.items() if isinstance(value, dict) else items:
        yield (*steps, key), part
        yield from parts_of(part, (*steps, key))


def _instead_of(name: str | int, value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return sorted({0, max(0, value - 1), value + 1} - {value})
    return [other for other in OTHER_VALUES.get(str(name), ()) if other != value]


def _places_to_add(value: dict[str, Any]) -> Iterator[tuple[Steps, dict[str, tuple[Any, ...]]]]:
    job = _job_spec(value)
    if len(job) > 1:
        yield ("spec",), CRON_FIELDS
    yield job, JOB_FIELDS
    pod = (*job, "template", "spec")
    yield pod, POD_FIELDS
    yield (*pod, "containers", 0), CONTAINER_FIELDS


def _job_spec(value: dict[str, Any]) -> Steps:
    return ("spec", "jobTemplate", "spec") if value["kind"] == "CronJob" else ("spec",)


def at_steps(value: Any, steps: Steps) -> Any:
    """Return the part of a value at a place."""
    for step in steps:
        value = value[step]
    return value


def _deleted(value: dict[str, Any], steps: Steps) -> dict[str, Any]:
    changed = copy.deepcopy(value)
    del at_steps(changed, steps[:-1])[steps[-1]]
    return changed


def _set(value: dict[str, Any], steps: Steps, new: Any) -> dict[str, Any]:
    changed = copy.deepcopy(value)
    at_steps(changed, steps[:-1])[steps[-1]] = new
    return changed


def _inserted(value: dict[str, Any], steps: Steps, new: Any) -> dict[str, Any]:
    changed = copy.deepcopy(value)
    at_steps(changed, steps[:-1]).insert(steps[-1], copy.deepcopy(new))
    return changed


def written_steps(steps: Steps) -> str:
    """Return a place as a field path."""
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps).removeprefix(".")


def shown_value(value: Any) -> str:
    """Return a value as text, shortened if it is long."""
    return str(value) if len(str(value)) < 90 else f"{str(value)[:87]}..."
