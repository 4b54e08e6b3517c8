"""Orphan Pods: no Job will count them, and the tracking finalizer would block their deletion forever.

Source: Kubernetes 1.36, ``pkg/controller/job``; KEP-2307, "Dealing with orphan Pods".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.controller.ownership import controlling_job

if TYPE_CHECKING:
    from jobsworth.controller.jobs import Job
    from jobsworth.controller.pods import Pod
    from jobsworth.controller.settings import ControllerSettings


def orphan_finalizers_of(
    pod: Pod, owner: Job | None, settings: ControllerSettings
) -> tuple[str, ...]:
    """Return the tracking finalizers to remove from a Pod; empty if it is no orphan.

    Args:
        pod: any Pod; check again just before the removal, because a Job may have adopted it.
        owner: the Job with the namespace and name of the Pod's controller reference, if it exists,
            with any UID.
        settings: the Jobs that this controller manages.
    """
    if not pod.tracking:
        return ()
    if pod.controller is None:
        return pod.tracking
    if controlling_job(pod) is None:
        return ()
    if owner is None or owner.uid != pod.controller.uid:
        return pod.tracking
    if not settings.manages(owner.managed_by):
        return ()
    # A Job that is being deleted does not release Pods that it no longer selects, and never counts them.
    # In Kubernetes 1.36 Job and Pod then wait for each other forever under foreground deletion.
    unwanted = owner.deleting and not owner.selector.matches(pod)
    return pod.tracking if owner.finished or unwanted else ()
