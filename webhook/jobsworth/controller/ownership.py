"""Which Pods are a Job's: those it controls, those to adopt, those to let go.

Source: Kubernetes 1.36 and KEP-2307. Whoever has adopted a Pod tracks it from the same moment: the
owner reference and the finalizer come in one request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jobsworth.controller.jobs import API_VERSION, KIND
from jobsworth.controller.pods import POD_FAILED, POD_SUCCEEDED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobsworth.controller.jobs import Job
    from jobsworth.controller.pods import Pod


@dataclass(frozen=True, slots=True)
class Claims:
    """How a Job stands to Pods of its namespace.

    Attributes:
        owned: controlled by it and selected.
        adopt: nobody's, selected, and worth having. Before the first is adopted, read the Job anew
            from the API server: a different UID or a deletionTimestamp ends the sync.
        release: controlled by it, no longer selected.
    """

    owned: list[Pod]
    adopt: list[Pod]
    release: list[Pod]


def claim(job: Job, pods: Iterable[Pod]) -> Claims:
    """Sort Pods of the Job's namespace by how the Job stands to them.

    A Pod that has ended is not adopted, unlike in Kubernetes 1.36: it may have been counted
    before it was let go, and would be counted again.
    """
    uid, name, matches = job.uid, job.name, job.selector.matches
    claims = Claims([], [], [])
    owned, adopt, release = claims.owned, claims.adopt, claims.release
    # Pods of one owner share the value that says so: it is compared once for all that follow.
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
    """The name of the Job that controls a Pod; None if that is something else, or nothing."""
    owner = pod.controller
    if owner is None or owner.kind != KIND or owner.api_version != API_VERSION:
        return None
    return owner.name


def owner_reference(job: Job) -> dict[str, Any]:
    """The owner reference by which a Job controls a Pod."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "name": job.name,
        "uid": job.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def adoption_patch(job: Job, pod: Pod) -> dict[str, Any]:
    """A strategic merge patch of a Pod: owner reference and finalizer in one.

    The UID is the precondition that it is still the same Pod: another one is refused (422). NotFound
    may be ignored; another error ends the sync.
    """
    return {
        "metadata": {
            "uid": pod.uid,
            "ownerReferences": [owner_reference(job)],
            "finalizers": [job.finalizer],
        }
    }


def release_patch(job: Job, pod: Pod) -> dict[str, Any]:
    """A strategic merge patch that lets a Pod go. NotFound and Invalid (422) mean it is done."""
    return {
        "metadata": {
            "uid": pod.uid,
            "ownerReferences": [{"$patch": "delete", "uid": job.uid}],
            "$deleteFromPrimitiveList/finalizers": [job.finalizer],
        }
    }


def finalizer_patch(finalizer: str) -> dict[str, Any]:
    """A strategic merge patch that removes a tracking finalizer from a Pod, and does nothing else.

    NotFound means it is done. It is as small as can be: what it does not touch, no webhook or quota
    has a reason to refuse.
    """
    return {"metadata": {"$deleteFromPrimitiveList/finalizers": [finalizer]}}


def orphan_release_patch(pod: Pod, finalizers: Iterable[str]) -> dict[str, Any]:
    """A strategic merge patch that removes finalizers from a Pod that nobody will count.

    It is refused (409) if the Pod has changed since it was read: it may have been adopted meanwhile, and
    then it would be lost to the Job that wants to count it.
    """
    return {
        "metadata": {
            "resourceVersion": pod.resource_version,
            "$deleteFromPrimitiveList/finalizers": list(finalizers),
        }
    }


def _ended(pod: Pod) -> bool:
    return pod.state in (POD_SUCCEEDED, POD_FAILED)
