"""The health of all CronJobs and Jobs that an API server has listed.

A period in which runs of several CronJobs were due and none started shows that the CronJob controller was
away. One CronJob alone does not show it: a user may have deleted its Job.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from jobsworth.api.formats.cron import BadSchedule
from jobsworth.controller.cron_jobs.schedule_times import is_zone_known, named_zone
from jobsworth.runs.cause import Cause
from jobsworth.runs.health.accounted_runs import AccountedRun, AccountedWindow, account_for_runs
from jobsworth.runs.health.cron_job_evidence import (
    gather_evidence,
    read_stored_event,
    read_stored_job,
)
from jobsworth.runs.health.cron_job_health import CronJobHealth, health_of
from jobsworth.runs.health.evidence import CronJobEvidence, Object, StoredEvent, StoredJob
from jobsworth.runs.health.failed_jobs import (
    NOT_KNOWN,
    FailedJob,
    FailedJobs,
    PodFailure,
    failed_jobs,
    pod_failure,
)
from jobsworth.runs.health.held_times import ON_TIME
from jobsworth.runs.health.stuck_jobs import JobWait, wait_of
from jobsworth.runs.recorded.pod_facts import read_pod_facts
from jobsworth.runs.recorded.recorded_events import CLAIM
from jobsworth.runs.recorded.recording_reader import jobs_of
from jobsworth.runs.why.diagnosis import advice_without_pods
from jobsworth.runs.why.fixes import Fix

Unseen = Literal["Pods", "Events"]
STUCK_AFTER = 600
"""Seconds after which a Job whose Pods do not start, or do not terminate, is stuck."""
LEASE_EXPIRED = 60
"""Seconds without a renewal after which no kube-controller-manager is active: with its default settings a
leader renews every 2 s, and another one takes over after 15 s."""

WITNESSES = 2
"""The least number of CronJobs whose runs did not start."""
COMPONENT_REASONS = frozenset(
    ("SuccessfulCreate", "SuccessfulDelete", "SawCompletedJob", "JobAlreadyActive", "MissSchedule")
)
"""Reasons of Events that only a running CronJob controller emits about a CronJob."""


@dataclass(frozen=True, slots=True)
class ListedObjects:
    """The objects of a cluster at a time.

    Attributes:
        pods: those of Jobs that have not ended; None if they cannot be listed.
        events: those about Jobs and CronJobs; None if they cannot be listed.
        workloads: those of Kueue in the namespaces of suspended Jobs, read after the Jobs; empty if unknown.
        controller_renewed: when kube-controller-manager last renewed its Lease; None if that is unknown.
    """

    cron_jobs: Iterable[Object]
    jobs: Iterable[Object]
    pods: Iterable[Object] | None = None
    events: Iterable[Object] | None = None
    controller_renewed: int | None = None
    workloads: Iterable[Object] = ()


@dataclass(frozen=True, slots=True)
class InvalidCronJob:
    """A stored CronJob whose schedule cannot be parsed, or whose time zone this machine does not know."""

    namespace: str
    name: str
    problem: str


@dataclass(frozen=True, slots=True)
class ClusterHealth:
    """The health of a cluster's CronJobs and Jobs.

    Attributes:
        now: seconds since 1970.
        since: the start of the window; None without one.
        cron_jobs: in the order of namespace and name.
        stuck: the Jobs that are stuck, the longest first.
        failing: the others that can only fail, or of which some Pods make no progress, by namespace and name.
        jobs: how many Jobs there are.
        failed: Jobs without a CronJob that have failed in their window, the newest first.
        recovered: the UIDs of failed Jobs that are not in it, because a later one has succeeded.
        unseen: what could not be listed: ``Pods``, ``Events``.
        away_since: when kube-controller-manager last renewed its Lease, if that is too long ago.
        absences: periods of the window in which the CronJob controller was away.
    """

    now: int
    since: int | None
    cron_jobs: tuple[CronJobHealth, ...]
    invalid: tuple[InvalidCronJob, ...]
    stuck: tuple[JobWait, ...]
    jobs: int
    failing: tuple[JobWait, ...] = ()
    failed: tuple[FailedJob, ...] = ()
    recovered: frozenset[str] = frozenset()
    unseen: tuple[Unseen, ...] = ()
    away_since: int | None = None
    absences: tuple[Absence, ...] = ()


def cluster_health(
    listed: ListedObjects,
    now: int,
    *,
    since: int | None = None,
    failed_since: int | None = None,
    stuck_after: float = STUCK_AFTER,
) -> ClusterHealth:
    """Return the health of CronJobs and Jobs.

    Args:
        now: seconds since 1970.
        since: the start of the window of scheduled times to account for; None for none.
        failed_since: the start of the window of failed Jobs without a CronJob; None for none.
        stuck_after: seconds after which a Job that waits for its Pods is stuck.
    """
    events = [read_stored_event(each) for each in listed.events or ()]
    related = _Related(
        None if listed.pods is None else _by_owner(listed.pods),
        _by_object(events, "Job"),
        _by_object(events, "Pod"),
        _by_object(events, CLAIM),
        _by_job_of_pod(events),
    )
    jobs = [related.needed(read_stored_job(each)) for each in listed.jobs]
    related = replace(related, workloads=_by_owner(listed.workloads))
    of_cron_jobs = _by_object(events, "CronJob")
    waits = {job.uid: wait for job in jobs if (wait := related.wait(job, now)) is not None}
    by_cron_job: dict[str, list[StoredJob]] = defaultdict(list)
    for job in jobs:
        if job.cron_job:
            by_cron_job[job.cron_job].append(job)
    evidences: list[CronJobEvidence] = []
    invalid = []
    for stored in listed.cron_jobs:
        meta = stored["metadata"]
        uid, namespace, name = (meta.get(key) or "" for key in ("uid", "namespace", "name"))
        of_this = [each for each in of_cron_jobs[namespace, name] if each.uid in ("", uid)]
        try:
            evidence = gather_evidence(stored, by_cron_job[uid], of_this)
        except BadSchedule as error:
            problem = f"no run ever starts: {error}"
            invalid.append(InvalidCronJob(namespace, name, problem))
            continue
        if is_zone_known(evidence.cron_job):
            evidences.append(evidence)
        else:
            zone = named_zone(evidence.cron_job)
            problem = f"its runs are not known: this machine does not know the time zone {zone}"
            invalid.append(InvalidCronJob(namespace, name, problem))
    evidences.sort(key=lambda each: (each.namespace, each.name))
    windows: dict[str, AccountedWindow] = {}
    absences: tuple[Absence, ...] = ()
    signs = signs_of_life(evidences, events)
    if since is not None:
        accounted = {each.uid: account_for_runs(each, since, now) for each in evidences}
        windows, absences = with_absences(accounted, signs)
    away = _away_since(listed.controller_renewed, signs[-1] if signs else None, now)
    failures = FailedJobs() if failed_since is None else failed_jobs(jobs, failed_since)
    by_name = {(each.job.cron_job, each.job.name): each for each in waits.values()}
    by_run = {(each.cron_job, each.name): each for each in jobs if each.outcome == "Failed"}
    stuck = [each for each in waits.values() if each.stuck(now, stuck_after)]
    return ClusterHealth(
        now=now,
        since=since,
        cron_jobs=tuple(
            _explained_failure(each, by_run, related)
            for each in (
                health_of(each, windows.get(each.uid), by_name, now, away_since=away)
                for each in evidences
            )
        ),
        invalid=tuple(invalid),
        stuck=tuple(
            sorted(stuck, key=lambda each: (-each.seconds(now), each.job.namespace, each.job.name))
        ),
        failing=tuple(
            sorted(
                (each for each in waits.values() if each.failing(now, stuck_after)),
                key=lambda each: (each.job.namespace, each.job.name),
            )
        ),
        jobs=len(jobs),
        failed=tuple(each._replace(failure=related.failure(each.job)) for each in failures.failed),
        recovered=failures.recovered,
        unseen=tuple(_unseen(listed)),
        away_since=away,
        absences=absences,
    )


def _unseen(listed: ListedObjects) -> Iterator[Unseen]:
    if listed.pods is None:
        yield "Pods"
    if listed.events is None:
        yield "Events"


def _by_object(
    events: Iterable[StoredEvent], kind: str
) -> defaultdict[tuple[str, str], list[StoredEvent]]:
    found: defaultdict[tuple[str, str], list[StoredEvent]] = defaultdict(list)
    for event in events:
        if event.recorded.kind == kind:
            found[event.namespace, event.recorded.name].append(event)
    return found


def _by_job_of_pod(events: Iterable[StoredEvent]) -> dict[tuple[str, str], list[StoredEvent]]:
    """Return Events about Pods by the namespace and name of each Job that may have created the Pod."""
    found: dict[tuple[str, str], list[StoredEvent]] = {}
    for event in events:
        for job in jobs_of(event.recorded.name) if event.recorded.kind == "Pod" else ():
            found.setdefault((event.namespace, job), []).append(event)
    return found


def _explained_failure(
    health: CronJobHealth,
    failed: Mapping[tuple[str, str], StoredJob],
    related: _Related,
) -> CronJobHealth:
    """Return the health of a CronJob with the cause of its latest failure."""
    latest = health.failures[-1][0] if health.failures else ""
    job = failed.get((health.evidence.uid, latest))
    return health if job is None else replace(health, latest_failure=related.failure(job))


@dataclass(frozen=True, slots=True)
class _Related:
    """What is stored beside Jobs.

    Attributes:
        pods, workloads: by the UID of their controller; None if Pods cannot be listed.
        of_gone: Events about Pods by namespace and the Job of which each may be, by its name.
        of_jobs, of_pods, of_claims: Events by the namespace and name of their object.
    """

    pods: Mapping[str, Sequence[Object]] | None
    of_jobs: Mapping[tuple[str, str], Sequence[StoredEvent]]
    of_pods: Mapping[tuple[str, str], Sequence[StoredEvent]]
    of_claims: Mapping[tuple[str, str], Sequence[StoredEvent]]
    of_gone: Mapping[tuple[str, str], Sequence[StoredEvent]]
    workloads: Mapping[str, Sequence[Object]] = field(default_factory=dict)

    def needed(self, job: StoredJob) -> StoredJob:
        """Return a Job, without its manifest if nothing more can be found out of it."""
        told = job.outcome == "Failed" and bool(self._events_of(job))
        kept = told or not job.outcome or job.deleting or self._pods_of(job)
        return job if kept else job._replace(manifest=None)

    def wait(self, job: StoredJob, now: int) -> JobWait | None:
        """Return what a Job waits for; None for a finished one that is not being deleted."""
        if job.outcome and not job.deleting:
            return None
        pods = None if self.pods is None else self._pods_of(job)
        return wait_of(job, pods, self._events_of(job), now, self.workloads.get(job.uid, ()))

    def failure(self, job: StoredJob) -> PodFailure:
        """Return what the stored Pods of a Job show of its failure, or only its condition."""
        found = pod_failure(job, self._pods_of(job), self._events_of(job))
        return PodFailure(fix=Fix(advice_without_pods(job.reason))) if found == NOT_KNOWN else found

    def _pods_of(self, job: StoredJob) -> Sequence[Object]:
        return (self.pods or {}).get(job.uid, ())

    def _events_of(self, job: StoredJob) -> list[StoredEvent]:
        """Return the Events about a Job and its Pods."""
        found = self.of_jobs.get((job.namespace, job.name), ())
        about = [each for each in found if each.uid in ("", job.uid)]
        claims: list[str] = []
        for pod in self._pods_of(job):
            meta = pod["metadata"]
            found = self.of_pods.get((job.namespace, meta.get("name") or ""), ())
            about += [each for each in found if each.uid in ("", meta.get("uid"))]
            claims += () if pod.get("spec", {}).get("nodeName") else read_pod_facts(pod).claims
        if job.outcome == "Failed":
            names = {pod["metadata"].get("name") for pod in self._pods_of(job)}
            found = self.of_gone.get((job.namespace, job.name), ())
            about += [each for each in found if each.recorded.name not in names]
        for claim in dict.fromkeys(claims):
            about += self.of_claims.get((job.namespace, claim), ())
        return about


def _by_owner(objects: Iterable[Object]) -> dict[str, list[Object]]:
    """Return objects by the UID of their controller."""
    owned: dict[str, list[Object]] = {}
    for each in objects:
        for owner in each["metadata"].get("ownerReferences") or ():
            if owner.get("controller") and owner.get("uid"):
                owned.setdefault(owner["uid"], []).append(each)
    return owned


def _away_since(renewed: int | None, last_sign: int | None, now: int) -> int | None:
    """Return when the controller last renewed its Lease, if it has done nothing since.

    A hosted control plane may keep its Lease elsewhere, and leave an old one in the cluster.
    """
    if renewed is None or now - renewed <= LEASE_EXPIRED:
        return None
    return None if last_sign is not None and last_sign > renewed else renewed


class Absence(NamedTuple):
    """A period in which no CronJob started a Job. Times are seconds since 1970.

    Attributes:
        begin: the first time at which a run was due and did not start.
        end: the next sign of life of the controller; None without one.
        cron_jobs: how many CronJobs had runs due.
    """

    begin: int
    end: int | None
    cron_jobs: int


def signs_of_life(evidences: Iterable[CronJobEvidence], events: Iterable[StoredEvent]) -> list[int]:
    """Return the times at which the CronJob controller did anything that is stored."""
    found = {
        run.created
        for evidence in evidences
        for run in evidence.runs.values()
        if run.created is not None
    }
    for event in events:
        at, reason = event.recorded.at, event.recorded.reason
        if event.recorded.kind == "CronJob" and reason in COMPONENT_REASONS and at is not None:
            found.add(at)
    return sorted(found)


def with_absences(
    windows: Mapping[str, AccountedWindow], signs: list[int]
) -> tuple[dict[str, AccountedWindow], tuple[Absence, ...]]:
    """Return the windows, by the UIDs of their CronJobs, with the runs that absences explain; and these."""
    witnesses: dict[int, dict[str, int]] = {}
    for uid, window in windows.items():
        for run, gap in _in_gaps(window.runs, signs):
            witnesses.setdefault(gap, {}).setdefault(uid, run.scheduled)
    absences = {
        gap: Absence(min(first.values()), signs[gap] if gap < len(signs) else None, len(first))
        for gap, first in sorted(witnesses.items())
        if len(first) >= WITNESSES
    }
    explained = {
        uid: _explained(window, signs, absences) if absences else window
        for uid, window in windows.items()
    }
    return explained, tuple(absences.values())


def _in_gaps(runs: Iterable[AccountedRun], signs: list[int]) -> Iterator[tuple[AccountedRun, int]]:
    """Yield the unexplained runs at whose time the controller shows no sign, with the number of the gap."""
    for run in runs:
        if run.unexplained:
            gap = bisect_left(signs, run.scheduled)
            if bisect_right(signs, run.scheduled + ON_TIME) == gap:
                yield run, gap


def _explained(
    window: AccountedWindow, signs: list[int], absences: Collection[int]
) -> AccountedWindow:
    away = {run.scheduled for run, gap in _in_gaps(window.runs, signs) if gap in absences}
    return replace(
        window,
        runs=tuple(_away(run) if run.scheduled in away else run for run in window.runs),
    )


def _away(run: AccountedRun) -> AccountedRun:
    state = "Skipped" if run.state == "Unknown" else run.state
    return replace(run, cause=Cause.CONTROLLER_AWAY, state=state)
