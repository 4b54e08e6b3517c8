"""Ends and standstills of Jobs that `jobsworth wait` is put to: how each is made, and what must come out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cluster.why.failures import LIMITED, ONE, PER_INDEX, STAYS_PENDING, on_codes, rules

if TYPE_CHECKING:
    from cluster.why.played_pods import PlayedJob

Object = dict[str, Any]
STUCK_AFTER, UNSCHEDULABLE_AFTER = 3.0, 4.0


@dataclass(frozen=True)
class Ending:
    """An end, or a standstill.

    Attributes:
        play: makes it, and returns the time (of the monotonic clock) of the last thing that it did.
        outcome: what the wait must return.
        after: seconds from that time until the outcome is a fact; None: when the Job has its condition.
        spec, pod: as of a case of failures.
    """

    name: str
    play: Callable[[PlayedJob], float]
    outcome: str
    after: float | None = None
    spec: Object = field(default_factory=dict)
    pod: Object = field(default_factory=dict)
    namespace_labels: Object = field(default_factory=dict)
    quota: Object | None = None
    options: Object = field(default_factory=dict)


def _then(*steps: Callable[[PlayedJob], Any]) -> Callable[[PlayedJob], float]:
    def play(job: PlayedJob) -> float:
        for step in steps:
            step(job)
        return time.monotonic()

    return play


def _succeeds(job: PlayedJob) -> None:
    job.next_pod().runs().succeeds()


def _fails(code: int = 1) -> Callable[[PlayedJob], None]:
    return lambda job: job.next_pod().runs().fails(code)


def _ends(job: PlayedJob) -> None:
    job.ends()


def _both_indexes(job: PlayedJob) -> None:
    job.next_pod(0).runs().succeeds()
    job.next_pod(1).runs().fails(1)
    job.ends()


def _waits(reason: str) -> Callable[[PlayedJob], None]:
    return lambda job: job.next_pod().waits(reason, "as the kubelet writes it")


def _rejected(job: PlayedJob) -> None:
    job.has_event("FailedCreate")


def _deleted(job: PlayedJob) -> None:
    job.next_pod().runs()
    job.bed.request("DELETE", job.path, {"propagationPolicy": "Background"})


def _deleted_when_complete(job: PlayedJob) -> None:
    _succeeds(job)
    job.ends()
    job.bed.request("DELETE", job.path, {"propagationPolicy": "Background"})


def _created_again(job: PlayedJob) -> None:
    job.next_pod().runs()
    job.bed.request("DELETE", job.path, {"propagationPolicy": "Background"})
    job.is_created_again()
    _succeeds(job)
    job.ends()


ENDINGS = (
    Ending("complete", _then(_succeeds, _ends), "Complete"),
    Ending("complete-after-retry", _then(_fails(), _succeeds, _ends), "Complete"),
    Ending("out-of-memory", _then(lambda job: job.next_pod().runs().fails(137, "OOMKilled"), _ends), "Failed", None, ONE, LIMITED),
    Ending("fail-job", _then(_fails(42), _ends), "Failed", None, rules(on_codes("FailJob", 42))),
    Ending("failed-index", _then(_both_indexes), "Failed", None, PER_INDEX),
    Ending("deadline", _then(lambda job: job.next_pod().runs(), _ends), "Failed", None, {"activeDeadlineSeconds": 2}),
    Ending("image-pull", _then(_waits("ImagePullBackOff")), "Stuck", STUCK_AFTER),
    Ending("invalid-image", _then(_waits("InvalidImageName")), "Stuck", 0.0),
    Ending("missing-config", _then(_waits("CreateContainerConfigError")), "Stuck", STUCK_AFTER),
    Ending("unschedulable", _then(lambda job: job.next_pod().is_unschedulable(STAYS_PENDING)), "Stuck", UNSCHEDULABLE_AFTER),
    Ending("pod-security", _then(_rejected), "Stuck", STUCK_AFTER, namespace_labels={"pod-security.kubernetes.io/enforce": "restricted"}),
    Ending("quota", _then(_rejected), "Stuck", STUCK_AFTER, quota={"pods": "0"}),
    Ending("suspended", _then(), "Stuck", 0.0, {"suspend": True}),
    Ending("no-parallelism", _then(), "Stuck", STUCK_AFTER, {"parallelism": 0}),
    Ending("deleted", _then(_deleted), "Stuck", 0.0),
    Ending("deleted-when-complete", _then(_deleted_when_complete), "Complete", None),
    Ending("created-again", _then(_created_again), "Complete", None, options={"for_creation": 30.0}),
    Ending("running", _then(lambda job: job.next_pod().runs()), "Timeout", None, options={"timeout": 12.0}),
)  # fmt: skip
