"""What a sync does to Pods, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobsworth.controller.pods import Pod


@dataclass(frozen=True, slots=True)
class Deletion:
    """A Pod to delete, with its UID as precondition.

    Attributes:
        release_first: remove the tracking finalizer before, so that the Pod is never counted. Where
            that fails the Pod is not deleted.
    """

    pod: Pod
    release_first: bool


@dataclass(frozen=True, slots=True)
class Creation:
    """A Pod to create; ``pod_template.pod_body(job, creation)`` is its body.

    Attributes:
        index: its completion index, None where the Job is not Indexed.
        failure_count: failures of the index so far that count; None without a limit per index.
        ignored_count: failures of the index so far that were ignored.
    """

    index: int | None = None
    failure_count: int | None = None
    ignored_count: int = 0


@dataclass(frozen=True, slots=True)
class ActionResults:
    """What came of a plan's deletions and creations.

    Attributes:
        deleted: UIDs of the Pods whose deletion was accepted, or that were already gone.
        created: how many Pods were created.
        rejected: how many creations were rejected; those that a slow start skipped are not, nor
            those rejected because the namespace is being deleted.
    """

    deleted: frozenset[str] = frozenset()
    created: int = 0
    rejected: int = 0
