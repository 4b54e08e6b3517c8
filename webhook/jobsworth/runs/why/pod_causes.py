"""The cause for which a Pod failed, by what Kubernetes left of it.

The causes are those of :mod:`jobsworth.runs.failure_causes`, read backwards: from the reason of the
condition DisruptionTarget, the reason of the Pod, and the exit codes and reasons of its containers. Nothing
is guessed: without any of them the cause is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import NAMED_CODES
from jobsworth.runs.recorded.pending_pods import NODE_NOT_READY
from jobsworth.runs.recorded.pod_facts import START_REASONS, WHOLE_POD, PodFacts
from jobsworth.runs.recorded.recording import EndedContainer, RecordedEvent, RecordedPod


@dataclass(frozen=True, slots=True)
class PodCause:
    """A cause, in the words of a sentence with the Pod or index as its subject.

    Attributes:
        passive: the verb takes "was" or "were".
        verb: the verb, such as ``evicted``.
        how: the rest, such as ``with exit code 1``; may be empty.
        noun: the cause as a noun in the singular, such as ``eviction``.
        message: what the kubelet or the program wrote about it; causes are equal if only this differs.
    """

    name: Cause
    passive: bool
    verb: str
    how: str
    noun: str = "failure"
    message: str = field(default="", compare=False)

    def counted(self, number: int) -> str:
        """Return a number of such failures, such as "3 evictions"."""
        if number == 1:
            text = f"1 {self.noun}"
        else:
            text = f"{number} {self.noun}{'es' if self.noun.endswith('s') else 's'}"
        return f"{text} {self.how}" if self.noun == "failure" else text

    def clause(self, subject: str, *, plural: bool, times: str = "") -> str:
        """Return the clause, such as "index 7 failed twice with exit code 1".

        Args:
            times: an adverb after the verb; empty for none.
        """
        verb = f"{'were' if plural else 'was'} {self.verb}" if self.passive else self.verb
        message = f": {self.message.rstrip('. ')}" if self.message else ""
        return " ".join(filter(None, (subject, verb, times, self.how))) + message


_DISRUPTIONS: dict[str, PodCause] = {
    "PreemptionByScheduler": PodCause(
        Cause.PREEMPTION, True, "preempted", "by the scheduler", "preemption"
    ),
    "EvictionByEvictionAPI": PodCause(
        Cause.EVICTION,
        True,
        "evicted",
        "through the eviction API (a drain or scale-down)",
        "eviction",
    ),
    "DeletionByTaintManager": PodCause(
        Cause.TAINT,
        True,
        "deleted",
        "because of a NoExecute taint of the node",
        "taint-based eviction",
    ),
    "DeletionByPodGC": PodCause(
        Cause.POD_GC,
        True,
        "deleted",
        "by the Pod garbage collector, because the node is gone",
        "garbage collection",
    ),
}
"""By the reason of the condition DisruptionTarget, except TerminationByKubelet."""

KUBELET_PREEMPTION = PodCause(
    Cause.CRITICAL_POD,
    True,
    "preempted",
    "by the kubelet for a critical Pod",
    "preemption",
)
NODE_SHUTDOWN = PodCause(
    Cause.NODE_SHUTDOWN, True, "stopped", "by the shutdown of the node", "shutdown"
)
NODE_PRESSURE = PodCause(
    Cause.NODE_PRESSURE,
    True,
    "evicted",
    "by the kubelet, because the node ran short of resources",
    "eviction",
)
STORAGE_LIMIT = PodCause(
    Cause.STORAGE_LIMIT,
    True,
    "evicted",
    "by the kubelet, because a limit of ephemeral storage was exceeded",
    "eviction",
)
POD_DEADLINE = PodCause(
    Cause.POD_DEADLINE,
    False,
    "exceeded",
    "activeDeadlineSeconds of the Pod template (DeadlineExceeded)",
)
NODE_LOST = PodCause(Cause.NODE_LOST, True, "lost", "with an unreachable node", "loss")
DELETED = PodCause(
    Cause.DELETION,
    True,
    "deleted",
    "while it ran, without a condition that says by whom",
    "deletion",
)
UNKNOWN = PodCause(Cause.UNKNOWN, False, "failed", "without an exit code, reason or condition")

_STORAGE_MESSAGES = (
    "ephemeral local storage usage exceeds",
    "exceeded its local ephemeral storage limit",
    "of EmptyDir volume",
)
"""Parts of the kubelet's message for a Pod beyond a storage limit (pkg/kubelet/eviction, 1.26 to 1.37)."""
_SHUTDOWN_REASONS = ("Terminated", "NodeShutdown", "Shutdown")
_SHUTDOWN_MESSAGE = "node shutdown"
_ADMISSION_REASONS = re.compile(
    r"UnexpectedAdmissionError|OutOf\w+|NodeAffinity|NodePorts|NodeName|TaintToleration"
    r"|\w*Admission\w*|\w+NotSupported|AppArmor|SysctlForbidden|InvalidNodeInfo"
)
"""Reasons with which the kubelet rejects a Pod that is bound to its node (pkg/kubelet/lifecycle, 1.36)."""
_SPECIAL_CODES = NAMED_CODES.keys() - {1, 2}
"""Exit codes whose meaning helps: 1 and 2 are what any program exits with."""


def cause_of(pod: RecordedPod, facts: PodFacts, events: Sequence[RecordedEvent] = ()) -> PodCause:
    """Return the cause of the failure of a Pod that has failed, or counts as failed.

    Args:
        events: those about the Pod, which say why its node has a taint.
    """
    disrupted = _DISRUPTIONS.get(pod.disruption)
    if disrupted is not None:
        unready = any(each.reason == NODE_NOT_READY for each in events)
        if disrupted.name == Cause.TAINT and unready and facts.node:
            return replace(disrupted, message=f"node {facts.node} was not ready")
        return disrupted
    if pod.disruption == "TerminationByKubelet":
        return _by_kubelet(pod, facts)
    by_reason = _by_reason(pod, facts)
    if by_reason is not None:
        return by_reason
    if pod.disruption:
        return _other_disruption(pod, facts)
    ended = _decisive(pod, facts)
    if pod.deleted is not None and (pod.ended is None or pod.ended >= pod.deleted):
        return DELETED
    if ended is None:
        return UNKNOWN
    cause = _by_container(ended, facts)
    if cause.name == Cause.EXIT_CODE and not cause.message and ended.exit_code in _KILLED:
        cause = replace(cause, message=_failed_probe(ended.name, events))
    title = _title(ended, facts)
    if title in cause.how or (len(pod.containers) == 1 and title.startswith("container")):
        return cause
    return replace(cause, how=f"{cause.how} in {title}")


_KILLED = (137, 143)
"""Exit codes of a container that the kubelet has stopped."""


def _failed_probe(container: str, events: Sequence[RecordedEvent]) -> str:
    """Return the message of the kubelet that a probe failed, for which it stopped a container; or empty."""
    start = f"Container {container} failed "
    found = (each.message for each in events if each.reason == "Killing")
    return next((each for each in found if each.startswith(start) and "probe" in each), "")


def cause_by_events(events: Sequence[RecordedEvent]) -> PodCause | None:
    """Return the cause for which a Pod is gone, by the last Event that names one; None without one."""
    for event in sorted(events, key=lambda each: each.at or 0, reverse=True):
        if event.reason == "Evicted":
            if any(part in event.message for part in _STORAGE_MESSAGES):
                return STORAGE_LIMIT
            found = NODE_PRESSURE if _is_pressure(event.message) else None
            return found or _DISRUPTIONS["EvictionByEvictionAPI"]
        if event.reason == "TaintManagerEviction" and event.message.startswith("Cancel"):
            return None
        if event.reason in _BY_EVENT:
            return _BY_EVENT[event.reason]
    return None


_BY_EVENT = {
    "ScaleDown": _DISRUPTIONS["EvictionByEvictionAPI"],
    "Disrupted": PodCause(
        Cause.DELETION, True, "deleted", "by Karpenter for the end of its node", "deletion"
    ),
    "TaintManagerEviction": _DISRUPTIONS["DeletionByTaintManager"],
    "Preempted": _DISRUPTIONS["PreemptionByScheduler"],
    "Preempting": KUBELET_PREEMPTION,
    "NodeShutdown": NODE_SHUTDOWN,
}
"""By the reason of an Event about a Pod. Sources: cluster-autoscaler (ScaleDown), Karpenter (Evicted,
Disrupted), the taint eviction controller, the scheduler, and the kubelet, 1.36."""
ENDING_REASONS = frozenset((*_BY_EVENT, "Evicted", "Killing"))
"""Reasons of Events that say what ends a Pod, also of those that are no warnings."""


def _title(ended: EndedContainer, facts: PodFacts) -> str:
    kind = "init container" if ended.name in facts.init_containers else "container"
    return f"{kind} {ended.name}"


def _by_kubelet(pod: RecordedPod, facts: PodFacts) -> PodCause:
    if pod.reason == "Preempting":
        return KUBELET_PREEMPTION
    if any(part in facts.message for part in _STORAGE_MESSAGES):
        return replace(STORAGE_LIMIT, message=facts.message)
    if pod.reason in _SHUTDOWN_REASONS or _SHUTDOWN_MESSAGE in facts.message.lower():
        return NODE_SHUTDOWN
    return replace(NODE_PRESSURE, message=facts.message)


def _by_reason(pod: RecordedPod, facts: PodFacts) -> PodCause | None:
    reason = pod.reason
    if reason == "Evicted":
        limited = any(part in facts.message for part in _STORAGE_MESSAGES)
        # Without the condition it is a storage limit; before Kubernetes 1.26 there was no condition.
        found = STORAGE_LIMIT if limited or not _is_pressure(facts.message) else NODE_PRESSURE
        return replace(found, message=facts.message)
    if reason == "DeadlineExceeded":
        return POD_DEADLINE
    if reason == "Preempting":
        return KUBELET_PREEMPTION
    if reason == "NodeLost":
        return NODE_LOST
    if reason in _SHUTDOWN_REASONS:
        return NODE_SHUTDOWN
    if reason and not pod.containers and _ADMISSION_REASONS.fullmatch(reason):
        how = f"by the kubelet before a container ran ({reason})"
        name = Cause.ADMISSION_ERROR
        return PodCause(name, True, "rejected", how, "admission error", facts.message)
    return None


def _is_pressure(message: str) -> bool:
    return "low on resource" in message


def _other_disruption(pod: RecordedPod, facts: PodFacts) -> PodCause:
    """Return the cause of a Pod whose condition another component has set, with a reason of its own."""
    how = f"(DisruptionTarget, {pod.disruption})"
    return PodCause(Cause.DISRUPTION, True, "disrupted", how, "disruption", facts.disruption)


def _decisive(pod: RecordedPod, facts: PodFacts) -> EndedContainer | None:
    """Return the container that made the Pod fail: killed for memory first, else in the Pod's order.

    A sidecar is stopped after the others, and its exit code does not count (KEP-753).
    """
    failed = [each for each in pod.containers if each.exit_code]
    return min(
        failed,
        key=lambda each: (each.name in facts.sidecars, each.reason != "OOMKilled"),
        default=None,
    )


def _by_container(ended: EndedContainer, facts: PodFacts) -> PodCause:
    if ended.reason == "OOMKilled":
        limit = facts.memory_limits.get(ended.name) or facts.memory_limits.get(WHOLE_POD)
        shown = f", limit {limit}" if limit else ", no memory limit: the node ran out of memory"
        how = f"with exit code {ended.exit_code} (OOMKilled{shown})"
        return PodCause(Cause.OOM, False, "failed", how, "out-of-memory kill")
    written = facts.termination_messages.get(ended.name, "")
    if ended.reason in START_REASONS:
        how = f"because {_title(ended, facts)} could not be started ({ended.reason})"
        return PodCause(Cause.START_ERROR, False, "failed", how, message=written)
    details = [
        *([] if ended.reason in ("", "Error") else [ended.reason]),
        *([NAMED_CODES[ended.exit_code]] if ended.exit_code in _SPECIAL_CODES else []),
    ]
    shown = f" ({', '.join(details)})" if details else ""
    how = f"with exit code {ended.exit_code}{shown}"
    return PodCause(Cause.EXIT_CODE, False, "failed", how, message=written)
