"""The heart of the Job controller: from a Job and its Pods to what is to be done, in three stages.

Three values depend on what came of the calls before them: the counts of running Pods (which
deletions and creations succeeded), whether a verdict may be acted on, and the counters (which
finalizers could be removed). So a sync goes like this, and may stop after any step:

1. ``plan(...)`` says what to do. If ``Plan.interim`` is not None, store it first: the verdict is on
   record before a Pod is deleted for it. Then delete, or create (never both have entries).
2. ``Plan.after(acted)`` says what to write down (KEP-2307). Store ``Record.status`` if it is not
   None; remember ``Record.backoff``; then remove the tracking finalizer of ``Record.release``.
3. ``Record.after(released)`` concludes. Store ``Conclusion.status`` if it is not None; only then
   send its events and count its metrics.

A sync that died anywhere is made good by the next: everything is worked out anew from what is
stored. Where a status could not be stored, abandon the sync and try again later.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from jobsworth.controller import metrics, warning_events, well_known_names
from jobsworth.controller.actions import Acted, Creation, Deletion
from jobsworth.controller.conditions import farewell, finish, greeting, with_suspension
from jobsworth.controller.finalizer_tracking import Books, Circumstances, count_released, write_down
from jobsworth.controller.finished_condition import (
    Facts,
    Verdict,
    completed,
    judge,
    seconds_to_deadline,
)
from jobsworth.controller.scaling import Demand, Management, manage
from jobsworth.controller.sync_context import Basis, Memory, look, run_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.controller.backoff import Backoff
    from jobsworth.controller.controller_settings import Settings
    from jobsworth.controller.jobs import Job
    from jobsworth.controller.pods import Pod
    from jobsworth.controller.signals import Count, Event
    from jobsworth.controller.status import Status

__all__ = ["Acted", "Conclusion", "Creation", "Deletion", "Memory", "Plan", "Record", "plan"]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The end of a sync.

    Attributes:
        status: to store now; None if nothing changed.
        finished: this status declares the Job finished: leave the Job alone from now on, even
            while the watch still shows it unfinished.
        events: to send once the status is stored.
        metrics: to count once the status is stored.
        requeue_after: seconds until the Job has to be looked at again whatever happens; None if
            the next event is enough. Wanted even where a call of the sync failed.
    """

    status: Status | None = None
    finished: bool = False
    events: tuple[Event, ...] = ()
    metrics: tuple[Count, ...] = ()
    requeue_after: float | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """What to write down before finalizers are removed.

    Attributes:
        status: to store first; None if nothing changed.
        release: Pods to remove the tracking finalizer of, once the status is stored. A Pod that is
            gone counts as released.
        backoff: to remember once the status is stored (or was not needed).
        acted_metrics: to count at once, whatever comes of the status.
        events: to send once the status is stored.
        metrics: to count once the status is stored (or was not needed).
        requeue_after: as in Conclusion, for a sync that ends here.
    """

    status: Status | None
    release: tuple[Pod, ...]
    backoff: Backoff
    acted_metrics: tuple[Count, ...]
    events: tuple[Event, ...]
    metrics: tuple[Count, ...]
    requeue_after: float | None
    _basis: Basis = field(repr=False)
    _written: Status = field(repr=False)
    _verdict: Verdict | None = field(repr=False)
    _may_finish: bool = field(repr=False)

    def after(self, released: frozenset[str]) -> Conclusion:
        """Conclude.

        Args:
            released: UIDs of the Pods of ``release`` that lost their finalizer, or were gone.
        """
        basis, before = self._basis, self._written
        tracked = {pod.uid for pod in basis.census.tracked} - released
        status = count_released(before, tracked)
        if basis.job.indexed:
            status = replace(status, succeeded=before.succeeded)
        complete = self._may_finish and all(pod.uid in released for pod in self.release)
        finished = complete and self._verdict is not None and not status.uncounted
        events: tuple[Event, ...] = ()
        counts = metrics.finished_pods(basis.job, before, status)
        if finished and self._verdict is not None:
            status = finish(basis, status, self._verdict)
            events = farewell(basis.job, status, self._verdict)
            counts = (*counts, metrics.finished_job(basis.job, self._verdict))
        return Conclusion(
            status=None if status == before else status,
            finished=finished,
            events=events,
            metrics=counts,
            requeue_after=None if finished else self.requeue_after,
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do first.

    Attributes:
        interim: a status to store before anything is deleted; None if that is not needed.
        deletions: Pods to delete, in any order.
        creations: Pods to create, in batches of 1, 2, 4, 8 …, stopping after a batch with errors.
        action: what the sync did, as the sync metrics name it.
        because: why, for people.
    """

    interim: Status | None
    deletions: tuple[Deletion, ...]
    creations: tuple[Creation, ...]
    action: well_known_names.SyncAction
    because: str
    _basis: Basis = field(repr=False)
    _verdict: Verdict | None = field(repr=False)
    _managed: bool = field(repr=False)
    _wait: float | None = field(repr=False)
    _remarks: tuple[Event, ...] = field(default=(), repr=False)

    def after(self, acted: Acted) -> Record:
        """Go on, knowing what came of the deletions and creations."""
        basis = self._basis
        running = run_on(basis.census, self.deletions, acted)
        stored = basis.job.status if self.interim is None else self.interim
        status = replace(
            stored,
            active=running.active,
            ready=running.ready,
            terminating=running.terminating,
            start_time=basis.started,
        )
        verdict, withheld = self._verdict, None
        if verdict is not None and not (basis.observed and running.all_deleted):
            verdict, withheld = None, verdict
        elif verdict is None:
            verdict = completed(basis.job, basis.succeeded, running.active)
        events = (*greeting(basis.job), *self._remarks)
        if self._managed and verdict is None:
            status, news = with_suspension(basis, status)
            events = (*events, *news)
        around = Circumstances(
            basis.census, basis.indexes, verdict, withheld, basis.settings.max_uncounted
        )
        books = write_down(status, around)
        status = books.status
        if verdict is not None and not verdict.stored:
            status = status.with_condition(verdict.interim(basis.second))
        if self._verdict is None:
            events = (*events, *warning_events.unmatched(basis, _newly_failed(books, stored)))
        if self._waits:
            events = (*events, *warning_events.overdue(basis))
        return Record(
            status=None if status == stored else status,
            release=books.release,
            backoff=basis.backoff,
            acted_metrics=metrics.created_pods(basis.creation_reason, acted),
            events=events,
            metrics=(
                *metrics.finished_pods(basis.job, stored, status),
                *metrics.handled_failures(books.handled),
            ),
            requeue_after=self._requeue(books),
            _basis=basis,
            _written=status,
            _verdict=verdict,
            _may_finish=not books.capped and not running.terminating,
        )

    @property
    def _waits(self) -> bool:
        """Whether nothing goes on before the terminating Pods are gone."""
        return self._verdict is not None or (
            self._managed and self._basis.job.only_replace_failed and not self._basis.job.suspended
        )

    def _requeue(self, books: Books) -> float | None:
        """When to look again; where the books were not closed, as soon as for any event."""
        basis = self._basis
        times = [self._wait]
        if books.capped:
            times.append(basis.settings.batch_delay)
        if self._waits:
            times.append(warning_events.seconds_to_overdue(basis))
        if self._verdict is None:
            times.append(seconds_to_deadline(basis.job, basis.active_since, basis.now))
        return min((seconds for seconds in times if seconds is not None), default=None)


def plan(job: Job, pods: Sequence[Pod], memory: Memory, now: float, settings: Settings) -> Plan:
    """Decide what a sync of a Job does.

    Args:
        job: unfinished, and ours (see :func:`jobsworth.controller.skip_reason.entry`).
        pods: those that the Job controls (see :mod:`jobsworth.controller.ownership`).
        memory: what is expected of earlier actions.
        now: seconds since 1970.
    """
    basis = look(job, pods, memory, now, settings)
    verdict = judge(Facts(job, basis.census, basis.indexes, basis.failed, basis.active_since, now))
    if verdict is not None:
        return _end(basis, verdict)
    managed = memory.observed and not job.deleting
    management = Management()
    if managed:
        management = manage(
            Demand(basis.census, basis.indexes, basis.succeeded, basis.backoff, now, settings)
        )
    return Plan(
        interim=None,
        deletions=management.deletions,
        creations=management.creations,
        action=management.action if managed else well_known_names.RECONCILING,
        because=_explain(basis, management, managed),
        _basis=basis,
        _verdict=None,
        _managed=managed,
        _wait=management.wait,
    )


def _end(basis: Basis, verdict: Verdict) -> Plan:
    """Delete what runs. The verdict is stored first: what is deleted could change it."""
    status = basis.job.status
    told = tuple(warning_events.restarted(basis, verdict))
    interim = None
    if basis.census.active and not verdict.stored:
        interim = replace(status, start_time=basis.started).with_condition(
            verdict.interim(basis.second)
        )
        verdict = replace(verdict, stored=True)
    return Plan(
        interim=interim,
        deletions=tuple(Deletion(pod, release_first=False) for pod in basis.census.active),
        creations=(),
        action=well_known_names.RECONCILING,
        because=verdict.message,
        _basis=basis,
        _verdict=verdict,
        _managed=False,
        _wait=None,
        _remarks=told,
    )


def _newly_failed(books: Books, before: Status) -> list[Pod]:
    """The Pods that have just been written down as failed."""
    new = set(books.status.uncounted_failed).difference(before.uncounted_failed)
    return [pod for pod in books.release if pod.uid in new]


def _explain(basis: Basis, management: Management, managed: bool) -> str:
    """Why the plan is what it is, in a sentence."""
    if not managed:
        return "the Job is being deleted" if basis.job.deleting else "the watch lags behind"
    if management.deletions:
        return "the Job is suspended" if basis.job.suspended else "more Pods run than are wanted"
    if management.creations:
        return "fewer Pods run than are wanted"
    if management.wait is not None:
        return "after a failure, the next Pod has to wait"
    return "as many Pods run as are wanted"
