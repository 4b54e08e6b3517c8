"""The exit codes and causes of failure that users meet: how each ends a Pod, and what it leaves of it.

Source: KEP-3329, "Current state review", "Termination initiated by Kubelet" and "Design Details"; Kubernetes
1.36; "Pod disruption conditions" in https://kubernetes.io/docs/concepts/workloads/pods/disruptions/; for
expiry without a condition kubernetes-sigs/karpenter issue 3218.

The kubelet stops a container with SIGTERM (exit code 143, unless the program handles it) and, after the grace
period, with SIGKILL (137). That period is never shorter than MINIMUM_GRACE_SECONDS, not even for a hard
eviction (``killContainer`` in pkg/kubelet/kuberuntime, Kubernetes 1.26 to 1.37). A program without a handler
that is the first process of its container ignores SIGTERM, so it ends with 137.

A container that exits with 0 on SIGTERM does not make its Pod fail, unless the kubelet itself sets the phase
Failed: after an eviction, a preemption for a critical Pod, and the Pod's own deadline.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jobsworth.api.api_server import ApiServer
from jobsworth.runs.cause import Cause

DisruptionEnd = Literal["deleted", "failed", "lost"]
"""The Pod is deleted with its grace period; the kubelet fails it in place; its node is unreachable."""

DISRUPTED = "DisruptionTarget=True"

STANDING_CONDITIONS = (
    "PodReadyToStartContainers=False",
    "Initialized=True",
    "Ready=False",
    "ContainersReady=False",
    "PodScheduled=True",
)
"""The conditions of a failed Pod whose containers ran."""

SIGTERM_CODE, SIGKILL_CODE = 143, 137
STOPPED = (SIGTERM_CODE, SIGKILL_CODE)
MINIMUM_GRACE_SECONDS = 2
"""Seconds from SIGTERM to SIGKILL at least (``minimumGracePeriodInSeconds`` of the kubelet)."""

NAMED_CODES = {
    1: "general error",
    2: "wrong usage, or a Go panic",
    124: "the command timeout ended it",
    126: "command found, but not executable",
    127: "command not found",
    134: "SIGABRT",
    SIGKILL_CODE: "SIGKILL",
    139: "SIGSEGV, invalid memory access",
    SIGTERM_CODE: "SIGTERM",
}
"""Exit codes on Linux with an agreed meaning."""

NAMED_WINDOWS_CODES = {1: "general error"}


@dataclass(frozen=True, slots=True)
class FailureCause:
    """A cause of failure, as ``jobsworth explain`` lists it.

    Attributes:
        title: its name for users.
        codes: the exit codes with which it may end containers; empty if no container ends.
        every_container: it ends all running containers at once, not one of them.
        condition: the Pod condition that Kubernetes adds; empty if none.
        standing: the Pod also has STANDING_CONDITIONS.
        reason: the termination reason of its containers.
        state: ``failed``, ``terminating`` (deleted, and never seen to end) or ``pending``.
        windows: it is met on Windows only (True), on Linux only (False), or on both (None).
        note: what users must know of it; empty if nothing.
    """

    name: Cause
    title: str
    codes: tuple[int, ...] = ()
    every_container: bool = True
    condition: str = ""
    standing: bool = True
    reason: str = "Error"
    state: Literal["failed", "terminating", "pending"] = "failed"
    windows: bool | None = None
    note: str = ""

    @property
    def reachable(self) -> bool:
        """True if some rule of a failure policy can match such a Pod."""
        return self.state != "pending" and bool(self.codes or self.condition or self.standing)


OOM = FailureCause(
    Cause.OOM,
    "memory limit exceeded (OOMKilled)",
    (SIGKILL_CODE,),
    every_container=False,
    reason="OOMKilled",
    windows=False,
    note="no condition: an exit code rule cannot tell it from another SIGKILL",
)
WINDOWS_OOM = FailureCause(
    Cause.OOM,
    "memory limit exceeded (Windows)",
    (1,),
    every_container=False,
    windows=True,
    note="exit code 1 with reason Error: nothing tells it from another failure of the program",
)
"""Source: KEP-3329, "Container memory limit exceeded", Windows."""
STORAGE_LIMIT = FailureCause(
    Cause.STORAGE_LIMIT,
    "ephemeral-storage or emptyDir limit exceeded (Evicted)",
    STOPPED,
    note="no DisruptionTarget, though the kubelet evicts the Pod: only the exit code can match",
)
"""Source: ``localStorageEviction`` in pkg/kubelet/eviction, which passes no condition, in Kubernetes 1.26 to
1.37; KEP-3329, "Resource limits exceeded"."""
POD_DEADLINE = FailureCause(
    Cause.POD_DEADLINE,
    "activeDeadlineSeconds of the Pod exceeded (DeadlineExceeded)",
    STOPPED,
    note="no DisruptionTarget, and DeadlineExceeded is the reason of the Pod, not of a container",
)
"""Source: pkg/kubelet/active_deadline.go and ``generateAPIPodStatus``, Kubernetes 1.36: phase Failed, then
the Pod's grace period; KEP-3329, "Active deadline timeout exceeded"."""
PREEMPTION = FailureCause(
    Cause.PREEMPTION, "preemption by the scheduler", STOPPED, condition=DISRUPTED
)
EVICTION = FailureCause(
    Cause.EVICTION, "eviction API (kubectl drain)", STOPPED, condition=DISRUPTED
)
KUBELET_PREEMPTION = FailureCause(
    Cause.CRITICAL_POD,
    "preemption by the kubelet for a critical Pod (Preempting)",
    STOPPED,
    condition=DISRUPTED,
)
"""Source: pkg/kubelet/preemption: the Pod's own grace period. The condition is there from the last patch
releases of 1.26 and 1.27 on (KEP-3329, "Add DisruptionTarget condition when preempting for critical pod")."""
TAINT = FailureCause(Cause.TAINT, "NoExecute taint", STOPPED, condition=DISRUPTED)
POD_GC = FailureCause(
    Cause.POD_GC,
    "node deleted (PodGC)",
    condition=DISRUPTED,
    note="no exit code: the containers were never seen to end",
)
NODE_SHUTDOWN = FailureCause(
    Cause.NODE_SHUTDOWN, "graceful node shutdown", STOPPED, condition=DISRUPTED
)
NODE_PRESSURE = FailureCause(
    Cause.NODE_PRESSURE, "node pressure eviction (kubelet)", STOPPED, condition=DISRUPTED
)
"""Source: pkg/kubelet/eviction. A hard eviction asks for 0 s (1.26 to 1.28) or 1 s (1.33 to 1.37), raised to
MINIMUM_GRACE_SECONDS; a soft one for evictionMaxPodGracePeriod, and from 1.33 on, at the latest, for no more
than the Pod's own grace period."""
DELETION = FailureCause(
    Cause.DELETION,
    "deletion without eviction (node expiry, kubectl delete)",
    STOPPED,
    note="no DisruptionTarget: only the exit code can match",
)
NODE_UNREACHABLE = FailureCause(
    Cause.NODE_LOST,
    "node unreachable",
    condition=DISRUPTED,
    state="terminating",
    note="the Pod is Terminating until its node returns or is deleted",
)
ADMISSION_ERROR = FailureCause(
    Cause.ADMISSION_ERROR,
    "admission error of the kubelet (UnexpectedAdmissionError, OutOfcpu)",
    standing=False,
    note="no rule can reach it: the Pod fails without conditions and container statuses",
)
IMAGE_PULL = FailureCause(
    Cause.PENDING,
    "image pull error, missing ConfigMap or Secret, unschedulable",
    state="pending",
    note="no rule can reach it: the Pod is Pending, which is not a failure",
)

CAUSES = (
    OOM,
    WINDOWS_OOM,
    STORAGE_LIMIT,
    POD_DEADLINE,
    PREEMPTION,
    KUBELET_PREEMPTION,
    EVICTION,
    TAINT,
    POD_GC,
    NODE_SHUTDOWN,
    NODE_PRESSURE,
    DELETION,
    NODE_UNREACHABLE,
    ADMISSION_ERROR,
    IMAGE_PULL,
)
"""All causes, in the order in which they are listed."""

KNOWN_BUGS = {
    (Cause.CRITICAL_POD, 26): "1.26.0 to 1.26.5",
    (Cause.CRITICAL_POD, 27): "1.27.0 to 1.27.2",
}
"""The patch releases in which a cause leaves no DisruptionTarget (KEP-3329, "Known bug in 1.26.0-5 and
1.27.0-2"), by cause and minor release."""


def unmarked_causes(server: ApiServer) -> frozenset[Cause]:
    """Return the causes that leave a DisruptionTarget in later releases, and not in this one.

    The kubelet sets it from 1.26 on (KEP-3329, "Beta"), the control plane with the gate
    PodDisruptionConditions.
    """
    if not server.enabled("PodDisruptionConditions"):
        return frozenset(cause.name for cause in CAUSES if cause.condition)
    if server.minor == 25:
        return frozenset((Cause.CRITICAL_POD, Cause.NODE_SHUTDOWN, Cause.NODE_PRESSURE))
    return frozenset()


@dataclass(frozen=True, slots=True)
class DisruptionCause:
    """A cause of failure that comes from outside, as a scenario inflicts it on a running Pod.

    Attributes:
        failure: what it leaves of the Pod.
        words: the cause in a sentence: "was ... ".
        end: how the Pod ends.
        reason: the reason of the condition; empty without one.
        grace: seconds that the Pod has at most; None for its own grace period.
        pod_reason: the reason of the Pod, if the kubelet fails it even when its program exits with 0; else
            empty.
    """

    failure: FailureCause
    words: str
    end: DisruptionEnd
    reason: str = ""
    grace: int | None = None
    pod_reason: str = ""


DISRUPTIONS = {
    "EvictionAPI": DisruptionCause(
        EVICTION,
        "evicted (node drain, scale-down, consolidation)",
        "deleted",
        "EvictionByEvictionAPI",
    ),
    "Preemption": DisruptionCause(
        PREEMPTION, "preempted by a Pod of higher priority", "deleted", "PreemptionByScheduler"
    ),
    "Taint": DisruptionCause(
        TAINT, "deleted because of a NoExecute taint", "deleted", "DeletionByTaintManager"
    ),
    "NodePressure": DisruptionCause(
        NODE_PRESSURE,
        "evicted by the kubelet because the node ran short of resources",
        "failed",
        "TerminationByKubelet",
        grace=MINIMUM_GRACE_SECONDS,
        pod_reason="Evicted",
    ),
    "SoftEviction": DisruptionCause(
        NODE_PRESSURE,
        "evicted by the kubelet, with a grace period, because its node ran short of resources",
        "failed",
        "TerminationByKubelet",
        pod_reason="Evicted",
    ),
    "StorageLimit": DisruptionCause(
        STORAGE_LIMIT,
        "evicted by the kubelet because it exceeded a limit of ephemeral storage, without a condition",
        "failed",
        grace=MINIMUM_GRACE_SECONDS,
        pod_reason="Evicted",
    ),
    "CriticalPod": DisruptionCause(
        KUBELET_PREEMPTION,
        "preempted by the kubelet for a critical Pod",
        "failed",
        "TerminationByKubelet",
        pod_reason="Preempting",
    ),
    "NodeShutdown": DisruptionCause(
        NODE_SHUTDOWN,
        "terminated by the shutdown of its node",
        "failed",
        "TerminationByKubelet",
        grace=30,
    ),
    "SpotReclaim": DisruptionCause(
        NODE_SHUTDOWN, "terminated with its spot node", "failed", "TerminationByKubelet", grace=25
    ),
    "NodeLost": DisruptionCause(
        NODE_UNREACHABLE, "cut off with its node", "lost", "DeletionByTaintManager"
    ),
    "NodeExpiry": DisruptionCause(
        DELETION, "deleted because its node expired, without a condition", "deleted"
    ),
    "Deletion": DisruptionCause(DELETION, "deleted by a user", "deleted"),
}
"""The disruptions by the name that a scenario gives."""

UNREACHABLE_SECONDS = 50
"""Seconds until a lost node is noticed and tainted (--node-monitor-grace-period of Kubernetes 1.36)."""
TOLERATION_SECONDS = 300
"""The default toleration of the taint, after which its Pods are deleted."""
