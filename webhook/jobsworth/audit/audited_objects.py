"""Which of the stored Jobs and CronJobs are to be judged, and how many are passed over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jobsworth.audit.lifecycle import cron_job_of, is_over

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jobsworth.audit.stored_objects import StoredObjects


@dataclass(frozen=True, slots=True)
class AuditScope:
    """What is to be judged.

    Attributes:
        namespaces: their names; None among them for all.
        finished: Jobs that have finished, and objects that are being deleted, too.
        owned: Jobs that a CronJob made, too; otherwise the CronJob stands for them.
    """

    namespaces: Sequence[str | None]
    finished: bool = False
    owned: bool = False


@dataclass(slots=True)
class AuditProgress:
    """How far a stocktaking is.

    Attributes:
        read: how many objects were read.
        left: how many of the same list are still to come, as the server estimates.
        over: how many were passed over because they have finished or are being deleted.
        folded: how many Jobs were passed over because their CronJob stands for them.
    """

    read: int = 0
    left: int = 0
    over: int = 0
    folded: int = 0


def stored_objects(
    inventory: StoredObjects, scope: AuditScope, tally: AuditProgress
) -> Iterator[dict[str, Any]]:
    """The objects that are to be judged, CronJobs first, as they are read.

    Raises:
        ApiError: the cluster cannot be asked, or refuses.
    """
    for namespace in scope.namespaces:
        cron_jobs: set[str] = set()
        for stored in _read(inventory, "CronJob", namespace, tally):
            if scope.finished or not is_over(stored):
                cron_jobs.add(stored["metadata"]["uid"])
                yield stored
            else:
                tally.over += 1
        for stored in _read(inventory, "Job", namespace, tally):
            if not scope.finished and is_over(stored):
                tally.over += 1
            elif not scope.owned and cron_job_of(stored) in cron_jobs:
                tally.folded += 1
            else:
                yield stored


def _read(
    inventory: StoredObjects, kind: str, namespace: str | None, tally: AuditProgress
) -> Iterator[dict[str, Any]]:
    for page in inventory.batch_objects(kind, namespace):
        for index, stored in enumerate(page.items, start=1):
            tally.read += 1
            tally.left = len(page.items) - index + page.remaining
            yield stored
