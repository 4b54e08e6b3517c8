"""Watch handlers: map object changes to the Job keys and orphan Pods to enqueue."""

from __future__ import annotations

from collections.abc import Callable

from jobsworth.controller import metrics, well_known_names
from jobsworth.controller.jobs import Job
from jobsworth.controller.ownership import controlling_job
from jobsworth.controller.pods import POD_FAILED, POD_SUCCEEDED, Pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.signals import Count
from jobsworth.reconciler.expectations import Expectations
from jobsworth.reconciler.informers import CachedJob, JobInformer, PodInformer
from jobsworth.reconciler.orphan_pods import OrphanReleaser
from jobsworth.reconciler.work_queue import WorkQueue


class EventHandlers:
    """Handles the changes of both informers, and fills both work queues.

    Args:
        queue: queue of Jobs, by ``namespace/name``.
        orphan_queue: queue of orphan Pods, by UID.
        count: increments a counter.

    Attributes:
        kept_since: when each terminated Pod ended that keeps its finalizer, in seconds since 1970, by UID.
    """

    def __init__(
        self,
        *,
        jobs: JobInformer,
        pods: PodInformer,
        queue: WorkQueue,
        orphan_queue: WorkQueue,
        orphans: OrphanReleaser,
        expectations: Expectations,
        settings: ControllerSettings,
        count: Callable[[Count], None],
    ) -> None:
        self._jobs = jobs
        self._pods = pods
        self._queue = queue
        self._orphan_queue = orphan_queue
        self._orphans = orphans
        self._expectations = expectations
        self._settings = settings
        self._count = count
        self.kept_since: dict[str, int] = {}
        jobs.on_change = self.job_changed
        pods.on_change = self.pod_changed

    def job_changed(self, old: CachedJob | None, new: CachedJob | None) -> None:
        """Handle an added, updated or deleted Job."""
        if new is None:
            if old is not None:
                self._queue.add(old.job.key)
                self._enqueue_orphan_pods(old)
            return
        job = new.job
        if not self._settings.manages(job.managed_by):
            if old is None:
                self._count_job_of_another(job)
            return
        if job.finished:
            if old is None or not old.job.finished:
                self._queue.add(job.key)  # so that the sync forgets its in-memory state
                self._enqueue_orphan_pods(new)
        elif old is None or old.job.generation != job.generation or job.deleting:
            self._queue.add(job.key)
        else:
            self._queue.add(job.key, self._settings.batch_delay)
        if job.deleting and (old is None or not old.job.deleting):
            self._enqueue_orphan_pods(new)

    def pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        """Handle an added, updated or deleted Pod."""
        pod = new or old
        if pod is None:
            return
        self._count_finalizer(old, new)
        if new is None or not new.tracking:
            self._expectations.forget_untracked(pod.uid)
        if new is not None and new.tracking and self._orphans.is_orphan(new):
            self._orphan_queue.add(new.uid)
        self._enqueue_controlling_jobs(old, new)
        if new is not None and new.controller is None and _may_be_adopted(old, new):
            self._enqueue_selecting_jobs(new)

    def _enqueue_controlling_jobs(self, old: Pod | None, new: Pod | None) -> None:
        for pod in (old, new):
            name = None if pod is None else controlling_job(pod)
            if pod is None or name is None:
                continue
            key = f"{pod.namespace}/{name}"
            cached = self._jobs.get(key)
            if cached is not None and cached.uid == (pod.controller and pod.controller.uid):
                if not cached.job.finished and self._settings.manages(cached.job.managed_by):
                    self._queue.add(key, self._settings.batch_delay)
                if old is not None and new is not None and old.controller == new.controller:
                    return

    def _enqueue_selecting_jobs(self, pod: Pod) -> None:
        for cached in self._jobs.of_namespace(pod.namespace):
            job = cached.job
            if (
                not job.finished
                and self._settings.manages(job.managed_by)
                and job.selector.matches(pod)
            ):
                self._queue.add(job.key, self._settings.batch_delay)

    def _enqueue_orphan_pods(self, cached: CachedJob) -> None:
        job = cached.job
        pods = self._pods.of_owner(job.uid)
        pods += [pod for pod in self._pods.orphans(job.namespace) if job.selector.matches(pod)]
        for pod in pods:
            if self._orphans.is_orphan(pod):
                self._orphan_queue.add(pod.uid)

    def _count_job_of_another(self, job: Job) -> None:
        """Count a Job with another managedBy when it appears, in the place of the built-in controller."""
        if self._settings.adopt_unmanaged and job.managed_by is not None:
            self._count(metrics.job_of_another(job.managed_by))

    def _count_finalizer(self, old: Pod | None, new: Pod | None) -> None:
        """Count a terminated Pod that gained or lost its finalizer; the metric shows the counting rate."""
        before, after = _is_uncounted(old), _is_uncounted(new)
        if before != after:
            event = "add" if after else "delete"
            if new is not None and after:
                self.kept_since[new.uid] = new.finished_at
            elif old is not None:
                self.kept_since.pop(old.uid, None)
            self._count(Count(well_known_names.TERMINATED_PODS, (("event", event),)))


def _is_uncounted(pod: Pod | None) -> bool:
    return pod is not None and bool(pod.tracking) and pod.state in (POD_SUCCEEDED, POD_FAILED)


def _may_be_adopted(old: Pod | None, new: Pod) -> bool:
    """Return True if a Pod has become an orphan, or is an orphan with changed labels."""
    return old is None or old.controller is not None or old.labels != new.labels
