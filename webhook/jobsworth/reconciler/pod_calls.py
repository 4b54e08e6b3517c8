"""Pod operations of one sync of a Job: adopt, release, create, delete, remove finalizers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import resource_version
from jobsworth.controller import ownership, signals
from jobsworth.controller.jobs import Job
from jobsworth.controller.plan import ActionResults, Creation, Deletion
from jobsworth.controller.pod_body import BadTemplate, pod_body
from jobsworth.controller.pods import Pod
from jobsworth.controller.signals import Event
from jobsworth.reconciler.api_writes import delete_pod, patch_pod, post_pod
from jobsworth.reconciler.expectations import PODS, Expectations
from jobsworth.reconciler.parallel import Calls

REJECTIONS = (403, 422)  # by RBAC, a webhook or a policy: a retry alone does not help


def finalizer_removal_failed(name: str, error: str) -> Event:
    """Return the event for a finalizer that cannot be removed, which blocks deletion and counting."""
    return Event(
        signals.WARNING,
        "FailedFinalizerRemoval",
        f"Error removing the finalizer of pod {name}: {error}",
    )


class PodCalls:
    """Pod operations for one Job.

    Args:
        emit: emits an event about the Job.
        errors: list to which errors are appended.
    """

    def __init__(
        self,
        api: Api,
        job: Job,
        expectations: Expectations,
        calls: Calls,
        *,
        emit: Callable[[Event], None],
        errors: list[ApiError],
    ) -> None:
        self._api = api
        self._job = job
        self._expectations = expectations
        self._calls = calls
        self._emit = emit
        self._errors = errors

    def adopt(self, pod: Pod) -> Pod | None:
        """Adopt a Pod, and return it with its new owner; None if the adoption failed."""
        try:
            self._patch(pod, ownership.adoption_patch(self._job, pod))
        except ApiError as error:
            if not error.not_found:
                self._errors.append(error)
            return None
        return pod.adopted(self._job.owner, self._job.finalizer)

    def release(self, pod: Pod) -> None:
        """Release a Pod that the Job no longer selects."""
        try:
            self._patch(pod, ownership.release_patch(self._job, pod))
        except ApiError as error:
            if not (error.not_found or error.another_object):
                self._errors.append(error)

    def delete(self, deletions: Sequence[Deletion]) -> frozenset[str]:
        """Delete Pods, and return the UIDs of those that are terminating or no longer exist."""
        deleted = set()
        for deletion, answer in self._call_each(self._delete_one, deletions):
            pod = deletion.pod
            if isinstance(answer, ApiError) and not (answer.not_found or answer.another_object):
                self._errors.append(answer)
                self._emit(signals.deletion_failed(answer.message))
                continue
            deleted.add(pod.uid)
            if not isinstance(answer, ApiError):
                self._emit(signals.pod_deleted(pod.name))
        return frozenset(deleted)

    def _delete_one(self, deletion: Deletion) -> None:
        pod = deletion.pod
        if deletion.untrack_first:
            self._patch(pod, ownership.finalizer_patch(self._job.finalizer))
        self._wrote(delete_pod(self._api, pod))

    def create(self, creations: Sequence[Creation]) -> ActionResults:
        """Create Pods with slow start: double the batch size, and stop after a batch with an error."""
        created = rejected = begun = 0
        size = 1
        while begun < len(creations):
            batch = creations[begun : begun + size]
            begun += len(batch)
            failed = False
            for _, answer in self._call_each(self._create_one, batch):
                if isinstance(answer, ApiError):
                    failed = True
                    rejected += self._creation_failed(answer)
                else:
                    created += 1
                    self._emit(signals.pod_created(answer))
            if failed:
                break
            size *= 2
        return ActionResults(created=created, rejected=rejected)

    def _creation_failed(self, error: ApiError) -> bool:
        """Record the error and return True, unless it is expected because the namespace is terminating."""
        if error.namespace_terminating:
            return False
        self._errors.append(error)
        self._emit(signals.creation_failed(error.message))
        return True

    def _create_one(self, creation: Creation) -> str:
        try:
            body = pod_body(self._job, creation)
        except BadTemplate as error:
            raise ApiError(422, "Invalid", str(error)) from None
        answer = post_pod(self._api, self._job.namespace, body)
        self._wrote(answer)
        name: str = answer["metadata"]["name"]
        return name

    def remove_finalizers(self, pods: Sequence[Pod]) -> frozenset[str]:
        """Remove the tracking finalizer of Pods, and return the UIDs of those without it."""
        self._expectations.untracking(self._job.key, (pod.uid for pod in pods))
        untracked = set()
        for pod, answer in self._call_each(self._remove_finalizer, pods):
            if isinstance(answer, ApiError):
                self._expectations.forget_untracked(pod.uid)
                self._errors.append(answer)
                if answer.code in REJECTIONS:
                    self._emit(finalizer_removal_failed(pod.name, answer.message))
            else:
                untracked.add(pod.uid)
        return frozenset(untracked)

    def _remove_finalizer(self, pod: Pod) -> None:
        try:
            self._patch(pod, ownership.finalizer_patch(self._job.finalizer))
        except ApiError as error:
            if not (error.not_found or error.another_object):
                raise

    def _patch(self, pod: Pod, patch: dict[str, Any]) -> None:
        self._wrote(patch_pod(self._api, pod, patch))

    def _wrote(self, answer: dict[str, Any]) -> None:
        self._expectations.wrote(PODS, self._job.key, resource_version(answer))

    def _call_each(self, call: Callable[[Any], Any], items: Sequence[Any]) -> Iterable[Any]:
        return zip(items, self._calls(call, items), strict=True)
