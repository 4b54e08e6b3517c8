"""Pod deletions and creations of a sync, and their results."""

from __future__ import annotations

from dataclasses import dataclass

from jobsworth.controller.pods import Pod


@dataclass(frozen=True, slots=True)
class Deletion:
    """A Pod to delete, with its UID as precondition.

    Attributes:
        untrack_first: remove the tracking finalizer before the deletion, so that the Pod is never
            counted. If the removal fails, do not delete the Pod.
    """

    pod: Pod
    untrack_first: bool


@dataclass(frozen=True, slots=True)
class Creation:
    """A Pod to create; ``pod_template.pod_body(job, creation)`` is its body.

    Attributes:
        index: completion index; None if the Job is not Indexed.
        failure_count: counted failures of the index so far; None without backoffLimitPerIndex.
        ignored_count: failures of the index so far that the failure policy ignored.
    """

    index: int | None = None
    failure_count: int | None = None
    ignored_count: int = 0


@dataclass(frozen=True, slots=True)
class ActionResults:
    """The results of a plan's deletions and creations.

    Attributes:
        deleted: UIDs of the Pods whose deletion the API server accepted, or that no longer exist.
        created: number of Pods created.
        rejected: number of creations that failed, without those that slow start skipped and those
            that failed because the namespace is terminating.
    """

    deleted: frozenset[str] = frozenset()
    created: int = 0
    rejected: int = 0
