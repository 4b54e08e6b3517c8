"""The process under test: the reconciler as it is, its line to the API server, and how that line fails.

What runs is the project's own code: queues, caches, expectations, syncs and plans. Around it are the two
watches, which show what has happened as late as they like, and a line on which any call can be refused,
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
from jobsworth.controller.controller_settings import ControllerSettings
from jobsworth.reconciler.event_sink import EventSink
from jobsworth.reconciler.informers import Informer
from jobsworth.reconciler.parallel import one_by_one
from jobsworth.reconciler.reconciler import Reconciler
from jobsworth.reconciler.sync_outcome import SyncOutcome
from model.decision_audit import STRIP, Audit, Look
from model.object_fields import Object, active, deleting, has_verdict, uid_of
from model.pod_ledger import Broken, Ledger
from model.recording_server import Server

REFUSALS = (
    ApiError(409, "Conflict", "Operation cannot be fulfilled: the object has been modified"),
    ApiError(429, "TooManyRequests", "the server is busy", retry_after=1),
    ApiError(500, "InternalError", "etcdserver: request timed out"),
    ApiError(403, "Forbidden", "admission webhook denied the request"),
    ApiError(UNREACHABLE, "", "connection refused"),
)
NO_ANSWER = (
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
class Weather:
    """How likely what goes wrong is, from 0 to 1, for each call.

    Attributes:
        refusal: it is refused, without effect.
        silence: it takes effect, and no answer comes.
        crash: the process dies before it, or after.
        bustle: something else happens while it is on its way.
    """

    refusal: float = 0.0
    silence: float = 0.0
    crash: float = 0.0
    bustle: float = 0.0


class Stream:
    """The watch of a resource, and the cache that it fills."""

    def __init__(self, server: Server, resource: str, cache: Informer[Any]) -> None:
        self.server, self.resource, self.cache = server, resource, cache
        self.position = 0
        self.answer: tuple[list[Object], int, float] | None = None  # a list that is on its way

    def ask(self, now: float) -> None:
        """The watch has broken: ask for a list, which shows the objects as they are now."""
        self.answer = (self.server.stored(self.resource), self.server.version, now)

    def deliver(self, number: int) -> int:
        """Show the cache the list that was asked for, or so many events, and say how many."""
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
        """Whether there is something that the cache has not been shown."""
        return self.answer is not None or self.position < len(self.server.streams[self.resource])


class Process(EventSink, Api):
    """See above. Lives until a crash.

    Args:
        now: seconds since 1970, by the world's clock.
        skew: by how much the clock of this process is ahead.
        meanwhile: lets something else happen.
        say: is told what is done.
    """

    def __init__(
        self,
        server: Server,
        ledger: Ledger,
        settings: ControllerSettings,
        weather: Weather,
        *,
        now: Callable[[], float],
        skew: int,
        meanwhile: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        self.server, self.ledger, self.weather = server, ledger, weather
        self.now, self.skew, self.meanwhile, self.say = now, skew, meanwhile, say
        self.chance = random.Random(0)
        self.looks: list[Look] = []  # the sync that is under way, if one is
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
        """What is done within is no part of the sync that is under way."""
        looks, self.looks = self.looks, []
        reading, self._reading = self._reading, False
        freeing, self.freeing = self.freeing, False
        try:
            yield
        finally:
            self.looks, self._reading, self.freeing = looks, reading, freeing

    def step(self) -> bool:
        """Look at a Job that is due, and at a Pod of nobody; False if none is."""
        reconciler = self.reconciler
        orphan = reconciler.process_next_orphan_pod()
        return reconciler.process_next_job() is not None or orphan

    @property
    def synced(self) -> bool:
        """Whether both caches have been filled: before, no work is begun."""
        return all(stream.cache.synced.is_set() for stream in self.streams)

    # As the audience of the reconciler.

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
        look = self.looks[-1] if self.looks else None
        if look is not None and method != "GET":
            self.audit.asked(look, method, resource, name, body)
        what = f"{method} {resource} {name}"
        try:
            self._before(look, method, what)
            uid = ((body or {}).get("metadata") or {}).get("uid") or ""
            before = self.ledger.pods.get(uid)
            if look is not None and uid in look.shown:
                self.ledger.released[uid] = look.shown[uid]
            with self.server.on_behalf_of("controller"):
                answer = self.server.request(method, path, body, content_type=content_type)
        except ApiError as error:
            self.say(f"    {what}: {error.code} {error.message}")
            self._refused(look, method, body, error)
            raise
        if self.freeing and before is not None:
            self.audit.freed(before)
        self._after(look, method, what, answer)
        self.say(f"    {what}: {answer['metadata'].get('name')} {self._gist(answer)}")
        if look is not None:
            self._answered(look, method, resource, body, answer)
        return answer

    def _gist(self, answer: Object) -> str:
        status = answer.get("status") or {}
        return (
            str({key: part for key, part in status.items() if part})
            if "active" in status or "ready" in status
            else ""
        )

    def _before(self, look: Look | None, method: str, what: str) -> None:
        weather, chance = self.weather, self.chance
        if chance.random() < weather.bustle:
            self.meanwhile()
        if chance.random() < weather.crash / 2:
            self.say(f"    {what}: the process dies before it")
            raise Crash
        if chance.random() < weather.refusal:
            error = chance.choice(REFUSALS)
            if not (error.conflict and method in ("POST", "GET")):
                raise error

    def _after(self, look: Look | None, method: str, what: str, answer: Object) -> None:
        weather, chance = self.weather, self.chance
        if chance.random() < weather.crash / 2:
            self.say(f"    {what}: the process dies after it")
            raise Crash
        if method != "GET" and chance.random() < weather.silence:
            self.say(f"    {what}: takes effect, but no answer comes")
            if method == "POST":
                self.ledger.excused.add(uid_of(answer))
            if method == "PUT" and look is not None:
                self.audit.unsure(look.uid)
            raise chance.choice(NO_ANSWER)
        if chance.random() < weather.bustle:
            self.meanwhile()

    def _refused(self, look: Look | None, method: str, body: Any, error: ApiError) -> None:
        if error.code == 422 and not any(legal in error.message for legal in LEGAL):
            raise Broken(f"the API server finds this invalid: {error}")
        if look is not None and method == "PUT" and error.may_have_been_carried_out:
            self.audit.unsure(look.uid)
        if look is None or not error.not_found:
            return
        if method == "DELETE":
            look.deleted.add(body["preconditions"]["uid"])
        if method == "PATCH" and "ownerReferences" in body["metadata"]:
            return
        if method == "PATCH" and STRIP in body["metadata"]:
            uid = body["metadata"]["uid"]
            goes_on = not (deleting(look.job) or has_verdict(self.ledger.accounts[look.uid].status))  # type: ignore[arg-type]
            if active(look.shown[uid]) and goes_on:
                look.let_go.add(uid)
                look.deleted.add(uid)
            else:
                self.vanished.add(uid)

    def _answered(self, look: Look, method: str, resource: str, body: Any, answer: Object) -> None:
        if resource != "pods":
            return
        if method == "POST":
            look.created += 1
        elif method == "DELETE":
            look.deleted.add(uid_of(answer))
        elif "ownerReferences" in body["metadata"]:
            if not any("$patch" in owner for owner in body["metadata"]["ownerReferences"]):
                look.adopted.add(uid_of(answer))
        elif active(look.shown[uid_of(answer)]):
            look.let_go.add(uid_of(answer))

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
            look = self._reader()
            if look is None or look.job is not None or look.key != key:
                return get(key)
            self._bustle()
            cached = get(key)
            if cached is not None:
                look.job = self._version(cached)
            return cached

        def read_pods(uid: str, namespace: str) -> Any:
            look = self._reader()
            if look is None:
                return claimable(uid, namespace)
            self._bustle()
            found = claimable(uid, namespace)
            look.shown = {pod.uid: self._version(pod) for pod in found}
            self._reading = False
            self.audit.begun(look)
            return found

        jobs.get, pods.claimable = read_job, read_pods  # type: ignore[method-assign]
        free = reconciler.orphans.release

        def release(uid: str) -> None:
            self.say(f"  frees {self.ledger.pods[uid]['metadata']['name']}")
            with self.apart():
                self.freeing = True
                try:
                    free(uid)
                finally:
                    self.freeing = False

        reconciler.orphans.release = release  # type: ignore[method-assign]

    def _reader(self) -> Look | None:
        """The sync that reads just now; None while others do."""
        return self.looks[-1] if self._reading and self.looks else None

    def _bustle(self) -> None:
        if self.chance.random() < self.weather.bustle / 2:
            self.meanwhile()

    def _version(self, cached: Any) -> Object:
        return self.server.versions[cached.uid, cached.resource_version]

    def _synced(self, key: str) -> SyncOutcome:
        self.syncs += 1
        look = Look(key, self.syncs, self.now() + self.skew, set(self.vanished))
        self.say(f"  looks at {key}")
        with self.apart():
            self.looks, self._reading = [look], True
            outcome = self._sync(key)
            if outcome.stale is not None:
                self.say(f"    the cache of {outcome.stale} is behind")
            self.audit.synced(look, outcome)
        return outcome
