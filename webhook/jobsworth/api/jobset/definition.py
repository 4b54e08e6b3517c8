"""The CustomResourceDefinition of JobSet beyond the declared types, and its webhook's defaults.

A CRD repeats the Go types that it embeds, without their validation: structure, required fields, list maps and
a few defaults, but neither bounds nor enumerations. The facts are those of the CRD files of v0.8.0, v0.10.1,
v0.11.1 and v0.12.0, which differ in nothing but what is marked; ``tests/cluster/test_job_sets.py`` compares
them with the CRD.

Source: ``Default`` in ``pkg/webhooks/jobset_webhook.go``, JobSet 0.8 to 0.12.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api import list_types
from jobsworth.api.declare import Struct
from jobsworth.api.field_errors import FieldError, invalid
from jobsworth.api.jobset.versions import at_least

REQUIRED_THOUGH_OMITTED = {
    "ContainerRestartRule": ("action",),
    "ContainerRestartRuleOnExitCodes": ("operator",),
    "PodCertificateProjection": ("signerName", "keyType"),
}
"""Required fields, beyond those that the Go types always encode."""

OPTIONAL = {
    "GRPCAction": ("service",),
    "JobSetStatus": ("restarts",),
    "PersistentVolumeClaimCondition": ("lastProbeTime", "lastTransitionTime"),
    "ProjectedVolumeSource": ("sources",),
    "TypedLocalObjectReference": ("apiGroup",),
    "TypedObjectReference": ("apiGroup",),
    "PodFailurePolicyOnPodConditionsPattern": ("status",),
}
"""Fields that the Go types always encode, and that are not required."""

STATUS_OPTIONAL_SINCE = "0.11"
"""The first version that does not require the status of a Pod condition in a Pod failure policy."""

LIST_MAPS: dict[tuple[str, str], tuple[str, ...]] = {
    **list_types.LIST_MAPS,
    ("JobSetSpec", "replicatedJobs"): ("name",),
    ("JobSetStatus", "conditions"): ("type",),
    ("JobSetStatus", "replicatedJobsStatus"): ("name",),
    ("ReplicatedJob", "dependsOn"): ("name",),
}
"""The fields that identify an item, for each list that must not have two items of the same."""

SETS = list_types.SETS - {("ObjectMeta", "finalizers")}
"""The lists that must not have a value twice: the CRD does not say so of a template's finalizers."""

_NAMED = {"name": ""}
DEFAULTS: dict[str, dict[str, Any]] = {
    "AzureDiskVolumeSource": {"fsType": "ext4", "readOnly": False},
    "ConfigMapEnvSource": _NAMED,
    "ConfigMapKeySelector": _NAMED,
    "ConfigMapProjection": _NAMED,
    "ConfigMapVolumeSource": _NAMED,
    "ContainerPort": {"protocol": "TCP"},
    "FileKeySelector": {"optional": False},
    "GRPCAction": {"service": ""},
    "ISCSIVolumeSource": {"iscsiInterface": "default"},
    "LocalObjectReference": _NAMED,
    "RBDVolumeSource": {"keyring": "/etc/ceph/keyring", "pool": "rbd", "user": "admin"},
    "ScaleIOVolumeSource": {"fsType": "xfs", "storageMode": "ThinProvisioned"},
    "SecretEnvSource": _NAMED,
    "SecretKeySelector": _NAMED,
    "SecretProjection": _NAMED,
}
"""The CRD's defaults of fields of Kubernetes; those of JobSet's own fields stand in their declarations."""

IMMUTABLE = {
    "JobSetSpec": (
        "network",
        "successPolicy",
        "failurePolicy",
        "startupPolicy",
        "volumeClaimPolicies",
    ),
    "ReplicatedJob": ("dependsOn",),
}
"""The fields with the rule ``self == oldSelf``: an update may set or remove one, not change it."""

MAX_ITEMS: dict[str, dict[tuple[str, str], int]] = {"0.8": {("ReplicatedJob", "dependsOn"): 1}}
"""The maximum lengths of lists, by version, that differ from the declaration."""

OWN = frozenset(
    {
        "JobSet", "JobSetSpec", "ReplicatedJob", "DependsOn", "Network", "JobSetSuccessPolicy",
        "FailurePolicy", "FailurePolicyRule", "StartupPolicy", "Coordinator", "VolumeClaimPolicy",
        "VolumeRetentionPolicy",
        "JobSetStatus", "Condition", "ReplicatedJobStatus",
    }
)  # fmt: skip
"""JobSet's own types: the defaults, bounds and enumerations of their declarations are those of the CRD."""

FIRST_DEPENDS = "DependsOn can't be set for the first ReplicatedJob"
DEPENDENCY_OF_FIRST_SINCE = "0.10"
"""The first version whose webhook, not the CRD, refuses dependsOn in the first ReplicatedJob."""

COMPLETION_MODE = "Indexed"
RESTART_POLICY = "OnFailure"


def expression_errors(spec: dict[str, Any], version: str) -> Iterator[FieldError]:
    """Yield the errors of the CRD's rules in CEL, but for those about what an update may change.

    Args:
        spec: the spec with defaults, as plain JSON whose types are valid.
        version: of JobSet.
    """
    jobs = spec.get("replicatedJobs")
    startup = spec.get("startupPolicy", {})
    rule = "StartupPolicy and DependsOn APIs are mutually exclusive"
    if startup.get("startupPolicyOrder") == "InOrder":
        if jobs is None:
            yield _no_such_key("spec", "replicatedJobs", rule)
        elif any("dependsOn" in job for job in jobs):
            yield _failed("spec", rule, "spec.startupPolicy")
    if not at_least(version, DEPENDENCY_OF_FIRST_SINCE) and jobs and "dependsOn" in jobs[0]:
        yield _failed("spec", FIRST_DEPENDS, "spec.replicatedJobs[0].dependsOn")
    rule = "namespace cannot be set for VolumeClaimPolicies templates"
    for index, policy in enumerate(spec.get("volumeClaimPolicies", ())):
        path = f"spec.volumeClaimPolicies[{index}]"
        if "templates" not in policy:
            yield _no_such_key(path, "templates", rule)
        elif any(each.get("metadata", {}).get("namespace") for each in policy["templates"]):
            yield _failed(path, rule)
        elif not all("metadata" in each for each in policy["templates"]):
            yield _no_such_key(path, "metadata", rule)


def _failed(path: str, rule: str, place: str = "") -> FieldError:
    """Return the error of a rule; `place` is the path below `path` of what is wrong."""
    entry = place.removeprefix(path)
    return FieldError("FieldValueInvalid", path, f"Invalid value: {rule}", rule="cel", entry=entry)


def _no_such_key(path: str, key: str, rule: str) -> FieldError:
    detail = f"no such key: {key} evaluating rule: {rule}"
    return invalid(path, "object", detail, "cel")


def required_fields(struct: Struct, version: str) -> list[str]:
    """Return the fields that the CRD of a JobSet version requires in a type."""
    optional = OPTIONAL.get(struct.name, ())
    if struct.name == "PodFailurePolicyOnPodConditionsPattern" and not at_least(
        version, STATUS_OPTIONAL_SINCE
    ):
        optional = ()
    always = [
        name for name, field in struct.fields.items() if field.always and name not in optional
    ]
    return [*always, *REQUIRED_THOUGH_OMITTED.get(struct.name, ())]


def fill_in_defaults(job_set: dict[str, Any]) -> None:
    """Fill in the defaults of a decoded JobSet, in place."""
    spec = job_set["spec"]
    spec.setdefault("successPolicy", {"operator": "All"})
    spec.setdefault("startupPolicy", {"startupPolicyOrder": "AnyOrder"})
    for job in spec.get("replicatedJobs", ()):
        template = job["template"]["spec"]
        template.setdefault("completionMode", COMPLETION_MODE)
        template["template"]["spec"].setdefault("restartPolicy", RESTART_POLICY)
    network = spec.setdefault("network", {})
    network.setdefault("enableDNSHostnames", True)
    network.setdefault("publishNotReadyAddresses", True)
    for index, rule in enumerate(spec.get("failurePolicy", {}).get("rules", ())):
        rule.setdefault("name", f"failurePolicyRule{index}")
    for policy in spec.get("volumeClaimPolicies", ()):
        policy.setdefault("retentionPolicy", {"whenDeleted": "Delete"})
