"""The API server of a history: the fake one, with a memory of every version, and who brought it about."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jobsworth.client.api_errors import ApiError
from support.api_server.fake_job_api import Call, FakeJobApi
from support.api_server.versioned_store import Change, Object

NAMESPACE = "default"
ENVIRONMENT = "environment"  # nodes, users and other controllers


class Server(FakeJobApi):
    """The fake API server, with every version of every object.

    Attributes:
        streams: the watch events of each resource, in order.
        versions: every object that ever was, by UID and resourceVersion.
        on_change: called with each change: resource, the object before, or None, and after, or None.
        actor: on whose behalf the present change is made.
    """

    def __init__(self, clock: Callable[[], float], chance: random.Random) -> None:
        super().__init__(clock, chance)
        self.streams: dict[str, list[Change]] = {"jobs": [], "pods": []}
        self.versions: dict[tuple[str, str], Object] = {}
        self.on_change: Callable[[str, Object | None, Object | None], None] = lambda *change: None
        self.actor = ENVIRONMENT

    @contextmanager
    def on_behalf_of(self, actor: str) -> Iterator[None]:
        """Set the actor of the changes within."""
        before, self.actor = self.actor, actor
        try:
            yield
        finally:
            self.actor = before

    def bookmark(self) -> None:
        super().bookmark()
        for stream in self.streams.values():
            stream.append(self.changes[-1])

    def stored(self, resource: str) -> list[Object]:
        """All objects of a resource as they are kept: not to be changed."""
        return list(self._objects[resource].values())

    def find(self, resource: str, name: str) -> Object | None:
        """The object of a name as it is kept: not to be changed."""
        return self._objects[resource].get((NAMESPACE, name))

    @property
    def version(self) -> int:
        """The resourceVersion of the last change."""
        return self._version

    def _put(self, resource: str, old: Object | None, new: Object) -> Object:
        before = self._version
        put = super()._put(resource, old, new)
        if self._version != before and resource in self.streams:
            change = self.changes[-1]
            meta = put["metadata"]
            self.streams[resource].append(change)
            self.versions[meta["uid"], meta["resourceVersion"]] = put
            self.on_change(resource, old, None if change.kind == "DELETED" else put)
        return put

    def _update(self, call: Call, body: Object) -> Object:
        controllers = [
            owner
            for owner in body["metadata"].get("ownerReferences") or ()
            if owner.get("controller")
        ]
        if len(controllers) > 1:
            message = "metadata.ownerReferences: Only one reference can have Controller set to true"
            raise ApiError(422, "Invalid", message)
        return super()._update(call, body)

    def _prepare_job_deletion(self, job: Object, policy: str | None) -> Object:
        """As the real one: who orphans Pods is the garbage collector, and it takes its time."""
        if policy in ("Foreground", "Background"):
            return super()._prepare_job_deletion(job, policy)
        finalizers = [*(job["metadata"].get("finalizers") or ()), "orphan"]
        return self._put(
            "jobs", job, {**job, "metadata": {**job["metadata"], "finalizers": finalizers}}
        )

    # What the garbage collector does, one object at a time.

    def collect_one(self, chance: random.Random) -> str | None:
        """Let the garbage collector act on one object, and return its description; None if there is none."""
        todo = [*self._dependents_to_delete(), *self._pods_to_orphan(), *self._jobs_to_free()]
        if not todo:
            return None
        act, resource, obj, patch = chance.choice(todo)
        meta = obj["metadata"]
        with self.changed:
            if act == "delete":
                self._delete(Call("DELETE", resource, meta["namespace"], meta["name"], "", None))
            else:
                self._put(resource, obj, {**obj, "metadata": {**meta, **patch}})
        return f"{act} {resource} {meta['name']}"

    def _dependents_to_delete(self) -> Iterator[tuple[str, str, Object, Object]]:
        jobs = {job["metadata"]["uid"]: job for job in self.stored("jobs")}
        for pod in self.stored("pods"):
            owners = pod["metadata"].get("ownerReferences") or ()
            if not owners or "deletionTimestamp" in pod["metadata"]:
                continue
            owner = jobs.get(owners[0]["uid"])
            if owner is None or "foregroundDeletion" in _finalizers(owner):
                yield "delete", "pods", pod, {}

    def _pods_to_orphan(self) -> Iterator[tuple[str, str, Object, Object]]:
        for job in self.stored("jobs"):
            if "orphan" in _finalizers(job):
                for pod in self._dependents(job["metadata"]["uid"]):
                    yield "orphan", "pods", pod, {"ownerReferences": []}

    def _jobs_to_free(self) -> Iterator[tuple[str, str, Object, Object]]:
        for job in self.stored("jobs"):
            names = _finalizers(job)
            if names and not self._dependents(job["metadata"]["uid"]):
                left = [name for name in names if name not in ("orphan", "foregroundDeletion")]
                if left != names:
                    yield "free", "jobs", job, {"finalizers": left}


def _finalizers(obj: Object) -> list[str]:
    return list(obj["metadata"].get("finalizers") or ())
