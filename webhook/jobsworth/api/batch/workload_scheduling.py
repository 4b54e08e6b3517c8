"""Scheduling of a Job as a whole: gangs, topology, disruption (workload-aware scheduling, KEP-4671).

Alpha in Kubernetes 1.37. Source of the rules: the marks ``+k8s:`` in ``batch/v1`` and
``scheduling/v1alpha3`` of ``k8s.io/api`` 0.37.1, worded as the declarative validation of apimachinery
0.36; no server was asked.
"""

from __future__ import annotations

from jobsworth.api.declare import Bounds, Field, Int32, ListOf, Pointer, String, Struct
from jobsworth.api.equality import equal
from jobsworth.api.field_errors import duplicate, invalid
from jobsworth.api.formats.names import dns_label, dns_subdomain, label_key
from jobsworth.api.meta.object_meta import IMMUTABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.api.field_errors import FieldError
    from jobsworth.api.validation_request import Request

TopologyConstraint = Struct(
    "TopologyConstraint",
    "A node label that must have the same value for all Pods.",
    key=Field(String, always=True, required=True, format=label_key, since="1.37"),
)

WorkloadPodGroupSchedulingConstraints = Struct(
    "WorkloadPodGroupSchedulingConstraints",
    "The placement of the Pods relative to each other.",
    topology=Field(ListOf(TopologyConstraint), max_items=1, since="1.37"),
)

WorkloadPodGroupResourceClaim = Struct(
    "WorkloadPodGroupResourceClaim",
    "A resource claim that the Pods share.",
    name=Field(String, always=True, required=True, format=dns_label, since="1.37"),
    resourceClaimName=Field(Pointer(String), format=dns_subdomain, since="1.37"),
    resourceClaimTemplateName=Field(Pointer(String), format=dns_subdomain, since="1.37"),
)

WorkloadPodGroupBasicSchedulingPolicy = Struct(
    "WorkloadPodGroupBasicSchedulingPolicy", "Pods are scheduled one by one."
)

WorkloadPodGroupGangSchedulingPolicy = Struct(
    "WorkloadPodGroupGangSchedulingPolicy",
    "Pods are scheduled all together or not at all.",
    minCount=Field(
        Pointer(Int32), bounds=Bounds(1, None, "must be greater than or equal to 1"), since="1.37"
    ),
)

WorkloadPodGroupSchedulingPolicy = Struct(
    "WorkloadPodGroupSchedulingPolicy",
    "Schedule the Pods one by one or as a gang.",
    basic=Field(Pointer(WorkloadPodGroupBasicSchedulingPolicy), since="1.37"),
    gang=Field(Pointer(WorkloadPodGroupGangSchedulingPolicy), since="1.37"),
)

WorkloadPodGroupAllDisruptionMode = Struct(
    "WorkloadPodGroupAllDisruptionMode", "Pods are disrupted together."
)

WorkloadPodGroupSingleDisruptionMode = Struct(
    "WorkloadPodGroupSingleDisruptionMode", "Pods may be disrupted one by one."
)

WorkloadPodGroupDisruptionMode = Struct(
    "WorkloadPodGroupDisruptionMode",
    "Disrupt the Pods together or one by one.",
    all=Field(Pointer(WorkloadPodGroupAllDisruptionMode), since="1.37"),
    single=Field(Pointer(WorkloadPodGroupSingleDisruptionMode), since="1.37"),
)

JobSchedulingConfiguration = Struct(
    "JobSchedulingConfiguration",
    "Scheduling of the Pods of a Job as a group.",
    disruptionMode=Field(Pointer(WorkloadPodGroupDisruptionMode), since="1.37"),
    resourceClaims=Field(ListOf(WorkloadPodGroupResourceClaim), max_items=4, since="1.37"),
    schedulingConstraints=Field(Pointer(WorkloadPodGroupSchedulingConstraints), since="1.37"),
    schedulingPolicy=Field(Pointer(WorkloadPodGroupSchedulingPolicy), since="1.37"),
)


def _one_of(value: dict[str, Any], path: str, *members: str) -> Iterator[FieldError]:
    present, listed = (
        [name for name in members if name in value],
        ", ".join(f"`{name}`" for name in members),
    )
    if not present:
        yield invalid(path, "", f"must specify one of: {listed}")
    elif len(present) > 1:
        several = f"{{{', '.join(present)}}}"
        yield invalid(path, several, f"must specify exactly one of: {listed}")


@WorkloadPodGroupSchedulingPolicy.rule
def _policy(policy: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    return _one_of(policy, path, "basic", "gang")


@WorkloadPodGroupDisruptionMode.rule
def _mode(mode: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    return _one_of(mode, path, "single", "all")


@WorkloadPodGroupResourceClaim.rule
def _claim(claim: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    return _one_of(claim, path, "resourceClaimName", "resourceClaimTemplateName")


@JobSchedulingConfiguration.rule
def _claim_names(config: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    names = set()
    for index, claim in enumerate(config.get("resourceClaims", ())):
        name = claim.get("name", "")
        if name in names:
            yield duplicate(f"{path}.resourceClaims[{index}]", {"name": name})
        names.add(name)


def check_scheduling_update(
    new: dict[str, Any], old: dict[str, Any], path: str
) -> Iterator[FieldError]:
    """Compare the scheduling of a Job with the stored one: only the size of a gang may change.

    Args:
        new: the JobSchedulingConfiguration of the update; empty if unset.
        old: likewise of the stored Job.
        path: their field path.
    """
    for field in ("schedulingConstraints", "disruptionMode", "resourceClaims"):
        if not equal(new.get(field), old.get(field)):
            yield invalid(f"{path}.{field}", None, IMMUTABLE)
    policy, stored = new.get("schedulingPolicy"), old.get("schedulingPolicy")
    at = f"{path}.schedulingPolicy"
    if stored is None and policy is not None:
        yield invalid(at, None, "field cannot be set once created")
    elif policy is None and stored is not None:
        yield invalid(at, None, "field cannot be cleared once set")
    elif policy is not None and stored is not None and policy.keys() != stored.keys():
        yield invalid(at, policy, IMMUTABLE)
