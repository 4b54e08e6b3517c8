"""Tolerations, topology spread, scheduling gates and groups (``core/v1``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jobsworth.api.core.label_keys import (
    check_label_keys,
    check_label_keys_without_merging,
    check_label_keys_without_selector,
)
from jobsworth.api.declare import (
    Bounds,
    Field,
    Int32,
    Int64,
    ListOf,
    NonNegative,
    Pointer,
    String,
    Struct,
)
from jobsworth.api.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    named_string,
    not_supported,
)
from jobsworth.api.formats.keys import prefixed_label_key
from jobsworth.api.meta.label_selector import LabelSelector, check_label_selector
from jobsworth.api.validation_request import Request
from kube_cel.formats.go_numbers import fits
from kube_cel.formats.names import (
    DIGITS,
    dns_label,
    dns_subdomain,
    label_key,
    label_value,
    only,
)

LabelKeyCheck = Callable[[dict[str, Any], str], Iterator[FieldError]]

TAINT_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
TOLERATION_OPERATORS = ("Equal", "Exists", "Lt", "Gt")
NODE_INCLUSION_POLICIES = ("Honor", "Ignore")
GreaterThanZero = Bounds(1, None, "must be greater than zero")

Toleration = Struct(
    "Toleration",
    "Node taints that the Pod tolerates.",
    key=Field(String, format=label_key),
    operator=Field(String, values=TOLERATION_OPERATORS),
    value=Field(String),
    effect=Field(String, enum=TAINT_EFFECTS),
    tolerationSeconds=Field(Pointer(Int64)),
)

TopologySpreadConstraint = Struct(
    "TopologySpreadConstraint",
    "Even distribution of Pods over zones, nodes or other domains.",
    maxSkew=Field(Int32, always=True, bounds=GreaterThanZero, validate_empty=True),
    topologyKey=Field(String, always=True, required="can not be empty"),
    whenUnsatisfiable=Field(
        String, always=True, enum=("DoNotSchedule", "ScheduleAnyway"), validate_empty=True
    ),
    labelSelector=Field(Pointer(LabelSelector)),
    minDomains=Field(Pointer(Int32), bounds=GreaterThanZero, gate="MinDomainsInPodTopologySpread"),
    nodeAffinityPolicy=Field(
        Pointer(String),
        enum=NODE_INCLUSION_POLICIES,
        gate="NodeInclusionPolicyInPodTopologySpread",
    ),
    nodeTaintsPolicy=Field(
        Pointer(String),
        enum=NODE_INCLUSION_POLICIES,
        gate="NodeInclusionPolicyInPodTopologySpread",
    ),
    matchLabelKeys=Field(ListOf(String), gate="MatchLabelKeysInPodTopologySpread"),
)

PodSchedulingGate = Struct(
    "PodSchedulingGate",
    "A gate that must be removed before the Pod is scheduled.",
    name=Field(String, always=True, since="1.26"),
)

PodSchedulingGroup = Struct(
    "PodSchedulingGroup",
    "The group of Pods with which the Pod is scheduled.",
    podGroupName=Field(Pointer(String), since="1.36", format=dns_subdomain),
)

WorkloadReference = Struct(
    "WorkloadReference",
    "The workload, and the group in it, with which the Pod is scheduled; Kubernetes 1.35 only.",
    name=Field(
        String, always=True, since="1.35", until="1.35", format=dns_subdomain, validate_empty=True
    ),
    podGroup=Field(
        String, always=True, since="1.35", until="1.35", format=dns_label, validate_empty=True
    ),
    podGroupReplicaKey=Field(String, since="1.35", until="1.35", format=dns_label),
)

MAX_RESPONDER_PRIORITY = 100_000
RESERVED_PRIORITIES = 1000
RESERVED_DOMAINS = (".k8s.io", ".kubernetes.io")

EvictionResponder = Struct(
    "EvictionResponder",
    "A controller that responds to an eviction request, with its priority.",
    name=Field(String, always=True, required=True, format=prefixed_label_key, since="1.37"),
    priority=Field(Pointer(Int32), required=True, bounds=NonNegative, always=True, since="1.37"),
)


@EvictionResponder.rule
def _responder(responder: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    name, priority = responder.get("name", ""), responder.get("priority", 0)
    domain = name.partition("/")[0].lower().strip().rstrip(".")
    if domain.endswith(RESERVED_DOMAINS) or f".{domain}" in RESERVED_DOMAINS:
        yield invalid(f"{path}.name", name, "domain names *.k8s.io, *.kubernetes.io are reserved")
    if "priority" in responder and 0 <= priority < RESERVED_PRIORITIES:
        detail = "priorities 0-999 are reserved for responders with *.k8s.io suffix"
        yield invalid(f"{path}.priority", priority, detail)
    if priority > MAX_RESPONDER_PRIORITY:
        detail = f"must be less than or equal to {MAX_RESPONDER_PRIORITY}"
        yield invalid(f"{path}.priority", priority, detail)


def check_eviction_responders(pod: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Require distinct names of the responders, and none beside a scheduling group (KEP-4563)."""
    at, names = f"{path}.evictionResponders", set()
    if "schedulingGroup" in pod:
        yield forbidden(f"{path}.schedulingGroup", "may not be set when evictionResponders is set")
    for index, responder in enumerate(pod["evictionResponders"]):
        name = responder.get("name", "")
        if name in names:
            yield duplicate(f"{at}[{index}]", responder)
        names.add(name)


@Toleration.rule
def check_toleration(
    toleration: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    """Validate key, operator, value, effect and seconds of a toleration against each other."""
    operator, effect = toleration.get("operator", ""), toleration.get("effect", "")
    if "key" not in toleration and operator != "Exists":
        yield invalid(
            f"{path}.operator",
            named_string(operator),
            "operator must be Exists when `key` is empty, "
            'which means "match all values and all keys"',
        )
    if "tolerationSeconds" in toleration and effect != "NoExecute":
        yield invalid(
            f"{path}.effect",
            named_string(effect),
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
        )
    yield from _check_tolerated_value(operator, toleration.get("value", ""), path, request)


def _check_tolerated_value(
    operator: str, value: str, path: str, request: Request
) -> Iterator[FieldError]:
    at = f"{path}.operator"
    if operator in ("Equal", ""):
        details = label_value(value)
        if details:
            yield invalid(at, value, ";".join(details))
    elif operator == "Exists":
        if value:
            yield invalid(at, value, "value must be empty when `operator` is 'Exists'")
    elif operator not in TOLERATION_OPERATORS or request.server.minor < 35:
        yield not_supported(at, operator, TOLERATION_OPERATORS[:2])
    elif not request.once(_compares):
        yield not_supported(at, operator, TOLERATION_OPERATORS)
    else:
        for detail in _decimal_integer(value):
            yield invalid(f"{path}.value", value, detail)


def _compares(request: Request) -> bool:
    """Return True if numeric comparison of taints is enabled, or used by the stored Pod."""
    return request.enabled("TaintTolerationComparisonOperators") or any(
        toleration.get("operator") in ("Lt", "Gt")
        for toleration in (request.old_pod or {}).get("tolerations", ())
    )


def _decimal_integer(text: str) -> list[str]:
    """Validate a 64-bit integer in decimal notation."""
    if not text:
        return [
            "must be non-empty",
            'strconv.ParseInt: parsing "": invalid syntax',
        ]
    wrong = []
    digits = text.removeprefix("-")
    if not (digits and only(digits, DIGITS)) or (digits[0] == "0" and text != "0"):
        wrong.append("must be a valid decimal integer in canonical form")
    digits = text[1:] if text[0] in "+-" else text
    if not (digits and only(digits, DIGITS)):
        wrong.append(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    elif not fits(text, 64):
        wrong.append(f'strconv.ParseInt: parsing "{text}": value out of range')
    return wrong


@TopologySpreadConstraint.rule
def _spread(constraint: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    domains, action = constraint.get("minDomains"), constraint.get("whenUnsatisfiable", "")
    if domains is not None and action != "DoNotSchedule":
        yield invalid(
            f"{path}.minDomains",
            domains,
            f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}",
        )
    if "matchLabelKeys" in constraint:
        yield from _label_key_check(request)(constraint, path)
    if request.server.minor >= 27 and not request.once(_stored_has, _check_selector):
        yield from _check_selector(constraint, path)


def _label_key_check(request: Request) -> LabelKeyCheck:
    """Return the validation of label keys: as since 1.34, when the server merges them, or as before.

    An update may keep label keys of the stored Pod that only the other validation accepts.
    """
    if request.server.minor < 27:
        return check_label_keys_without_selector
    merging = request.enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge")
    preferred, other = check_label_keys, check_label_keys_without_merging
    if not merging:
        preferred, other = other, preferred
    kept = request.server.minor >= 34 and request.once(_stored_has, preferred)
    return other if kept else preferred


def _stored_has(request: Request, check: LabelKeyCheck) -> bool:
    """Return True if the stored Pod has a constraint that violates the given validation."""
    return request.old_pod is not None and any(
        next(check(constraint, ""), None) is not None
        for constraint in request.old_pod.get("topologySpreadConstraints", ())
    )


def _check_selector(constraint: dict[str, Any], path: str) -> Iterator[FieldError]:
    if "labelSelector" in constraint:
        yield from check_label_selector(constraint["labelSelector"], f"{path}.labelSelector")


@PodSchedulingGroup.rule
def _names_a_group(group: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if "podGroupName" not in group:
        yield invalid(f"{path}.podGroupName", None, "must specify one of: `podGroupName`")
