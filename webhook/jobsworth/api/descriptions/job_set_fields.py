"""Field descriptions of JobSets and their status."""

from __future__ import annotations

DESCRIPTIONS: dict[str, str] = {
    "JobSet.apiVersion": "The API's version: jobset.x-k8s.io/v1alpha2.",
    "JobSet.kind": "The object's kind: JobSet.",
    "JobSet.metadata": "The JobSet's name, labels, annotations and owners; Jobs are named after it.",
    "JobSet.spec": "The Jobs to create, and how they start, succeed and fail together.",
    "JobSet.status": "The JobSet's progress; written by its controller.",
    "JobSetSpec.replicatedJobs": "The groups of Jobs; each creates a number of Jobs from one template.",
    "JobSetSpec.network": "The hostnames of the Pods and their headless Service.",
    "JobSetSpec.successPolicy": "The Jobs whose success completes the JobSet; all of them if unset.",
    "JobSetSpec.failurePolicy": "What the JobSet does when a Job fails; if unset, it fails at once.",
    "JobSetSpec.startupPolicy": "The order in which the groups of Jobs are created; excludes dependsOn.",
    "JobSetSpec.suspend": "If true, the Jobs are suspended, and their Pods deleted.",
    "JobSetSpec.coordinator": "The Pod whose address all Jobs and Pods get as a label and an annotation.",
    "JobSetSpec.managedBy": "The controller of the JobSet; that of JobSet itself if unset.",
    "JobSetSpec.ttlSecondsAfterFinished": (
        "Seconds from the JobSet's end to its deletion; never deleted if unset."
    ),
    "JobSetSpec.volumeClaimPolicies": "Claims to create with the JobSet, for the Pods that mount them.",
    "ReplicatedJob.name": "The group's name, unique in the JobSet; a part of its Jobs' names.",
    "ReplicatedJob.groupName": "The name of groups whose Pods are numbered together; default if unset.",
    "ReplicatedJob.template": "The template of the group's Jobs.",
    "ReplicatedJob.replicas": "Number of Jobs to create; 1 if unset.",
    "ReplicatedJob.dependsOn": "The groups that must have reached a status before this one is created.",
    "DependsOn.name": "The name of an earlier group of Jobs.",
    "DependsOn.status": "Ready: its Pods are ready; Complete: its Jobs have succeeded.",
    "Network.enableDNSHostnames": "Give each Pod a DNS hostname, by a headless Service; true if unset.",
    "Network.subdomain": "The name of the headless Service; the JobSet's name if unset.",
    "Network.publishNotReadyAddresses": "Publish the addresses of Pods before they are ready; true if unset.",
    "JobSetSuccessPolicy.operator": "All: every target must succeed; Any: one is enough.",
    "JobSetSuccessPolicy.targetReplicatedJobs": "The groups that count; all of them if empty.",
    "FailurePolicy.maxRestarts": "Maximum number of restarts of the JobSet; beyond it, it fails.",
    "FailurePolicy.restartStrategy": (
        "Recreate (the default): create each Job when its predecessor is deleted; BlockingRecreate: when all "
        "are deleted; InPlaceRestart: restart the containers in their Pods."
    ),
    "FailurePolicy.rules": "What to do with a failed Job: the first rule that matches applies.",
    "FailurePolicyRule.name": "The rule's name, unique in the policy.",
    "FailurePolicyRule.action": (
        "FailJobSet, RestartJobSet or RestartJob; RestartJobSetAndIgnoreMaxRestarts and "
        "RestartJobAndIgnoreMaxRestarts do not count as restarts."
    ),
    "FailurePolicyRule.onJobFailureReasons": "The reasons of a Job's failure that match; all if empty.",
    "FailurePolicyRule.onJobFailureMessagePatterns": (
        "Regular expressions, of which one must match the message of the Job's failure; any message if empty."
    ),
    "FailurePolicyRule.targetReplicatedJobs": "The groups whose failed Jobs match; all of them if empty.",
    "StartupPolicy.startupPolicyOrder": (
        "AnyOrder: all groups at once; InOrder: each when the Pods of the one before are ready."
    ),
    "Coordinator.replicatedJob": "The group of the coordinator's Job.",
    "Coordinator.jobIndex": "The index of its Job in the group.",
    "Coordinator.podIndex": "The completion index of its Pod in the Job.",
    "VolumeClaimPolicy.templates": "The claims; the name is that of the volume in the Pods.",
    "VolumeClaimPolicy.retentionPolicy": "What becomes of the claims when the JobSet is deleted.",
    "VolumeRetentionPolicy.whenDeleted": (
        "Delete (the default) or Retain the claims when their owner is deleted."
    ),
    "PersistentVolumeClaim.kind": "The claim's kind.",
    "PersistentVolumeClaim.apiVersion": "The claim's API version.",
    "PersistentVolumeClaim.metadata": "The claim's name, labels and annotations.",
    "PersistentVolumeClaim.spec": "The storage that the claim requests.",
    "PersistentVolumeClaim.status": "The claim's status; of no effect in a template.",
    "JobSetStatus.conditions": "The JobSet's conditions, such as Completed and Failed.",
    "JobSetStatus.restarts": "Number of restarts so far.",
    "JobSetStatus.restartsCountTowardsMax": "Number of restarts that count towards maxRestarts.",
    "JobSetStatus.terminalState": "Completed or Failed, once the JobSet has finished.",
    "JobSetStatus.replicatedJobsStatus": "The numbers of Jobs of each group.",
}
