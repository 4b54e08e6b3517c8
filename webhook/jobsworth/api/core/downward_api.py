"""The downward API: exposes a Pod's fields, labels, annotations and resources to its containers.

Source: ``validateObjectFieldSelector`` and ``validateContainerResourceFieldSelector`` in
``pkg/apis/core/validation``, and ``pkg/apis/core/pods``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.field_errors import FieldError, Printed, invalid, not_supported, quoted, required
from kube_cel.formats.names import label_key
from kube_cel.formats.quantity import parse

KNOWN_FIELD_PATHS = frozenset(
    (
        "metadata.annotations",
        "metadata.labels",
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.serviceAccountName",
        "spec.schedulerName",
        "status.phase",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    )
)
"""The Pod fields that a selector can name; each context supports a subset."""

FORMER_FIELD_PATHS = {"spec.host": "spec.nodeName"}

RESOURCES = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")

_CPU_DIVISORS = ("1m", "1")
_BYTE_DIVISORS = (
    *("1", "1k", "1M", "1G", "1T", "1P", "1E"),
    *("1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"),
)
_BYTES = ", ".join(_BYTE_DIVISORS)
_DIVISORS = {
    "cpu": (_CPU_DIVISORS, "1m and 1 are supported with the cpu resource"),
    "memory": (_BYTE_DIVISORS, f"{_BYTES} are supported with the memory resource"),
    "ephemeral-storage": (
        _BYTE_DIVISORS,
        f"{_BYTES} are supported with the local ephemeral storage resource",
    ),
    "hugepages": (_BYTE_DIVISORS, f"{_BYTES} are supported with the hugepages resource"),
}


def check_object_field(
    selector: dict[str, Any], path: str, admitted: tuple[str, ...]
) -> Iterator[FieldError]:
    """Validate the reference to a field of the Pod.

    Args:
        selector: a defaulted ObjectFieldSelector.
        path: its field path.
        admitted: the supported fields in this context, sorted.
    """
    version, field = selector["apiVersion"], selector.get("fieldPath", "")
    if not field:
        return
    name, subscript = split_subscript(field)
    problem = ""
    if version != "v1":
        problem = f"unsupported pod version: {version}"
    elif subscript is not None and name not in ("metadata.annotations", "metadata.labels"):
        problem = f"field label does not support subscript: {field}"
    elif subscript is None and name not in KNOWN_FIELD_PATHS and name not in FORMER_FIELD_PATHS:
        problem = f"field label not supported: {field}"
    if problem:
        yield invalid(f"{path}.fieldPath", field, f"error converting fieldPath: {problem}")
    elif subscript is not None:
        # The server lowercases annotation keys before it validates them.
        key = subscript.lower() if name == "metadata.annotations" else subscript
        for detail in label_key(key):
            yield invalid(path, key, detail)
    else:
        name = FORMER_FIELD_PATHS.get(name, name)
        if name not in admitted:
            yield not_supported(f"{path}.fieldPath", Printed(quoted(name)), admitted)


def split_subscript(field: str) -> tuple[str, str | None]:
    """Split a field path into its name and the key in brackets, None without brackets.

    >>> split_subscript("metadata.labels['app']"), split_subscript("metadata.name")
    (('metadata.labels', 'app'), ('metadata.name', None))
    """
    if field.endswith("']"):
        name, bracket, subscript = field[:-2].partition("['")
        if name and bracket:
            return name, subscript
    return field, None


def check_resource_field(
    selector: dict[str, Any], path: str, *, of_any_container: bool = False
) -> Iterator[FieldError]:
    """Validate the reference to a resource, and its divisor.

    Args:
        selector: a defaulted ResourceFieldSelector.
        path: its field path.
        of_any_container: the selector is outside of a container, so it must name one.
    """
    resource = selector.get("resource", "")
    if of_any_container and "containerName" not in selector:
        yield required(f"{path}.containerName")
    elif not resource:
        yield required(f"{path}.resource")
    elif resource not in RESOURCES and not resource.startswith(HUGE_PAGES):
        yield not_supported(f"{path}.resource", Printed(quoted(resource)), RESOURCES)
    divisor = selector["divisor"]
    if divisor == "0" or not parse(divisor).sign:
        return
    kind = "hugepages" if resource.startswith(HUGE_PAGES) else resource.partition(".")[2]
    if kind == "hugepages" or resource in RESOURCES:
        divisors, detail = _DIVISORS[kind]
        if divisor not in divisors:
            yield invalid(f"{path}.divisor", resource, f"only divisor's values {detail}")
