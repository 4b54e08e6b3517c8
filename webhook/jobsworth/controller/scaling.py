"""How many Pods should run, and so which to delete or to create.

Never both at once: what is too much goes first, and the next sync sees what is missing. Source:
Kubernetes 1.36; KEP-2232 (suspension), KEP-3939 (replacement), KEP-3850 (delays per index).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.controller import well_known_names
from jobsworth.controller.actions import Creation, Deletion
from jobsworth.controller.backoff import index_remaining
from jobsworth.controller.index_sets import IndexSet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobsworth.controller.backoff import Backoff
    from jobsworth.controller.controller_settings import Settings
    from jobsworth.controller.jobs import Job
    from jobsworth.controller.pod_classification import Census, Indexes
    from jobsworth.controller.pods import Pod

SHORTEST_REQUEUE = 1.0
_PHASE_RANK = {
    well_known_names.PENDING: 0,
    well_known_names.UNKNOWN: 1,
    well_known_names.RUNNING: 2,
}


@dataclass(frozen=True, slots=True)
class Management:
    """What to do about the number of Pods.

    Attributes:
        wait: seconds until a Pod may be created that may not be yet; None if there is none.
    """

    deletions: tuple[Deletion, ...] = ()
    creations: tuple[Creation, ...] = ()
    wait: float | None = None

    @property
    def action(self) -> well_known_names.SyncAction:
        """What the sync does, as its metrics name it; to wait counts as creating."""
        if self.deletions:
            return well_known_names.PODS_DELETED_ACTION
        if self.creations or self.wait is not None:
            return well_known_names.PODS_CREATED_ACTION
        return well_known_names.TRACKING


@dataclass(frozen=True, slots=True)
class Demand:
    """What the number of Pods depends on.

    Attributes:
        succeeded: Pods, or indexes of an Indexed Job, known to have succeeded.
    """

    census: Census
    indexes: Indexes
    succeeded: int
    backoff: Backoff
    now: float
    settings: Settings


def manage(demand: Demand) -> Management:
    """Decide which Pods to delete or to create."""
    census, job = demand.census, demand.census.job
    if job.suspended:
        return Management(deletions=_deletions(census.active))
    active, wanted = len(census.active), _wanted(job, demand.succeeded, len(census.active))
    surplus = _surplus(census, active - wanted)[: demand.settings.max_pods_per_sync]
    if surplus:
        return Management(deletions=_deletions(surplus))
    awaited = len(census.terminating) if job.only_replace_failed else 0
    missing = min(wanted - active - awaited, demand.settings.max_pods_per_sync)
    return _create(demand, missing) if missing > 0 else Management()


def _wanted(job: Job, succeeded: int, active: int) -> int:
    if job.completions is None:
        return active if succeeded else job.parallelism
    return max(0, min(job.completions - succeeded, job.parallelism))


def _deletions(pods: Iterable[Pod]) -> tuple[Deletion, ...]:
    """Let go of before they are deleted, so that they never count as failed."""
    return tuple(Deletion(pod, release_first=True) for pod in pods)


def _surplus(census: Census, at_least: int) -> list[Pod]:
    """Pods that should not run: those without a right index, doubles, then the least worth."""
    job = census.job
    tracked = {pod.uid for pod in census.tracked}

    def worth(pod: Pod) -> tuple[int | str, ...]:
        return _worth(pod, tracked=pod.uid in tracked)

    surplus: list[Pod] = []
    rest = census.active
    if job.indexed:
        best: dict[int, Pod] = {}
        for pod in census.active:
            rival = best.get(pod.index)
            if not 0 <= pod.index < job.size:
                surplus.append(pod)
            elif rival is None:
                best[pod.index] = pod
            else:
                worse, best[pod.index] = sorted((rival, pod), key=worth)
                surplus.append(worse)
        rest = list(best.values())
    if len(surplus) < at_least:
        surplus += sorted(rest, key=worth)[: at_least - len(surplus)]
    return surplus


def _worth(pod: Pod, *, tracked: bool) -> tuple[int | str, ...]:
    """What is lost with a Pod; the smallest goes first.

    First of all go those that are not tracked: a sync that let go of them and died before it could
    delete them left them behind, and nobody will count them.
    """
    return (
        tracked,
        bool(pod.node),
        _PHASE_RANK.get(pod.phase, 1),
        pod.ready,
        # Of two that are ready the one that was so for less time; not known is no time.
        pod.ready and pod.ready_since > 0,
        -pod.ready_since if pod.ready else 0,
        -pod.container_restarts,
        -pod.sidecar_restarts,
        pod.created > 0,
        -pod.created,
        pod.name,
    )


def _create(demand: Demand, missing: int) -> Management:
    job = demand.census.job
    if job.per_index:
        return _create_per_index(demand, missing)
    wait = demand.backoff.remaining(demand.now, demand.settings)
    if wait > 0:
        return Management(wait=max(wait, SHORTEST_REQUEUE))
    if not job.indexed:
        return Management(creations=(Creation(),) * missing)
    absent = _occupied(demand).absent(job.size)
    chosen = [index for index, _ in zip(absent, range(missing), strict=False)]
    return Management(creations=tuple(Creation(index) for index in chosen))


def _create_per_index(demand: Demand, missing: int) -> Management:
    """The lowest indexes that need not wait; those that do leave their turn to others."""
    census, delayed = demand.census, demand.indexes.delayed
    creations: list[Creation] = []
    wait: float | None = None
    for index in _occupied(demand).absent(census.job.size):
        last = delayed.get(index)
        left = index_remaining(last, demand.now, demand.settings)
        if left > 0:
            wait = left if wait is None else min(wait, left)
            continue
        creations.append(_successor(index, last, census))
        if len(creations) == missing:
            break
    if wait is not None:
        wait = max(wait, SHORTEST_REQUEUE)
    return Management(creations=tuple(creations), wait=wait)


def _successor(index: int, last: Pod | None, census: Census) -> Creation:
    """The Pod that continues the counts of the one that failed."""
    if last is None:
        return Creation(index, failure_count=0)
    counts = census.matcher.match(last).counts
    return Creation(
        index,
        failure_count=last.failure_count + counts,
        ignored_count=last.ignored_count + (not counts),
    )


def _occupied(demand: Demand) -> IndexSet:
    """The indexes that need no Pod, or have one."""
    census, indexes = demand.census, demand.indexes
    taken = {pod.index for pod in census.active}
    if census.job.only_replace_failed:
        taken |= {pod.index for pod in census.terminating}
    taken.discard(-1)
    return indexes.succeeded.union(indexes.failed).union(IndexSet.of(taken))
