"""What identifies the items of lists, and what is replaced as a whole: for merges, and for definitions.

The source is the OpenAPI document of Kubernetes 1.36: ``x-kubernetes-list-type``, ``-list-map-keys`` and
``-map-type``.
"""

from __future__ import annotations

LIST_MAPS: dict[tuple[str, str], tuple[str, ...]] = {
    **{
        (container, field): keys
        for container in ("Container", "InitContainer", "EphemeralContainer")
        for field, keys in {
            "env": ("name",),
            "ports": ("containerPort", "protocol"),
            "volumeDevices": ("devicePath",),
            "volumeMounts": ("mountPath",),
        }.items()
    },
    **{
        ("PodSpec", field): ("name",)
        for field in (
            "containers",
            "ephemeralContainers",
            "imagePullSecrets",
            "initContainers",
            "resourceClaims",
            "schedulingGates",
            "volumes",
        )
    },
    ("ObjectMeta", "ownerReferences"): ("uid",),
    ("PodSpec", "hostAliases"): ("ip",),
    ("PodSpec", "topologySpreadConstraints"): ("topologyKey", "whenUnsatisfiable"),
    ("PodResourceRequirements", "claims"): ("name",),
    ("ResourceRequirements", "claims"): ("name",),
    ("PersistentVolumeClaimStatus", "conditions"): ("type",),
}
"""The fields that identify an item, for each list that must not have two items of the same."""

DEFAULT_KEYS: dict[str, str | int] = {"containerPort": 0, "protocol": "TCP"}
"""The value of a key that an item omits; of other keys it is empty."""

SETS = frozenset(
    {
        ("ContainerRestartRuleOnExitCodes", "values"),
        ("ObjectMeta", "finalizers"),
        ("PodFailurePolicyOnExitCodesRequirement", "values"),
        ("UncountedTerminatedPods", "failed"),
        ("UncountedTerminatedPods", "succeeded"),
    }
)
"""The lists that must not have a value twice, by type and field."""

ATOMIC_MAPS = frozenset({("PodSpec", "nodeSelector")})
"""The maps that a merge replaces as a whole, by type and field."""

ATOMIC_STRUCTS = frozenset(
    {
        "ConfigMapKeySelector", "FileKeySelector", "LabelSelector", "LocalObjectReference", "NodeSelector",
        "NodeSelectorTerm", "ObjectFieldSelector", "OwnerReference", "ResourceFieldSelector",
        "SecretKeySelector", "TypedLocalObjectReference",
    }
)  # fmt: skip
"""The structs that a merge replaces as a whole."""
