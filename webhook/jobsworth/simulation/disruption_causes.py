"""Causes of disruptions: what each does to a Pod, and the condition that a failure policy can match.

Source: https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions, and
for expiry without a condition kubernetes-sigs/karpenter issue 3218.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

End = Literal["deleted", "failed", "lost"]
"""The Pod is deleted with its grace period; the kubelet fails it in place; its node is unreachable."""


@dataclass(frozen=True, slots=True)
class DisruptionCause:
    """A cause of disruptions.

    Attributes:
        words: the cause in a sentence: "was ... ".
        end: how the Pod ends.
        condition: the Pod gets the condition DisruptionTarget.
        reason: the reason of the condition, or of the Pod's status.
        grace: seconds that the Pod has at most; None for its own grace period.
    """

    words: str
    end: End
    condition: bool
    reason: str
    grace: int | None = None


CAUSES = {
    "EvictionAPI": DisruptionCause(
        "evicted (node drain, scale-down, consolidation)", "deleted", True, "EvictionByEvictionAPI"
    ),
    "Preemption": DisruptionCause(
        "preempted by a Pod of higher priority", "deleted", True, "PreemptionByScheduler"
    ),
    "Taint": DisruptionCause(
        "deleted because of a NoExecute taint", "deleted", True, "DeletionByTaintManager"
    ),
    "NodePressure": DisruptionCause(
        "evicted by the kubelet because the node ran short of resources",
        "failed", True, "TerminationByKubelet", 0,
    ),
    "NodeShutdown": DisruptionCause(
        "terminated by the shutdown of its node", "failed", True, "TerminationByKubelet", 30
    ),
    "SpotReclaim": DisruptionCause(
        "terminated with its spot node", "failed", True, "TerminationByKubelet", 25
    ),
    "NodeLost": DisruptionCause("cut off with its node", "lost", True, "DeletionByTaintManager"),
    "NodeExpiry": DisruptionCause(
        "deleted because its node expired, without a condition", "deleted", False, ""
    ),
    "Deletion": DisruptionCause("deleted by a user", "deleted", False, ""),
}  # fmt: skip
"""The causes by the name that a scenario gives."""

UNREACHABLE_SECONDS = 50
"""Seconds until a lost node is noticed and tainted (--node-monitor-grace-period of Kubernetes 1.36)."""
TOLERATION_SECONDS = 300
"""The default toleration of the taint, after which its Pods are deleted."""
