"""The feature gates that decide which fields of a Job and its Pod template the API server keeps.

Source: ``pkg/features/kube_features.go`` of Kubernetes 1.38.0-beta.0 and, for the gates that it no longer
lists, of the last release with them.
"""

from __future__ import annotations

FEATURE_GATES: dict[str, tuple[tuple[str, str, bool, bool], ...]] = {
    "AppArmorFields": (
        ("1.30", "beta", True, False),
        ("1.31", "stable", True, True),
        ("1.33", "removed", True, True),
    ),
    "AtomicWriteVolumeUserFields": (
        ("1.37", "alpha", False, False),
        ("1.38", "beta", True, False),
    ),
    "ClearingNominatedNodeNameAfterBinding": (
        ("1.34", "alpha", False, False),
        ("1.35", "beta", True, False),
    ),
    "ClusterTrustBundleProjection": (
        ("1.29", "alpha", False, False),
        ("1.33", "beta", False, False),
        ("1.37", "stable", True, False),
    ),
    "ContainerRestartRules": (
        ("1.34", "alpha", False, False),
        ("1.35", "beta", True, False),
    ),
    "ContainerStopSignals": (("1.33", "alpha", False, False),),
    "CronJobTimeZone": (
        ("1.24", "alpha", False, False),
        ("1.25", "beta", True, False),
        ("1.27", "stable", True, True),
        ("1.29", "removed", True, True),
    ),
    "CrossNamespaceVolumeDataSource": (("1.26", "alpha", False, False),),
    "DRAExtendedResource": (
        ("1.34", "alpha", False, False),
        ("1.36", "beta", True, False),
        ("1.37", "stable", True, True),
    ),
    "DRANodeAllocatableResources": (("1.36", "alpha", False, False),),
    "DynamicResourceAllocation": (
        ("1.26", "alpha", False, False),
        ("1.32", "beta", False, False),
        ("1.34", "stable", True, False),
        ("1.35", "stable", True, True),
        ("1.38", "removed", True, True),
    ),
    "ElasticIndexedJob": (
        ("1.27", "beta", True, False),
        ("1.31", "stable", True, True),
        ("1.34", "removed", True, True),
    ),
    "EmptyDirVolumeMode": (("1.37", "alpha", False, False),),
    "EnvFiles": (
        ("1.34", "alpha", False, False),
        ("1.35", "beta", True, False),
        ("1.38", "stable", True, True),
    ),
    "EvictionRequestAPI": (("1.37", "alpha", False, False),),
    "GRPCContainerProbeTLS": (("1.37", "alpha", False, False),),
    "GenericWorkload": (
        ("1.35", "alpha", False, False),
        ("1.37", "beta", False, False),
    ),
    "GitRepoVolumeDriver": (
        ("1.0", "stable", True, False),
        ("1.33", "deprecated", False, False),
        ("1.36", "deprecated", False, True),
    ),
    "H2CContainerProbe": (("1.37", "alpha", False, False),),
    "HostnameOverride": (
        ("1.34", "alpha", False, False),
        ("1.35", "beta", True, False),
        ("1.37", "stable", True, True),
    ),
    "ImageVolume": (
        ("1.31", "alpha", False, False),
        ("1.33", "beta", False, False),
        ("1.35", "beta", True, False),
        ("1.36", "stable", True, True),
    ),
    # Declared for 1.35 in 1.36, but kube-apiserver 1.35.4 does not have it.
    "ImageVolumeWithDigest": (("1.36", "alpha", False, False),),
    "InPlacePodLevelResourcesVerticalScaling": (
        ("1.35", "alpha", False, False),
        ("1.36", "beta", True, False),
    ),
    "InPlacePodVerticalScaling": (
        ("1.27", "alpha", False, False),
        ("1.33", "beta", True, False),
        ("1.35", "stable", True, True),
        ("1.38", "removed", True, True),
    ),
    "InPlacePodVerticalScalingInitContainers": (
        ("1.36", "beta", True, False),
        ("1.37", "stable", True, True),
    ),
    "IndexedJob": (
        ("1.21", "alpha", False, False),
        ("1.22", "beta", True, False),
        ("1.24", "stable", True, True),
        ("1.26", "removed", True, True),
    ),
    "JobBackoffLimitPerIndex": (
        ("1.28", "alpha", False, False),
        ("1.29", "beta", True, False),
        ("1.33", "stable", True, True),
        ("1.37", "removed", True, True),
    ),
    "JobManagedBy": (
        ("1.30", "alpha", False, False),
        ("1.32", "beta", True, False),
        ("1.35", "stable", True, True),
        ("1.38", "removed", True, True),
    ),
    "JobMutableNodeSchedulingDirectives": (
        ("1.23", "beta", True, False),
        ("1.27", "stable", True, True),
        ("1.29", "removed", True, True),
    ),
    "JobPodFailurePolicy": (
        ("1.25", "alpha", False, False),
        ("1.26", "beta", True, False),
        ("1.31", "stable", True, True),
        ("1.33", "removed", True, True),
    ),
    "JobPodReplacementPolicy": (
        ("1.28", "alpha", False, False),
        ("1.29", "beta", True, False),
        ("1.34", "stable", True, True),
        ("1.37", "removed", True, True),
    ),
    "JobReadyPods": (
        ("1.23", "alpha", False, False),
        ("1.24", "beta", True, False),
        ("1.29", "stable", True, True),
        ("1.31", "removed", True, True),
    ),
    "JobSuccessPolicy": (
        ("1.30", "alpha", False, False),
        ("1.31", "beta", True, False),
        ("1.33", "stable", True, True),
        ("1.37", "removed", True, True),
    ),
    "JobTrackingWithFinalizers": (
        ("1.22", "alpha", False, False),
        ("1.23", "beta", True, False),
        ("1.26", "stable", True, True),
        ("1.29", "removed", True, True),
    ),
    "MatchLabelKeysInPodAffinity": (
        ("1.29", "alpha", False, False),
        ("1.31", "beta", True, False),
        ("1.33", "stable", True, True),
        ("1.38", "removed", True, True),
    ),
    "MatchLabelKeysInPodTopologySpread": (
        ("1.25", "alpha", False, False),
        ("1.27", "beta", True, False),
    ),
    "MatchLabelKeysInPodTopologySpreadSelectorMerge": (("1.34", "beta", True, False),),
    "MinDomainsInPodTopologySpread": (
        ("1.24", "alpha", False, False),
        ("1.25", "beta", False, False),
        ("1.27", "beta", True, False),
        ("1.30", "stable", True, True),
        ("1.32", "removed", True, True),
    ),
    "MutablePodResourcesForSuspendedJobs": (
        ("1.35", "alpha", False, False),
        ("1.36", "beta", True, False),
    ),
    "MutableSchedulingDirectivesForSuspendedJobs": (
        ("1.35", "alpha", False, False),
        ("1.36", "beta", True, False),
    ),
    "NodeInclusionPolicyInPodTopologySpread": (
        ("1.25", "alpha", False, False),
        ("1.26", "beta", True, False),
        ("1.33", "stable", True, True),
    ),
    "PodCertificateRequest": (
        ("1.34", "alpha", False, False),
        ("1.35", "beta", False, False),
        ("1.37", "stable", True, False),
    ),
    # On by default from 1.39 on: a server keeps to what the release before it can do.
    "PodCertificateMLDSA": (("1.38", "beta", False, False),),
    "PodDeletionCost": (
        ("1.21", "alpha", False, False),
        ("1.22", "beta", True, False),
    ),
    "PodDisruptionConditions": (
        ("1.25", "alpha", False, False),
        ("1.26", "beta", True, False),
        ("1.31", "stable", True, True),
        ("1.34", "removed", True, True),
    ),
    "PodLevelResources": (
        ("1.32", "alpha", False, False),
        ("1.34", "beta", True, False),
    ),
    "PodLifecycleSleepAction": (
        ("1.29", "alpha", False, False),
        ("1.30", "beta", True, False),
        ("1.34", "stable", True, True),
        ("1.37", "removed", True, True),
    ),
    "PodLifecycleSleepActionAllowZero": (
        ("1.32", "alpha", False, False),
        ("1.33", "beta", True, False),
        ("1.34", "stable", True, True),
        ("1.37", "removed", True, True),
    ),
    "PodObservedGenerationTracking": (
        ("1.33", "alpha", False, False),
        ("1.34", "beta", True, False),
        ("1.35", "stable", True, True),
    ),
    "PodSchedulingReadiness": (
        ("1.26", "alpha", False, False),
        ("1.27", "beta", True, False),
        ("1.30", "stable", True, True),
        ("1.38", "removed", True, True),
    ),
    "ProcMountType": (
        ("1.12", "alpha", False, False),
        ("1.31", "beta", False, False),
        ("1.33", "beta", True, False),
        ("1.36", "stable", True, True),
    ),
    "RecursiveReadOnlyMounts": (
        ("1.30", "alpha", False, False),
        ("1.31", "beta", True, False),
        ("1.33", "stable", True, True),
    ),
    "RelaxedDNSSearchValidation": (
        ("1.32", "alpha", False, False),
        ("1.33", "beta", True, False),
        ("1.34", "stable", True, True),
        ("1.37", "removed", True, True),
    ),
    "RelaxedEnvironmentVariableValidation": (
        ("1.30", "alpha", False, False),
        ("1.32", "beta", True, False),
        ("1.34", "stable", True, True),
    ),
    "ResourceHealthStatus": (
        ("1.31", "alpha", False, False),
        ("1.36", "beta", True, False),
    ),
    "ResourceHealthStatusMessage": (("1.36", "beta", True, False),),
    "RestartAllContainersOnContainerExits": (
        ("1.35", "alpha", False, False),
        ("1.36", "beta", True, False),
    ),
    "SELinuxChangePolicy": (
        ("1.32", "alpha", False, False),
        ("1.33", "beta", True, False),
        ("1.36", "stable", True, True),
    ),
    "SELinuxMount": (
        ("1.30", "alpha", False, False),
        ("1.33", "beta", False, False),
        ("1.37", "stable", True, False),
    ),
    "SecurityProfileOCI": (("1.38", "alpha", False, False),),
    "SidecarContainers": (
        ("1.28", "alpha", False, False),
        ("1.29", "beta", True, False),
        ("1.33", "stable", True, True),
        ("1.37", "removed", True, True),
    ),
    "StrictIPCIDRValidation": (
        ("1.33", "alpha", False, False),
        ("1.36", "beta", True, False),
        ("1.38", "stable", True, True),
    ),
    "SupplementalGroupsPolicy": (
        ("1.31", "alpha", False, False),
        ("1.33", "beta", True, False),
        ("1.35", "stable", True, True),
        ("1.38", "removed", True, True),
    ),
    "SuspendJob": (
        ("1.21", "alpha", False, False),
        ("1.22", "beta", True, False),
        ("1.24", "stable", True, True),
        ("1.26", "removed", True, True),
    ),
    "TaintTolerationComparisonOperators": (("1.35", "alpha", False, False),),
    "UserNamespacesHostNetworkSupport": (("1.35", "alpha", False, False),),
    "UserNamespacesSupport": (
        ("1.25", "alpha", False, False),
        ("1.30", "beta", False, False),
        ("1.33", "beta", True, False),
        ("1.36", "stable", True, True),
    ),
    "VolumeAttributesClass": (
        ("1.29", "alpha", False, False),
        ("1.31", "beta", False, False),
        ("1.34", "stable", True, False),
        ("1.36", "stable", True, True),
    ),
    "VolumeBindMountOptions": (("1.37", "alpha", False, False),),
    "WorkloadWithJob": (("1.36", "alpha", False, False),),
}
"""The stages of each gate: (first release of the stage, stage, on by default, locked).

The stage ``removed`` is that of releases that behave as before but have no such gate any more.
"""

JOB_SET_GATES = dict.fromkeys(
    ("ElasticJobSet", "InPlaceRestart", "RestartJob"), (("1.25", "alpha", False, False),)
)
"""The gates of JobSet's manager that concern the API, off by default, whatever the release of Kubernetes.

Source: ``pkg/features/features.go`` of JobSet 0.11.1 and 0.12.0.
"""

KNOWN_GATES = {**FEATURE_GATES, **JOB_SET_GATES}
"""Every gate that a user can set."""

RENAMED_GATES = {"UserNamespacesSupport": ("1.28", "UserNamespacesStatelessPodsSupport")}
"""For each gate with an earlier name: the first release with the present name, and the earlier one."""


def is_gate(name: str) -> bool:
    """Return True if a gate has this name, or had it in an earlier release."""
    return name in KNOWN_GATES or any(name == former for _, former in RENAMED_GATES.values())
