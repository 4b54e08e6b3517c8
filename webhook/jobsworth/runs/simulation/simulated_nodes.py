"""The nodes: scheduler, kubelet and garbage collection of Pods, in virtual time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from jobsworth.controller import well_known_names
from jobsworth.controller.pods import POD_FAILED, POD_SUCCEEDED, TERMINATING, Pod, Termination
from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import (
    DISRUPTED,
    SIGKILL_CODE,
    TOLERATION_SECONDS,
    UNREACHABLE_SECONDS,
    unmarked_causes,
)
from jobsworth.runs.run_record import PodRecord
from jobsworth.runs.simulation.pod_draws import DISRUPTIONS_STREAM, PodDraw, draw, generator
from jobsworth.runs.simulation.scenario import Disruption, JobIdentity, PodIdentity, Scenario
from jobsworth.runs.virtual_time import MINUTE, NEVER, SECOND, EventQueue

KUBELET_DELAY = SECOND
GARBAGE_COLLECTION = 20 * SECOND  # gcCheckPeriod of the Pod garbage collector
RESTART_BASE, RESTART_CAP, RESTART_RESET = 10 * SECOND, 300 * SECOND, 10 * MINUTE
DEFAULT_GRACE = 30
DEADLINE_EXCEEDED = "DeadlineExceeded"
NEVER_STARTED = (
    "ContainerStatusUnknown"  # of a container that has not started when its Pod is stopped
)
USER_DELETES = "Deletion"
"""The disruption that also hits Pods without a node."""


class PodTemplate:
    """The part of a Pod template that the nodes need.

    Attributes:
        first: the name of its first container.
        grace: its grace period, in milliseconds.
        restarts: restartPolicy is OnFailure.
    """

    __slots__ = ("deadline", "first", "grace", "restarts")

    def __init__(self, template: dict[str, Any]) -> None:
        spec = template.get("spec") or {}
        grace = spec.get("terminationGracePeriodSeconds")
        self.first: str = (spec.get("containers") or [{}])[0].get("name") or "main"
        self.grace: int = (DEFAULT_GRACE if grace is None else grace) * SECOND
        self.restarts: bool = spec.get("restartPolicy") == "OnFailure"
        seconds = spec.get("activeDeadlineSeconds")
        self.deadline: int = NEVER if seconds is None else seconds * SECOND


class SimulatedPod:
    """A Pod on the nodes.

    Attributes:
        view: the Pod as its controller sees it.
        changed: called when its controller has to see it.
        touched: gets each Pod whose view changes, by UID.
        starts: counts the starts of its container; an exit of an earlier start has no effect.
        crashes: the exits since the kubelet's backoff was last reset.
    """

    __slots__ = (
        "changed",
        "crashes",
        "draw",
        "job",
        "lost",
        "record",
        "starts",
        "template",
        "touched",
        "waiting",
    )

    def __init__(
        self,
        view: Pod,
        record: PodRecord,
        template: PodTemplate,
        job: JobIdentity,
        changed: Callable[[SimulatedPod], None],
        *,
        touched: dict[str, SimulatedPod],
    ) -> None:
        self.record = record
        self.touched = touched
        self.view = view
        self.template = template
        self.job = job
        self.changed = changed
        self.draw: PodDraw
        self.starts = 0
        self.crashes = 0
        self.lost = False
        self.waiting = False

    @property
    def view(self) -> Pod:
        """The Pod as the planner sees it."""
        assert self.record.view is not None
        return self.record.view

    @view.setter
    def view(self, view: Pod) -> None:
        self.record.view = view
        self.touched[view.uid] = self

    @property
    def identity(self) -> PodIdentity:
        """The identity of the Pod, for selectors and draws."""
        record = self.record
        index = -1 if record.index is None else record.index
        return PodIdentity(self.job, index, record.attempt, record.created)

    @property
    def pending_cause(self) -> Cause | None:
        """The cause for which it is Pending; None if it has started or is about to."""
        if self.record.started is not None:
            return None
        return Cause.UNSCHEDULABLE if self.waiting else self.draw.pending

    def can_be_hit(self, disruption: Disruption) -> bool:
        """Return True if a disruption can hit it: it is on a node, or a user deletes it."""
        record = self.record
        return (
            (record.scheduled is not None or disruption.name == USER_DELETES)
            and record.ended is None
            and record.deleted is None
            and not self.lost
        )


class Nodes:
    """Run Pods as a scenario says.

    Args:
        running: returns the Pods of all Jobs, in the order of creation.
        started: called when a Pod has begun to run.

    Attributes:
        missed: the times at which a disruption met no Pod, with its name.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        queue: EventQueue,
        running: Callable[[], Iterable[SimulatedPod]],
        started: Callable[[], None] = lambda: None,
    ) -> None:
        self._scenario = scenario
        self._seed = seed
        self._queue = queue
        self._running = running
        self._started = started
        self._unmarked = unmarked_causes(scenario.server)
        self.missed: list[tuple[int, str]] = []
        self._places = NEVER
        self._taken = 0
        self._waiting: deque[SimulatedPod] = deque()
        for change in sorted(scenario.capacity, key=lambda change: change.at):
            if change.at == 0:
                self._places = change.pods
            else:
                queue.at(change.at, self._set_places, change.pods)
        for number, disruption in enumerate(scenario.disruptions):
            for time in disruption.times:
                queue.at(time, self._strike, disruption, number, time)
            if disruption.every is not None:
                chance = self._chance(number, 0, 0)
                first = max(disruption.times, default=disruption.selector.since)
                time = first + disruption.every.at(chance.random())
                queue.at(time, self._strike_again, disruption, number, 1)

    def seconds(self) -> int:
        """Return the time in whole seconds since 1970, the precision of API objects."""
        return self._scenario.start + self._queue.now // SECOND

    # Places.

    def add(self, pod: SimulatedPod) -> None:
        """Take a new Pod, which starts when there is a place for it."""
        pod.draw = self._draw(pod)
        pod.record.pending = pod.draw.pending
        if pod.draw.pending == Cause.UNSCHEDULABLE:
            if pod.draw.startup < NEVER:
                self._queue.at(self._queue.now + pod.draw.startup, self._find_place, pod)
        else:
            self._place(pod)

    def _find_place(self, pod: SimulatedPod) -> None:
        if pod.record.deleted is None and pod.record.ended is None:
            pod.draw = pod.draw._replace(startup=0, pending=None)
            self._place(pod)

    def _place(self, pod: SimulatedPod) -> None:
        if self._taken < self._places:
            self._bind(pod)
        else:
            pod.waiting = True
            self._waiting.append(pod)

    def _draw(self, pod: SimulatedPod) -> PodDraw:
        identity = pod.identity
        restarts = len(pod.record.restarts)
        if restarts:
            attempt = identity.attempt + restarts
            identity = replace(identity, attempt=attempt, created=self._queue.now)
        return draw(self._scenario, self._seed, identity)

    def _set_places(self, places: int) -> None:
        self._places = places
        self._fill_places()

    def _fill_places(self) -> None:
        while self._waiting and self._taken < self._places:
            pod = self._waiting.popleft()
            if pod.waiting:
                self._bind(pod)

    def _free_place(self, pod: SimulatedPod) -> None:
        if pod.waiting:
            pod.waiting = False  # it leaves the queue when its turn comes
        elif pod.record.scheduled is not None:
            self._taken -= 1
            if self._waiting:
                self._fill_places()

    def _bind(self, pod: SimulatedPod) -> None:
        self._taken += 1
        pod.waiting = False
        pod.record.scheduled = self._queue.now
        if pod.template.deadline < NEVER:
            self._queue.at(self._queue.now + pod.template.deadline, self._exceed_deadline, pod)
        if pod.draw.startup < NEVER:
            self._queue.at(self._queue.now + pod.draw.startup, self._start, pod)

    # The life of a Pod on its node.

    def _start(self, pod: SimulatedPod) -> None:
        record, queue, given = pod.record, self._queue, pod.draw
        if record.deleted is not None or record.ended is not None:
            return
        pod.starts += 1
        if record.started is None:
            record.started = queue.now
            self._schedule_disruptions(pod)
        record.phase = well_known_names.RUNNING
        now = self.seconds()
        pod.view = replace(
            pod.view, phase=well_known_names.RUNNING, node="node", ready=True, ready_since=now
        )
        self._started()
        if given.duration < NEVER:
            queue.at(queue.now + given.duration, self._exit, pod, pod.starts)

    def _exit(self, pod: SimulatedPod, start: int) -> None:
        record = pod.record
        if record.ended is not None or pod.lost or start != pod.starts:
            return
        code = pod.draw.exit_code
        if code and pod.template.restarts and record.deleted is None:
            self._restart(pod)
            return
        self._end(pod, code, pod.draw.reason, pod.draw.container)

    def _restart(self, pod: SimulatedPod) -> None:
        """Restart the container in place: at once, later with the kubelet's own backoff."""
        if pod.draw.duration >= RESTART_RESET:
            pod.crashes = 0
        delay = RESTART_BASE << min(pod.crashes - 1, 10) if pod.crashes else 0
        pod.crashes += 1
        pod.view = replace(pod.view, ready=False)
        pod.starts += 1  # the exit is handled
        self._queue.at(self._queue.now + min(delay, RESTART_CAP), self._start_again, pod)

    def _start_again(self, pod: SimulatedPod) -> None:
        record, view = pod.record, pod.view
        if record.deleted is not None or record.ended is not None:
            return
        record.restarts.append(self._queue.now)
        pod.view = replace(
            view, restarts=view.restarts + 1, container_restarts=view.container_restarts + 1
        )
        pod.draw = self._draw(pod)
        self._start(pod)
        pod.changed(pod)

    def _exceed_deadline(self, pod: SimulatedPod) -> None:
        """Fail a Pod whose own activeDeadlineSeconds is over: the kubelet stops its containers."""
        record = pod.record
        if record.ended is not None or record.deleted is not None or pod.lost:
            return
        if record.started is None:
            self._end(pod, None, DEADLINE_EXCEEDED, "")
        else:
            self._terminate(pod, pod.template.grace, pod_reason=DEADLINE_EXCEEDED)

    def _end(
        self,
        pod: SimulatedPod,
        code: int | None,
        reason: str,
        container: str,
        *conditions: str,
        pod_reason: str = "",
    ) -> None:
        """End a Pod; without an exit code, no container has a status.

        Args:
            pod_reason: the reason of the Pod, which then fails even with the exit code 0.
        """
        record, view = pod.record, pod.view
        if record.ended is not None:
            return
        succeeded = code == 0 and not pod_reason
        record.ended = self._queue.now
        record.phase = well_known_names.SUCCEEDED if succeeded else well_known_names.FAILED
        record.exit_code = code
        record.reason = pod_reason or reason
        record.container = container or pod.template.first
        terminations = () if not code else (Termination(record.container, code, reason),)
        pod.view = replace(
            view,
            phase=record.phase,
            state=POD_SUCCEEDED if succeeded else POD_FAILED,
            finished_at=self.seconds(),
            ready=False,
            terminations=terminations,
            conditions=(*view.conditions, *conditions),
        )
        self._free_place(pod)
        pod.changed(pod)

    # Deletion.

    def delete(self, pod: SimulatedPod, grace: int | None = None, *conditions: str) -> None:
        """Delete a Pod: it terminates within its grace period."""
        record, view, queue = pod.record, pod.view, self._queue
        if record.deleted is not None or record.ended is not None:
            return
        grace = pod.template.grace if grace is None else min(grace, pod.template.grace)
        record.deleted = queue.now
        now = self.seconds()
        pod.view = replace(
            view,
            state=TERMINATING,
            gone_by=max(1, now + grace // SECOND),
            finished_at=now,
            ready=False,
            conditions=(*view.conditions, *conditions),
        )
        if pod.lost:
            pass  # no kubelet confirms that it has ended
        elif record.scheduled is None:
            later = queue.now - queue.now % GARBAGE_COLLECTION + GARBAGE_COLLECTION
            queue.at(later, self._end, pod, None, "", "")
        else:
            self._terminate(pod, grace)
        pod.changed(pod)

    def _terminate(
        self, pod: SimulatedPod, grace: int, *conditions: str, pod_reason: str = ""
    ) -> None:
        """Send SIGTERM, and SIGKILL at the end of the grace period."""
        needed, queue = pod.draw.termination, self._queue
        code = pod.draw.termination_exit_code
        started = pod.record.started is not None
        if not started:
            needed, code = KUBELET_DELAY, SIGKILL_CODE
        elif needed >= NEVER:
            return
        elif needed > grace:
            needed, code = grace, SIGKILL_CODE
        reason = "Error" if code else "Completed"
        if not started:
            reason = NEVER_STARTED
        if pod_reason:
            pod.starts += 1  # the Pod fails, also if its program would have ended by itself before
        end = partial(self._end, pod_reason=pod_reason)
        queue.at(queue.now + needed, end, pod, code, reason, "", *conditions)

    # Disruptions.

    def _chance(self, number: int, occurrence: int, purpose: int) -> Any:
        return generator(self._seed, DISRUPTIONS_STREAM, number, 2 * occurrence + purpose)

    def _schedule_disruptions(self, pod: SimulatedPod) -> None:
        for disruption, (concerned, when) in zip(
            self._scenario.disruptions, pod.draw.chances, strict=True
        ):
            selector = disruption.selector
            if disruption.after is None or concerned >= selector.probability:
                continue
            delay = disruption.after.at(when)
            # Most Pods exit long before: do not fill the queue with what never happens.
            if (delay < pod.draw.duration or pod.template.restarts) and selector.selects(
                pod.identity
            ):
                self._queue.at(self._queue.now + delay, self._disrupt, pod, disruption)

    def _strike_again(self, disruption: Disruption, number: int, occurrence: int) -> None:
        now = self._queue.now
        if now >= disruption.selector.until or disruption.every is None:
            return
        self._strike(disruption, number, occurrence)
        chance = self._chance(number, occurrence, 0)
        gap = max(SECOND, disruption.every.at(chance.random()))
        self._queue.at(now + gap, self._strike_again, disruption, number, occurrence + 1)

    def _strike(self, disruption: Disruption, number: int, occurrence: int) -> None:
        """Disrupt some of the Pods on nodes; note a disruption that meets none."""
        random = self._chance(number, occurrence, 1).random
        selector = disruption.selector
        every = list(self._running())
        self._queue.spend(len(every))
        pods = [
            pod
            for pod in every
            if pod.can_be_hit(disruption)
            and selector.names(pod.identity)
            and random() < selector.probability
        ]
        wanted = len(pods)
        if disruption.pods is not None:
            wanted = min(wanted, disruption.pods)
        elif disruption.share is not None:
            wanted = -int(-disruption.share * len(pods) // 1)
        for place in range(wanted):
            other = place + int(random() * (len(pods) - place))
            pods[place], pods[other] = pods[other], pods[place]
            self._disrupt(pods[place], disruption)
        if not wanted:
            self.missed.append((self._queue.now, disruption.name))

    def _disrupt(self, pod: SimulatedPod, disruption: Disruption) -> None:
        if not pod.can_be_hit(disruption):
            return
        cause, now = disruption.cause, self._queue.now
        pod.record.cause = disruption.name
        grace = disruption.grace
        if grace is None and cause.grace is not None:
            grace = cause.grace * SECOND
        marked = cause.failure.condition and cause.failure.name not in self._unmarked
        conditions = (DISRUPTED,) if marked else ()
        if cause.end == "deleted":
            self.delete(pod, grace, *conditions)
        elif cause.end == "failed":
            grace = pod.template.grace if grace is None else grace
            self._terminate(pod, grace, *conditions, pod_reason=cause.pod_reason)
        else:
            pod.lost = True
            noticed = now + (UNREACHABLE_SECONDS + TOLERATION_SECONDS) * SECOND
            self._queue.at(noticed, self.delete, pod, None, *conditions)
            if disruption.node_gone < NEVER:
                self._queue.at(now + disruption.node_gone, self._collect, pod)

    def _collect(self, pod: SimulatedPod) -> None:
        """Fail a Pod whose node no longer exists, as the Pod garbage collector does."""
        unmarked = Cause.POD_GC in self._unmarked or DISRUPTED in pod.view.conditions
        conditions = () if unmarked else (DISRUPTED,)
        self._end(pod, None, "DeletionByPodGC", "", *conditions)
