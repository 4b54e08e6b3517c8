"""Unfinished Jobs: what each waits for, and which of them are stuck."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jobsworth.controller.jobs import read_job
from jobsworth.controller.pods import ACTIVE, TERMINATING, read_pod
from jobsworth.controller.settings import settings_of
from jobsworth.controller.times import read_time
from jobsworth.controller.well_known_names import PENDING
from jobsworth.whatif.pending_causes import pending_cause_of
from jobsworth.whatif.waiting import Observations, waiting_of
from jobsworth.whatif.why.pods.pending_pods import pending_reason
from jobsworth.whatif.why.pods.pod_facts import read_pod_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.controller.pods import Pod
    from jobsworth.whatif.health.evidence import Object, StoredEvent, StoredJob
    from jobsworth.whatif.waiting import Waiting, WaitReason

STUCK_REASONS: tuple[WaitReason, ...] = (
    "Terminating",
    "Deleting",
    "PodsRejected",
    "Quota",
    "ImagePull",
    "Unschedulable",
    "MissingConfig",
    "Pending",
)
"""The waits that a Job should not be in for long. A suspended Job, or one without parallelism, waits for its
user, and that of another controller (spec.managedBy) for that one."""


@dataclass(frozen=True, slots=True)
class JobWait:
    """The wait of an unfinished Job.

    Attributes:
        job: the Job.
        waiting: what it waits for.
        pod: one of the Pods that keep it waiting, the oldest; empty without one.
        pods: how many there are.
        gone_by: when the grace period of that Pod ends; 0 if it is not being deleted.
    """

    job: StoredJob
    waiting: Waiting
    pod: str = ""
    pods: int = 0
    gone_by: int = 0

    def stuck(self, now: float, after: float) -> bool:
        """Return True if it has been in such a wait for some seconds, grace periods aside."""
        since = self.waiting.since
        if self.waiting.reason not in STUCK_REASONS or since is None:
            return False
        return now - max(since, self.gone_by) >= after

    def seconds(self, now: float) -> float:
        """Return how long it has waited."""
        return 0.0 if self.waiting.since is None else max(0.0, now - self.waiting.since)


def wait_of(
    job: StoredJob, pods: Sequence[Object], events: Sequence[StoredEvent], now: int
) -> JobWait | None:
    """Return what a Job waits for; None if it has finished.

    Args:
        pods: the Pods that it controls and that have not ended.
        events: the Events about it.
    """
    if job.manifest is None:
        return None
    settings = settings_of(job.manifest["spec"].get("managedBy"))
    read = [read_pod(pod, settings) for pod in pods]
    causes = {
        pod["metadata"].get("name") or "": cause
        for pod in pods
        if (cause := pending_cause_of(pod)) is not None
    }
    rejections = [each for each in events if each.recorded.reason == "FailedCreate"]
    last = max(rejections, key=lambda each: each.recorded.at or 0, default=None)
    seen = Observations(
        pending=causes,
        rejected="" if last is None else last.recorded.message,
        rejected_since=min(
            (at for each in rejections if (at := each.first or each.recorded.at) is not None),
            default=None,
        ),
    )
    waiting = waiting_of(read_job(job.manifest, settings), read, now, settings=settings, seen=seen)
    if waiting is None:
        return None
    if waiting.reason == "Deleting":
        deletion = read_time(job.manifest["metadata"].get("deletionTimestamp"))
        waiting = replace(waiting, since=deletion)
    keeping = _keeping(waiting, read)
    if waiting.reason == "Pending":
        waiting = _as_pods_show(waiting, pods)
    if not keeping:
        return JobWait(job, waiting)
    return JobWait(job, waiting, keeping[0].name, len(keeping), keeping[0].gone_by)


def _as_pods_show(waiting: Waiting, pods: Sequence[Object]) -> Waiting:
    """Return the wait for Pods that do not start, as their statuses show it.

    An init container that runs for the first time does work: the Job is not stuck.
    """
    facts = [
        read_pod_facts(pod)
        for pod in pods
        if (pod.get("status") or {}).get("phase") == PENDING
        and not pod["metadata"].get("deletionTimestamp")
    ]
    for each in facts:
        name = each.initializing
        if name and all(name != last.container for last in each.last_runs):
            return replace(
                waiting,
                waiting_for="init containers to succeed",
                detail=f"container {name} runs",
                ended_by="they do",
                reason="Running",
            )
    words = Counter(filter(None, (pending_reason(each).words for each in facts)))
    if not words:
        return waiting
    return replace(waiting, detail=words.most_common(1)[0][0])


def _keeping(waiting: Waiting, pods: Sequence[Pod]) -> list[Pod]:
    """Return the Pods that keep a Job waiting, the oldest first."""
    if waiting.reason in ("Terminating", "Deleting"):
        found = [pod for pod in pods if pod.state == TERMINATING]
    elif waiting.reason == "Running":
        found = [pod for pod in pods if pod.state == ACTIVE and pod.phase != PENDING]
    else:
        found = [pod for pod in pods if pod.state == ACTIVE and pod.phase == PENDING]
    return sorted(found, key=lambda pod: (pod.created, pod.name))
