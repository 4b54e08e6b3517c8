"""Wait until a Job has ended, or until it is known that it will not.

Each of three lists is read once and then watched: the Job itself, by name; its Pods that have not ended; the
Events about it. When a watch ends, for whatever reason, its list is read again, so that a restart of the API
server or an expired resourceVersion loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.batch.job import CONTROLLER_UID_LABEL
from jobsworth.api.stored import stored_problem
from jobsworth.client.api_errors import UNREACHABLE, ApiError, NotConfigured
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import events_path, jobs_path, pods_path, resource_version
from jobsworth.client.paging import PAGE_SIZE, pages
from jobsworth.client.retry import BUSY
from jobsworth.live.errors import ClusterError
from jobsworth.live.followed_job import FollowedJob
from jobsworth.live.job_reference import JobReference
from jobsworth.live.seen_job import SeenJob
from jobsworth.live.standstill import needs_events
from jobsworth.live.wait_options import Progress, WaitEnd, WaitOptions
from jobsworth.live.watches import Changed, Failed, Listed, News, Watches
from jobsworth.runs.recorded.recorded_events import read_event

Object = dict[str, Any]

JOB, PODS, EVENTS = "job", "pods", "events"
EVENTS_PAUSE = 30.0
"""Seconds between two looks at the Events of a Pod that only starts."""
FIRST_CONTACT = 10.0
"""Seconds for the first answer: without it, the address or the network is probably wrong."""
NOT_ENDED, PENDING_ONLY = "status.phase!=Succeeded,status.phase!=Failed", "status.phase=Pending"
"""Selectors of the Pods that are watched; those that run only if one page has them all."""
TRANSIENT = (UNREACHABLE, 410, *BUSY)
"""HTTP statuses after which a list is read again."""


def wait_for_end(
    api: Api, reference: JobReference, options: WaitOptions, watches: Watches
) -> WaitEnd:
    """Wait for the end of a Job.

    Raises:
        JobNotFound: there is none.
        ClusterError: the API server did not answer for too long.
        ApiError: it rejects a request for the Job.
        MalformedObject: it sends something else than a Job.
    """
    return _Wait(api, reference, options, watches).run()


class _Wait:
    def __init__(
        self, api: Api, reference: JobReference, options: WaitOptions, watches: Watches
    ) -> None:
        self._api = api
        self._reference = reference
        self._options = options
        self._watches = watches
        self._job = FollowedJob(reference, options, watches.clock())
        self._silence = _Silence(options.unreachable_after)
        self._denied: set[str] = set()
        self._looked = 0.0  # when the Events of a Pod were read last
        self._reported: Progress | None = None

    def run(self) -> WaitEnd:
        path, selector = jobs_path(self._reference.namespace), self._reference.name
        self._watches.start(JOB, path, {"fieldSelector": f"metadata.name={selector}"})
        while True:
            now = self._watches.clock()
            self._look_at_starting_pods(now)
            end = self._job.end(now)
            self._report(now)
            if end is not None:
                return end
            self._silence.check(now)
            until = min((each for each in self._deadlines() if each > now), default=None)
            news = self._watches.next(until)
            if news is not None:
                self._take(news, self._watches.clock())

    def _deadlines(self) -> Iterator[float]:
        yield from self._job.deadlines()
        yield from self._silence.deadlines()
        if self._job.seen is not None:
            yield from self._looks(self._job.seen)

    # News.

    def _take(self, news: News, now: float) -> None:
        if isinstance(news, Failed):
            self._take_failure(news.key, news.error, now)
            return
        self._silence.end()
        if news.key == JOB:
            before = self._job.seen
            if isinstance(news, Listed):
                self._job.take_list(news.items, now)
            else:
                self._job.take(news.kind, news.value, now)
            if self._job.seen is not before:
                self._watch_parts()
        elif self._job.seen is not None:
            self._take_part(self._job.seen, news, now)

    def _watch_parts(self) -> None:
        """Watch the Pods and Events of the Job that there is now."""
        for key in (PODS, EVENTS):
            self._watches.stop(key)
        if self._job.seen is None or self._job.seen.finished:
            return
        namespace, uid = self._reference.namespace, self._job.uid
        parallelism = self._job.seen.job.parallelism
        pods = {
            "labelSelector": f"{CONTROLLER_UID_LABEL}={uid}",
            "fieldSelector": PENDING_ONLY if parallelism > PAGE_SIZE else NOT_ENDED,
        }
        events = {"fieldSelector": f"involvedObject.kind=Job,involvedObject.uid={uid}"}
        if PODS not in self._denied:
            self._watches.start(PODS, pods_path(namespace), pods)
        if EVENTS not in self._denied:
            self._watches.start(EVENTS, events_path(namespace), events)

    def _take_part(self, seen: SeenJob, news: Listed | Changed, now: float) -> None:
        if news.key == PODS:
            if isinstance(news, Listed):
                seen.replace_pods(news.items, now, more=news.more)
            else:
                seen.take_pod(news.kind, news.value, now)
        elif isinstance(news, Listed):
            for each in sorted(news.items, key=resource_version):
                seen.take_event(each, now)
        elif news.kind != "DELETED":
            seen.take_event(news.value, now)

    def _take_failure(self, key: str, error: ApiError, now: float) -> None:
        """Go on after an error that may pass; give a list up that the API server rejects.

        Raises:
            ApiError: it is the list of the Job.
        """
        if key == JOB:
            self._job.listed = False
        if not isinstance(error, NotConfigured) and error.code in TRANSIENT:
            self._silence.note(error, now)
            return
        if key == JOB:
            raise error
        self._silence.end()
        self._watches.stop(key)
        self._denied.add(key)
        what = "Pods" if key == PODS else "Events"
        self._options.note(
            f"the {what} of the Job cannot be watched, so a standstill may go unseen: {error}"
        )

    # Pods that only start, and progress.

    def _look_at_starting_pods(self, now: float) -> None:
        """Read the Events of one Pod that only starts: a volume that cannot be mounted shows only there."""
        seen = self._job.seen
        due = None if seen is None else next(self._looks(seen), None)
        if seen is None or due is None or now < due:
            return
        self._looked = now
        uid = needs_events(seen.seen)[0]
        about = {"fieldSelector": f"involvedObject.uid={uid}"}
        try:
            page = next(pages(self._api, events_path(self._reference.namespace), selectors=about))
        except ApiError:
            return
        events = [each for each in page.items if stored_problem("Event", each) is None]
        seen.take_pod_events(uid, [read_event(each) for each in events], now)

    def _looks(self, seen: SeenJob) -> Iterator[float]:
        """Yield the time of the next look, if there is one."""
        starting = needs_events(seen.seen)
        if starting and not seen.finished and EVENTS not in self._denied:
            since = min(seen.pending[uid].since for uid in starting)
            yield max(self._looked + EVENTS_PAUSE, since + self._options.bounds.stuck_after)

    def _report(self, now: float) -> None:
        progress, before = self._job.progress(now), self._reported
        if progress is None:
            return
        if before is None or before._replace(seconds=0) != progress._replace(seconds=0):
            self._reported = progress
            self._options.report(progress)


class _Silence:
    """The time since which an API server has not answered."""

    def __init__(self, longest: float) -> None:
        self._longest = longest
        self._answered = False
        self._since: float | None = None
        self._error: ApiError | None = None

    def end(self) -> None:
        """Note that the API server has answered."""
        self._answered, self._since = True, None

    def note(self, error: ApiError, now: float) -> None:
        """Note an error, which is an answer unless the API server could not be reached."""
        if error.code != UNREACHABLE:
            self.end()
            return
        self._error = error
        if self._since is None:
            self._since = now

    def deadlines(self) -> Iterator[float]:
        """Yield the time at which the silence has lasted too long, if there is one."""
        if self._since is not None:
            limit = self._longest if self._answered else min(self._longest, FIRST_CONTACT)
            yield self._since + limit

    def check(self, now: float) -> None:
        """Check that the silence has not lasted too long.

        Raises:
            ClusterError: it has.
        """
        if any(now >= deadline for deadline in self.deadlines()):
            raise ClusterError(str(self._error)) from None
