"""Scheduling of a Job as a whole: gangs, topology, disruption (workload-aware scheduling, KEP-4671).

Alpha in Kubernetes 1.37: fields and types are declared, without rules.
"""

from __future__ import annotations

from jobsworth.api.declare import Field, Int32, ListOf, Pointer, String, Struct

TopologyConstraint = Struct(
    "TopologyConstraint",
    "A node label that must have the same value for all Pods.",
    key=Field(String, always=True, since="1.37"),
)

WorkloadPodGroupSchedulingConstraints = Struct(
    "WorkloadPodGroupSchedulingConstraints",
    "The placement of the Pods relative to each other.",
    topology=Field(ListOf(TopologyConstraint), since="1.37"),
)

WorkloadPodGroupResourceClaim = Struct(
    "WorkloadPodGroupResourceClaim",
    "A resource claim that the Pods share.",
    name=Field(String, always=True, since="1.37"),
    resourceClaimName=Field(Pointer(String), since="1.37"),
    resourceClaimTemplateName=Field(Pointer(String), since="1.37"),
)

WorkloadPodGroupBasicSchedulingPolicy = Struct(
    "WorkloadPodGroupBasicSchedulingPolicy", "Pods are scheduled one by one."
)

WorkloadPodGroupGangSchedulingPolicy = Struct(
    "WorkloadPodGroupGangSchedulingPolicy",
    "Pods are scheduled all together or not at all.",
    minCount=Field(Pointer(Int32), since="1.37"),
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
    resourceClaims=Field(ListOf(WorkloadPodGroupResourceClaim), since="1.37"),
    schedulingConstraints=Field(Pointer(WorkloadPodGroupSchedulingConstraints), since="1.37"),
    schedulingPolicy=Field(Pointer(WorkloadPodGroupSchedulingPolicy), since="1.37"),
)
