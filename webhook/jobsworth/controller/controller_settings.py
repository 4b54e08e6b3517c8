"""What may be set about the Job controller: whose Jobs it takes, its limits and its delays."""

from __future__ import annotations

from dataclasses import dataclass

from jobsworth.controller.well_known_names import (
    OUR_FINALIZER,
    OUR_MANAGER,
    RESERVED_FINALIZER,
    RESERVED_MANAGER,
)


@dataclass(frozen=True, slots=True)
class ControllerSettings:
    """Whose Jobs, which limits, which delays. The numbers are those of Kubernetes 1.36.

    Attributes:
        manager: the ``spec.managedBy`` of the Jobs that are ours (KEP-4368).
        adopt_unmanaged: also take the Jobs that name nobody or the built-in controller; only for
            clusters that run without the built-in one.
        finalizer: the finalizer that tracks the Pods of Jobs that name us.
        max_uncounted: new completed indexes and uncounted Pods in one sync (KEP-2307).
        max_pods_per_sync: Pods created, or deleted for a smaller parallelism, in one sync.
        backoff_base: seconds before the first replacement of a failed Pod; doubles with each.
        backoff_cap: the longest of these delays, in seconds.
        batch_delay: seconds for which Pod events and status updates of Jobs are gathered.
        retry_base: seconds before a sync that met an API error is tried again; doubles.
        retry_cap: the longest of these delays, in seconds.
        expectation_timeout: seconds after which creations and deletions that were not observed are
            taken for observed.
        overdue_after: seconds after which a Pod that is waited for, and should be gone, is told.
        resync: seconds between two looks at an unfinished Job that nothing happened to.
    """

    manager: str = OUR_MANAGER
    adopt_unmanaged: bool = False
    finalizer: str = OUR_FINALIZER
    max_uncounted: int = 500
    max_pods_per_sync: int = 500
    backoff_base: float = 10.0
    backoff_cap: float = 600.0
    batch_delay: float = 1.0
    retry_base: float = 1.0
    retry_cap: float = 60.0
    expectation_timeout: float = 300.0
    overdue_after: float = 300.0
    resync: float = 300.0

    @property
    def finalizers(self) -> tuple[str, ...]:
        """The finalizers that tracking can use: ours, and the reserved one if we may take it."""
        if self.adopt_unmanaged:
            return (self.finalizer, RESERVED_FINALIZER)
        return (self.finalizer,)

    def manages(self, managed_by: str | None) -> bool:
        """Whether Jobs with this ``spec.managedBy`` are ours.

        >>> ControllerSettings().manages("jobsworth.dev/job-controller"), ControllerSettings().manages(None)
        (True, False)
        >>> ControllerSettings(adopt_unmanaged=True).manages(None)
        True
        """
        if managed_by is None or managed_by == RESERVED_MANAGER:
            return self.adopt_unmanaged
        return managed_by == self.manager

    def finalizer_for(self, managed_by: str | None) -> str:
        """The tracking finalizer of the Pods of Jobs with this ``spec.managedBy``.

        >>> ControllerSettings().finalizer_for(None)
        'batch.kubernetes.io/job-tracking'
        """
        if managed_by is None or managed_by == RESERVED_MANAGER:
            return RESERVED_FINALIZER
        return self.finalizer
