"""Affinity: required and preferred nodes, by their labels and by their Pods (``core/v1``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.label_keys import check_label_keys
from jobsworth.api.declare import Bounds, Field, Format, Int32, ListOf, Pointer, String, Struct
from jobsworth.api.field_errors import FieldError, forbidden, invalid, named_string, required
from jobsworth.api.meta.label_selector import (
    LabelSelector,
    check_label_selector,
    has_invalid_values,
)
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import dns_label, dns_subdomain, label_key, label_value

NODE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
NODE_NAME_FIELD = "metadata.name"
"""The only node field that a term can select."""

Weight = Bounds(1, 100, "must be in the range 1-100")

NodeSelectorRequirement = Struct(
    "NodeSelectorRequirement",
    "One requirement on a label or a field of a node.",
    key=Field(String, always=True),
    operator=Field(String, always=True, values=NODE_OPERATORS),
    values=Field(ListOf(String)),
)

NodeSelectorTerm = Struct(
    "NodeSelectorTerm",
    "Requirements on a node; all of them must be met.",
    matchExpressions=Field(ListOf(NodeSelectorRequirement)),
    matchFields=Field(ListOf(NodeSelectorRequirement)),
)

NodeSelector = Struct(
    "NodeSelector",
    "Terms; a node must match at least one.",
    nodeSelectorTerms=Field(
        ListOf(NodeSelectorTerm), always=True, required="must have at least one node selector term"
    ),
)

PreferredSchedulingTerm = Struct(
    "PreferredSchedulingTerm",
    "A preference for nodes, with its weight.",
    weight=Field(Int32, always=True, bounds=Weight, validate_empty=True),
    preference=Field(NodeSelectorTerm, always=True),
)

NodeAffinity = Struct(
    "NodeAffinity",
    "Required and preferred nodes of the Pod.",
    requiredDuringSchedulingIgnoredDuringExecution=Field(Pointer(NodeSelector)),
    preferredDuringSchedulingIgnoredDuringExecution=Field(ListOf(PreferredSchedulingTerm)),
)

PodAffinityTerm = Struct(
    "PodAffinityTerm",
    "Other Pods, and the topology in which they are near.",
    labelSelector=Field(Pointer(LabelSelector)),
    namespaces=Field(ListOf(String)),
    topologyKey=Field(
        String, always=True, required="can not be empty", format=label_key, validate_empty=True
    ),
    namespaceSelector=Field(Pointer(LabelSelector)),
    matchLabelKeys=Field(ListOf(String), since="1.29", gate="MatchLabelKeysInPodAffinity"),
    mismatchLabelKeys=Field(ListOf(String), since="1.29", gate="MatchLabelKeysInPodAffinity"),
)

WeightedPodAffinityTerm = Struct(
    "WeightedPodAffinityTerm",
    "A preference to be near other Pods or away from them, with its weight.",
    weight=Field(Int32, always=True, bounds=Weight, validate_empty=True),
    podAffinityTerm=Field(PodAffinityTerm, always=True),
)

PodAffinity = Struct(
    "PodAffinity",
    "Other Pods that this Pod must or should be near.",
    requiredDuringSchedulingIgnoredDuringExecution=Field(ListOf(PodAffinityTerm)),
    preferredDuringSchedulingIgnoredDuringExecution=Field(ListOf(WeightedPodAffinityTerm)),
)

PodAntiAffinity = Struct(
    "PodAntiAffinity",
    "Other Pods that this Pod must or should be away from.",
    requiredDuringSchedulingIgnoredDuringExecution=Field(ListOf(PodAffinityTerm)),
    preferredDuringSchedulingIgnoredDuringExecution=Field(ListOf(WeightedPodAffinityTerm)),
)

Affinity = Struct(
    "Affinity",
    "Required and preferred nodes, by their labels and by their Pods.",
    nodeAffinity=Field(Pointer(NodeAffinity)),
    podAffinity=Field(Pointer(PodAffinity)),
    podAntiAffinity=Field(Pointer(PodAntiAffinity)),
)


@NodeAffinity.rule
def _node_terms(affinity: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    needed = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {})
    at = f"{path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
    for index, term in enumerate(needed.get("nodeSelectorTerms", ())):
        validate_values = request.server.minor >= 33 and not request.once(_has_bad_node_values)
        yield from _check_node_term(term, f"{at}[{index}]", validate_values=validate_values)
    at = f"{path}.preferredDuringSchedulingIgnoredDuringExecution"
    for index, preferred in enumerate(
        affinity.get("preferredDuringSchedulingIgnoredDuringExecution", ())
    ):
        # The server accepts an invalid label value here: the preference just never matches.
        yield from _check_node_term(
            preferred["preference"], f"{at}[{index}].preference", validate_values=False
        )


def _check_node_term(
    term: dict[str, Any], path: str, *, validate_values: bool
) -> Iterator[FieldError]:
    for index, requirement in enumerate(term.get("matchExpressions", ())):
        at = f"{path}.matchExpressions[{index}]"
        yield from _check_number_of_values(requirement, at)
        key = requirement.get("key", "")
        for detail in label_key(key):
            yield invalid(f"{at}.key", key, detail)
        if validate_values:
            yield from _check_values(requirement, label_value, at)
    for index, requirement in enumerate(term.get("matchFields", ())):
        yield from _check_field_requirement(requirement, f"{path}.matchFields[{index}]")


def _check_number_of_values(requirement: dict[str, Any], path: str) -> Iterator[FieldError]:
    operator, count = requirement.get("operator", ""), len(requirement.get("values", ()))
    at = f"{path}.values"
    if operator not in NODE_OPERATORS:
        yield invalid(f"{path}.operator", named_string(operator), "not a valid selector operator")
    elif operator in ("In", "NotIn"):
        if not count:
            yield required(at, "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Gt", "Lt"):
        if count != 1:
            yield required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")
    elif count:
        yield forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")


def _check_field_requirement(requirement: dict[str, Any], path: str) -> Iterator[FieldError]:
    operator, key = requirement.get("operator", ""), requirement.get("key", "")
    if operator not in ("In", "NotIn"):
        yield invalid(f"{path}.operator", named_string(operator), "not a valid selector operator")
    elif len(requirement.get("values", ())) != 1:
        yield required(
            f"{path}.values",
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        )
    if key != NODE_NAME_FIELD:
        yield invalid(f"{path}.key", key, "not a valid field selector key")
    else:
        yield from _check_values(requirement, dns_subdomain, path)


def _check_values(requirement: dict[str, Any], format_: Format, path: str) -> Iterator[FieldError]:
    for index, value in enumerate(requirement.get("values", ())):
        for detail in format_(value):
            yield invalid(f"{path}.values[{index}]", value, detail)


def _has_bad_node_values(request: Request) -> bool:
    """Return True if the stored Pod has invalid label values, which an update may then keep."""
    affinity = (request.old_pod or {}).get("affinity", {}).get("nodeAffinity", {})
    needed = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {})
    return any(
        label_value(value)
        for term in needed.get("nodeSelectorTerms", ())
        for requirement in term.get("matchExpressions", ())
        for value in requirement.get("values", ())
    )


@PodAffinityTerm.rule
def _other_pods(term: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    for field in ("labelSelector", "namespaceSelector"):
        if field in term:
            yield from check_label_selector(
                term[field],
                f"{path}.{field}",
                request.server,
                invalid_values_allowed=request.once(_has_invalid_selectors),
            )
    for name in term.get("namespaces", ()):
        for detail in dns_label(name):
            yield invalid(f"{path}.namespace", name, detail)
    if "matchLabelKeys" in term or "mismatchLabelKeys" in term:
        yield from check_label_keys(term, path)


def _has_invalid_selectors(request: Request) -> bool:
    """Return True if the stored Pod has a malformed selector, which an update may then keep."""
    if request.old is None or request.old_pod is None:
        return False
    affinity = request.old_pod.get("affinity", {})
    return has_invalid_values(request.old["spec"].get("selector")) or any(
        next(check_label_selector(term[field], ""), None) is not None
        for kind in ("podAffinity", "podAntiAffinity")
        for term in _terms(affinity.get(kind, {}))
        for field in ("labelSelector", "namespaceSelector")
        if field in term
    )


def _terms(affinity: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from affinity.get("requiredDuringSchedulingIgnoredDuringExecution", ())
    for weighted in affinity.get("preferredDuringSchedulingIgnoredDuringExecution", ()):
        yield weighted["podAffinityTerm"]
