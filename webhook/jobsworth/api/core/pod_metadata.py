"""Labels and annotations of a Pod template, and the annotations that the server validates.

One of these annotations has the tolerations as JSON: it preceded the field (Kubernetes 1.6).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.pod_template import PodTemplateSpec
from jobsworth.api.field_errors import FieldError, invalid, not_supported
from jobsworth.api.meta.object_meta import (
    LABELS_AND_ANNOTATIONS,
    check_annotations,
    check_labels,
)
from jobsworth.api.schema_conditions import SchemaCondition, where_present
from jobsworth.api.validation_request import Request
from kube_cel.formats.go_numbers import fits
from kube_cel.formats.names import DIGITS, label_key, only

MIRROR_ANNOTATION = "kubernetes.io/config.mirror"
TOLERATIONS_ANNOTATION = "scheduler.alpha.kubernetes.io/tolerations"
DELETION_COST_ANNOTATION = "controller.kubernetes.io/pod-deletion-cost"
INIT_CONTAINER_ANNOTATIONS = (
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-container-statuses",
    "pod.beta.kubernetes.io/init-container-statuses",
)
"""The annotations for init containers before Kubernetes 1.8; the server drops them."""


@PodTemplateSpec.defaulter
def _without_init_container_annotations(template: dict[str, Any], request: Request) -> None:
    metadata = template["metadata"]
    annotations = metadata.get("annotations")
    if annotations is None or not any(key in annotations for key in INIT_CONTAINER_ANNOTATIONS):
        return
    kept = {
        key: value for key, value in annotations.items() if key not in INIT_CONTAINER_ANNOTATIONS
    }
    metadata["annotations"] = kept
    if not kept:
        del metadata["annotations"]


@PodTemplateSpec.in_schema(
    SchemaCondition("metadata", schema=where_present("metadata", LABELS_AND_ANNOTATIONS))
)
@PodTemplateSpec.rule
def _labels_and_annotations(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    # The server omits "metadata" from these paths.
    metadata = template["metadata"]
    if "labels" in metadata:
        yield from check_labels(metadata["labels"], f"{path}.labels")
    annotations, at = metadata.get("annotations"), f"{path}.annotations"
    if annotations is None:
        return
    yield from check_annotations(annotations, at)
    if MIRROR_ANNOTATION in annotations and "nodeName" not in template["spec"]:
        yield invalid(
            f"{at}[{MIRROR_ANNOTATION}]",
            annotations[MIRROR_ANNOTATION],
            "must set spec.nodeName if mirror pod annotation is set",
        )
    if annotations.get(TOLERATIONS_ANNOTATION):
        yield from _check_tolerations(annotations[TOLERATIONS_ANNOTATION], at, request)
    cost = annotations.get(DELETION_COST_ANNOTATION)
    if cost is not None and not _is_deletion_cost(cost) and not _any_cost_is_admitted(request):
        yield invalid(f"{at}[{DELETION_COST_ANNOTATION}]", cost, "must be a 32bit integer")


def _is_deletion_cost(text: str) -> bool:
    """Return True for a 32-bit integer without plus sign and leading zeros.

    >>> [_is_deletion_cost(text) for text in ("-10", "0", "007", "+1", "2147483648")]
    [True, True, False, False, False]
    """
    digits = text.removeprefix("-")
    return (
        digits != ""
        and only(digits, DIGITS)
        and (digits[0] != "0" or text == "0" or text[0] == "-")
        and fits(text, 32)
    )


def _any_cost_is_admitted(request: Request) -> bool:
    if not request.enabled("PodDeletionCost"):
        return True
    stored = (request.old_template or {}).get("metadata", {}).get("annotations", {})
    cost = stored.get(DELETION_COST_ANNOTATION)
    return cost is not None and not _is_deletion_cost(cost)


def _check_tolerations(text: str, path: str, request: Request) -> Iterator[FieldError]:
    """Validate tolerations in the JSON annotation that preceded the field."""
    from jobsworth.api.core.pod_scheduling import TAINT_EFFECTS, check_toleration

    try:
        tolerations = read_tolerations(text)
    except BadTolerations as error:
        entry = f"[{TOLERATIONS_ANNOTATION}]"
        yield invalid(path, TOLERATIONS_ANNOTATION, str(error), entry=entry)
        return
    for index, toleration in enumerate(tolerations):
        at = f"{path}.{TOLERATIONS_ANNOTATION}[{index}]"
        if "key" in toleration:
            for detail in label_key(toleration["key"]):
                yield invalid(f"{at}.key", toleration["key"], detail)
        yield from check_toleration(toleration, at, request)
        if "effect" in toleration and toleration["effect"] not in TAINT_EFFECTS:
            yield not_supported(f"{at}.effect", toleration["effect"], TAINT_EFFECTS)


_TOLERATION_FIELDS = {
    "key": ("key", "Key", "string"),
    "operator": ("operator", "Operator", "core.TolerationOperator"),
    "value": ("value", "Value", "string"),
    "effect": ("effect", "Effect", "core.TaintEffect"),
    "tolerationseconds": ("tolerationSeconds", "TolerationSeconds", "int64"),
}
"""For each lowercase name: the field name, and the server's names of the field and its type."""

_JSON_KINDS = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
}


class BadTolerations(ValueError):
    """A text that is not a list of tolerations; for a wrong type, the API server's message."""


def read_tolerations(text: str) -> list[dict[str, Any]]:
    """Decode the tolerations, omitting unset fields and empty strings.

    >>> read_tolerations('[{"Key": "a", "operator": "Exists"}]')
    [{'key': 'a', 'operator': 'Exists'}]

    Raises:
        BadTolerations: the text is not JSON, or not a list of tolerations.
    """
    import json  # few Pods have that annotation

    try:
        value = json.loads(text, parse_constant=_not_json)
    except (ValueError, RecursionError) as error:
        raise BadTolerations(f"not JSON: {error}") from None
    if value is None:
        return []
    if type(value) is not list:
        raise BadTolerations(
            f"json: cannot unmarshal {_JSON_KINDS[type(value)]} into Go value of type []core.Toleration"
        )
    return [_toleration(item) for item in value]


def _not_json(constant: str) -> None:
    raise ValueError(constant)


def _toleration(item: Any) -> dict[str, Any]:
    toleration: dict[str, Any] = {}
    if item is None:
        return toleration
    if type(item) is not dict:
        raise BadTolerations(
            f"json: cannot unmarshal {_JSON_KINDS[type(item)]} into Go value of type core.Toleration"
        )
    for key, value in item.items():
        if value is None or key.lower() not in _TOLERATION_FIELDS:
            continue
        name, go_name, go_type = _TOLERATION_FIELDS[key.lower()]
        wrong = _wrong_integer(value) if go_type == "int64" else _wrong_string(value)
        if wrong:
            target = f"struct field Toleration.{go_name} of type {go_type}"
            raise BadTolerations(f"json: cannot unmarshal {wrong} into Go {target}")
        if value == "":
            toleration.pop(name, None)
        else:
            toleration[name] = value
    return toleration


def _wrong_integer(value: Any) -> str:
    """Return the JSON type of a value that is not a 64-bit integer, or "" if it is one."""
    if type(value) is int:
        return "" if -(2**63) <= value < 2**63 else f"number {value}"
    return f"number {value}" if type(value) is float else _JSON_KINDS[type(value)]


def _wrong_string(value: Any) -> str:
    return "" if type(value) is str else _JSON_KINDS[type(value)]
