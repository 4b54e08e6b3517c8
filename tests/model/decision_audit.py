"""The controller's decisions, compared with the right ones for what it had seen.

A decision is a call that it makes, and what it leaves behind when a sync went well. The caches may lag
behind: a decision is checked against the Job and the Pods that the sync read (:class:`SyncView`); what must never
happen, however old they are, is checked against what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from jobsworth.reconciler.sync_outcome import SyncOutcome
from model.object_fields import (
    Object,
    active,
    condition,
    counts,
    deleting,
    ended,
    finalizer_of,
    finished,
    finished_at,
    has_terminal_condition,
    holds,
    index_of,
    indexes,
    owner_of,
    replaces_only_failed,
    selected,
    succeeded,
    terminating,
    tries,
    uid_of,
    uncounted,
)
from model.pod_ledger import Broken, Ledger
from model.reference_controller import BACKOFF_CAP, Sight, delay

STRIP = "$deleteFromPrimitiveList/finalizers"


@dataclass
class SyncView:
    """A sync under way: what it has read, and what came of its calls.

    Attributes:
        number: of the sync, in the life of the process.
        job: as the cache had it, None if it had none.
        shown: Pods as the cache had them, by UID.
        vanished: UIDs of Pods that were gone when they were to lose their finalizer, earlier.
        outdated: the status was not the stored one: an earlier write had its effect, but no answer.
    """

    key: str
    number: int
    now: float
    vanished: set[str]
    job: Object | None = None
    shown: dict[str, Object] = field(default_factory=dict)
    adopted: set[str] = field(default_factory=set)
    surplus: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    wanted_indexes: set[int] = field(default_factory=set)
    creations: int = 0
    created: int = 0
    outdated: bool = False

    @property
    def uid(self) -> str:
        """Of the Job."""
        assert self.job is not None
        return uid_of(self.job)

    @cached_property
    def sight(self) -> Sight:
        """The Job and its Pods, once those to adopt are adopted."""
        assert self.job is not None
        finalizer, pods = finalizer_of(self.job), []
        for uid, pod in self.shown.items():
            if uid in self.adopted:
                meta = pod["metadata"]
                finalizers = [*(meta.get("finalizers") or ()), finalizer]
                pods.append({**pod, "metadata": {**meta, "finalizers": finalizers}})
            elif owner_of(pod) == self.uid and selected(self.job, pod):
                pods.append(pod)
        return Sight(self.job, pods, self.vanished, self.now)


@dataclass
class Ends:
    """Ends of Pods that a process must remember for its backoff.

    Attributes:
        seen: by UID in which sync the end was seen first.
        well: by UID when, and in which sync, for those that succeeded.
        badly: the same for those that failed.
    """

    seen: dict[str, int] = field(default_factory=dict)
    well: dict[str, tuple[int, int]] = field(default_factory=dict)
    badly: dict[str, tuple[int, int]] = field(default_factory=dict)


class Audit:
    """The audit of one process: its memory dies with it.

    Args:
        ours: the managedBy of Jobs that the controller manages.
        limits: the most Pods that a sync may create or delete.
    """

    def __init__(self, ledger: Ledger, ours: tuple[str | None, ...], limit: int) -> None:
        self.ledger = ledger
        self.ours = ours
        self.limit = limit
        self.ends: dict[str, Ends] = {}
        self.settled: set[str] = set()  # Jobs of which a sync went well

    # Calls.

    def check_call(self, view: SyncView, method: str, resource: str, name: str, body: Any) -> None:
        """A sync is about to make a call."""
        if view.job is None or method == "GET":
            return
        if view.job["spec"].get("managedBy") not in self.ours:
            raise Broken(f"a Job of another controller is touched: {method} {resource} {name}")
        if finished(view.job.get("status") or {}):
            raise Broken(f"a finished Job is touched: {method} {resource} {name}")
        if method == "PUT":
            self._status(view, body["status"])
        elif method == "POST":
            self._creation(view, body)
        elif method == "DELETE":
            self._deletion(view, name)
        elif method == "PATCH":
            self._patch(view, body["metadata"])

    def _status(self, view: SyncView, status: Object) -> None:
        """Check that a finished condition is right by what the sync has seen."""
        self._completion(view, status)
        if has_terminal_condition(view.job.get("status") or {}) or not has_terminal_condition(
            status
        ):  # type: ignore[union-attr]
            return
        running = len(view.sight.active) - len(view.deleted) + view.created
        finished_condition = view.sight.finished_condition() or view.sight.completion(running)
        stored = None if finished_condition is None else condition(status, finished_condition[0])
        if (
            finished_condition is None
            or stored is None
            or (stored["reason"], stored["message"]) != finished_condition[1:]
        ):
            raise Broken(f"{finished_condition} should be on record, not {status['conditions']}")

    def _completion(self, view: SyncView, status: Object) -> None:
        """Check that the failures of an index are recorded before it is completed: later ones do not count."""
        sight, recorded = view.sight, self.ledger.accounts[view.uid].recorded["failed"]
        new = indexes(status.get("completedIndexes"))
        for pod in sight.new_failures if sight.indexed else ():
            known = recorded | uncounted(status, "failed")
            if index_of(pod) in new and counts(sight.job, pod) and uid_of(pod) not in known:
                raise Broken(f"index {index_of(pod)} is completed before its failure is recorded")

    def _creation(self, view: SyncView, body: Object) -> None:
        sight = view.sight
        stored = self.ledger.accounts[view.uid].status
        if has_terminal_condition(stored):
            raise Broken("a Pod is created after the finished condition")
        if sight.finished_condition() is not None:
            raise Broken(f"a Pod is created, although {sight.finished_condition()}")
        view.creations += 1
        allowed = min(sight.missing(), self.limit)
        if view.creations > allowed:
            raise Broken(f"{view.creations} Pods are created, {allowed} are missing")
        running = self._running(view)
        if len(running) >= sight.wanted:
            raise Broken(f"{len(running)} Pods run, {sight.wanted} should, and one more is created")
        if sight.indexed:
            self._index(view, body, running)
        if not sight.per_index:
            self._backoff(view)

    def _running(self, view: SyncView) -> list[Object]:
        """The Pods that run in truth, those that the controller cannot know of left out."""
        assert view.job is not None
        awaits = replaces_only_failed(view.job)
        return [
            pod
            for pod in self.ledger.controls(view.uid)
            if (active(pod) or (awaits and terminating(pod)))
            and not (uid_of(pod) in self.ledger.excused and uid_of(pod) not in view.shown)
            and not (
                uid_of(pod) in self.ledger.rewritten
                and not (uid_of(pod) in view.shown and active(view.shown[uid_of(pod)]))
            )
        ]

    def _index(self, view: SyncView, body: Object, running: list[Object]) -> None:
        index, sight = index_of(body), view.sight
        if index in {index_of(pod) for pod in running}:
            raise Broken(f"a second Pod of index {index} is created")
        right = sight.free_indexes()[: min(sight.missing(), self.limit)]
        if index not in right or index in view.wanted_indexes:
            raise Broken(f"a Pod of index {index} is created, {right} should be")
        view.wanted_indexes.add(index)
        stored = self.ledger.accounts[view.uid].status
        done = indexes(stored.get("completedIndexes")) | indexes(stored.get("failedIndexes"))
        if index in done:
            raise Broken(f"a Pod of index {index} is created, which is at its end")
        if not sight.per_index:
            return
        if tries(body) not in sight.next_tries(index):
            raise Broken(f"index {index} goes on with {tries(body)}, not {sight.next_tries(index)}")
        if tries(body)[0] > sight.spec["backoffLimitPerIndex"]:
            raise Broken(f"index {index} is tried beyond its limit: {tries(body)}")

    def _backoff(self, view: SyncView) -> None:
        """The least that must have been waited, by the failures that no success undoes."""
        ends, sight = self._ends(view), view.sight
        badly = dict(ends.badly)
        for pod in sight.pods:
            if self._certain(view, pod):
                badly.setdefault(uid_of(pod), (finished_at(pod), ends.seen[uid_of(pod)]))
        row = [
            when
            for when, sync in badly.values()
            if all(when > success and sync >= seen for success, seen in ends.well.values())
        ]
        if row and view.now < max(row) + delay(len(row)):
            left = max(row) + delay(len(row)) - view.now
            raise Broken(f"a Pod is created {left:.1f} s too soon after {len(row)} failures")

    def _deletion(self, view: SyncView, name: str) -> None:
        pod = next(pod for pod in view.shown.values() if pod["metadata"]["name"] == name)
        if not active(pod):
            raise Broken(f"{name} is deleted, though it does not run")
        if uid_of(pod) in view.surplus or has_terminal_condition(
            self.ledger.accounts[view.uid].status
        ):
            return
        raise Broken(
            f"{name} is deleted, with no finished condition on record, and its finalizer on"
        )

    def _patch(self, view: SyncView, patch: Object) -> None:
        assert view.job is not None
        pod = view.shown[patch["uid"]]
        name = pod["metadata"]["name"]
        owners = patch.get("ownerReferences") or ()
        if any("$patch" in owner for owner in owners):
            if selected(view.job, pod) or deleting(view.job):
                raise Broken(f"{name} is untracked for no reason")
        elif owners:
            if owner_of(pod) or deleting(pod) or ended(pod) or not selected(view.job, pod):
                raise Broken(f"{name} is adopted for no reason")
        else:
            self._strip(view, pod)

    def _strip(self, view: SyncView, pod: Object) -> None:
        """Check that a Pod that counts is recorded before it loses its finalizer."""
        sight, account = view.sight, self.ledger.accounts[view.uid]
        status, uid = account.status, uid_of(pod)
        name = pod["metadata"]["name"]
        if any(uid in known for known in account.recorded.values()):
            return
        completed = sight.indexed and index_of(pod) in indexes(status.get("completedIndexes"))
        if completed or not sight.valid(pod):
            self._as_surplus(view, pod)
            return
        if succeeded(pod):
            known = indexes(status.get("completedIndexes")) | indexes(status.get("failedIndexes"))
            if not (sight.indexed and index_of(pod) in known):
                raise Broken(f"{name} succeeded and loses its finalizer before it is counted")
            return
        failed = sight.failed_pod(pod)
        if failed or (holds(status, "FailureTarget") and not deleting(sight.job)):
            if counts(sight.job, pod):
                raise Broken(f"{name} failed and loses its finalizer before it is counted")
            return
        self._as_surplus(view, pod)

    def _as_surplus(self, view: SyncView, pod: Object) -> None:
        """Check a Pod that is untracked so that it can be deleted: only as many as there are too many."""
        sight = view.sight
        status = self.ledger.accounts[view.uid].status
        if not active(pod) or has_terminal_condition(status) or deleting(sight.job):
            return
        if sight.finished_condition() is not None:
            raise Broken(
                f"{pod['metadata']['name']} is untracked, but {sight.finished_condition()}"
            )
        allowed = sight.surplus()
        if len(view.surplus | {uid_of(pod)}) > (
            allowed if sight.suspended else min(allowed, self.limit)
        ):
            raise Broken(f"{pod['metadata']['name']} is untracked, {allowed} are too many")
        self.ledger.surplus.add(uid_of(pod))

    # A sync that went well.

    def check_start(self, view: SyncView) -> None:
        """A sync has read what it rests on."""
        if view.job is None:
            return
        view.outdated = view.job.get("status") != self.ledger.accounts[view.uid].status
        ends = self._ends(view)
        for uid, pod in view.shown.items():
            if ended(pod):
                ends.seen.setdefault(uid, view.number)
            if succeeded(pod) and owner_of(pod) == view.uid:
                ends.well.setdefault(uid, (finished_at(pod), view.number))

    def synced(self, view: SyncView, outcome: SyncOutcome) -> None:
        """A sync has come to its end; view at what it leaves if nothing got in its way."""
        if outcome.errors or outcome.stale or view.job is None:
            return
        if view.job["spec"].get("managedBy") not in self.ours:
            return
        if finished(view.job.get("status") or {}):
            return
        sight, status = view.sight, self.ledger.accounts[view.uid].status
        running = len(sight.active) - len(view.deleted) + view.created
        finished_condition = sight.finished_condition()
        self._left_running(view, finished_condition is not None)
        finished_condition = finished_condition or sight.completion(running)
        if view.outdated:
            return
        self._left_on_record(status, finished_condition)
        self._left_counts(view, status, running)
        if finished_condition is None and not deleting(view.job):
            self._left_suspended(sight, status)
        self._remember(view)

    def _left_running(self, view: SyncView, ends: bool) -> None:
        sight = view.sight
        if ends:
            missed = {uid_of(pod) for pod in sight.active} - view.deleted
            if missed:
                raise Broken(f"{len(missed)} Pods are not deleted, though the Job ends")
            return
        if deleting(sight.job):
            return
        surplus = sight.surplus() if sight.suspended else min(sight.surplus(), self.limit)
        if len(view.deleted) != surplus:
            raise Broken(f"{len(view.deleted)} Pods are deleted, {surplus} should be")
        missing = min(sight.missing(), self.limit)
        if sight.indexed:
            missing = min(missing, len(sight.free_indexes()))
        if view.created != missing and not self._may_wait(view):
            raise Broken(f"{view.created} Pods are created, {missing} should be")

    def _may_wait(self, view: SyncView) -> bool:
        """Return True if some failure could still delay the Job as a whole."""
        if view.sight.per_index or view.created:
            return False
        return any(
            view.now - finished_at(pod) < BACKOFF_CAP
            for last in self.ledger.pods.values()
            if view.uid in self.ledger.owners.get(uid_of(last), ())
            for pod in self.ledger.versions(last)
            if ended(pod) or deleting(pod)
        )

    def _left_on_record(
        self, status: Object, finished_condition: tuple[str, str, str] | None
    ) -> None:
        if finished_condition is None:
            if has_terminal_condition(status):
                raise Broken(
                    f"a finished condition is on record that nothing supports: {status['conditions']}"
                )
            return
        stored = condition(status, finished_condition[0])
        if stored is None or (stored["reason"], stored["message"]) != finished_condition[1:]:
            raise Broken(f"{finished_condition} is not on record, but {status.get('conditions')}")

    def _left_counts(self, view: SyncView, status: Object, running: int) -> None:
        sight = view.sight
        by_uid = {uid_of(pod): pod for pod in sight.ready}
        right = {
            "active": running,
            "ready": len(set(by_uid) - view.deleted),
            "terminating": len(sight.terminating) + len(view.deleted),
        }
        stored = {name: status.get(name, 0) for name in right}
        if stored != right:
            raise Broken(f"the status has {stored}, right is {right}")

    def _left_suspended(self, sight: Sight, status: Object) -> None:
        if sight.suspended != holds(status, "Suspended"):
            raise Broken(f"spec.suspend is {sight.suspended}, the condition differs")
        if (status.get("startTime") is None) != sight.suspended:
            raise Broken(f"spec.suspend is {sight.suspended}, startTime {status.get('startTime')}")

    # What a process remembers.

    def _ends(self, view: SyncView) -> Ends:
        return self.ends.setdefault(view.uid, Ends())

    def _remember(self, view: SyncView) -> None:
        ends, sight = self._ends(view), view.sight
        for pod in sight.pods:
            if self._certain(view, pod):
                ends.badly.setdefault(uid_of(pod), (finished_at(pod), ends.seen[uid_of(pod)]))
        self.settled.add(view.uid)

    def _certain(self, view: SyncView, pod: Object) -> bool:
        """Return True if a Pod failed without interference, and the controller counts it."""
        if not ended(pod) or not view.sight.failed_pod(pod) or deleting(pod):
            return False
        if uid_of(pod) in self.ledger.meddled | self.ledger.surplus:
            return False
        never_rewritten = uid_of(pod) not in self.ledger.rewritten
        known = pod in view.sight.tracked or (never_rewritten and view.uid not in self.settled)
        return known and view.sight.valid(pod)

    def unsure(self, uid: str) -> None:
        """A status may have been stored or not: what was remembered is worked out anew."""
        self.ends.pop(uid, None)
        self.settled.discard(uid)

    # Orphan Pods.

    def freed(self, pod: Object) -> None:
        """Check that the tracking finalizer is removed from a Pod that no Job will count."""
        owner = owner_of(pod)
        if owner is None:
            return
        account = self.ledger.accounts[owner]
        if deleting(account.job) and not selected(account.job, pod):
            return
        if not account.gone and not finished(account.status):
            raise Broken(
                f"{pod['metadata']['name']} is freed, though its Job is there and unfinished"
            )
        if account.job["spec"].get("managedBy") not in self.ours and not account.gone:
            raise Broken(
                f"{pod['metadata']['name']} is freed, though its Job belongs to another controller"
            )
