"""A Job as the watches show it: its status, its Pods that make no progress, and rejections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.api.batch.job import CONTROLLER_UID_LABEL
from jobsworth.api.stored import stored_problem
from jobsworth.controller.jobs import Job, read_job
from jobsworth.controller.settings import settings_of
from jobsworth.live.object_reading import MalformedObject, checked
from jobsworth.live.standstill import Seen, SeenPending, SeenRejection, SeenStalled
from jobsworth.runs.recorded.kept_pods import crashing, kept_pod
from jobsworth.runs.recorded.pending_pods import pending_reason, rejection
from jobsworth.runs.recorded.pod_facts import NO_FACTS, read_pod_facts
from jobsworth.runs.recorded.recorded_events import read_event
from jobsworth.runs.recorded.recording import RecordedEvent
from jobsworth.runs.recorded.recording_reader import UnreadableSpec, stored_manifest

Object = dict[str, Any]

MAX_PENDING = 2000
"""Pending Pods that are kept; more than these are not all known, so that no standstill is seen."""


@dataclass(slots=True)
class SeenJob:
    """The state of one Job, by its UID. Times are those of one clock of the caller.

    Attributes:
        manifest: the last state of the object.
        pending: by UID of the Pod.
        stalled: by UID, the running Pods that make no progress.
        rejected: since when Pods are rejected.
        idle_since: since when it has no active Pods, and no start time, terminating Pods or parallelism 0.
        sampled: there are more Pending Pods than `pending` has.
    """

    manifest: Object
    job: Job
    pending: dict[str, SeenPending] = field(default_factory=dict)
    stalled: dict[str, SeenStalled] = field(default_factory=dict)
    rejected: SeenRejection | None = None
    idle_since: float | None = None
    sampled: bool = False

    @classmethod
    def read(cls, manifest: Object, now: float) -> SeenJob:
        """Begin with the first state of a Job.

        Raises:
            MalformedObject: it is not a Job.
        """
        seen = cls(manifest, _read(manifest))
        seen._note_idle(now)
        return seen

    @property
    def finished(self) -> str:
        """``Complete``, ``Failed``, or empty."""
        status = self.job.status
        return next((kind for kind in ("Complete", "Failed") if status.holds(kind)), "")

    @property
    def seen(self) -> Seen:
        """The state, for a decision."""
        labels = self.manifest["metadata"].get("labels") or {}
        return Seen(
            self.job,
            labels,
            self.pending,
            self.stalled,
            self.rejected,
            self.idle_since,
            self.sampled,
        )

    def take_job(self, manifest: Object, now: float) -> None:
        """Take a new state of the Job.

        Raises:
            MalformedObject: it is not a Job.
        """
        self.manifest, self.job = manifest, _read(manifest)
        if self.job.status.active:
            self.rejected = None
        self._note_idle(now)

    def take_pod(self, kind: str, pod: Object, now: float) -> None:
        """Take a change of a Pod that has not ended; leave out a malformed one, or of another Job."""
        if stored_problem("Pod", pod) is not None:
            return
        meta = pod["metadata"]
        owner = (meta.get("labels") or {}).get(CONTROLLER_UID_LABEL)
        if owner not in (None, self.manifest["metadata"].get("uid")):
            return
        uid, phase = meta.get("uid") or "", (pod.get("status") or {}).get("phase")
        present = kind != "DELETED" and not meta.get("deletionTimestamp")
        self._note_running(uid, pod, now, running=present and phase == "Running")
        if not present or phase != "Pending":
            self.pending.pop(uid, None)
        elif uid in self.pending or len(self.pending) < MAX_PENDING:
            self._note_pending(uid, pod, (), now)
        else:
            self.sampled = True

    def take_pod_events(self, uid: str, events: Sequence[RecordedEvent], now: float) -> None:
        """Take the Events about a Pending Pod, which say why it does not start."""
        reason = pending_reason(NO_FACTS, events)
        known = self.pending.get(uid)
        if known is not None and known.reason.cause != reason.cause:
            self.pending[uid] = SeenPending(reason, known.since)

    def take_event(self, event: Object, now: float) -> None:
        """Take an Event about the Job; one that is malformed is left out."""
        if stored_problem("Event", event) is not None:
            return
        read = read_event(event)
        if read.reason == "SuccessfulCreate":
            self.rejected = None
        found = rejection([read])
        if found is not None and not self.job.status.active:
            since = now if self.rejected is None else self.rejected.since
            self.rejected = SeenRejection(found.message, since, found.hopeless)

    def replace_pods(self, pods: Sequence[Object], now: float, *, more: bool) -> None:
        """Take a list of Pods that have not ended in place of those known so far.

        Args:
            more: there are further ones.
        """
        phases = {(pod.get("status") or {}).get("phase") for pod in pods}
        self.sampled = more and phases == {"Pending"}
        uids = {pod["metadata"].get("uid") or "" for pod in pods}
        self.stalled = {uid: each for uid, each in self.stalled.items() if uid in uids}
        self.pending = {uid: each for uid, each in self.pending.items() if uid in uids}
        for pod in pods:
            self.take_pod("ADDED", pod, now)

    def _note_pending(
        self, uid: str, pod: Object, events: Sequence[RecordedEvent], now: float
    ) -> None:
        reason = pending_reason(read_pod_facts(pod), events)
        known = self.pending.get(uid)
        same = known is not None and known.reason.cause == reason.cause
        self.pending[uid] = SeenPending(reason, known.since if known and same else now)

    def _note_running(self, uid: str, pod: Object, now: float, *, running: bool) -> None:
        known = self.stalled.pop(uid, None)
        if not running:
            return
        facts = read_pod_facts(pod)
        template = (self.manifest["spec"].get("template") or {}).get("spec") or {}
        kept = kept_pod(facts, template)
        crashes = next(iter(crashing(facts)), "")
        if crashes or (kept is not None and kept.decided):
            since = now if known is None else known.since
            self.stalled[uid] = SeenStalled(facts.name, kept, crashes, since)

    def _note_idle(self, now: float) -> None:
        status = self.job.status
        idle = (
            not self.job.suspended
            and not status.active
            and (bool(status.terminating) or status.start_time is None or self.job.parallelism == 0)
        )
        if not idle:
            self.idle_since = None
        elif self.idle_since is None:
            self.idle_since = now


def _read(manifest: Object) -> Job:
    value = checked({**manifest, "apiVersion": "batch/v1", "kind": "Job"})
    try:
        stored = stored_manifest(value, _SERVER)
    except UnreadableSpec as error:
        raise MalformedObject(f"the API server sent a malformed Job: {error}") from None
    return read_job(stored, settings_of(stored["spec"].get("managedBy")))


_SERVER = ApiServer(NEWEST_RELEASE)
