"""The exit codes and causes of failure that users meet: how each ends a Pod, and what it leaves of it.

Source: KEP-3329, "Current state review" and "Design Details"; Kubernetes 1.36; "Pod disruption conditions" in
https://kubernetes.io/docs/concepts/workloads/pods/disruptions/; for expiry without a condition
kubernetes-sigs/karpenter issue 3218. The kubelet stops a container with SIGTERM (exit code 143, unless the
program handles it) and, after the grace period, with SIGKILL (137). A container that exits with 0 on SIGTERM
does not make its Pod fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal

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

NAMED_CODES = {
    1: "general error",
    2: "wrong usage, or a Go panic",
    126: "command found, but not executable",
    127: "command not found",
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
        name: its name in JSON.
        title: its name for users.
        codes: the exit codes with which it may end containers; empty if no container ends.
        every_container: it ends all running containers at once, not one of them.
        condition: the Pod condition that Kubernetes adds; empty if none.
        standing: the Pod also has STANDING_CONDITIONS.
        reason: the termination reason of its containers.
        state: ``failed``, ``terminating`` (deleted, and never seen to end) or ``pending``.
        note: what users must know of it; empty if nothing.
    """

    name: str
    title: str
    codes: tuple[int, ...] = ()
    every_container: bool = True
    condition: str = ""
    standing: bool = True
    reason: str = "Error"
    state: Literal["failed", "terminating", "pending"] = "failed"
    note: str = ""

    @property
    def reachable(self) -> bool:
        """True if some rule of a failure policy can match such a Pod."""
        return self.state != "pending" and bool(self.codes or self.condition or self.standing)


OOM = FailureCause(
    "oom",
    "memory limit exceeded (OOMKilled)",
    (SIGKILL_CODE,),
    every_container=False,
    reason="OOMKilled",
    note="no condition: an exit code rule cannot tell it from another SIGKILL",
)
PREEMPTION = FailureCause("preemption", "preemption by the scheduler", STOPPED, condition=DISRUPTED)
EVICTION = FailureCause("eviction", "eviction API (kubectl drain)", STOPPED, condition=DISRUPTED)
TAINT = FailureCause("taint", "NoExecute taint", STOPPED, condition=DISRUPTED)
POD_GC = FailureCause(
    "pod-gc",
    "node deleted (PodGC)",
    condition=DISRUPTED,
    note="no exit code: the containers were never seen to end",
)
NODE_SHUTDOWN = FailureCause(
    "node-shutdown", "graceful node shutdown", STOPPED, condition=DISRUPTED
)
NODE_PRESSURE = FailureCause(
    "node-pressure", "node pressure eviction (kubelet)", (SIGKILL_CODE,), condition=DISRUPTED
)
DELETION = FailureCause(
    "node-expiry",
    "deletion without eviction (node expiry, kubectl delete)",
    STOPPED,
    note="no DisruptionTarget: only the exit code can match",
)
NODE_UNREACHABLE = FailureCause(
    "node-unreachable",
    "node unreachable",
    condition=DISRUPTED,
    state="terminating",
    note="the Pod is Terminating until its node returns or is deleted",
)
ADMISSION_ERROR = FailureCause(
    "admission-error",
    "admission error of the kubelet (UnexpectedAdmissionError, OutOfcpu)",
    standing=False,
    note="no rule can reach it: the Pod fails without conditions and container statuses",
)
IMAGE_PULL = FailureCause(
    "image-pull",
    "image pull error, missing ConfigMap or Secret, unschedulable",
    state="pending",
    note="no rule can reach it: the Pod is Pending, which is no failure",
)

CAUSES = (
    OOM,
    PREEMPTION,
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


@dataclass(frozen=True, slots=True)
class DisruptionCause:
    """A cause of failure that comes from outside, as a scenario inflicts it on a running Pod.

    Attributes:
        failure: what it leaves of the Pod.
        words: the cause in a sentence: "was ... ".
        end: how the Pod ends.
        reason: the reason of the condition; empty without one.
        grace: seconds that the Pod has at most; None for its own grace period.
    """

    failure: FailureCause
    words: str
    end: DisruptionEnd
    reason: str = ""
    grace: int | None = None


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
        grace=0,
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
