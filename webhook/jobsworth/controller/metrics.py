"""Counter increments of a sync, with their labels. Source: Kubernetes 1.36."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from jobsworth.controller import well_known_names
from jobsworth.controller.actions import ActionResults
from jobsworth.controller.failure_policy import Match
from jobsworth.controller.finished_condition import FinishedCondition
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import Job
from jobsworth.controller.pods import Pod
from jobsworth.controller.signals import Count
from jobsworth.controller.status import Status


def created_pods(reason: str, results: ActionResults) -> tuple[Count, ...]:
    """Count creations by result; a failed one counts once, unlike in Kubernetes."""
    outcomes = (("succeeded", results.created), ("failed", results.rejected))
    return tuple(
        Count(well_known_names.PODS_CREATED, (("reason", reason), ("status", outcome)), number)
        for outcome, number in outcomes
        if number
    )


def finished_pods(job: Job, before: Status, after: Status) -> tuple[Count, ...]:
    """Count the Pods and indexes that finished between two versions of the status."""
    if after is before:
        return ()
    counts = []
    if job.indexed:
        limit = "perIndex" if job.per_index else "global"
        succeeded = _newly_finished(before.completed_indexes, after.completed_indexes, job.size)
        failed = _newly_finished(before.failed_indexes, after.failed_indexes, job.size)
        for status, number in (("succeeded", succeeded), ("failed", failed)):
            if number > 0:
                labels = (("status", status), ("backoffLimit", limit))
                counts.append(Count(well_known_names.FINISHED_INDEXES, labels, number))
    else:
        succeeded = after.succeeded - before.succeeded
    for result, number in (("succeeded", succeeded), ("failed", after.failed - before.failed)):
        if number > 0:
            labels = (("completion_mode", job.completion_mode), ("result", result))
            counts.append(Count(well_known_names.PODS_FINISHED, labels, number))
    return tuple(counts)


def handled_failures(matched: Iterable[tuple[Pod, Match]]) -> tuple[Count, ...]:
    """Count failures by failure policy action."""
    handled = Counter(match.action for _, match in matched if match.action is not None)
    return tuple(
        Count(well_known_names.FAILURES_HANDLED, (("action", action),), number)
        for action, number in handled.items()
    )


def finished_job(job: Job, finished_condition: FinishedCondition) -> Count:
    """Count a finished Job."""
    return Count(
        well_known_names.JOBS_FINISHED,
        (
            ("completion_mode", job.completion_mode),
            ("result", "succeeded" if finished_condition.success else "failed"),
            ("reason", finished_condition.reason),
        ),
    )


def job_of_another(manager: str) -> Count:
    """Count a Job that another controller manages, as the built-in controller does (KEP-4368)."""
    return Count(well_known_names.JOBS_OF_OTHERS, (("controller_name", manager),))


def _newly_finished(before: str | None, after: str | None, limit: int) -> int:
    if before == after:
        return 0
    return len(IndexSet.read(after, limit)) - len(IndexSet.read(before, limit))
