"""Execute the plan of one Job, in an order of API calls in which a crash loses nothing.

:mod:`jobsworth.controller` decides; this module acts. API client, informers and clock are parameters,
and nothing here starts a thread or waits, so that a test can run it step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import jobs_path, resource_version
from jobsworth.controller import ownership, signals
from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.jobs import Job
from jobsworth.controller.plan import ActionResults, Memory, Plan, plan
from jobsworth.controller.pods import Pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.signals import Count, Event
from jobsworth.controller.status import Status, write_status
from jobsworth.controller.sync_context import SyncDecision, decide_sync
from jobsworth.policy.admitted_jobs import (
    HELD_BY,
    HELD_BY_POLICIES,
    Decision,
    Hold,
    hold_condition,
    is_annotated,
)
from jobsworth.reconciler.api_writes import hold_job, put_status
from jobsworth.reconciler.events import EventSink
from jobsworth.reconciler.expectations import JOBS, PODS, Expectations
from jobsworth.reconciler.informers import CachedJob, JobInformer, PodInformer, stored_metadata
from jobsworth.reconciler.parallel import Calls
from jobsworth.reconciler.pod_calls import PodCalls
from jobsworth.reconciler.policy_review import PolicyReview
from jobsworth.reconciler.sync_outcome import SyncOutcome

STALE_DELAY = 0.05  # seconds before a sync skipped because of a stale cache is retried


class _Abandoned(Exception):
    """The sync was aborted; the outcome has the error, if any."""


class Syncer:
    """Syncs Jobs.

    Args:
        clock: seconds since 1970.
        calls: runs several API calls, in parallel if possible.
        admitted: evaluates Jobs by policies before their first Pod.
    """

    def __init__(
        self,
        api: Api,
        jobs: JobInformer,
        pods: PodInformer,
        expectations: Expectations,
        settings: ControllerSettings,
        *,
        clock: Callable[[], float],
        calls: Calls,
        event_sink: EventSink,
        admitted: PolicyReview,
    ) -> None:
        self.api = api
        self.jobs = jobs
        self.pods = pods
        self.expectations = expectations
        self.settings = settings
        self.clock = clock
        self.calls = calls
        self.event_sink = event_sink
        self.admitted = admitted
        self.backoffs: dict[str, tuple[str, BackoffRecord]] = {}
        self.reported: dict[str, tuple[str, frozenset[str]]] = {}
        self._unconfirmed: set[str] = set()
        self._ignored: set[str] = set()

    @contextmanager
    def ignoring(self, key: str) -> Iterator[None]:
        """Do not sync the Job with this key for a while."""
        self._ignored.add(key)
        try:
            yield
        finally:
            self._ignored.discard(key)

    def sync(self, key: str) -> SyncOutcome:
        """Sync the Job with key ``namespace/name``."""
        outcome = SyncOutcome()
        if key in self._ignored:
            return outcome
        if key in self._unconfirmed and not self._confirm(key, outcome):
            return outcome
        # Read the progress before the content: the content can then only be newer.
        seen = {JOBS: self.jobs.seen, PODS: self.pods.seen}
        outcome.stale = self.expectations.unseen(key, seen)
        if outcome.stale is not None:
            return outcome
        cached = self.jobs.get(key)
        if cached is None:
            self._forget(key)
            return outcome
        outcome.job = cached.job
        match decide_sync(cached.job, self.settings):
            case SyncDecision.FINISHED | SyncDecision.NOT_OURS:
                self._forget(key)
            case SyncDecision.UNKNOWN_MODE:
                self.event_sink.event(cached.metadata, signals.UNKNOWN_COMPLETION_MODE)
            case SyncDecision.SYNC:
                with suppress(_Abandoned):
                    _Sync(self, cached, outcome).run()
        return outcome

    def _forget(self, key: str) -> None:
        self.expectations.forget(key)
        self.backoffs.pop(key, None)
        self.reported.pop(key, None)
        self.admitted.forget(key)

    def mark_unconfirmed(self, key: str) -> None:
        """Note a status update without a response, which may have succeeded.

        Pods that it counted may be deleted before the cache shows the new status, and would then be
        replaced; and it may have recorded failures that the backoff record lacks.
        """
        self._unconfirmed.add(key)
        self.backoffs.pop(key, None)

    def _confirm(self, key: str, outcome: SyncOutcome) -> bool:
        """Read the Job's current version, so that the next sync waits until the cache has it."""
        try:
            live = self.api.get(jobs_path(*key.split("/")))
        except ApiError as error:
            if not error.not_found:
                outcome.errors.append(error)
                return False
        else:
            self.expectations.wrote(JOBS, key, resource_version(live))
        self._unconfirmed.discard(key)
        return True

    def backoff(self, job: Job) -> BackoffRecord | None:
        """Return the backoff record of the Job with this UID, not of an earlier one with its name."""
        uid, backoff = self.backoffs.get(job.key, (None, None))
        return backoff if uid == job.uid else None

    def already_reported(self, job: Job) -> frozenset[str]:
        """Return what has been reported of the Job with this UID."""
        uid, reported = self.reported.get(job.key, (None, frozenset[str]()))
        return reported if uid == job.uid else frozenset()


class _Sync:
    """One sync of one Job."""

    def __init__(self, syncer: Syncer, cached: CachedJob, outcome: SyncOutcome) -> None:
        self._syncer = syncer
        self._api = syncer.api
        self._cached = cached
        self._job = cached.job
        self._key = cached.job.key
        self._metadata = cached.metadata
        self._outcome = outcome
        self._pods = PodCalls(
            syncer.api,
            cached.job,
            syncer.expectations,
            syncer.calls,
            emit=self._event,
            errors=outcome.errors,
        )

    def run(self) -> None:
        job, syncer, outcome = self._job, self._syncer, self._outcome
        pods = self._claim()
        decision = self._review(started=bool(pods) or job.has_started)
        if decision.hold in (Hold.SUSPEND, Hold.RESUME, Hold.FORGET):
            self._hold(decision)
            return  # the watch shows the change, and the next sync acts on it
        if decision.hold == Hold.KEEP:
            job = replace(job, suspended=True)
        memory = Memory(
            observed=True,  # otherwise this sync would have been skipped as stale
            untracked=syncer.expectations.untracked(self._key),
            backoff=syncer.backoff(job),
            reported=syncer.already_reported(job),
        )
        planned = plan(job, pods, memory, syncer.clock(), syncer.settings)
        outcome.action = planned.action
        if planned.interim is not None:
            self._store(planned.interim)
        record = planned.after(self._act(planned))
        outcome.requeue_after = record.requeue_after
        self._count(record.action_metrics)
        if record.status is not None:
            self._store(record.status)
        syncer.backoffs[self._key] = (job.uid, record.backoff)
        syncer.reported[self._key] = (job.uid, record.reported)
        self._emit(record.events, record.metrics)
        conclusion = record.after(self._pods.remove_finalizers(record.finalizer_removals))
        outcome.requeue_after = conclusion.requeue_after
        if conclusion.status is not None:
            self._store(conclusion.status)
        if conclusion.finished:
            outcome.finished = conclusion.status
        self._emit(conclusion.events, conclusion.metrics)

    # Ownership.

    def _claim(self) -> list[Pod]:
        pods = self._syncer.pods.claimable(self._job.uid, self._job.namespace)
        claims = ownership.claim(self._job, pods)
        owned = claims.owned
        for pod in claims.release:
            self._pods.release(pod)
        if claims.adopt:
            self._check_still_there()
            owned.extend(filter(None, map(self._pods.adopt, claims.adopt)))
        if self._outcome.errors:
            raise _Abandoned
        return owned

    def _check_still_there(self) -> None:
        """Read the Job from the API server: adopting for a deleted Job would create orphan Pods."""
        try:
            live = self._api.get(jobs_path(self._job.namespace, self._job.name))
        except ApiError as error:
            self._abandon(error)
            return
        meta = live["metadata"]
        if meta["uid"] != self._job.uid or meta.get("deletionTimestamp") is not None:
            self._abandon(
                ApiError(409, "Conflict", f"Job {self._key} is being replaced or deleted")
            )

    # Policies.

    def _review(self, *, started: bool) -> Decision:
        if self._job.deleting:
            return Decision()
        return self._syncer.admitted.review(self._cached, started=started)

    def _hold(self, decision: Decision) -> None:
        """Begin or end a hold, in the order of writes that :mod:`jobsworth.policy.admitted_jobs` gives."""
        if decision.hold == Hold.SUSPEND:
            self._record_hold(decision.policies)
            self._set_suspend(",".join(decision.policies))
        elif decision.hold == Hold.RESUME:
            self._set_suspend(None)
        if decision.hold != Hold.FORGET:
            self._syncer.admitted.acted(self._cached, decision)
        if decision.hold != Hold.SUSPEND:
            self._record_hold(())

    def _record_hold(self, policies: tuple[str, ...]) -> None:
        before = self._job.status
        status = before.with_condition(hold_condition(policies, int(self._syncer.clock())))
        if status is before:
            return
        if not before.holds(HELD_BY_POLICIES) and is_annotated({"metadata": self._metadata}):
            others = {
                name: text
                for name, text in self._metadata["annotations"].items()
                if name != HELD_BY
            }
            self._metadata = {**self._metadata, "annotations": others}
        self._store(status)

    def _set_suspend(self, policies: str | None) -> None:
        try:
            answer = hold_job(self._api, self._metadata, HELD_BY, policies)
        except ApiError as error:
            if error.may_have_been_carried_out:
                self._syncer.mark_unconfirmed(self._key)
            self._abandon(error)
            return
        self._syncer.expectations.wrote(JOBS, self._key, resource_version(answer))
        self._metadata = stored_metadata(answer)

    # The status.

    def _store(self, status: Status) -> None:
        try:
            answer = put_status(self._api, self._metadata, write_status(status))
        except ApiError as error:
            if error.may_have_been_carried_out:
                self._syncer.mark_unconfirmed(self._key)
            self._abandon(error)
            return
        self._syncer.expectations.wrote(JOBS, self._key, resource_version(answer))
        self._metadata = stored_metadata(answer)

    def _act(self, planned: Plan) -> ActionResults:
        if planned.deletions:
            return ActionResults(deleted=self._pods.delete(planned.deletions))
        if planned.creations:
            return self._pods.create(planned.creations)
        return ActionResults()

    # Events and metrics.

    def _event(self, event: Event) -> None:
        self._syncer.event_sink.event(self._metadata, event)

    def _count(self, counts: Iterable[Count]) -> None:
        for count in counts:
            self._syncer.event_sink.count(count)

    def _emit(self, events: Iterable[Event], counts: Iterable[Count]) -> None:
        for event in events:
            self._event(event)
        self._count(counts)

    def _abandon(self, error: ApiError) -> None:
        self._outcome.errors.append(error)
        raise _Abandoned
