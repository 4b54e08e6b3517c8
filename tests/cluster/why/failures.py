"""Failures and standstills of Jobs: how each is made on a test bed, and what the sentence must name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cluster.why.played_pods import PlayedJob

Object = dict[str, Any]
Play = Callable[["PlayedJob"], None]
IGNORE_DISRUPTIONS: Object = {
    "action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
}
FAIL_DISRUPTIONS: Object = {**IGNORE_DISRUPTIONS, "action": "FailJob"}


def on_codes(action: str, *codes: int) -> Object:
    return {"action": action, "onExitCodes": {"operator": "In", "values": list(codes)}}


def rules(*listed: Object) -> Object:
    return {"podFailurePolicy": {"rules": list(listed)}}


@dataclass(frozen=True)
class Case:
    """A failure.

    Attributes:
        spec: fields of the Job's spec besides the template.
        pod: fields of its Pods' spec.
        names: what the sentence must contain.
        cause: the stable name of the cause.
        keep: deleted Pods stay for the recording.
        namespace_labels: of its namespace.
    """

    name: str
    play: Play
    names: tuple[str, ...]
    cause: str
    spec: Object = field(default_factory=dict)
    pod: Object = field(default_factory=dict)
    keep: bool = False
    namespace_labels: Object = field(default_factory=dict)
    quota: Object | None = None


def twice(play: Callable[[Any], None]) -> Play:
    """Let two Pods fail one after the other."""

    def played(job: PlayedJob) -> None:
        for _ in range(2):
            play(job.next_pod().runs())
        job.ends()

    return played


def once(play: Callable[[Any], None], *, gone: bool = False) -> Play:
    """Let the only Pod fail."""

    def played(job: PlayedJob) -> None:
        play(job.next_pod().runs())
        job.ends()
        if gone:
            job.loses_pods()

    return played


def _brief(job: PlayedJob) -> None:
    """Index 1 is evicted once and killed for memory twice; index 0 succeeds."""
    job.next_pod(0).runs().succeeds()
    job.next_pod(1).runs().is_deleted("EvictionByEvictionAPI")
    for _ in range(2):
        job.next_pod(1).runs().fails(137, "OOMKilled")
    job.ends()


def _two_indexes(job: PlayedJob) -> None:
    job.next_pod(0).runs().fails(1)
    job.next_pod(1).runs().fails(42)
    job.ends()


def _fail_index(job: PlayedJob) -> None:
    job.next_pod(0).runs().succeeds()
    job.next_pod(1).runs().fails(42)
    job.ends()


def _two_indexes_gone(job: PlayedJob) -> None:
    _two_indexes(job)
    job.loses_pods()


def _preempted_gone(job: PlayedJob) -> None:
    pod = job.next_pod().runs()
    pod.event("Preempted", "Preempted by pod 6a0a1c3e on node node-1")
    pod.is_deleted("PreemptionByScheduler")
    job.ends()


def _tainted_gone(job: PlayedJob) -> None:
    pod = job.next_pod().runs()
    pod.event("TaintManagerEviction", f"Marking for deletion Pod {job.namespace}/{pod.name}")
    pod.is_deleted("DeletionByTaintManager")
    job.ends()


def _deadline(start: Callable[[Any], Any]) -> Play:
    def played(job: PlayedJob) -> None:
        start(job.next_pod())
        job.ends()

    return played


def _pulls(pod: Any) -> None:
    message = 'Back-off pulling image "registry.example.com/solver:1": not found'
    pod.event("Failed", f"Failed to pull image: {message}")
    pod.waits("ImagePullBackOff", message)


def _crash_loop(job: PlayedJob) -> None:
    job.next_pod().restarts(1, 2)
    job.ends()


def _stays(start: Callable[[Any], Any]) -> Play:
    def played(job: PlayedJob) -> None:
        start(job.next_pod())
        job.counts(active=1)

    return played


def _hangs(job: PlayedJob) -> None:
    job.next_pod().runs().is_deleted("DeletionByTaintManager", None)
    job.counts(terminating=1)


def _rejected(job: PlayedJob) -> None:
    job.has_event("FailedCreate")


STAYS_PENDING = "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available"
ONE: Object = {"backoffLimit": 0}
PER_INDEX: Object = {
    "completionMode": "Indexed",
    "completions": 2,
    "parallelism": 2,
    "backoffLimitPerIndex": 0,
}
LIMITED: Object = {
    "containers": [
        {
            "name": "main",
            "image": "registry.example.com/solver:1",
            "resources": {"limits": {"memory": "2Gi"}},
        }
    ]
}
DISRUPTED_GONE = ("DisruptionTarget", "FailJob", "gone")

CASES = (
    Case(
        "exit-code", twice(lambda pod: pod.fails(1)),
        ("2 Pods failed with exit code 1", "backoffLimit 1 was exceeded"), "ExitCode",
        {"backoffLimit": 1},
    ),
    Case(
        "exit-code-gone", once(lambda pod: pod.fails(3), gone=True),
        ("the failed Pod that the status counts is gone", "unknown", "backoffLimit 0"), "PodsGone", ONE,
    ),
    Case(
        "oom", once(lambda pod: pod.fails(137, "OOMKilled")),
        ("exit code 137 (OOMKilled, limit 2Gi)", "backoffLimit 0 was exceeded"), "OOMKilled", ONE, LIMITED,
    ),
    Case(
        "oom-of-an-index", _brief,
        (
            "index 1 failed twice with exit code 137 (OOMKilled, limit 2Gi)",
            "backoffLimitPerIndex 1 was exceeded", "1 eviction was ignored by rules[0]",
        ),
        "OOMKilled", {**PER_INDEX, "backoffLimitPerIndex": 1, **rules(IGNORE_DISRUPTIONS)}, LIMITED,
        keep=True,
    ),
    Case(
        "windows-oom", once(lambda pod: pod.fails(1)), ("failed with exit code 1",), "ExitCode", ONE,
        {"os": {"name": "windows"}, "nodeSelector": {"kubernetes.io/os": "windows"}},
    ),
    Case(
        "storage-limit",
        once(
            lambda pod: pod.fails(
                137, pod_reason="Evicted",
                message="Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ",
            )
        ),
        ("evicted by the kubelet, because a limit of ephemeral storage was exceeded", "1Gi"),
        "StorageLimit", ONE,
    ),
    Case(
        "pod-deadline",
        once(
            lambda pod: pod.fails(
                143, pod_reason="DeadlineExceeded",
                message="Pod was active on the node longer than the specified deadline",
            )
        ),
        ("exceeded activeDeadlineSeconds of the Pod template",), "PodDeadline", ONE,
        {"activeDeadlineSeconds": 60},
    ),
    Case(
        "preemption", once(lambda pod: pod.is_deleted("PreemptionByScheduler")),
        ("was preempted by the scheduler",), "Preemption", ONE, keep=True,
    ),
    Case(
        "preemption-gone", _preempted_gone,
        ("Preempted by pod 6a0a1c3e", "gone"), "PodsGone", ONE,
    ),
    Case(
        "kubelet-preemption",
        once(
            lambda pod: pod.fails(
                143, pod_reason="Preempting", disruption="TerminationByKubelet",
                message="Preempted in order to admit critical pod",
            )
        ),
        ("was preempted by the kubelet for a critical Pod",), "CriticalPod", ONE,
    ),
    Case(
        "eviction", once(lambda pod: pod.is_deleted("EvictionByEvictionAPI")),
        ("was evicted through the eviction API",), "EvictionAPI", ONE, keep=True,
    ),
    Case(
        "eviction-gone", once(lambda pod: pod.is_deleted("EvictionByEvictionAPI")),
        DISRUPTED_GONE, "Disruption", {**ONE, **rules(FAIL_DISRUPTIONS)},
    ),
    Case(
        "taint", once(lambda pod: pod.is_deleted("DeletionByTaintManager")),
        ("because of a NoExecute taint",), "Taint", ONE, keep=True,
    ),
    Case("taint-gone", _tainted_gone, ("TaintManagerEviction", "gone"), "PodsGone", ONE),
    Case(
        "pod-gc", once(lambda pod: pod.is_deleted("DeletionByPodGC")),
        ("by the Pod garbage collector, because the node is gone",), "PodGC", ONE, keep=True,
    ),
    Case(
        "node-shutdown",
        once(
            lambda pod: pod.fails(
                143, pod_reason="Terminated", disruption="TerminationByKubelet",
                message="Pod was terminated in response to imminent node shutdown.",
            )
        ),
        ("was stopped by the shutdown of the node",), "NodeShutdown", ONE,
    ),
    Case(
        "node-pressure",
        once(
            lambda pod: pod.fails(
                137, pod_reason="Evicted", disruption="TerminationByKubelet",
                message="The node was low on resource: memory. Container main was using 3Gi. ",
            )
        ),
        ("ran short of resources", "low on resource: memory"), "NodePressure", ONE,
    ),
    Case(
        "deletion", once(lambda pod: pod.is_deleted()),
        ("was deleted while it ran, without a condition",), "Deletion", ONE, keep=True,
    ),
    Case(
        "node-unreachable", _hangs, ("terminating Pods to terminate", "on node"), "Terminating",
        {**ONE, "podReplacementPolicy": "Failed"}, keep=True,
    ),
    Case(
        "admission-error",
        lambda job: (
            job.next_pod().is_rejected(
                "UnexpectedAdmissionError", "Allocate failed due to no healthy devices present"
            ),
            job.ends(),
        )[0],
        ("rejected by the kubelet before a container ran (UnexpectedAdmissionError)", "devices"),
        "AdmissionError", ONE,
    ),
    Case(
        "image-pull", _stays(_pulls),
        ("for image ", "ImagePullBackOff", "registry.example.com/solver:1", "nothing else ends it"),
        "ImagePull",
    ),
    Case(
        "image-pull-deadline-gone", _deadline(_pulls),
        ("activeDeadlineSeconds 4 ran out", "for image "), "ImagePull",
        {"activeDeadlineSeconds": 4},
    ),
    Case(
        "unschedulable", _stays(lambda pod: pod.is_unschedulable(STAYS_PENDING)),
        ("a node with room", "3 Insufficient cpu"), "Unschedulable",
    ),
    Case(
        "unschedulable-deadline-gone",
        _deadline(lambda pod: pod.is_unschedulable(STAYS_PENDING)),
        ("activeDeadlineSeconds 4 ran out", "a node with room", "3 Insufficient cpu"), "Unschedulable",
        {"activeDeadlineSeconds": 4},
    ),
    Case(
        "missing-config",
        _stays(lambda pod: pod.waits("CreateContainerConfigError", 'configmap "settings" not found')),
        ("ConfigMap settings", 'configmap "settings" not found'), "MissingConfig",
    ),
    Case(
        "running-deadline", _deadline(lambda pod: pod.runs()),
        ("activeDeadlineSeconds 4 ran out while Pod", "ran"), "Running",
        {"activeDeadlineSeconds": 4}, keep=True,
    ),
    Case(
        "pod-security", _rejected, ("Pods that Pod Security restricted permits", "violates PodSecurity"),
        "PodsRejected", namespace_labels={"pod-security.kubernetes.io/enforce": "restricted"},
    ),
    Case(
        "quota", _rejected, ("larger ResourceQuota pods", "exceeded quota"), "Quota",
        quota={"pods": "0"},
    ),
    Case(
        "suspended", lambda job: job.has_event("Suspended"), ("the Job to be resumed", "spec.suspend"),
        "Suspended", {"suspend": True},
    ),
    Case(
        "fail-job", once(lambda pod: pod.fails(42)),
        ("failed with exit code 42, and rules[0] (FailJob) matches",), "ExitCode",
        rules(on_codes("FailJob", 42)),
    ),
    Case(
        "fail-job-gone", once(lambda pod: pod.fails(42), gone=True),
        ("failed with exit code 42 of container main, and rules[0] (FailJob)", "that Pod is gone"),
        "ExitCode",
        rules(on_codes("FailJob", 42)),
    ),
    Case(
        "fail-index", _fail_index,
        ("index 1 failed with exit code 42, and rules[0] (FailIndex) matches", "1 of 2 indexes had succeeded"),
        "ExitCode", {**PER_INDEX, "backoffLimitPerIndex": 3, **rules(on_codes("FailIndex", 42))},
    ),
    Case(
        "max-failed-indexes", _two_indexes,
        ("with exit code 42", "backoffLimitPerIndex 0 was exceeded", "maxFailedIndexes 1 was exceeded"),
        "ExitCode", {**PER_INDEX, "completions": 3, "maxFailedIndexes": 1},
    ),
    Case(
        "failed-indexes-gone", _two_indexes_gone,
        ("indexes 0-1 failed for good; their failed Pods are gone, so how they failed is unknown",),
        "PodsGone", PER_INDEX,
    ),
    Case(
        "start-error", once(lambda pod: pod.fails(128, "StartError")),
        ("container main could not be started (StartError)",), "StartError", ONE,
    ),
    Case(
        "crash-loop", _crash_loop,
        ("failed again and again in place", "backoffLimit 2 was reached"), "ExitCode",
        {"backoffLimit": 2}, {"restartPolicy": "OnFailure"}, keep=True,
    ),
)  # fmt: skip
