"""Jobs that are unfinished or being deleted: what each waits for, and which of them are stuck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jobsworth.controller.pods import ACTIVE, TERMINATING, Pod
from jobsworth.controller.well_known_names import PENDING, RUNNING
from jobsworth.runs.cause import Cause
from jobsworth.runs.health.evidence import Object, StoredEvent, StoredJob
from jobsworth.runs.recorded.kept_pods import in_crash_loop
from jobsworth.runs.recorded.recording import Recording
from jobsworth.runs.recorded.recording_reader import BadRecording, read_recording
from jobsworth.runs.waiting import Waiting
from jobsworth.runs.why.diagnosis import advice_for, diagnose, no_findings
from jobsworth.runs.why.fixes import NO_FIX, Fix, fix_of
from jobsworth.runs.why.unfinished_job import crash_loop, pending_reasons, remaining, standing
from jobsworth.wording import count

_INTENDED = (Cause.NO_PARALLELISM, Cause.OTHER_CONTROLLER, Cause.CONTROLLER_AWAY)
STUCK = frozenset(
    {Cause.PENDING, Cause.CRASH_LOOP, *(each for each in Cause if each.heals is not None)}
    - {*_INTENDED}
)
"""The causes for which a Job should not wait for long. A suspended Job, or one without parallelism, waits for
its user, and that of another controller (spec.managedBy) for that one."""


INIT_CONTAINER_HANGS = 3600
"""Seconds after which an init container that still runs is taken to hang."""


class Stalled(NamedTuple):
    """Pods of a Job that do not start, or crash again and again, while others run.

    Attributes:
        since: when the first of them was created, or began to fail, in seconds since 1970.
        what: a clause without the time, such as "2 of 4 Pods have not started".
        why: the reason of most of them; empty if `what` says it.
        fix: what ends it.
    """

    since: int
    what: str
    why: str
    fix: Fix


@dataclass(frozen=True, slots=True)
class JobWait:
    """The wait of a Job.

    Attributes:
        job: the Job.
        waiting: what it waits for.
        pod: one of the Pods that keep it waiting, the oldest; empty without one.
        pods: how many there are.
        gone_by: when the grace period of that Pod ends; 0 if it is not being deleted.
        restarts: of its container that was started again most often.
        fix: what ends a wait in which it may be stuck, or removes the cause for which it will fail.
        doomed: why it can only fail, as a clause; empty if it can complete.
        stalled: its Pods that make no progress while others run; None without any.
    """

    job: StoredJob
    waiting: Waiting
    pod: str = ""
    pods: int = 0
    gone_by: int = 0
    restarts: int = 0
    fix: Fix = NO_FIX
    doomed: str = ""
    stalled: Stalled | None = None

    def stuck(self, now: float, after: float) -> bool:
        """Return True if it has been in such a wait for some seconds, grace periods aside."""
        cause = self.waiting.cause
        if cause == Cause.INITIALIZING:
            after = max(after, INIT_CONTAINER_HANGS)
        elif cause not in STUCK and not self.waiting.fault:
            return False
        return min(self.seconds(now), now - self.gone_by) >= after

    def failing(self, now: float, after: float) -> bool:
        """Return True if it is not stuck, but can only fail, or Pods of it have made no progress for long."""
        stalled = self.stalled is not None and now - self.stalled.since >= after
        return bool(self.doomed or stalled) and not self.stuck(now, after)

    def seconds(self, now: float) -> float:
        """Return how long it has waited, at least: in a crash loop without Events, by the restarts."""
        since = self.waiting.since
        if since is not None:
            return max(0.0, now - since)
        return seconds_of_restarts(self.restarts) if self.waiting.cause == Cause.CRASH_LOOP else 0.0


def wait_of(
    job: StoredJob,
    pods: Sequence[Object] | None,
    events: Sequence[StoredEvent],
    now: int,
    workloads: Sequence[Object] = (),
) -> JobWait | None:
    """Return what a Job waits for; one that has finished, for its deletion.

    None if it waits for nothing, its objects have no times, or only Pods that are not known show it.

    Args:
        pods: the Pods that it controls and that have not ended; None if they could not be listed.
        events: the Events about it and these Pods.
        workloads: those of Kueue that it owns.
    """
    if job.manifest is None:
        return None
    try:
        recording = read_recording(
            job.manifest,
            pods or (),
            [each.value for each in events],
            now=now,
            partial=pods is None,
            queue=workloads,
        )
    except BadRecording:
        return None
    found = None if job.outcome else standing(recording)
    waiting = remaining(recording) if found is None else found.waiting
    if waiting is None:
        return None
    doomed = "" if found is None else found.doomed
    stuck = waiting.fault or waiting.cause in STUCK
    fixable = doomed or stuck or waiting.cause == Cause.INITIALIZING
    stalled = _stalled(recording) if waiting.cause == Cause.RUNNING else None
    fix = fix_of(diagnose(recording))[0] if fixable else NO_FIX
    keeping = _keeping(waiting, [pod.view for pod in recording.pods])
    if not keeping:
        return JobWait(job, waiting, fix=fix, doomed=doomed, stalled=stalled)
    first = keeping[0]
    restarts = max(
        (
            last.restarts
            for pod in recording.pods
            for last in pod.facts.last_runs
            if pod.name == first.name
        ),
        default=0,
    )
    return JobWait(
        job, waiting, first.name, len(keeping), first.gone_by, restarts, fix, doomed, stalled
    )


def _stalled(recording: Recording) -> Stalled | None:
    """Return the Pods of a Job that make no progress while others run; None without any."""
    active = [pod for pod in recording.pods if pod.view.state == ACTIVE]
    reasons = pending_reasons(recording)
    held = [pod for pod in active if pod.name in reasons and reasons[pod.name].cause in STUCK]
    if held:
        reason, _ = Counter(reasons[pod.name] for pod in held).most_common(1)[0]
        verb = "has" if len(held) == 1 else "have"
        what = f"{len(held)} of {count(len(active), 'Pod')} {verb} not started"
        since = min(pod.scheduled or pod.created for pod in held)
        return Stalled(since, what, reason.words, _advised(recording, reason.cause))
    loop = crash_loop(recording, in_crash_loop)
    if loop is None:
        return None
    since = min(pod.created for pod in active) if loop.since is None else loop.since
    what = f"{loop.container} {loop.does} ({loop.shown})"
    return Stalled(since, what, "", _advised(recording, Cause.CRASH_LOOP))


def _advised(recording: Recording, cause: Cause) -> Fix:
    advice = advice_for(recording, [cause], no_findings)
    return Fix(advice[0].text) if advice else NO_FIX


def seconds_of_restarts(number: int) -> int:
    """Return the least time that a number of restarts takes.

    The first is at once; then the back-off doubles from 10 s to 5 min (pkg/kubelet/kubelet.go, 1.36).

    >>> seconds_of_restarts(1), seconds_of_restarts(7), seconds_of_restarts(141)
    (0, 610, 40810)
    """
    doubled = 10 * ((1 << min(max(0, number - 1), 5)) - 1)
    return doubled + 300 * max(0, number - 6)


def _keeping(waiting: Waiting, pods: Sequence[Pod]) -> list[Pod]:
    """Return the Pods that keep a Job waiting, the oldest first."""
    if waiting.cause in (Cause.TERMINATING, Cause.DELETING):
        found = [pod for pod in pods if pod.state == TERMINATING]
    elif waiting.cause in (Cause.RUNNING, Cause.CONTAINER_RUNS_ON):
        found = [pod for pod in pods if pod.state == ACTIVE and pod.phase != PENDING]
    elif waiting.cause == Cause.CRASH_LOOP:
        found = [pod for pod in pods if pod.state == ACTIVE and pod.phase in (PENDING, RUNNING)]
    else:
        found = [pod for pod in pods if pod.state == ACTIVE and pod.phase == PENDING]
    return sorted(found, key=lambda pod: (pod.created, pod.name))
