"""Scheduling of a Job as a whole: gangs, topology, disruption (workload-aware scheduling, KEP-4671).

Alpha in Kubernetes 1.37 and 1.38.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import Bounds, Field, Int32, ListOf, Pointer, String, Struct
from jobsworth.api.equality import equal
from jobsworth.api.field_errors import (
    OMIT,
    FieldError,
    duplicate,
    forbidden,
    immutable,
    invalid,
    required,
)
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import dns_label, dns_subdomain, label_key

POLICY_IS_IMMUTABLE = (
    "the basic/gang policy variant is immutable after creation; "
    "only schedulingPolicy.gang.minCount may be updated"
)

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

IMMUTABLE_PARTS = ("schedulingConstraints", "disruptionMode", "resourceClaims")


def _policy_stays(config: dict[str, Any], request: Request) -> bool:
    """Return False for an update that adds the policy, which is an error whatever it is."""
    stored = request.old_job_spec
    return stored is None or "schedulingPolicy" in stored.get("scheduling", {})


def _is_new(config: dict[str, Any], request: Request) -> bool:
    """Return False for an update: a change of the field is an error, and the same value stays valid."""
    return request.old is None


JobSchedulingConfiguration = Struct(
    "JobSchedulingConfiguration",
    "Scheduling of the Pods of a Job as a group.",
    disruptionMode=Field(
        Pointer(WorkloadPodGroupDisruptionMode), since="1.37", validate_when=_is_new
    ),
    resourceClaims=Field(
        ListOf(WorkloadPodGroupResourceClaim), max_items=4, since="1.37", validate_when=_is_new
    ),
    schedulingConstraints=Field(
        Pointer(WorkloadPodGroupSchedulingConstraints), since="1.37", validate_when=_is_new
    ),
    schedulingPolicy=Field(
        Pointer(WorkloadPodGroupSchedulingPolicy), since="1.37", validate_when=_policy_stays
    ),
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
    for index, claim in enumerate(config.get("resourceClaims", ()) if request.old is None else ()):
        name = claim.get("name", "")
        if name in names:
            yield duplicate(f"{path}.resourceClaims[{index}]", claim)
        names.add(name)


def check_scheduling(job_spec: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Compare the scheduling of a Job with its parallelism, and the mode of disruption with the policy.

    Args:
        job_spec: a JobSpec with scheduling.
        path: its field path.
    """
    if request.server.minor >= 38:
        stored = request.old_job_spec
        if _has_both(job_spec) and not (stored and _has_both(stored)):
            detail = "must not be set together with template.spec.schedulingGroup"
            yield invalid(f"{path}.scheduling", OMIT, detail)
        if stored is not None and equal(job_spec, stored):
            return
    config = job_spec["scheduling"]
    policy, mode = config.get("schedulingPolicy", {}), config.get("disruptionMode", {})
    least, most = policy.get("gang", {}).get("minCount"), job_spec.get("parallelism", 1)
    if least is not None and least > most:
        at = f"{path}.scheduling.schedulingPolicy.gang.minCount"
        yield invalid(at, least, f"must not be greater than parallelism ({most})")
    # Without a policy, the Job controller schedules the Pods one by one.
    is_basic = "basic" in policy or "gang" not in policy
    if is_basic and "all" in mode and "single" not in mode:
        detail = "the disruptionMode `all` is not supported with the Basic scheduling policy"
        yield invalid(f"{path}.scheduling.disruptionMode", "", detail)


def _has_both(job_spec: dict[str, Any]) -> bool:
    return "scheduling" in job_spec and "schedulingGroup" in job_spec["template"]["spec"]


DELEGATION_ANNOTATIONS = (
    "scheduling.k8s.io/workload-name",
    "scheduling.k8s.io/group-template-name",
)
"""The annotations that name a template of a Workload, which are validated since 1.38."""


def check_delegation(
    holder: dict[str, Any], stored: dict[str, Any] | None, path: str
) -> Iterator[FieldError]:
    """Require both annotations that name a template of a Workload or none, and not beside scheduling.

    Args:
        holder: an object with metadata and a JobSpec.
        stored: the same of the stored object.
        path: its field path, with a dot at its end unless it is empty.
    """
    own = holder["metadata"].get("annotations", {})
    present = [key for key in DELEGATION_ANNOTATIONS if key in own]
    if not present:
        return
    former = {} if stored is None else stored["metadata"].get("annotations", {})
    if "scheduling" in holder["spec"]:
        had = stored is not None and "scheduling" in stored["spec"]
        new = [key for key in present if not (had and key in former)]
        for key in new[:1]:
            detail = f"must not be set together with the {key} annotation"
            yield invalid(f"{path}spec.scheduling", OMIT, detail)
    if stored is not None and all(
        own.get(key) == former.get(key) for key in DELEGATION_ANNOTATIONS
    ):
        return
    either = " or ".join(DELEGATION_ANNOTATIONS)
    for key in DELEGATION_ANNOTATIONS:
        if not own.get(key):
            detail = f"must be set to a non-empty value when {either} is set"
            yield required(f"{path}metadata.annotations[{key}]", detail)


def check_scheduling_update(
    new_spec: dict[str, Any], old_spec: dict[str, Any], path: str, server: ApiServer
) -> Iterator[FieldError]:
    """Compare the scheduling of a Job with the stored one: only the policy may change.

    Args:
        new_spec: the JobSpec of the update.
        old_spec: likewise of the stored Job.
        path: their field path.
        server: an API server.
    """
    new, old, at = new_spec.get("scheduling"), old_spec.get("scheduling"), f"{path}.scheduling"
    if equal(new, old):
        return
    if new is not None and not server.enabled("WorkloadWithJob"):
        yield forbidden(at, "")
    elif new is None or old is None:
        yield from _check_presence(new, old, at)
    else:
        yield from _check_parts(new, old, at)


def _check_parts(new: dict[str, Any], old: dict[str, Any], path: str) -> Iterator[FieldError]:
    for field in IMMUTABLE_PARTS:
        if not equal(new.get(field), old.get(field)):
            yield immutable(f"{path}.{field}", None)
    policy, stored = new.get("schedulingPolicy"), old.get("schedulingPolicy")
    yield from _check_presence(policy, stored, f"{path}.schedulingPolicy")


def check_policy_update(
    new: dict[str, Any], old: dict[str, Any], path: str
) -> Iterator[FieldError]:
    """Require that a Job keeps its kind of scheduling policy; the template of a CronJob may change it.

    Args:
        new: the JobSpec of the update.
        old: likewise of the stored Job.
        path: their field path.
    """
    policies = [spec.get("scheduling", {}).get("schedulingPolicy") for spec in (new, old)]
    if None not in policies and ("basic" in policies[0]) != ("basic" in policies[1]):
        yield invalid(f"{path}.scheduling.schedulingPolicy", None, POLICY_IS_IMMUTABLE)


def _check_presence(new: Any, old: Any, path: str) -> Iterator[FieldError]:
    if new is not None and old is None:
        yield invalid(path, None, "field cannot be set once created")
    elif new is None and old is not None:
        yield invalid(path, None, "field cannot be cleared once set")
