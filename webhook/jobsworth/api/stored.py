"""Read stored objects leniently: of each declared field, only the type of its value matters.

An API server has validated what it stores, by the rules of its own release. So values are not checked again,
fields that are not declared may have any value, and null is an unset field. A file, or another server, may
hold anything: a value of another type than the declared one would break whatever reads the object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsworth.api.declare import Later, ListOf, MapOf, Pointer, Scalar, Struct

_STRING: tuple[tuple[type, ...], str] = (str,), "a string"
_NUMBER: tuple[tuple[type, ...], str] = (int,), "a whole number"
_TYPES = {
    "string": _STRING,
    "date-time": _STRING,
    "int32": _NUMBER,
    "int64": _NUMBER,
    "boolean": ((bool,), "true or false"),
    "quantity": ((str, int, float), "a quantity"),
    "int-or-string": ((int, str), "a whole number or a string"),
}
"""The Python types of each scalar, and its name in messages; of others every value is read."""

_DECLARED: Mapping[str, Later] = {
    "Job": Later("jobsworth.api.batch.job", "Job"),
    "CronJob": Later("jobsworth.api.batch.cron_job", "CronJob"),
    "JobSet": Later("jobsworth.api.jobset.job_set", "JobSet"),
    "Pod": Later("jobsworth.api.core.stored_pod", "Pod"),
    "Event": Later("jobsworth.api.core.stored_pod", "Event"),
    **dict.fromkeys(
        ("Workload", "LocalQueue", "ClusterQueue", "PodGroup"),
        Later("jobsworth.api.core.stored_pod", "QueueObject"),
    ),
}
_REQUIRED = {"Job": ("spec",), "CronJob": ("spec", "schedule")}
"""The path of a field without which an object of a kind cannot be read."""


def stored_problem(kind: str, value: object) -> str | None:
    """Return the first field for which an object cannot be read, and what is wrong; None if it can be.

    Args:
        kind: ``Job``, ``CronJob``, ``JobSet``, ``Pod``, ``Event``, ``Workload``, ``LocalQueue``,
            ``ClusterQueue`` or ``PodGroup``; that of the object does not matter.

    >>> stored_problem("Pod", {"metadata": {}, "status": {"phase": 3}})
    'status.phase must be a string'
    """
    if not isinstance(value, dict):
        return "it must be an object"
    if not isinstance(value.get("metadata"), dict):
        return "metadata must be an object"
    found = _struct_problem(value, _DECLARED[kind].struct())
    if found is not None:
        path, words = found
        return f"{path.removeprefix('.')} {words}"
    part: Any = value
    for name in _REQUIRED.get(kind, ()):
        part = (part or {}).get(name)
    return f"{'.'.join(_REQUIRED[kind])} is missing" if part in (None, "") else None


def _struct_problem(value: dict[str, Any], declared: Struct) -> tuple[str, str] | None:
    fields = declared.fields
    for name, part in value.items():
        field = fields.get(name)
        if part is None or field is None:
            continue
        found = _problem(part, field.type)
        if found is not None:
            return f".{name}{found[0]}", found[1]
    return None


def _problem(
    value: Any, declared: Scalar | Struct | Pointer | ListOf | MapOf
) -> tuple[str, str] | None:
    """Return the path below a value and what is wrong there; None if the value can be read."""
    if isinstance(declared, Pointer):
        declared = declared.target
    if isinstance(declared, Scalar):
        types, words = _TYPES.get(declared.name, ((object,), ""))
        if isinstance(value, types) and (bool in types or not isinstance(value, bool) or not words):
            return None
        return "", f"must be {words}"
    if isinstance(declared, Struct):
        return (
            _struct_problem(value, declared)
            if isinstance(value, dict)
            else ("", "must be an object")
        )
    if isinstance(declared, ListOf):
        return _list_problem(value, declared.item)
    assert isinstance(declared, MapOf)
    if not isinstance(value, dict):
        return "", "must be an object"
    for name, part in value.items():
        found = None if part is None else _problem(part, declared.value)
        if found is not None:
            return f".{name}{found[0]}", found[1]
    return None


def _list_problem(value: Any, item: Scalar | Struct) -> tuple[str, str] | None:
    if not isinstance(value, list):
        return "", "must be a list"
    for index, part in enumerate(value):
        found = ("", "must not be null") if part is None else _problem(part, item)
        if found is not None:
            return f"[{index}]{found[0]}", found[1]
    return None
