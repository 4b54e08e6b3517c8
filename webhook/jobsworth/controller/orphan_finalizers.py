"""Pods that nobody will count: their tracking finalizer has to go, or they can never be deleted.

Source: Kubernetes 1.36, ``pkg/controller/job``; KEP-2307, "Dealing with orphan Pods".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.controller.ownership import controlling_job

if TYPE_CHECKING:
    from jobsworth.controller.controller_settings import ControllerSettings
    from jobsworth.controller.jobs import Job
    from jobsworth.controller.pods import Pod


def orphan_finalizers_of(
    pod: Pod, owner: Job | None, settings: ControllerSettings
) -> tuple[str, ...]:
    """The tracking finalizers to remove from a Pod; empty if it is to be left alone.

    Args:
        pod: any Pod; ask again at the moment of removing, for it may have been adopted meanwhile.
        owner: the Job of the name and namespace that the Pod's controller reference gives, if it
            exists, whatever its UID.
        settings: which finalizers are ours to remove.
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
    # A Job that is being deleted lets go of no Pod, and so counts none that it no longer selects; in
    # Kubernetes 1.36 the two wait for each other for good, if the Job waits for its Pods to go.
    unwanted = owner.deleting and not owner.selector.matches(pod)
    return pod.tracking if owner.finished or unwanted else ()
