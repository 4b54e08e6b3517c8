"""Remove tracking finalizers from orphan Pods: without a Job, or of a deleted or finished Job."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import STRATEGIC_MERGE, Api
from jobsworth.client.api_resources import jobs_path, pods_path
from jobsworth.client.paging import resumed_pages
from jobsworth.controller.jobs import Job
from jobsworth.controller.ownership import (
    controlling_job,
    finalizer_patch,
    orphan_finalizers_of,
    untracked_orphan_patch,
)
from jobsworth.controller.pods import Pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.reconciler.api_writes import patch_pod
from jobsworth.reconciler.informers import JobInformer, PodInformer, stored

REMEMBERED = 4096


class OrphanReleaser:
    """Removes the tracking finalizers of orphan Pods, one Pod at a time."""

    def __init__(
        self, api: Api, jobs: JobInformer, pods: PodInformer, settings: ControllerSettings
    ) -> None:
        self._api = api
        self._jobs = jobs
        self._pods = pods
        self._settings = settings
        self._gone: dict[str, None] = {}  # UIDs of Jobs that no longer exist in the API server

    def is_orphan(self, pod: Pod) -> bool:
        """Return True if, by the caches, no Job will remove the Pod's tracking finalizer."""
        return bool(orphan_finalizers_of(pod, self._cached_owner(pod), self._settings))

    def remove_finalizers(self, uid: str) -> None:
        """Remove the tracking finalizers of a Pod, if it still exists and is still an orphan.

        Raises:
            ApiError: the call failed; retry it.
        """
        pod = self._pods.get_uid(uid)
        if pod is None or not self.is_orphan(pod):
            return
        finalizers = orphan_finalizers_of(pod, self._owner(pod), self._settings)
        if not finalizers:
            return
        try:
            patch_pod(self._api, pod, untracked_orphan_patch(pod, finalizers))
        except ApiError as error:
            if not (error.not_found or error.another_object):
                raise

    def _cached_owner(self, pod: Pod) -> Job | None:
        name = controlling_job(pod)
        cached = None if name is None else self._jobs.get(f"{pod.namespace}/{name}")
        return None if cached is None else cached.job

    def _owner(self, pod: Pod) -> Job | None:
        """Return the Job in the Pod's controller reference, from the API server if not in the cache.

        With a stale cache alone, the Pods of a new Job would be untracked uncounted.
        """
        name, job = controlling_job(pod), self._cached_owner(pod)
        if name is None or pod.controller is None or pod.controller.uid in self._gone:
            return job
        if job is not None and job.uid == pod.controller.uid:
            return job
        try:
            live = self._api.get(jobs_path(pod.namespace, name))
        except ApiError as error:
            if not error.not_found:
                raise
            self._remember_gone(pod.controller.uid)
            return None
        job = stored(live, self._settings).job
        if job.uid != pod.controller.uid:
            self._remember_gone(pod.controller.uid)
        return job

    def _remember_gone(self, uid: str) -> None:
        self._gone[uid] = None
        if len(self._gone) > REMEMBERED:
            del self._gone[next(iter(self._gone))]


def untrack_all(api: Api, namespace: str, finalizer: str) -> Iterator[ApiError | None]:
    """Remove a finalizer from every Pod, when jobsworth is uninstalled.

    Yields:
        For each Pod with the finalizer: None, or the error that prevented its removal.

    Raises:
        ApiError: the Pods cannot be listed.
    """
    for page in resumed_pages(api, pods_path(namespace)):
        for pod in page.items:
            meta = pod["metadata"]
            if finalizer not in (meta.get("finalizers") or ()):
                continue
            path = pods_path(meta["namespace"], meta["name"])
            try:
                api.patch(path, finalizer_patch(finalizer), STRATEGIC_MERGE)
            except ApiError as error:
                yield None if error.not_found else error
            else:
                yield None
