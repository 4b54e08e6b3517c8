"""Convert the objects of Python programs to manifests: mappings and models of the kubernetes package."""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from enum import Enum
from math import isfinite
from typing import Any, ClassVar, Protocol, TypeGuard, TypeVar

from jobsworth.evaluation.subject import WrittenScalar
from jobsworth.findings.edits import at, locate
from jobsworth.printable import printable
from jobsworth.validation.engine import UnknownKind, is_known

T = TypeVar("T")

MAX_DEPTH = 200
"""Levels of an object; the deepest field of a Job has some twenty."""


class KubernetesModel(Protocol):
    """A model of the kubernetes package, such as ``V1Job``, or of kubernetes-asyncio.

    Attributes:
        attribute_map: the names in JSON by attribute.
        openapi_types: the types by attribute.
    """

    attribute_map: ClassVar[dict[str, str]]
    openapi_types: ClassVar[dict[str, str]]


Manifest = Mapping[str, object] | KubernetesModel
"""An object as a Python program has it: a mapping as in a manifest, or a model of the kubernetes package."""

_KINDS = {
    "V1Job": ("batch/v1", "Job"),
    "V1CronJob": ("batch/v1", "CronJob"),
    "V1JobList": ("batch/v1", "JobList"),
    "V1CronJobList": ("batch/v1", "CronJobList"),
    "V1Pod": ("v1", "Pod"),
    "CoreV1Event": ("v1", "Event"),
}
"""The apiVersion and kind of models: an API server takes them from the address, and omits them in lists."""
_EXPECTED = "a mapping as in a manifest or a model of the kubernetes package such as V1Job"
_SNAKE_CASE = (
    "the keys are those that to_dict() of the kubernetes package returns (api_version), not those of a "
    "manifest (apiVersion). Pass the V1Job itself"
)


def manifest_of(
    manifest: object, name: str = "manifest", *, or_list: bool = False
) -> dict[str, Any]:
    """Return an object as JSON decodes it.

    Of a model, attributes that are None are omitted, as the client omits them when it sends the object; a
    model without apiVersion and kind has those of its class.

    Args:
        manifest: a mapping or a model.
        name: the name of the argument, for messages.
        or_list: the argument may also be a list; for messages.

    Raises:
        TypeError: it is neither a mapping nor a model, or a value in it has no form in JSON.
        UnknownKind: its keys are those of ``to_dict()`` of the kubernetes package, or it is a model of a part
            of an object.
    """
    if not isinstance(manifest, Mapping) and not _is_model(manifest):
        raise TypeError(_wrong_type(manifest, name, or_list=or_list))
    if _is_model(manifest) and "apiVersion" not in manifest.attribute_map.values():
        kind = type(manifest).__name__
        raise UnknownKind(
            f"{name} is a {kind}, a part of an object: pass the V1Job or V1CronJob itself"
        )
    converted: dict[str, Any] = _json(manifest, "" if name == "manifest" else name, 0)
    if "api_version" in converted and "apiVersion" not in converted:
        raise UnknownKind(_SNAKE_CASE)
    kind = type(manifest).__name__ if _is_model(manifest) else ""
    if kind in _KINDS and not ("apiVersion" in converted or "kind" in converted):
        converted["apiVersion"], converted["kind"] = _KINDS[kind]
    return converted


def for_each(manifests: Sequence[Manifest], call: Callable[[dict[str, Any]], T]) -> list[T]:
    """Call a function with each manifest of a list.

    Raises:
        TypeError: an item is neither a mapping nor a model, or a value in it has no form in JSON.
        UnknownKind: an item is of another kind than the function accepts; the message gives its place.
    """
    found = []
    for number, manifest in enumerate(manifests):
        try:
            found.append(call(manifest_of(manifest)))
        except (TypeError, UnknownKind) as error:
            raise type(error)(f"manifests[{number}]: {error}") from None
    return found


def is_list(manifests: Manifest | Sequence[Manifest]) -> TypeGuard[Sequence[Manifest]]:
    """Return True for a list of manifests, False for one."""
    return isinstance(manifests, Sequence) and not isinstance(
        manifests, str | bytes | bytearray | memoryview
    )


def check_kind(manifest: dict[str, Any]) -> None:
    """Check that an object is a Job or CronJob of ``batch/v1``.

    Raises:
        UnknownKind: it is of another kind.
    """
    if is_known(manifest):
        return
    kind = manifest.get("kind")
    if kind == "List" or (isinstance(kind, str) and kind.endswith("List") and "items" in manifest):
        raise UnknownKind(f"the object is a {printable(kind)}: pass its items, which may be a list")
    problem = problem_of_kind(manifest)
    if not _kind_and_version(manifest):
        raise UnknownKind(f"{problem}. Set apiVersion: batch/v1 and kind: Job or CronJob")
    raise UnknownKind(f"{problem}, not a Job or CronJob of batch/v1")


def problem_of_kind(manifest: dict[str, Any]) -> str:
    """Return the beginning of the message for an object of another kind than a function accepts."""
    named = _kind_and_version(manifest)
    return f"the object is a {named}" if named else "the object has no apiVersion and kind"


def _kind_and_version(manifest: dict[str, Any]) -> str:
    """Return the kind and the apiVersion of an object for messages; empty if one is missing."""
    parts = [manifest.get("kind"), manifest.get("apiVersion")]
    if not all(parts):
        return ""
    kind, version = (
        printable(part[:_MAX_SHOWN] if isinstance(part, str) else reprlib.repr(part))
        for part in parts
    )
    return f"{kind} of {version}"


_MAX_SHOWN = 100


def stored_of(manifest: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """Return the stored object that a Job or CronJob updates.

    Raises:
        UnknownKind: it is of another kind than the Job or CronJob.
    """
    if is_known(manifest) and _identity(stored) != _identity(manifest):
        raise UnknownKind(
            f"old: {problem_of_kind(stored)}, and manifest is a {_kind_and_version(manifest)}. Pass the same "
            "object as it is stored"
        )
    return stored


def _identity(value: dict[str, Any]) -> tuple[object, object]:
    return value.get("apiVersion"), value.get("kind")


def check_one(manifest: object, old: object) -> None:
    """Check that a stored object is not given with a list of manifests.

    Raises:
        TypeError: it is.
    """
    if old is not None:
        given = type(manifest).__name__
        raise TypeError(
            f"old is the stored object of one manifest, and manifest is a {given}: pass one at a time"
        )


def scalars_of(manifest: dict[str, Any]) -> WrittenScalar:
    """Return a function that returns the text of a scalar of an object by its field path."""

    def text(path: str) -> str | None:
        target = locate(manifest, path)
        value = None if target.missing else at(manifest, target.steps)
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value) if isinstance(value, str | int | float) else None

    return text


def _wrong_type(value: object, name: str, *, or_list: bool) -> str:
    listed = ", or a list of these" if or_list else ""
    problem = f"{name} must be {_EXPECTED}{listed}, not {type(value).__name__}"
    if isinstance(value, str | bytes | bytearray | memoryview):
        return (
            f"{problem}: decode the text first, or use jobsworth.validate_text, which reads it as "
            "kubectl does"
        )
    if isinstance(value, os.PathLike):
        return (
            f"{problem}: read the file, and decode its text or pass it to jobsworth.validate_text"
        )
    return problem


def _is_model(value: object) -> TypeGuard[KubernetesModel]:
    kind = type(value)
    return isinstance(getattr(kind, "attribute_map", None), Mapping) and isinstance(
        getattr(kind, "openapi_types", None), Mapping
    )


def _json(value: object, path: str, depth: int) -> Any:
    """Return a value as JSON decodes it."""
    if value is None or isinstance(value, bool):
        return value
    problem_of = _PLAIN.get(type(value))
    if problem_of is not None:
        if problem := problem_of(value):
            raise TypeError(f"{path}: {problem}")
        return value
    if depth > MAX_DEPTH:
        raise TypeError(f"{path[:80]}…: the object has more than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{path or 'manifest'}: the key {reprlib.repr(key)} is not a str")
            if problem := _problem_of_text(key):
                raise TypeError(f"{path or 'manifest'}: the key {reprlib.repr(key)}: {problem}")
        return {
            str(key): _json(part, f"{path}.{key}" if path else key, depth + 1)
            for key, part in value.items()
        }
    if _is_model(value):
        parts = (
            (name, getattr(value, attribute)) for attribute, name in value.attribute_map.items()
        )
        return {
            name: _json(part, f"{path}.{name}" if path else name, depth + 1)
            for name, part in parts
            if part is not None
        }
    if isinstance(value, list | tuple):
        return [_json(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, Enum):
        return _json(value.value, path, depth + 1)
    if isinstance(value, date):  # a datetime, too
        return value.isoformat()
    for plain in _PLAIN:
        if isinstance(value, plain):
            return _json(plain(value), path, depth)
    raise TypeError(f"{path}: a value of type {type(value).__name__} has no form in JSON")


def _problem_of_text(text: str) -> str:
    return "" if text.isascii() or not _SURROGATE.search(text) else _LONE_SURROGATE


def _problem_of_integer(number: int) -> str:
    return (
        ""
        if number.bit_length() <= _MAX_BITS
        else f"an integer of more than {_MAX_BITS} bits fits no field"
    )


def _problem_of_float(number: float) -> str:
    return "" if isfinite(number) else f"{number} has no form in JSON"


_SURROGATE = re.compile("[\ud800-\udfff]")
_LONE_SURROGATE = "a surrogate without its pair has no form in UTF-8, in which JSON is sent"
_MAX_BITS = 4096
"""The longest number that a field has is of 64 bits; Python writes none of more than some 14,000 as text."""

_PLAIN: dict[type, Callable[[Any], str]] = {
    str: _problem_of_text,
    int: _problem_of_integer,
    float: _problem_of_float,
}
"""The functions that return why a value of a type has no form in JSON, by type; empty if it has one."""
