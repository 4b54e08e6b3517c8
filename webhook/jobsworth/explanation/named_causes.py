"""The exit codes and causes of failure that users meet, with the state in which each leaves a Pod.

Source: KEP-3329, "Current state review" and "Design Details"; Kubernetes 1.36. The kubelet stops a
container with SIGTERM (exit code 143, unless the program handles it) and, after the grace period, with
SIGKILL (137). A container that exits with 0 on SIGTERM does not make its Pod fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Literal

DISRUPTED = "DisruptionTarget=True"

STANDING_CONDITIONS = (
    "PodReadyToStartContainers=False",
    "Initialized=True",
    "Ready=False",
    "ContainersReady=False",
    "PodScheduled=True",
)
"""The conditions of a failed Pod whose containers ran."""

SIGTERM, SIGKILL = 143, 137
STOPPED = (SIGTERM, SIGKILL)

NAMED_CODES = {
    1: "general error",
    2: "wrong usage, or a Go panic",
    126: "command found, but not executable",
    127: "command not found",
    137: "SIGKILL",
    139: "SIGSEGV, invalid memory access",
    143: "SIGTERM",
}
"""Exit codes on Linux with an agreed meaning."""

NAMED_WINDOWS_CODES = {1: "general error"}


@dataclass(frozen=True, slots=True)
class FailureCause:
    """A cause of failure.

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


CAUSES = (
    FailureCause(
        "oom",
        "memory limit exceeded (OOMKilled)",
        (SIGKILL,),
        every_container=False,
        reason="OOMKilled",
        note="no condition: an exit code rule cannot tell it from another SIGKILL",
    ),
    FailureCause("preemption", "preemption by the scheduler", STOPPED, condition=DISRUPTED),
    FailureCause("eviction", "eviction API (kubectl drain)", STOPPED, condition=DISRUPTED),
    FailureCause("taint", "NoExecute taint", STOPPED, condition=DISRUPTED),
    FailureCause(
        "pod-gc",
        "node deleted (PodGC)",
        condition=DISRUPTED,
        note="no exit code: the containers were never seen to end",
    ),
    FailureCause("node-shutdown", "graceful node shutdown", STOPPED, condition=DISRUPTED),
    FailureCause(
        "node-pressure",
        "node pressure eviction (kubelet)",
        (SIGKILL,),
        condition=DISRUPTED,
    ),
    FailureCause(
        "node-expiry",
        "deletion without eviction (node expiry, kubectl delete)",
        STOPPED,
        note="no DisruptionTarget: only the exit code can match",
    ),
    FailureCause(
        "node-unreachable",
        "node unreachable",
        condition=DISRUPTED,
        state="terminating",
        note="the Pod is Terminating until its node returns or is deleted",
    ),
    FailureCause(
        "admission-error",
        "admission error of the kubelet (UnexpectedAdmissionError, OutOfcpu)",
        standing=False,
        note="no rule can reach it: the Pod fails without conditions and container statuses",
    ),
    FailureCause(
        "image-pull",
        "image pull error, missing ConfigMap or Secret, unschedulable",
        state="pending",
        note="no rule can reach it: the Pod is Pending, which is no failure",
    ),
)
