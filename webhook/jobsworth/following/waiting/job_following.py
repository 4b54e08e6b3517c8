"""Wait until a Job has ended, or until it is known that it will not: a procedure without input or output.

Each of three lists is read once and then watched: the Job itself, by name; its Pods that are Pending; the
Events about it. When a watch ends, for whatever reason, its list is read again, so that a restart of the API
server or an expired resourceVersion loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jobsworth.api.batch.job import CONTROLLER_UID_LABEL
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import events_path, jobs_path, pods_path
from jobsworth.client.paging import PAGE_SIZE
from jobsworth.following.errors import JobNotFound
from jobsworth.following.requests import (
    Changed,
    Ended,
    Get,
    Next,
    Report,
    Watch,
)
from jobsworth.following.waiting.list_schedule import ListSchedule
from jobsworth.following.waiting.seen_job import SeenJob, objects_in
from jobsworth.following.waiting.wait_options import Outcome, Progress, WaitEnd
from jobsworth.whatif.replay.recorded_events import event_problem, read_event
from jobsworth.whatif.why.standstill import needs_events, standstill

if TYPE_CHECKING:
    from jobsworth.following.job_reference import JobReference
    from jobsworth.following.requests import Following, Happening
    from jobsworth.following.waiting.wait_options import WaitOptions

    Object = dict[str, Any]

JOB, PODS, EVENTS = "job", "pods", "events"
EVENTS_PAUSE = 30.0
"""Seconds between two looks at the Events of a Pod that only starts."""


def follow_job(reference: JobReference, options: WaitOptions) -> Following[WaitEnd]:
    """Wait for the end of a Job.

    Raises:
        JobNotFound: there is none.
        ClusterError: the API server did not answer for too long.
        ApiError: it rejects a request for the Job.
    """
    return (yield from _Wait(reference, options).run())


class _Wait:
    def __init__(self, reference: JobReference, options: WaitOptions) -> None:
        self._reference = reference
        self._options = options
        self._begun = options.clock()
        self._lists = ListSchedule(options)
        self._lists.plan(JOB)
        self._absent_since = self._begun
        self._seen: SeenJob | None = None
        self._gone = ""  # UID of a Job that was deleted
        self._denied: set[str] = set()
        self._looked = 0.0  # when the Events of a Pod were read last
        self._reported: Progress | None = None

    def run(self) -> Following[WaitEnd]:
        while True:
            yield from self._read_due_lists()
            yield from self._look_at_starting_pods()
            end = self._end()
            yield from self._report()
            if end is not None:
                return end
            happening = yield Next(self._until())
            self._take(happening)

    # Lists and watches.

    def _read_due_lists(self) -> Following[None]:
        for key in self._lists.take_due():
            try:
                yield from self._read_list(key)
            except ApiError as error:
                self._settle(key, error, going_on=self._lists.retry(key, error))

    def _read_list(self, key: str) -> Following[None]:
        path, selectors = self._list_of(key)
        found = yield Get(path, {**selectors, "limit": str(PAGE_SIZE)})
        meta = found.get("metadata")
        about = meta if isinstance(meta, dict) else {}
        self._take_list(key, objects_in(found), more=bool(about.get("continue")))
        if key == JOB or self._seen is not None:
            self._lists.note_watch(key)
            yield Watch(key, path, str(about.get("resourceVersion") or ""), selectors)

    def _list_of(self, key: str) -> tuple[str, Mapping[str, str]]:
        namespace, name = self._reference.namespace, self._reference.name
        if key == JOB:
            return jobs_path(namespace), {"fieldSelector": f"metadata.name={name}"}
        if key == PODS:
            return pods_path(namespace), {
                "labelSelector": f"{CONTROLLER_UID_LABEL}={self._uid}",
                "fieldSelector": "status.phase=Pending",
            }
        about = f"involvedObject.kind=Job,involvedObject.uid={self._uid}"
        return events_path(namespace), {"fieldSelector": about}

    def _settle(self, key: str, error: ApiError, *, going_on: bool) -> None:
        """Give a list up that the API server rejects.

        Raises:
            ApiError: it is the list of the Job.
        """
        if going_on:
            return
        if key == JOB:
            raise error
        self._denied.add(key)
        what = "Pods" if key == PODS else "Events"
        self._options.note(
            f"the {what} of the Job cannot be watched, so a standstill may go unseen: {error}"
        )

    # What happens.

    def _take(self, happening: Happening) -> None:
        if isinstance(happening, Changed):
            self._lists.note_answer()
            self._take_change(happening, self._options.clock())
        elif isinstance(happening, Ended) and happening.key not in self._denied:
            key, error = happening.key, happening.error
            if key == JOB or self._seen is not None:
                going_on = self._lists.end_watch(key, error)
                if error is not None:
                    self._settle(key, error, going_on=going_on)

    def _take_change(self, change: Changed, now: float) -> None:
        if change.key == JOB:
            self._take_job(change.kind, change.value, now)
        elif self._seen is not None and change.key == PODS:
            self._seen.take_pod(change.kind, change.value, now)
        elif self._seen is not None and change.kind != "DELETED":
            self._seen.take_event(change.value, now)

    def _take_list(self, key: str, items: list[Object], *, more: bool) -> None:
        now = self._options.clock()
        if key == JOB:
            named = [each for each in items if each["metadata"].get("name") == self._reference.name]
            if named:
                self._take_job("ADDED", named[0], now)
            elif self._seen is not None:
                self._forget(self._seen, now)
        elif self._seen is not None and key == PODS:
            self._seen.replace_pods(items, now, more=more)
        elif self._seen is not None:
            for each in sorted(items, key=_version):
                self._seen.take_event(each, now)

    def _take_job(self, kind: str, value: Object, now: float) -> None:
        uid = value["metadata"].get("uid") or ""
        if self._seen is not None and self._uid != uid:
            self._forget(self._seen, now)
        if self._seen is None:
            if kind == "DELETED" or (self._gone and self._options.for_creation is None):
                return
            self._begin(value, now)
            return
        self._seen.take_job(value, now)
        if kind == "DELETED":
            self._forget(self._seen, now)

    def _begin(self, value: Object, now: float) -> None:
        if self._gone:
            uid = value["metadata"].get("uid")
            self._options.note(f"the Job was created again (UID {uid}); it is followed now")
        self._seen = SeenJob.read(value, now)
        self._gone = ""
        if not self._seen.finished:
            for key in (PODS, EVENTS):
                if key not in self._denied:
                    self._lists.plan(key)

    def _forget(self, seen: SeenJob, now: float) -> None:
        """Note that the Job was deleted; one that has finished stays, because that is its end."""
        if seen.finished:
            return
        self._gone = self._uid
        self._seen = None
        self._absent_since = now
        for key in (PODS, EVENTS):
            self._lists.cancel(key)

    @property
    def _uid(self) -> str:
        return "" if self._seen is None else str(self._seen.manifest["metadata"].get("uid") or "")

    def _look_at_starting_pods(self) -> Following[None]:
        """Read the Events of one Pod that only starts: a volume that cannot be mounted shows only there."""
        seen, now = self._seen, self._options.clock()
        if seen is None or seen.finished or EVENTS in self._denied:
            return
        starting = needs_events(seen.seen)
        due = max(self._looked + EVENTS_PAUSE, self._oldest(starting))
        if not starting or now < due or seen.job.status.ready:
            return
        self._looked = now
        uid = starting[0]
        path = events_path(self._reference.namespace)
        try:
            found = yield Get(
                path, {"fieldSelector": f"involvedObject.uid={uid}", "limit": str(PAGE_SIZE)}
            )
        except ApiError:
            return
        events = [each for each in objects_in(found) if event_problem(each) is None]
        seen.take_pod_events(uid, [read_event(each) for each in events], now)

    def _oldest(self, starting: list[str]) -> float:
        if self._seen is None or not starting:
            return float("inf")
        since = min(self._seen.pending[uid].since for uid in starting)
        return since + self._options.bounds.stuck_after

    # The end.

    def _end(self) -> WaitEnd | None:
        seen, now, options = self._seen, self._options.clock(), self._options
        if seen is None:
            return self._absent_end(now)
        if seen.finished:
            outcome: Outcome = "complete" if seen.finished == "Complete" else "failed"
            condition = seen.job.status.condition(seen.finished)
            reason = "" if condition is None else condition.reason
            return WaitEnd(outcome, self._uid, reason, "", exists=True)
        found = standstill(seen.seen, options.bounds)
        if found is not None and found.at <= now:
            if found.cause == "deleting" and options.for_creation is not None:
                return None  # it is followed by another one, or not
            return WaitEnd("stuck", self._uid, found.cause, found.words, exists=True)
        if options.timeout is not None and now - self._begun >= options.timeout:
            return WaitEnd("timeout", self._uid, "timeout", "has not ended", exists=True)
        return None

    def _absent_end(self, now: float) -> WaitEnd | None:
        options = self._options
        if self._lists.planned(JOB):
            return None  # the API server has not answered
        if options.for_creation is None:
            if not self._gone:
                raise JobNotFound(f"there is no {self._reference.title}")
            words = "was deleted before it ended"
            return WaitEnd("stuck", self._gone, "deleted", words, exists=False)
        if now - self._absent_since >= options.for_creation:
            words = (
                "was deleted, and not created again in time" if self._gone else "was not created"
            )
            cause = "deleted" if self._gone else "not-created"
            return WaitEnd("stuck", self._gone, cause, words, exists=False)
        if options.timeout is not None and now - self._begun >= options.timeout:
            return WaitEnd("timeout", self._gone, "timeout", "was not created", exists=False)
        return None

    def _until(self) -> float | None:
        """Return the next time at which something is due without any change."""
        options, seen = self._options, self._seen
        due = self._lists.next_due()
        times = [] if due is None else [due]
        if options.timeout is not None:
            times.append(self._begun + options.timeout)
        if seen is None:
            if options.for_creation is not None:
                times.append(self._absent_since + options.for_creation)
        else:
            found = standstill(seen.seen, options.bounds)
            if found is not None and found.at > options.clock():
                times.append(found.at)
            if EVENTS not in self._denied and needs_events(seen.seen):
                oldest = self._oldest(needs_events(seen.seen))
                times.append(max(self._looked + EVENTS_PAUSE, oldest))
        return min(times, default=None)

    def _report(self) -> Following[None]:
        if self._seen is None:
            return
        job, status = self._seen.job, self._seen.job.status
        progress = Progress(
            job.name,
            job.indexed,
            job.completions,
            status.succeeded,
            status.failed,
            status.active,
            len(self._seen.pending),
            status.terminating or 0,
            job.suspended,
            self._options.clock() - self._begun,
        )
        before = self._reported
        if before is None or before._replace(seconds=0) != progress._replace(seconds=0):
            self._reported = progress
            yield Report(progress)


def _version(value: Object) -> int:
    text = value["metadata"].get("resourceVersion")
    return int(text) if isinstance(text, str) and text.isdigit() and len(text) < 20 else 0
