"""The causes for which a Job fails, waits or does not start, each under one name in all reports.

For the runs of a CronJob that were due and did not start, each cause is also a clause.
"""

from __future__ import annotations

from enum import StrEnum, unique

from jobsworth.wording import count


@unique
class Cause(StrEnum):
    """A cause, by the name that reports give it, in the style of Kubernetes' reasons.

    Attributes:
        waits_for: what a Job with this cause waits for, as a noun phrase; empty if it does not wait.
        ends: what ends the wait, as a clause after "when".
        heals: True if time may end a wait that keeps the Job from its work, False if a user has to; None if
            the wait is not an obstacle.
    """

    waits_for: str
    ends: str
    heals: bool | None

    def __new__(
        cls, name: str, waits_for: str = "", ends: str = "", heals: bool | None = None
    ) -> Cause:
        """Return a member with its attributes."""
        cause = str.__new__(cls, name)
        cause._value_ = name
        cause.waits_for, cause.ends, cause.heals = waits_for, ends, heals
        return cause

    # Pods that do not start. None of these fails a Pod: only a deadline of the Job ends the wait. Source:
    # https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff, the reasons of the kubelet and
    # the scheduler, and the quota admission of Kubernetes 1.36.
    IMAGE_PULL = (
        "ImagePull",
        "an image that can be pulled",
        "the registry has the image and the node may pull it",
        False,
    )
    MISSING_CONFIG = (
        "MissingConfig",
        "a ConfigMap or Secret",
        "the object with its keys is created in the namespace of the Job: the kubelet tries again by itself",
        False,
    )
    VOLUME = (
        "Volume",
        "the volumes of its Pods",
        "the volumes are attached and mounted: the kubelet tries again by itself",
        False,
    )
    START_ERROR = (
        "StartError",
        "a container that can be started",
        "the container runtime can start it",
        False,
    )
    UNSCHEDULABLE = (
        "Unschedulable",
        "a node with room for its Pods",
        "a node fits: other Pods end, nodes are added, or labels and taints change",
        True,
    )
    SCHEDULING_GATED = (
        "SchedulingGated",
        "the removal of scheduling gates",
        "the controller that set the gates removes them",
        True,
    )
    NO_SCHEDULER = (
        "NoScheduler",
        "a scheduler",
        "that scheduler acts: see if it runs, and if spec.schedulerName names it",
        True,
    )
    SANDBOX = (
        "Sandbox",
        "the sandboxes of its Pods",
        "the network and the devices of the node are ready: the kubelet tries again by itself",
        True,
    )
    INITIALIZING = "Initializing", "init containers to succeed", "they do"
    PENDING = (
        "Pending",
        "a start of its Pods",
        "the kubelet starts them: the conditions and container statuses of the Pods say what is missing",
    )
    QUOTA = (
        "Quota",
        "the API server to accept its Pods",
        "other Pods of the namespace end or the ResourceQuota is raised: the controller tries again by "
        "itself, at the latest after a minute or so",
        False,
    )
    PODS_REJECTED = (
        "PodsRejected",
        "the API server to accept its Pods",
        "the reason in the message is gone: the controller tries again by itself",
        False,
    )

    # An unfinished Job.
    RUNNING = "Running", "running Pods to exit", "they do"
    CRASH_LOOP = (
        "CrashLoop",
        "a container that fails again and again",
        "the container no longer fails",
    )
    CONTAINER_RUNS_ON = (
        "ContainerRunsOn",
        "a container that runs on after the work is done",
        "that container exits, or the Pod is deleted",
        True,
    )
    BACKING_OFF = "BackingOff", "the backoff after a failure", "it is over"
    TERMINATING = (
        "Terminating",
        "terminating Pods to terminate",
        "they have terminated (after the loss of their node: when its Node object is deleted, or the Pods "
        "with kubectl delete --force)",
        True,
    )
    DELETING = (
        "Deleting",
        "its own deletion",
        "its finalizers are removed and its dependents are gone",
        False,
    )
    SUSPENDED = "Suspended", "the Job to be resumed", "spec.suspend is set to false"
    NO_PARALLELISM = "NoParallelism", "a parallelism above 0", "spec.parallelism is raised", False
    OTHER_CONTROLLER = (
        "OtherController",
        "another controller",
        "that controller acts: Kubernetes' own leaves the Job alone",
        False,
    )
    CONTROLLER_AWAY = (
        "ControllerAway",
        "its controller, which does not run",
        "kube-controller-manager runs",
        False,
    )
    SYNCING = "Syncing", "the next sync of its controller", "it comes"

    # A failed Pod. Those that a scenario can inflict have the names that it gives them.
    EXIT_CODE = "ExitCode"
    OOM = "OOMKilled"
    PREEMPTION = "Preemption"
    EVICTION = "EvictionAPI"
    TAINT = "Taint"
    POD_GC = "PodGC"
    DISRUPTION = "Disruption"
    NODE_PRESSURE = "NodePressure"
    NODE_SHUTDOWN = "NodeShutdown"
    CRITICAL_POD = "CriticalPod"
    STORAGE_LIMIT = "StorageLimit"
    POD_DEADLINE = "PodDeadline"
    NODE_LOST = "NodeLost"
    ADMISSION_ERROR = "AdmissionError"
    DELETION = "Deletion"
    UNKNOWN = "Unknown"

    # The end of a Job. The Pods that would show why it failed are gone, or were not read.
    COMPLETE = "Complete"
    FAILED = "Failed"
    DEADLINE_EXCEEDED = "DeadlineExceeded"
    OTHER_REASON = "OtherReason"
    PODS_GONE = "PodsGone"
    PODS_NOT_READ = "PodsNotRead"
    JOB_DELETED = "JobDeleted"
    JOB_NOT_CREATED = "JobNotCreated"
    TIMEOUT = "Timeout"

    # The runs of a CronJob.
    INVALID_SCHEDULE = "InvalidSchedule"
    NONE_DUE = "NoneDue"
    NOT_STARTED = "NotStarted"
    NOT_YET = "NotYet"
    JOB_ALREADY_ACTIVE = "JobAlreadyActive"
    JOB_REJECTED = "JobRejected"
    JOB_REMOVED = "JobRemoved"
    JOB_UNFINISHED = "JobUnfinished"
    STARTING_DEADLINE = "StartingDeadline"
    SCHEDULE_EDITED = "ScheduleEdited"
    SPEC_EDITED = "SpecEdited"
    EDITED_MEANWHILE = "EditedMeanwhile"
    NOTHING_FOUND = "NothingFound"
    NO_JOB = "NoJob"


MISSED: dict[Cause, str] = {
    Cause.SUSPENDED: "the CronJob was suspended",
    Cause.CONTROLLER_AWAY: "the controller did not run",
    Cause.JOB_ALREADY_ACTIVE: "the previous Job was still running (concurrencyPolicy: Forbid)",
    Cause.STARTING_DEADLINE: "startingDeadlineSeconds was over",
    Cause.SCHEDULE_EDITED: "the schedule was edited",
    Cause.JOB_REJECTED: "the API server rejected the Job",
    Cause.NOTHING_FOUND: "the controller's estimate of missed times does not find it",
}
"""Those of a run that is known in every detail, as a simulated one is."""

_UNACCOUNTED: dict[Cause, str] = {
    Cause.EDITED_MEANWHILE: "the CronJob was resumed or its spec edited after the scheduled time",
    Cause.NOT_STARTED: (
        "no Job was created, and no stored object shows why: the CronJob controller was away, or the API "
        "server rejected the Job"
    ),
    Cause.JOB_REMOVED: (
        "history limits, a TTL or a replacement may have removed the Job, if there was one"
    ),
    Cause.NO_JOB: "no Job is stored: it was not created, or a user deleted it",
    Cause.SPEC_EDITED: "the spec may have been edited since, and may have had another schedule then",
    Cause.NOT_YET: "it was due a moment ago",
}
"""Those of which only stored objects tell."""

MISSED_RUN_WORDS = MISSED | _UNACCOUNTED
"""Each cause, as a clause."""

MAX_MISSED = 100
"""Missed runs that are counted."""


def missed_runs(number: int) -> str:
    """Return a number of missed runs in words; beyond MAX_MISSED it is not exact.

    >>> missed_runs(1), missed_runs(101)
    ('1 run missed', 'more than 100 runs missed')
    """
    if number > MAX_MISSED:
        return f"more than {MAX_MISSED} runs missed"
    return f"{count(number, 'run')} missed"
