"""The process under test: the reconciler, its connection to the API server, and the failures of that connection.

What runs is the project's own code: queues, caches, expectations, syncs and plans. Around it are the two
watches, which show what has happened as late as they like, and a line on which any call can be rejected,
carried out without an answer, or be the last thing that the process does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.api_interface import JSON, Api
from jobsworth.controller.settings import ControllerSettings
from jobsworth.reconciler.events import EventSink
from jobsworth.reconciler.informers import Informer
from jobsworth.reconciler.parallel import one_by_one
from jobsworth.reconciler.reconciler import Reconciler
from jobsworth.reconciler.sync_outcome import SyncOutcome
from model.decision_audit import STRIP, Audit, SyncView
from model.object_fields import Object, active, deleting, has_terminal_condition, uid_of
from model.pod_ledger import Broken, Ledger
from model.recording_server import Server

REJECTIONS = (
    ApiError(409, "Conflict", "Operation cannot be fulfilled: the object has been modified"),
    ApiError(429, "TooManyRequests", "the server is busy", retry_after=1),
    ApiError(500, "InternalError", "etcdserver: request timed out"),
    ApiError(403, "Forbidden", "admission webhook denied the request"),
    ApiError(UNREACHABLE, "", "connection refused"),
)
LOST_ANSWERS = (
    ApiError(UNREACHABLE, "", "connection reset by peer"),
    ApiError(500, "InternalError", "etcdserver: leader changed"),
    ApiError(504, "Timeout", "request did not complete within the allotted timeout"),
)

# What the API server may find invalid in a call that was right by what the caller knew.
LEGAL = (
    "metadata.uid",  # another Pod has the name
    "Only one reference can have Controller",  # another Job has adopted it
    "no finalizer can be added",  # it is being deleted
)


class Crash(BaseException):
    """The process dies here."""


@dataclass(slots=True)
class FaultProfile:
    """The probabilities of faults, from 0 to 1, for each call.

    Attributes:
        rejection: it is rejected, without effect.
        lost_answer: it takes effect, and no answer comes.
        crash: the process dies before it, or after.
        interference: something else happens while it is on its way.
    """

    rejection: float = 0.0
    lost_answer: float = 0.0
    crash: float = 0.0
    interference: float = 0.0


class Stream:
    """The watch of a resource, and the cache that it fills."""

    def __init__(self, server: Server, resource: str, cache: Informer[Any]) -> None:
        self.server, self.resource, self.cache = server, resource, cache
        self.position = 0
        self.answer: tuple[list[Object], int, float] | None = None  # a list that is on its way

    def relist(self, now: float) -> None:
        """Request a list after the watch has broken, which shows the objects as they are now."""
        self.answer = (self.server.stored(self.resource), self.server.version, now)

    def deliver(self, number: int) -> int:
        """Show the cache the requested list, or so many events, and return how many."""
        if self.answer is not None:
            objects, version, begun = self.answer
            self.answer = None
            self.cache.replace(objects, version, begun)
            log = self.server.streams[self.resource]
            self.position = next(
                (n for n, each in enumerate(log) if each.version > version), len(log)
            )
            return 1
        news = self.server.streams[self.resource][self.position : self.position + number]
        for change in news:
            self.position += 1
            self.cache.apply(change.kind, change.object)
        return len(news)

    def repeat(self, chance: random.Random) -> None:
        """Show the cache something that it has been shown."""
        if self.position and self.answer is None:
            change = self.server.streams[self.resource][chance.randrange(self.position)]
            self.cache.apply(change.kind, change.object)

    @property
    def behind(self) -> bool:
        """True if there is something that the cache has not been shown."""
        return self.answer is not None or self.position < len(self.server.streams[self.resource])


class Process(EventSink, Api):
    """A process that runs the reconciler until a crash.

    Args:
        now: seconds since 1970, by the clock of the simulated cluster.
        skew: by how much the clock of this process is ahead.
        meanwhile: lets something else happen.
        trace: called with a line for each action.
    """

    def __init__(
        self,
        server: Server,
        ledger: Ledger,
        settings: ControllerSettings,
        fault_profile: FaultProfile,
        *,
        now: Callable[[], float],
        skew: int,
        meanwhile: Callable[[], None],
        trace: Callable[[str], None],
    ) -> None:
        self.server, self.ledger, self.fault_profile = server, ledger, fault_profile
        self.now, self.skew, self.meanwhile, self.trace = now, skew, meanwhile, trace
        self.chance = random.Random(0)
        self.views: list[SyncView] = []  # the sync that is under way, if one is
        self._reading = self.freeing = False
        self.syncs = self.calls = 0
        self.vanished: set[str] = set()
        self.endings: dict[str, int] = {}
        ours = (settings.manager, *((None,) if settings.adopt_unmanaged else ()))
        self.audit = Audit(ledger, ours, settings.max_pods_per_sync)
        self.reconciler = Reconciler(
            self,
            settings,
            clock=lambda: self.now() + self.skew,
            monotonic=now,
            calls=self._in_any_order,
            event_sink=self,
        )
        self._listen()
        self.streams = [
            Stream(server, "jobs", self.reconciler.jobs),
            Stream(server, "pods", self.reconciler.pods),
        ]

    # Steps.

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Keep calls within apart from the sync that is under way."""
        views, self.views = self.views, []
        reading, self._reading = self._reading, False
        freeing, self.freeing = self.freeing, False
        try:
            yield
        finally:
            self.views, self._reading, self.freeing = views, reading, freeing

    def process_next_item(self) -> bool:
        """Process a Job that is due, and an orphan Pod; return False if there is none."""
        reconciler = self.reconciler
        orphan = reconciler.process_next_orphan_pod()
        return reconciler.process_next_job() is not None or orphan

    @property
    def synced(self) -> bool:
        """True once both caches have been filled: before, no work begins."""
        return all(stream.cache.synced.is_set() for stream in self.streams)

    # As the event sink of the reconciler.

    def event(self, metadata: Object, event: Any) -> None:
        uid = metadata["uid"]
        if event.reason == "Completed" or (
            event.type == "Warning" and event.reason.endswith(("Exceeded", "Policy", "Indexes"))
        ):
            self.endings[uid] = self.endings.get(uid, 0) + 1
            assert self.endings[uid] == 1, f"the end of a Job is told twice: {event}"

    # As the reconciler's API server.

    def stream(self, path: str, query: Mapping[str, str]) -> Any:
        raise AssertionError("the watches are played by Stream")

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Object:
        """Make a call, if all goes well."""
        self.calls += 1
        resource, name = path.split("/namespaces/default/")[1].partition("/")[::2]
        view = self.views[-1] if self.views else None
        if view is not None and method != "GET":
            self.audit.check_call(view, method, resource, name, body)
        what = f"{method} {resource} {name}"
        try:
            self._before(view, method, what)
            uid = ((body or {}).get("metadata") or {}).get("uid") or ""
            before = self.ledger.pods.get(uid)
            if view is not None and uid in view.shown:
                self.ledger.untracked[uid] = view.shown[uid]
            with self.server.on_behalf_of("controller"):
                answer = self.server.request(method, path, body, content_type=content_type)
        except ApiError as error:
            self.trace(f"    {what}: {error.code} {error.message}")
            self._rejected(view, method, body, error)
            raise
        if self.freeing and before is not None:
            self.audit.freed(before)
        self._after(view, method, what, answer)
        self.trace(f"    {what}: {answer['metadata'].get('name')} {self._gist(answer)}")
        if view is not None:
            self._answered(view, method, resource, body, answer)
        return answer

    def _gist(self, answer: Object) -> str:
        status = answer.get("status") or {}
        return (
            str({key: part for key, part in status.items() if part})
            if "active" in status or "ready" in status
            else ""
        )

    def _before(self, view: SyncView | None, method: str, what: str) -> None:
        fault_profile, chance = self.fault_profile, self.chance
        if chance.random() < fault_profile.interference:
            self.meanwhile()
        if chance.random() < fault_profile.crash / 2:
            self.trace(f"    {what}: the process dies before it")
            raise Crash
        if chance.random() < fault_profile.rejection:
            error = chance.choice(REJECTIONS)
            if not (error.conflict and method in ("POST", "GET")):
                raise error

    def _after(self, view: SyncView | None, method: str, what: str, answer: Object) -> None:
        fault_profile, chance = self.fault_profile, self.chance
        if chance.random() < fault_profile.crash / 2:
            self.trace(f"    {what}: the process dies after it")
            raise Crash
        if method != "GET" and chance.random() < fault_profile.lost_answer:
            self.trace(f"    {what}: takes effect, but no answer comes")
            if method == "POST":
                self.ledger.excused.add(uid_of(answer))
            if method == "PUT" and view is not None:
                self.audit.unsure(view.uid)
            raise chance.choice(LOST_ANSWERS)
        if chance.random() < fault_profile.interference:
            self.meanwhile()

    def _rejected(self, view: SyncView | None, method: str, body: Any, error: ApiError) -> None:
        if error.code == 422 and not any(legal in error.message for legal in LEGAL):
            raise Broken(f"the API server finds this invalid: {error}")
        if view is not None and method == "PUT" and error.may_have_been_carried_out:
            self.audit.unsure(view.uid)
        if view is None or not error.not_found:
            return
        if method == "DELETE":
            view.deleted.add(body["preconditions"]["uid"])
        if method == "PATCH" and "ownerReferences" in body["metadata"]:
            return
        if method == "PATCH" and STRIP in body["metadata"]:
            uid = body["metadata"]["uid"]
            goes_on = not (
                deleting(view.job) or has_terminal_condition(self.ledger.accounts[view.uid].status)
            )  # type: ignore[arg-type]
            if active(view.shown[uid]) and goes_on:
                view.surplus.add(uid)
                view.deleted.add(uid)
            else:
                self.vanished.add(uid)

    def _answered(
        self, view: SyncView, method: str, resource: str, body: Any, answer: Object
    ) -> None:
        if resource != "pods":
            return
        if method == "POST":
            view.created += 1
        elif method == "DELETE":
            view.deleted.add(uid_of(answer))
        elif "ownerReferences" in body["metadata"]:
            if not any("$patch" in owner for owner in body["metadata"]["ownerReferences"]):
                view.adopted.add(uid_of(answer))
        elif active(view.shown[uid_of(answer)]):
            view.surplus.add(uid_of(answer))

    def _in_any_order(self, call: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """Several calls at once: any of them may be the first."""
        order = list(range(len(items)))
        self.chance.shuffle(order)
        answers = dict(zip(order, one_by_one(call, [items[n] for n in order]), strict=True))
        return [answers[n] for n in range(len(items))]

    # Listening to what a sync reads.

    def _listen(self) -> None:
        reconciler = self.reconciler
        self._sync, reconciler.syncer.sync = reconciler.syncer.sync, self._synced  # type: ignore[method-assign]
        jobs, pods = reconciler.jobs, reconciler.pods
        get, claimable = jobs.get, pods.claimable

        def read_job(key: str) -> Any:
            view = self._reader()
            if view is None or view.job is not None or view.key != key:
                return get(key)
            self._interfere()
            cached = get(key)
            if cached is not None:
                view.job = self._version(cached)
            return cached

        def read_pods(uid: str, namespace: str) -> Any:
            view = self._reader()
            if view is None:
                return claimable(uid, namespace)
            self._interfere()
            found = claimable(uid, namespace)
            view.shown = {pod.uid: self._version(pod) for pod in found}
            self._reading = False
            self.audit.check_start(view)
            return found

        jobs.get, pods.claimable = read_job, read_pods  # type: ignore[method-assign]
        free = reconciler.orphans.remove_finalizers

        def release(uid: str) -> None:
            self.trace(f"  frees {self.ledger.pods[uid]['metadata']['name']}")
            with self.apart():
                self.freeing = True
                try:
                    free(uid)
                finally:
                    self.freeing = False

        reconciler.orphans.remove_finalizers = release  # type: ignore[method-assign]

    def _reader(self) -> SyncView | None:
        """The sync that reads just now; None while others do."""
        return self.views[-1] if self._reading and self.views else None

    def _interfere(self) -> None:
        if self.chance.random() < self.fault_profile.interference / 2:
            self.meanwhile()

    def _version(self, cached: Any) -> Object:
        return self.server.versions[cached.uid, cached.resource_version]

    def _synced(self, key: str) -> SyncOutcome:
        self.syncs += 1
        view = SyncView(key, self.syncs, self.now() + self.skew, set(self.vanished))
        self.trace(f"  looks at {key}")
        with self.apart():
            self.views, self._reading = [view], True
            outcome = self._sync(key)
            if outcome.stale is not None:
                self.trace(f"    the cache of {outcome.stale} is behind")
            self.audit.synced(view, outcome)
        return outcome
