"""The reconciler without threads: informers, work queues, and the processing of one queue item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.controller.settings import ControllerSettings
from jobsworth.reconciler.event_handlers import EventHandlers
from jobsworth.reconciler.events import EventSink
from jobsworth.reconciler.expectations import Expectations
from jobsworth.reconciler.informers import JobInformer, PodInformer
from jobsworth.reconciler.orphan_pods import OrphanReleaser
from jobsworth.reconciler.parallel import Calls
from jobsworth.reconciler.policy_review import ActivePolicies, PolicyReview
from jobsworth.reconciler.sync_outcome import SyncOutcome
from jobsworth.reconciler.syncing import STALE_DELAY, Syncer
from jobsworth.reconciler.work_queue import WorkQueue


class Reconciler:
    """Reconciles Jobs and orphan Pods, one queue item per call. Thread-safe.

    Args:
        clock: seconds since 1970.
        monotonic: monotonic clock, in seconds.
        calls: runs several API calls, in parallel if possible.
        event_sink: receives events and counts.
        on_raw_job: called with each Job object from the watch.
        namespace_labels: returns the labels of a namespace, for policies that need them.
        log: logs a message for the operator.

    Attributes:
        queue: queue of Jobs, by ``namespace/name``.
        orphan_queue: queue of orphan Pods, by UID.
        admitted: evaluates Jobs by policies.
    """

    def __init__(
        self,
        api: Api,
        settings: ControllerSettings,
        *,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        calls: Calls,
        event_sink: EventSink,
        on_raw_job: Callable[[dict[str, Any]], None] = lambda job: None,
        namespace_labels: Callable[[str], Mapping[str, str] | None] = lambda namespace: None,
        log: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._settings = settings
        self._monotonic = monotonic
        self.jobs = JobInformer(settings, on_raw_job)
        self.pods = PodInformer(settings)
        self.queue = self._new_queue(monotonic)
        self.orphan_queue = self._new_queue(monotonic)
        self.expectations = Expectations(settings.expectation_timeout, monotonic)
        self.admitted = PolicyReview(event_sink, namespace_labels, log)
        self.orphans = OrphanReleaser(api, self.jobs, self.pods, settings)
        self.event_handlers = EventHandlers(
            jobs=self.jobs,
            pods=self.pods,
            queue=self.queue,
            orphan_queue=self.orphan_queue,
            orphans=self.orphans,
            expectations=self.expectations,
            settings=settings,
            count=event_sink.count,
        )
        self.syncer = Syncer(
            api,
            self.jobs,
            self.pods,
            self.expectations,
            settings,
            clock=clock,
            calls=calls,
            event_sink=event_sink,
            admitted=self.admitted,
        )

    def activate(self, policies: ActivePolicies | None) -> None:
        """Evaluate every unfinished Job of ours by these policies, now and from now on."""
        self.admitted.activate(policies)
        self.resync()

    def _new_queue(self, monotonic: Callable[[], float]) -> WorkQueue:
        settings = self._settings
        return WorkQueue(
            retry_base=settings.retry_base, retry_cap=settings.retry_cap, clock=monotonic
        )

    def process_next_job(self, timeout: float | None = 0.0) -> SyncOutcome | None:
        """Sync the next Job in the queue; return None if none is due within `timeout` seconds."""
        key = self.queue.take(timeout)
        if key is None:
            return None
        begun = self._monotonic()
        try:
            outcome = self.syncer.sync(key)
            outcome.seconds = self._monotonic() - begun
            if outcome.stale is not None:
                self.queue.add(key, STALE_DELAY)
            elif outcome.errors:
                self.queue.retry(key, outcome.retry_at_least)
            else:
                self.queue.forget(key)
            if outcome.requeue_after is not None:
                self.queue.add(key, outcome.requeue_after)
            return outcome
        except Exception:
            self.queue.retry(key)
            raise
        finally:
            self.queue.done(key)

    def process_next_orphan_pod(self, timeout: float | None = 0.0) -> bool:
        """Release the next orphan Pod; return False if none is due within `timeout` seconds.

        Retry a Pod that cannot be untracked, with exponential backoff.
        """
        uid = self.orphan_queue.take(timeout)
        if uid is None:
            return False
        try:
            self.orphans.remove_finalizers(uid)
            self.orphan_queue.forget(uid)
        except ApiError as error:
            self.orphan_queue.retry(uid, error.retry_after or 0.0)
        except Exception:
            self.orphan_queue.retry(uid)
            raise
        finally:
            self.orphan_queue.done(uid)
        return True

    def resync(self) -> None:
        """Enqueue every unfinished Job of ours, and every orphan Pod with a tracking finalizer.

        The event handlers should make this unnecessary; it is a safety net for missed changes.
        """
        for cached in self.jobs.all():
            if self._settings.manages(cached.job.managed_by) and not cached.job.finished:
                self.queue.add(cached.job.key)
        for pod in self.pods.all():
            if pod.tracking and self.orphans.is_orphan(pod):
                self.orphan_queue.add(pod.uid)

    def next_due(self) -> float | None:
        """Return the time at which the next key of either queue is due, by the monotonic clock."""
        times = [self.queue.next_due(), self.orphan_queue.next_due()]
        return min((time for time in times if time is not None), default=None)
