"""The reason for a plan in one sentence, for humans.

A Job without deletions and creations is not always in order: the sentence names what keeps it from going on.
"""

from __future__ import annotations

from jobsworth.controller import well_known_names
from jobsworth.controller.finished_condition import completed
from jobsworth.controller.scaling import Scaling, desired_active
from jobsworth.controller.sync_context import SyncContext

DELETING = "the Job is being deleted"
STALE = "the watch cache is stale"
SUSPENDED = "the Job is suspended"
TOO_MANY = "more Pods are active than desired"
TOO_FEW = "fewer Pods are active than desired"
BACKING_OFF = "the next Pod waits for the backoff after a failure"
NO_PARALLELISM = "no Pod is created, because spec.parallelism is 0"
REPLACED_WHEN_TERMINATED = (
    "the next Pod waits until a terminating Pod has terminated (podReplacementPolicy: Failed)"
)
ALL_PENDING = "all active Pods are Pending"
ALL_INDEXES_TAKEN = "every index that is left has a Pod"
QUEUE_IS_DONE = "a Pod has succeeded, and a work queue gets no more Pods"
ENOUGH = "as many Pods are active as desired"
TERMINATING = "the Job waits until its terminating Pods have terminated"
NONE_NEEDED = "no further Pod is needed"


def explanation(context: SyncContext, scaling: Scaling, *, managed: bool) -> str:
    """Return the reason for the deletions and creations of a sync, or for their absence.

    Args:
        managed: the sync compared active with desired Pods.
    """
    if not managed:
        return DELETING if context.job.deleting else STALE
    if context.job.suspended:
        return SUSPENDED
    if scaling.deletions:
        return TOO_MANY
    if scaling.creations:
        return TOO_FEW
    if scaling.wait is not None:
        return BACKING_OFF
    return _standstill(context)


def _standstill(context: SyncContext) -> str:
    """Return the reason for which a Job that is not suspended neither gets nor loses a Pod."""
    job, classified = context.job, context.classified
    active, terminating = classified.active, classified.terminating
    desired = desired_active(job, context.succeeded, len(active))
    if terminating and job.only_replace_failed and len(active) < desired:
        return REPLACED_WHEN_TERMINATED
    if not active:
        if job.parallelism == 0 and completed(job, context.succeeded, 0) is None:
            return NO_PARALLELISM
        return TERMINATING if terminating else NONE_NEEDED
    if all(pod.phase == well_known_names.PENDING for pod in active):
        return ALL_PENDING
    if len(active) < desired:
        return ALL_INDEXES_TAKEN
    return QUEUE_IS_DONE if job.completions is None and context.succeeded else ENOUGH
