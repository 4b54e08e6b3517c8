"""Field descriptions of Jobs, CronJobs, JobSets, their status, and metadata."""

from __future__ import annotations

DESCRIPTIONS: dict[str, str] = {
    # Jobs
    "Job.apiVersion": "The API's version: batch/v1.",
    "Job.kind": "The object's kind: Job.",
    "Job.metadata": "The Job's name, labels, annotations and owners.",
    "Job.spec": "The Pods to run, how many, and how to handle failures.",
    "Job.status": "The Job's progress; written by its controller.",
    "JobSpec.parallelism": "Maximum number of Pods that run at the same time; 1 if unset; 0 pauses the Job.",
    "JobSpec.completions": (
        "Number of Pods that must succeed; if only parallelism is set, one success is enough."
    ),
    "JobSpec.activeDeadlineSeconds": "Maximum run time in seconds; the Job then fails.",
    "JobSpec.podFailurePolicy": "Rules that handle failed Pods by exit code or condition.",
    "JobSpec.successPolicy": "Rules that complete an Indexed Job before every index has succeeded.",
    "JobSpec.backoffLimit": (
        "Number of retries before the Job fails; 6 if unset, no limit with backoffLimitPerIndex."
    ),
    "JobSpec.backoffLimitPerIndex": "Number of retries of each index; requires completionMode Indexed.",
    "JobSpec.maxFailedIndexes": "Maximum number of failed indexes; beyond it the Job fails.",
    "JobSpec.selector": "The labels of the Job's Pods; generated unless manualSelector is true.",
    "JobSpec.manualSelector": (
        "If true, the user sets selector and labels and must keep them unique; if false, the "
        "server generates them."
    ),
    "JobSpec.template": "The template of the Job's Pods.",
    "JobSpec.ttlSecondsAfterFinished": "Seconds from the Job's end to its deletion; never deleted if unset.",
    "JobSpec.completionMode": (
        "NonIndexed (the default): Pods are interchangeable; Indexed: each Pod has an index."
    ),
    "JobSpec.suspend": "If true, the Job runs no Pods, and its active Pods are deleted.",
    "JobSpec.podReplacementPolicy": (
        "Replace a Pod when it terminates or fails (TerminatingOrFailed), or when it has "
        "failed (Failed, required with podFailurePolicy)."
    ),
    "JobSpec.managedBy": "The controller that manages the Job; the built-in Job controller if unset.",
    "JobSpec.scheduling": "Scheduling of the Pods as a group.",
    # Failure policies
    "PodFailurePolicy.rules": "The rules, in order: the first one that matches applies; 20 at most.",
    "PodFailurePolicyRule.action": "The action of a matching rule: FailJob, FailIndex, Ignore or Count.",
    "PodFailurePolicyRule.onExitCodes": "Container exit codes that the rule matches.",
    "PodFailurePolicyRule.onPodConditions": "Pod conditions that the rule matches.",
    "PodFailurePolicyOnExitCodesRequirement.containerName": "The container; any container if unset.",
    "PodFailurePolicyOnExitCodesRequirement.operator": (
        "In: the exit code is one of the values; NotIn: it is none of them."
    ),
    "PodFailurePolicyOnExitCodesRequirement.values": "Exit codes, sorted and unique; 255 at most.",
    "PodFailurePolicyOnPodConditionsPattern.type": "The condition's type, for example DisruptionTarget.",
    "PodFailurePolicyOnPodConditionsPattern.status": (
        "The condition's required status: True (if unset), False or Unknown."
    ),
    # Success policies
    "SuccessPolicy.rules": "The rules; the Job succeeds when one of them is met; 20 at most.",
    "SuccessPolicyRule.succeededIndexes": "Indexes that must succeed, for example 0,2-5.",
    "SuccessPolicyRule.succeededCount": "Number of the listed indexes, or of all indexes, that must succeed.",
    # Scheduling of a Job as a whole
    "JobSchedulingConfiguration.disruptionMode": "Disrupt the Pods together or one by one.",
    "JobSchedulingConfiguration.resourceClaims": "Resource claims that the Pods share.",
    "JobSchedulingConfiguration.schedulingConstraints": "Placement of the Pods relative to each other.",
    "JobSchedulingConfiguration.schedulingPolicy": "Schedule the Pods together or one by one.",
    "TopologyConstraint.key": "The node label that must have the same value for all Pods.",
    "WorkloadPodGroupDisruptionMode.all": "The Pods are disrupted together.",
    "WorkloadPodGroupDisruptionMode.single": "Pods may be disrupted one by one.",
    "WorkloadPodGroupGangSchedulingPolicy.minCount": "Number of Pods that must fit before any starts.",
    "WorkloadPodGroupResourceClaim.name": "The claim's name among those of the group.",
    "WorkloadPodGroupResourceClaim.resourceClaimName": "The name of an existing ResourceClaim.",
    "WorkloadPodGroupResourceClaim.resourceClaimTemplateName": "The template of a ResourceClaim to create.",
    "WorkloadPodGroupSchedulingConstraints.topology": "Node labels that keep the Pods together.",
    "WorkloadPodGroupSchedulingPolicy.basic": "Pods are scheduled one by one.",
    "WorkloadPodGroupSchedulingPolicy.gang": "Pods are scheduled all together or not at all.",
    # The status of a Job
    "JobStatus.conditions": "The Job's conditions: Suspended, Complete, Failed and others.",
    "JobStatus.startTime": "Time at which the controller started or resumed the Job.",
    "JobStatus.completionTime": "Time at which the Job succeeded.",
    "JobStatus.active": "Number of Pods that are pending or running.",
    "JobStatus.succeeded": "Number of succeeded Pods.",
    "JobStatus.failed": "Number of failed Pods.",
    "JobStatus.terminating": "Number of Pods that are being deleted and have not ended yet.",
    "JobStatus.completedIndexes": "The succeeded indexes, for example 1,3-5.",
    "JobStatus.failedIndexes": "The failed indexes, for example 1,3-5.",
    "JobStatus.uncountedTerminatedPods": "Terminated Pods not yet counted in succeeded or failed.",
    "JobStatus.ready": "Number of ready Pods.",
    "UncountedTerminatedPods.succeeded": "The UIDs of Pods that succeeded.",
    "UncountedTerminatedPods.failed": "The UIDs of Pods that failed.",
    "JobCondition.type": "The condition's type: Suspended, Complete, Failed, FailureTarget …",
    "JobCondition.status": "The condition's status: True, False or Unknown.",
    "JobCondition.lastProbeTime": "Time of the last check.",
    "JobCondition.lastTransitionTime": "Time of the last change of status.",
    "JobCondition.reason": "The reason for the last transition: one word, for programs.",
    "JobCondition.message": "The reason for the last transition, as a sentence.",
    # CronJobs
    "CronJob.apiVersion": "The API's version: batch/v1.",
    "CronJob.kind": "The object's kind: CronJob.",
    "CronJob.metadata": "The CronJob's name (52 characters at most), labels and annotations.",
    "CronJob.spec": "The schedule, and the Jobs to create.",
    "CronJob.status": "The active Jobs and the last schedule times; written by the controller.",
    "CronJobSpec.schedule": "A cron expression: minute, hour, day, month, weekday; or @daily and the like.",
    "CronJobSpec.timeZone": "The time zone of the schedule, for example Europe/Rome.",
    "CronJobSpec.startingDeadlineSeconds": "Maximum delay in seconds after which a Job may still start.",
    "CronJobSpec.concurrencyPolicy": (
        "If the previous Job still runs: Allow (the default) starts another, Forbid skips the "
        "run, Replace deletes the previous Job first."
    ),
    "CronJobSpec.suspend": "If true, the CronJob creates no new Jobs.",
    "CronJobSpec.jobTemplate": "The template of the Jobs.",
    "CronJobSpec.successfulJobsHistoryLimit": "Number of succeeded Jobs to keep; 3 if unset.",
    "CronJobSpec.failedJobsHistoryLimit": "Number of failed Jobs to keep; 1 if unset.",
    "JobTemplateSpec.metadata": "Labels and annotations of the Jobs.",
    "JobTemplateSpec.spec": "The spec of the Jobs.",
    "CronJobStatus.active": "The Jobs that are running.",
    "CronJobStatus.lastScheduleTime": "Time at which the last Job was scheduled.",
    "CronJobStatus.lastSuccessfulTime": "Time at which a Job last succeeded.",
    # Metadata
    "ObjectMeta.name": "The object's name, unique for its kind in the namespace.",
    "ObjectMeta.generateName": "Prefix of a name to which the server appends random characters.",
    "ObjectMeta.namespace": "The object's namespace.",
    "ObjectMeta.selfLink": "Deprecated: no longer used.",
    "ObjectMeta.uid": "Unique ID of the object; generated by the server.",
    "ObjectMeta.resourceVersion": "The stored version; the server rejects an update of an older version.",
    "ObjectMeta.generation": "Counts the changes of the spec; set by the server.",
    "ObjectMeta.creationTimestamp": "Creation time; set by the server.",
    "ObjectMeta.deletionTimestamp": "Time at which the object is deleted; set by the server.",
    "ObjectMeta.deletionGracePeriodSeconds": "Seconds until the deletion; set by the server.",
    "ObjectMeta.labels": "Key-value pairs by which selectors select the object.",
    "ObjectMeta.annotations": "Key-value pairs for people and tools; 256 KiB in total at most.",
    "ObjectMeta.ownerReferences": "The owners; the object is deleted with them.",
    "ObjectMeta.finalizers": "Finalizers that controllers must remove before the object is deleted.",
    "ObjectMeta.managedFields": "The fields that each field manager has set; kept by the server.",
    "OwnerReference.apiVersion": "The owner's API group and version.",
    "OwnerReference.kind": "The owner's kind.",
    "OwnerReference.name": "The owner's name.",
    "OwnerReference.uid": "The owner's UID.",
    "OwnerReference.controller": "The owner is the managing controller; at most one owner is.",
    "OwnerReference.blockOwnerDeletion": "Foreground deletion of the owner waits for this object.",
    "ManagedFieldsEntry.manager": "The field manager that set the fields.",
    "ManagedFieldsEntry.operation": "Apply or Update.",
    "ManagedFieldsEntry.apiVersion": "The API version of the field names.",
    "ManagedFieldsEntry.time": "Time of the last change of the fields.",
    "ManagedFieldsEntry.fieldsType": "The format of the fields: FieldsV1.",
    "ManagedFieldsEntry.fieldsV1": "The fields, as a tree.",
    "ManagedFieldsEntry.subresource": "The subresource that was written, for example status.",
    "LabelSelector.matchLabels": "Labels that an object must have.",
    "LabelSelector.matchExpressions": "Requirements on labels; all of them must be met.",
    "LabelSelectorRequirement.key": "The label's key.",
    "LabelSelectorRequirement.operator": "The comparison: In, NotIn, Exists or DoesNotExist.",
    "LabelSelectorRequirement.values": "The values of In and NotIn; empty for the other operators.",
    "ObjectReference.kind": "The object's kind.",
    "ObjectReference.namespace": "The object's namespace.",
    "ObjectReference.name": "The object's name.",
    "ObjectReference.uid": "The object's UID.",
    "ObjectReference.apiVersion": "The object's API group and version.",
    "ObjectReference.resourceVersion": "The version of the referenced object.",
    "ObjectReference.fieldPath": "The referenced part of the object.",
}

JOB_SETS: dict[str, str] = {
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
