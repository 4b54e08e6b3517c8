"""The Pods of a Job by state, kept current by each change, so that a sync does not look at all of them.

A Job of 10,000 Pods at a time has a sync in each second in which one of them ends. What the sync needs of the
others are numbers and membership, which the change of one Pod changes by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from sys import maxsize

from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.pods import ACTIVE, UNKNOWN_INDEX, Pod


class PodsByState:
    """The Pods of a Job by state, with what is counted of the active ones.

    It must not change between the stages of a sync (:mod:`jobsworth.controller.plan`).

    Args:
        pods: in the order in which the Job got them; each has another UID.

    Attributes:
        ready: the number of active Pods that are ready.
    """

    __slots__ = (
        "_active",
        "_beyond",
        "_frontier",
        "_indexes",
        "_left",
        "_order",
        "_others",
        "_size",
        "ready",
    )

    def __init__(self, pods: Iterable[Pod] = ()) -> None:
        pods = list(pods)
        self._order = {pod.uid: place for place, pod in enumerate(pods)}
        self._active = {pod.uid: pod for pod in pods if pod.state == ACTIVE}
        self._others = {pod.uid: pod for pod in pods if pod.state != ACTIVE}
        self.ready = sum([pod.ready for pod in self._active.values()])
        self._indexes: Counter[int] | None = None
        self._size, self._beyond = maxsize, 0
        self._left: set[int] = set()
        self._frontier = 0

    def __len__(self) -> int:
        return len(self._active) + len(self._others)

    def get(self, uid: str) -> Pod | None:
        """Return the Pod with a UID; None if there is none."""
        return self._active.get(uid) or self._others.get(uid)

    @property
    def active(self) -> Collection[Pod]:
        """The Pods that are neither terminated nor being deleted."""
        return self._active.values()

    @property
    def others(self) -> Collection[Pod]:
        """The Pods that are terminated or being deleted."""
        return self._others.values()

    def in_order(self, pods: Iterable[Pod]) -> list[Pod]:
        """Return some of the Pods in the order in which the Job got them."""
        return sorted(pods, key=lambda pod: self._order[pod.uid])

    def all(self) -> list[Pod]:
        """Return all Pods, in order."""
        return self.in_order((*self._active.values(), *self._others.values()))

    def put(self, pod: Pod) -> None:
        """Add a Pod, or replace it by what it has become."""
        self.remove(pod.uid)
        self._order.setdefault(pod.uid, len(self._order))
        if pod.state != ACTIVE:
            self._others[pod.uid] = pod
            return
        self._active[pod.uid] = pod
        self.ready += pod.ready
        self._beyond += pod.index >= self._size
        if self._indexes is not None:
            self._indexes[pod.index] += 1

    def remove(self, uid: str) -> None:
        """Remove a Pod that is gone, or that no decision needs any longer, if it is there."""
        if self._others.pop(uid, None) is not None:
            return
        pod = self._active.pop(uid, None)
        if pod is None:
            return
        self.ready -= pod.ready
        self._beyond -= pod.index >= self._size
        self._left.add(pod.index)
        if self._indexes is not None:
            self._indexes[pod.index] -= 1
            if not self._indexes[pod.index]:
                del self._indexes[pod.index]

    # The completion indexes of the active Pods.

    @property
    def indexes(self) -> Counter[int]:
        """How many active Pods each completion index has that has any."""
        if self._indexes is None:
            self._indexes = Counter([pod.index for pod in self._active.values()])
        return self._indexes

    def are_distinct(self, size: int) -> bool:
        """Return True if the active Pods have valid indexes, each another.

        Args:
            size: the completions of the Job; a valid index is lower.
        """
        if self._size != size:
            self._size = size
            self._beyond = sum([pod.index >= size for pod in self._active.values()])
        indexes = self.indexes
        return (
            len(indexes) == len(self._active) and not self._beyond and UNKNOWN_INDEX not in indexes
        )

    def free(self, done: IndexSet, size: int) -> Iterator[int]:
        """Yield the indexes below `size` that have no active Pod and are not done, in order.

        An index that is done stays so: it needs no Pod ever again.
        """
        taken, frontier = self.indexes, self._frontier
        # Each index below the frontier was seen with an active Pod, or done: it is free if the Pod left it.
        self._left = {
            index
            for index in self._left
            if 0 <= index < frontier and index not in taken and index not in done
        }
        yield from sorted([index for index in self._left if index < size])
        seen = True
        for index in done.absent(size, frontier):
            if index not in taken:
                seen = False
                yield index
            elif seen:
                self._frontier = index + 1
