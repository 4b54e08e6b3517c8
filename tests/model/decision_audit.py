"""What the controller decides, held against what is right by what it had before it.

A decision is a call that it makes, and what it leaves behind when a sync went well. The caches may lag
behind: a decision is judged by the Job and the Pods that the sync read (:class:`Look`); what must never
happen, however old they are, is judged by what is stored.
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
    has_verdict,
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
)
from model.pod_ledger import Broken, Ledger
from model.reference_controller import BACKOFF_CAP, Sight, delay

STRIP = "$deleteFromPrimitiveList/finalizers"


@dataclass
class Look:
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
    let_go: set[str] = field(default_factory=set)
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
    """See above. All of it is of one process: what it remembers dies with it.

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

    def asked(self, look: Look, method: str, resource: str, name: str, body: Any) -> None:
        """A sync is about to make a call."""
        if look.job is None or method == "GET":
            return
        if look.job["spec"].get("managedBy") not in self.ours:
            raise Broken(f"a Job of somebody else is touched: {method} {resource} {name}")
        if finished(look.job.get("status") or {}):
            raise Broken(f"a finished Job is touched: {method} {resource} {name}")
        if method == "PUT":
            self._status(look, body["status"])
        elif method == "POST":
            self._creation(look, body)
        elif method == "DELETE":
            self._deletion(look, name)
        elif method == "PATCH":
            self._patch(look, body["metadata"])

    def _status(self, look: Look, status: Object) -> None:
        """A verdict is right by what the sync has seen."""
        if has_verdict(look.job.get("status") or {}) or not has_verdict(status):  # type: ignore[union-attr]
            return
        running = len(look.sight.active) - len(look.deleted) + look.created
        verdict = look.sight.verdict() or look.sight.completion(running)
        stored = None if verdict is None else condition(status, verdict[0])
        if (
            verdict is None
            or stored is None
            or (stored["reason"], stored["message"]) != verdict[1:]
        ):
            raise Broken(f"{verdict} should be on record, not {status['conditions']}")

    def _creation(self, look: Look, body: Object) -> None:
        sight = look.sight
        stored = self.ledger.accounts[look.uid].status
        if has_verdict(stored):
            raise Broken("a Pod is created after the verdict")
        if sight.verdict() is not None:
            raise Broken(f"a Pod is created, although {sight.verdict()}")
        look.creations += 1
        allowed = min(sight.missing(), self.limit)
        if look.creations > allowed:
            raise Broken(f"{look.creations} Pods are created, {allowed} are missing")
        running = self._running(look)
        if len(running) >= sight.wanted:
            raise Broken(f"{len(running)} Pods run, {sight.wanted} should, and one more is created")
        if sight.indexed:
            self._index(look, body, running)
        if not sight.per_index:
            self._backoff(look)

    def _running(self, look: Look) -> list[Object]:
        """The Pods that run in truth, those that the controller cannot know of left out."""
        assert look.job is not None
        awaits = replaces_only_failed(look.job)
        return [
            pod
            for pod in self.ledger.controls(look.uid)
            if (active(pod) or (awaits and terminating(pod)))
            and not (uid_of(pod) in self.ledger.excused and uid_of(pod) not in look.shown)
        ]

    def _index(self, look: Look, body: Object, running: list[Object]) -> None:
        index, sight = index_of(body), look.sight
        if index in {index_of(pod) for pod in running}:
            raise Broken(f"a second Pod of index {index} is created")
        right = sight.free_indexes()[: min(sight.missing(), self.limit)]
        if index not in right or index in look.wanted_indexes:
            raise Broken(f"a Pod of index {index} is created, {right} should be")
        look.wanted_indexes.add(index)
        stored = self.ledger.accounts[look.uid].status
        done = indexes(stored.get("completedIndexes")) | indexes(stored.get("failedIndexes"))
        if index in done:
            raise Broken(f"a Pod of index {index} is created, which is at its end")
        if not sight.per_index:
            return
        if tries(body) not in sight.next_tries(index):
            raise Broken(f"index {index} goes on with {tries(body)}, not {sight.next_tries(index)}")
        if tries(body)[0] > sight.spec["backoffLimitPerIndex"]:
            raise Broken(f"index {index} is tried beyond its limit: {tries(body)}")

    def _backoff(self, look: Look) -> None:
        """The least that must have been waited, by the failures that no success undoes."""
        ends, sight = self._ends(look), look.sight
        badly = dict(ends.badly)
        for pod in sight.pods:
            if self._certain(look, pod):
                badly.setdefault(uid_of(pod), (finished_at(pod), ends.seen[uid_of(pod)]))
        row = [
            when
            for when, sync in badly.values()
            if all(when > success and sync >= seen for success, seen in ends.well.values())
        ]
        if row and look.now < max(row) + delay(len(row)):
            left = max(row) + delay(len(row)) - look.now
            raise Broken(f"a Pod is created {left:.1f} s too soon after {len(row)} failures")

    def _deletion(self, look: Look, name: str) -> None:
        pod = next(pod for pod in look.shown.values() if pod["metadata"]["name"] == name)
        if not active(pod):
            raise Broken(f"{name} is deleted, though it does not run")
        if uid_of(pod) in look.let_go or has_verdict(self.ledger.accounts[look.uid].status):
            return
        raise Broken(f"{name} is deleted, with no verdict on record, and its finalizer on")

    def _patch(self, look: Look, patch: Object) -> None:
        assert look.job is not None
        pod = look.shown[patch["uid"]]
        name = pod["metadata"]["name"]
        owners = patch.get("ownerReferences") or ()
        if any("$patch" in owner for owner in owners):
            if selected(look.job, pod) or deleting(look.job):
                raise Broken(f"{name} is let go of for no reason")
        elif owners:
            if owner_of(pod) or deleting(pod) or ended(pod) or not selected(look.job, pod):
                raise Broken(f"{name} is adopted for no reason")
        else:
            self._strip(look, pod)

    def _strip(self, look: Look, pod: Object) -> None:
        """Before it loses its finalizer, a Pod that counts is written down."""
        sight, account = look.sight, self.ledger.accounts[look.uid]
        status, uid = account.status, uid_of(pod)
        name = pod["metadata"]["name"]
        if any(uid in known for known in account.written.values()) or not sight.valid(pod):
            self._as_surplus(look, pod)
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
        self._as_surplus(look, pod)

    def _as_surplus(self, look: Look, pod: Object) -> None:
        """A Pod that is let go of so that it can be deleted: only as many as there are too many."""
        sight = look.sight
        status = self.ledger.accounts[look.uid].status
        if not active(pod) or has_verdict(status) or deleting(sight.job):
            return
        if sight.verdict() is not None:
            raise Broken(f"{pod['metadata']['name']} is let go of, but {sight.verdict()}")
        allowed = sight.surplus()
        if len(look.let_go | {uid_of(pod)}) > (
            allowed if sight.suspended else min(allowed, self.limit)
        ):
            raise Broken(f"{pod['metadata']['name']} is let go of, {allowed} are too many")
        self.ledger.let_go.add(uid_of(pod))

    # A sync that went well.

    def begun(self, look: Look) -> None:
        """A sync has read what it rests on."""
        if look.job is None:
            return
        look.outdated = look.job.get("status") != self.ledger.accounts[look.uid].status
        ends = self._ends(look)
        for uid, pod in look.shown.items():
            if ended(pod):
                ends.seen.setdefault(uid, look.number)
            if succeeded(pod) and owner_of(pod) == look.uid:
                ends.well.setdefault(uid, (finished_at(pod), look.number))

    def synced(self, look: Look, outcome: SyncOutcome) -> None:
        """A sync has come to its end; look at what it leaves if nothing got in its way."""
        if outcome.errors or outcome.stale or look.job is None:
            return
        if look.job["spec"].get("managedBy") not in self.ours:
            return
        if finished(look.job.get("status") or {}):
            return
        sight, status = look.sight, self.ledger.accounts[look.uid].status
        running = len(sight.active) - len(look.deleted) + look.created
        verdict = sight.verdict()
        self._left_running(look, verdict is not None)
        verdict = verdict or sight.completion(running)
        if look.outdated:
            return
        self._left_on_record(status, verdict)
        self._left_counts(look, status, running)
        if verdict is None and not deleting(look.job):
            self._left_suspended(sight, status)
        self._remember(look)

    def _left_running(self, look: Look, ends: bool) -> None:
        sight = look.sight
        if ends:
            missed = {uid_of(pod) for pod in sight.active} - look.deleted
            if missed:
                raise Broken(f"{len(missed)} Pods are not deleted, though the Job ends")
            return
        if deleting(sight.job):
            return
        surplus = sight.surplus() if sight.suspended else min(sight.surplus(), self.limit)
        if len(look.deleted) != surplus:
            raise Broken(f"{len(look.deleted)} Pods are deleted, {surplus} should be")
        missing = min(sight.missing(), self.limit)
        if sight.indexed:
            missing = min(missing, len(sight.free_indexes()))
        if look.created != missing and not self._may_wait(look):
            raise Broken(f"{look.created} Pods are created, {missing} should be")

    def _may_wait(self, look: Look) -> bool:
        """Whether some failure could still hold up the Job as a whole."""
        if look.sight.per_index or look.created:
            return False
        return any(
            look.now - finished_at(pod) < BACKOFF_CAP
            for pod in self.ledger.pods.values()
            if look.uid in self.ledger.owners.get(uid_of(pod), ()) and (ended(pod) or deleting(pod))
        )

    def _left_on_record(self, status: Object, verdict: tuple[str, str, str] | None) -> None:
        if verdict is None:
            if has_verdict(status):
                raise Broken(
                    f"a verdict is on record that nothing supports: {status['conditions']}"
                )
            return
        stored = condition(status, verdict[0])
        if stored is None or (stored["reason"], stored["message"]) != verdict[1:]:
            raise Broken(f"{verdict} is not on record, but {status.get('conditions')}")

    def _left_counts(self, look: Look, status: Object, running: int) -> None:
        sight = look.sight
        by_uid = {uid_of(pod): pod for pod in sight.ready}
        right = {
            "active": running,
            "ready": len(set(by_uid) - look.deleted),
            "terminating": len(sight.terminating) + len(look.deleted),
        }
        stored = {name: status.get(name, 0) for name in right}
        if stored != right:
            raise Broken(f"the status says {stored}, right is {right}")

    def _left_suspended(self, sight: Sight, status: Object) -> None:
        if sight.suspended != holds(status, "Suspended"):
            raise Broken(f"spec.suspend is {sight.suspended}, the condition says otherwise")
        if (status.get("startTime") is None) != sight.suspended:
            raise Broken(f"spec.suspend is {sight.suspended}, startTime {status.get('startTime')}")

    # What a process remembers.

    def _ends(self, look: Look) -> Ends:
        return self.ends.setdefault(look.uid, Ends())

    def _remember(self, look: Look) -> None:
        ends, sight = self._ends(look), look.sight
        for pod in sight.pods:
            if self._certain(look, pod):
                ends.badly.setdefault(uid_of(pod), (finished_at(pod), ends.seen[uid_of(pod)]))
        self.settled.add(look.uid)

    def _certain(self, look: Look, pod: Object) -> bool:
        """Whether a Pod failed without anybody's help, and the controller reckons with it."""
        if not ended(pod) or succeeded(pod) or deleting(pod):
            return False
        if uid_of(pod) in self.ledger.meddled | self.ledger.let_go:
            return False
        known = pod in look.sight.tracked or look.uid not in self.settled
        return known and look.sight.valid(pod)

    def unsure(self, uid: str) -> None:
        """A status may have been stored or not: what was remembered is worked out anew."""
        self.ends.pop(uid, None)
        self.settled.discard(uid)

    # Pods of nobody.

    def freed(self, pod: Object) -> None:
        """The tracking finalizer of a Pod is taken off because nobody will count it."""
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
            raise Broken(f"{pod['metadata']['name']} is freed, though its Job is somebody else's")
