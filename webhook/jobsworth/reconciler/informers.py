"""Watch caches of Jobs and Pods, indexed for the reconciler.

An informer receives lists and watch events from a ListWatch. It ignores events that it has already
applied, because watches may repeat events after a reconnect, and calls its handlers after it has
applied a change.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from jobsworth.client.api_resources import resource_version
from jobsworth.controller.jobs import API_VERSION, KIND, Job, read_job
from jobsworth.controller.pods import Pod, read_pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.status import Status, write_status
from jobsworth.policy.admitted_jobs import HELD_BY_POLICIES
from jobsworth.reconciler.expectations import CacheProgress


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A Job with the metadata that a status update must send.

    Attributes:
        metadata: metadata as read, without managedFields, shared: do not modify it.
        spec: spec as read, shared: do not modify it.
        applied: the managedFields of server-side applies, which show the fields that clients wrote.
    """

    job: Job
    metadata: dict[str, Any]
    spec: dict[str, Any]
    applied: tuple[dict[str, Any], ...] = ()

    @property
    def object(self) -> dict[str, Any]:
        """The Job as policies evaluate it: of its status, only the condition of a hold."""
        fields = {"managedFields": list(self.applied)} if self.applied else {}
        held = self.job.status.condition(HELD_BY_POLICIES)
        return {
            "apiVersion": API_VERSION,
            "kind": KIND,
            "metadata": {**self.metadata, **fields},
            "spec": self.spec,
            "status": {} if held is None else write_status(Status(conditions=(held,))),
        }


class _Versioned(Protocol):
    @property
    def uid(self) -> str: ...

    @property
    def resource_version(self) -> str: ...


T = TypeVar("T", bound=_Versioned)


class Informer(Generic[T]):
    """A watch cache of one resource.

    Attributes:
        seen: progress of the cache.
        synced: set once the first list is applied.
        on_change: handler called with the old object or None, and the new object or None.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.seen = CacheProgress()
        self.synced = threading.Event()
        self.on_change: Callable[[T | None, T | None], None] = lambda old, new: None
        self._by_uid: dict[str, T] = {}

    def read(self, obj: dict[str, Any]) -> T | None:
        """Return the part of an object to cache; None to ignore the object."""
        raise NotImplementedError

    def replace(self, objects: Iterable[dict[str, Any]], version: int, begun: float) -> None:
        """Replace the content by a complete list.

        Args:
            version: resourceVersion of the list.
            begun: start time of the list request, by the clock of the expectations.
        """
        fresh: dict[str, T] = {}
        for obj in objects:
            kept = self.read(obj)
            if kept is not None:
                fresh[kept.uid] = kept
        changes: list[tuple[T | None, T | None]] = []
        with self.lock:
            for uid, new in fresh.items():
                old = self._by_uid.get(uid)
                if old is None or old.resource_version != new.resource_version:
                    changes.append((old, new))
            for uid, old in self._by_uid.items():
                if uid not in fresh:
                    changes.append((old, None))
            for old_one, new_one in changes:
                self._change(old_one, new_one)
            self.seen = CacheProgress(version, begun)
        self.synced.set()
        for old_one, new_one in changes:
            self.on_change(old_one, new_one)

    def apply(self, kind: str, obj: dict[str, Any]) -> None:
        """Apply a watch event: ``ADDED``, ``MODIFIED``, ``DELETED`` or ``BOOKMARK``."""
        version = resource_version(obj)
        if kind == "BOOKMARK":
            self._advance(version)
            return
        if version and version <= self.seen.version:
            return
        new = None if kind == "DELETED" else self.read(obj)
        uid = obj["metadata"]["uid"]
        with self.lock:
            old = self._by_uid.get(uid)
            if old is not None or new is not None:
                self._change(old, new)
            self.seen = CacheProgress(max(version, self.seen.version), self.seen.listed)
        if old is not None or new is not None:
            self.on_change(old, new)

    def get_uid(self, uid: str) -> T | None:
        """Return the object with a UID; None if there is none."""
        return self._by_uid.get(uid)

    def __len__(self) -> int:
        return len(self._by_uid)

    def _advance(self, version: int) -> None:
        with self.lock:
            self.seen = CacheProgress(max(version, self.seen.version), self.seen.listed)

    def _change(self, old: T | None, new: T | None) -> None:
        if new is not None:
            self._by_uid[new.uid] = new
        elif old is not None:
            self._by_uid.pop(old.uid, None)


class CachedJob(StoredJob):
    """A Job in the cache."""

    __slots__ = ()

    @property
    def uid(self) -> str:
        """Its UID."""
        return self.job.uid

    @property
    def resource_version(self) -> str:
        """Its resourceVersion."""
        return self.job.resource_version


class JobInformer(Informer[CachedJob]):
    """A watch cache of all Jobs, also of those that other controllers manage.

    Args:
        settings: settings for reading Jobs.
        on_raw_job: called with each complete Job object before it is reduced.
    """

    def __init__(
        self,
        settings: ControllerSettings,
        on_raw_job: Callable[[dict[str, Any]], None] = lambda job: None,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._on_raw_job = on_raw_job
        self._by_key: dict[str, CachedJob] = {}
        self._by_namespace: dict[str, dict[str, CachedJob]] = {}

    def read(self, obj: dict[str, Any]) -> CachedJob | None:
        """Return the Job without its managedFields."""
        # Items of a list have neither field.
        obj.setdefault("apiVersion", API_VERSION)
        obj.setdefault("kind", KIND)
        self._on_raw_job(obj)
        return stored(obj, self._settings)

    def get(self, key: str) -> CachedJob | None:
        """Return the Job with key ``namespace/name``; None if there is none."""
        return self._by_key.get(key)

    def of_namespace(self, namespace: str) -> list[CachedJob]:
        """Return the Jobs of a namespace."""
        with self.lock:
            return list(self._by_namespace.get(namespace, {}).values())

    def all(self) -> list[CachedJob]:
        """Return all Jobs."""
        with self.lock:
            return list(self._by_uid.values())

    def _change(self, old: CachedJob | None, new: CachedJob | None) -> None:
        super()._change(old, new)
        if new is not None:
            self._by_key[new.job.key] = new
            self._by_namespace.setdefault(new.job.namespace, {})[new.job.key] = new
        elif old is not None:
            # A list may contain a new Job of this name before the deletion of the old one is applied.
            present = self._by_key.get(old.job.key)
            if present is not None and present.uid == old.uid:
                del self._by_key[old.job.key]
                del self._by_namespace[old.job.namespace][old.job.key]


def stored(obj: dict[str, Any], settings: ControllerSettings) -> CachedJob:
    """Read a Job from its JSON object."""
    job = read_job(obj, settings)
    applied: tuple[dict[str, Any], ...] = ()
    if settings.manages(job.managed_by) and not job.finished:
        entries = obj["metadata"].get("managedFields") or ()
        applied = tuple(each for each in entries if each.get("operation") == "Apply")
    return CachedJob(job, stored_metadata(obj), obj["spec"], applied)


def stored_metadata(obj: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of a Job that a status update must send."""
    return {key: part for key, part in obj["metadata"].items() if key != "managedFields"}


class PodInformer(Informer[Pod]):
    """A watch cache of the relevant Pods: owned by Jobs, orphans, or with a tracking finalizer.

    Args:
        settings: settings for reading Pods.
    """

    def __init__(self, settings: ControllerSettings) -> None:
        super().__init__()
        self._settings = settings
        self._by_owner: dict[str, dict[str, Pod]] = {}
        self._orphans: dict[str, dict[str, Pod]] = {}

    def read(self, obj: dict[str, Any]) -> Pod | None:
        """Return the Pod; None if it is not relevant."""
        pod = read_pod(obj, self._settings)
        owner = pod.controller
        if owner is None or pod.tracking or owner.kind == KIND:
            return pod
        return None

    def of_owner(self, uid: str) -> list[Pod]:
        """Return the Pods whose controller has this UID."""
        with self.lock:
            return list(self._by_owner.get(uid, {}).values())

    def orphans(self, namespace: str) -> list[Pod]:
        """Return the orphan Pods of a namespace."""
        with self.lock:
            return list(self._orphans.get(namespace, {}).values())

    def claimable(self, uid: str, namespace: str) -> list[Pod]:
        """Return a consistent snapshot of the Pods of a Job and the orphan Pods of its namespace."""
        with self.lock:
            owned = self._by_owner.get(uid, {}).values()
            return [*owned, *self._orphans.get(namespace, {}).values()]

    def all(self) -> list[Pod]:
        """Return all Pods."""
        with self.lock:
            return list(self._by_uid.values())

    def _change(self, old: Pod | None, new: Pod | None) -> None:
        super()._change(old, new)
        if old is not None:
            index, label = self._index_of(old)
            pods = index[label]
            pods.pop(old.uid, None)
            if not pods:
                del index[label]
        if new is not None:
            index, label = self._index_of(new)
            index.setdefault(label, {})[new.uid] = new

    def _index_of(self, pod: Pod) -> tuple[dict[str, dict[str, Pod]], str]:
        if pod.controller is None:
            return self._orphans, pod.namespace
        return self._by_owner, pod.controller.uid
