"""Claim Pods for a Job: those it owns, those to adopt, those to release; and find orphan Pods.

No Job will count an orphan Pod, and its tracking finalizer would block its deletion forever. One request adds
both owner reference and finalizer, so an adopted Pod is tracked from the first moment.

Source: Kubernetes 1.36, ``pkg/controller/job``; KEP-2307, "Dealing with orphan Pods".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jobsworth.controller.jobs import API_VERSION, KIND, Job
from jobsworth.controller.pods import POD_FAILED, POD_SUCCEEDED, Pod
from jobsworth.controller.settings import ControllerSettings


@dataclass(frozen=True, slots=True)
class Claims:
    """The Pods that concern a Job.

    Attributes:
        owned: Pods that the Job controls and selects.
        adopt: orphan Pods that the Job selects. Before adopting the first, read the Job from the API
            server again; abort the sync if its UID differs or it has a deletionTimestamp.
        release: Pods that the Job controls but no longer selects.
    """

    owned: list[Pod]
    adopt: list[Pod]
    release: list[Pod]


def claim(job: Job, pods: Iterable[Pod]) -> Claims:
    """Classify Pods of the Job's namespace as owned, to adopt or to release.

    Unlike Kubernetes 1.36, do not adopt a terminated Pod: it may have been counted before it was
    untracked, and would be counted again.
    """
    uid, name, matches = job.uid, job.name, job.selector.matches
    claims = Claims([], [], [])
    owned, adopt, release = claims.owned, claims.adopt, claims.release
    # Pods of one owner share one Owner value, so the comparison is repeated only when it changes.
    known, ours = None, False
    for pod in pods:
        owner = pod.controller
        if owner is None:
            if not (job.deleting or pod.deleting or _ended(pod)) and matches(pod):
                adopt.append(pod)
            continue
        if owner is not known:
            known, ours = owner, (owner.kind, owner.name, owner.uid) == (KIND, name, uid)
        if not ours:
            continue
        if matches(pod):
            owned.append(pod)
        elif not job.deleting:
            release.append(pod)
    return claims


def controlling_job(pod: Pod) -> str | None:
    """Return the name of the Job that controls a Pod; None if no Job does."""
    owner = pod.controller
    if owner is None or owner.kind != KIND or owner.api_version != API_VERSION:
        return None
    return owner.name


def owner_reference(job: Job) -> dict[str, Any]:
    """Return the owner reference by which a Job controls a Pod."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "name": job.name,
        "uid": job.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def adoption_patch(job: Job, pod: Pod) -> dict[str, Any]:
    """Return a strategic merge patch that adds owner reference and finalizer to a Pod.

    The UID is a precondition: for another Pod of this name the API server rejects the patch (422).
    Ignore NotFound; abort the sync on any other error.
    """
    return {
        "metadata": {
            "uid": pod.uid,
            "ownerReferences": [owner_reference(job)],
            "finalizers": [job.finalizer],
        }
    }


def release_patch(job: Job, pod: Pod) -> dict[str, Any]:
    """Return a strategic merge patch that releases a Pod. Treat NotFound and Invalid (422) as success."""
    return {
        "metadata": {
            "uid": pod.uid,
            "ownerReferences": [{"$patch": "delete", "uid": job.uid}],
            "$deleteFromPrimitiveList/finalizers": [job.finalizer],
        }
    }


def finalizer_patch(finalizer: str) -> dict[str, Any]:
    """Return a strategic merge patch that only removes a tracking finalizer from a Pod.

    Treat NotFound as success. The patch is minimal, so that no webhook or quota has a reason to deny
    it.
    """
    return {"metadata": {"$deleteFromPrimitiveList/finalizers": [finalizer]}}


def untracked_orphan_patch(pod: Pod, finalizers: Iterable[str]) -> dict[str, Any]:
    """Return a strategic merge patch that removes finalizers from an orphan Pod.

    The API server rejects it (409) if the Pod has changed since it was read: a Job may have adopted
    the Pod, and could then no longer count it.
    """
    return {
        "metadata": {
            "resourceVersion": pod.resource_version,
            "$deleteFromPrimitiveList/finalizers": list(finalizers),
        }
    }


def _ended(pod: Pod) -> bool:
    return pod.state in (POD_SUCCEEDED, POD_FAILED)


def orphan_finalizers_of(
    pod: Pod, owner: Job | None, settings: ControllerSettings
) -> tuple[str, ...]:
    """Return the tracking finalizers to remove from a Pod; empty if it is not an orphan.

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
