"""Settings of the Job controller: the Jobs it manages, its limits and its delays."""

from __future__ import annotations

from dataclasses import dataclass, replace

from jobsworth.api.api_server import ApiServer
from jobsworth.controller.well_known_names import (
    OUR_FINALIZER,
    OUR_MANAGER,
    RESERVED_FINALIZER,
    RESERVED_MANAGER,
)


@dataclass(frozen=True, slots=True)
class ControllerSettings:
    """The Jobs to manage, limits and delays. The default numbers are those of Kubernetes 1.36.

    Attributes:
        manager: the ``spec.managedBy`` of the Jobs to manage (KEP-4368).
        adopt_unmanaged: also manage the Jobs without managedBy, or with the one reserved for the
            built-in controller; only for clusters in which the built-in controller is off.
        finalizer: tracking finalizer for the Pods of Jobs with our managedBy.
        termination_rules: apply the failure rules on termination reasons, an extension that the built-in
            controller ignores.
        max_uncounted: newly completed indexes and uncounted Pods in one sync (KEP-2307).
        max_pods_per_sync: Pods created, or deleted because parallelism shrank, in one sync.
        backoff_base: seconds before the first replacement of a failed Pod; doubles with each failure.
        backoff_cap: the longest of these delays, in seconds.
        waiting_index_keeps_place: an index that waits for its backoff keeps its place in the
            parallelism, as in Kubernetes 1.36; otherwise, the next index takes it.
        backoff_survives_restart: a restarted controller derives the backoff of a Job from its Pods; the
            built-in one forgets it with the failures that it has counted (kubernetes/kubernetes issue
            114650). A backoff per index is stored with the Pods and survives in both.
        extra_events: emit the events that the built-in controller does not have
            (:mod:`jobsworth.controller.warning_events`).
        batch_delay: seconds during which Pod events and Job status updates are batched.
        retry_base: seconds before a sync that failed with an API error is retried; doubles each time.
        retry_cap: the longest of these delays, in seconds.
        expectation_timeout: seconds after which creations and deletions that the watch has not shown
            count as observed.
        overdue_after: seconds after its deletionTimestamp at which a terminating Pod that the Job waits
            for is reported by an event.
        resync: seconds between two resyncs of all unfinished Jobs.
        keeps_start_time: a suspension keeps the start time, so that a Job whose deadline is over meanwhile
            fails when it is resumed.
        ends_at_once: a Job is Failed or Complete while its Pods still terminate.
        first_is_replaced_at_once: the delays begin with the second consecutive failure.
    """

    manager: str = OUR_MANAGER
    adopt_unmanaged: bool = False
    finalizer: str = OUR_FINALIZER
    termination_rules: bool = True
    max_uncounted: int = 500
    max_pods_per_sync: int = 500
    backoff_base: float = 10.0
    backoff_cap: float = 600.0
    waiting_index_keeps_place: bool = False
    backoff_survives_restart: bool = True
    extra_events: bool = True
    batch_delay: float = 1.0
    retry_base: float = 1.0
    retry_cap: float = 60.0
    expectation_timeout: float = 300.0
    overdue_after: float = 300.0
    resync: float = 300.0
    keeps_start_time: bool = False
    ends_at_once: bool = False
    first_is_replaced_at_once: bool = False

    @property
    def finalizers(self) -> tuple[str, ...]:
        """The tracking finalizers to recognize: ours, and the reserved one under adopt_unmanaged."""
        if self.adopt_unmanaged:
            return (self.finalizer, RESERVED_FINALIZER)
        return (self.finalizer,)

    def manages(self, managed_by: str | None) -> bool:
        """Return True if this controller manages Jobs with this ``spec.managedBy``.

        >>> ControllerSettings().manages("jobsworth.dev/job-controller"), ControllerSettings().manages(None)
        (True, False)
        >>> ControllerSettings(adopt_unmanaged=True).manages(None)
        True
        """
        if managed_by is None or managed_by == RESERVED_MANAGER:
            return self.adopt_unmanaged
        return managed_by == self.manager

    def finalizer_for(self, managed_by: str | None) -> str:
        """Return the tracking finalizer for the Pods of Jobs with this ``spec.managedBy``.

        >>> ControllerSettings().finalizer_for(None)
        'batch.kubernetes.io/job-tracking'
        """
        if managed_by is None or managed_by == RESERVED_MANAGER:
            return RESERVED_FINALIZER
        return self.finalizer


OURS = ControllerSettings()
"""The settings of our controller; its delays are those of Kubernetes."""
BUILT_IN = ControllerSettings(
    adopt_unmanaged=True,
    termination_rules=False,
    waiting_index_keeps_place=True,
    backoff_survives_restart=False,
    extra_events=False,
)
"""The settings with which the planner decides as Kubernetes' own controller does."""


def built_in(server: ApiServer) -> ControllerSettings:
    """Return the settings of Kubernetes' own controller in a release, with the gates of its API server.

    Source: ``syncJob`` and ``delayTerminalCondition`` of 1.33 (before 1.31 there is no delay); for the start
    time, the gate in ``manageJob`` of 1.36; for the backoff, ``getBackoff`` of 1.25 and 1.26, which counts
    requeues.
    """
    delays = server.enabled("JobManagedBy") or server.enabled("JobPodReplacementPolicy")
    return replace(
        BUILT_IN,
        keeps_start_time=not server.enabled("MutableSchedulingDirectivesForSuspendedJobs"),
        ends_at_once=server.minor < 31 or not delays,
        first_is_replaced_at_once=server.minor < 27,
        backoff_cap=360.0 if server.minor < 27 else BUILT_IN.backoff_cap,
    )


def deviations(server: ApiServer) -> tuple[str, ...]:
    """Return how Kubernetes' own controller in a release differs from the last one of 1.36: clauses.

    Those that begin with "not simulated" are no decisions of :func:`built_in`.
    """
    settings = built_in(server)
    fixed = " (in 1.36.3)" if server.minor == 36 else ""
    found = {
        "startTime is kept over a suspension, so a Job whose activeDeadlineSeconds are over since then fails "
        "when it is resumed": settings.keeps_start_time,
        "a Job is Failed or Complete before its Pods have terminated": settings.ends_at_once,
        "the first failed Pod is replaced at once, further ones after 10 s, doubled up to 6 min (not "
        "simulated: any change of another Pod of the Job ends such a delay)": server.minor < 27,
        f"not simulated: before the fix of kubernetes/kubernetes#139428{fixed}, failed Pods keep their "
        "finalizer, and the status of the Job is not written, while a backoff lasts and other Pods are "
        "ready": 32 <= server.minor <= 36,
    }
    return tuple(words for words, holds in found.items() if holds)


def settings_of(managed_by: str | None) -> ControllerSettings:
    """Return the settings of the controller that runs Jobs with this ``spec.managedBy``.

    For Jobs of a third controller, these are the settings of the built-in one.

    >>> settings_of("jobsworth.dev/job-controller").termination_rules, settings_of(None).termination_rules
    (True, False)
    """
    return OURS if OURS.manages(managed_by) else BUILT_IN
