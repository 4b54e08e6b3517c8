"""A history: a random Job, what becomes of its Pods, and everything that goes wrong meanwhile.

All of it follows from a seed: first the fault profile, then a list of steps, each with a seed of its own, so
that a history can be cut short or thinned out and the rest goes on as before as far as it can.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from jobsworth.controller.settings import ControllerSettings
from model.controller_process import Crash, FaultProfile, Process
from model.object_fields import (
    Object,
    active,
    deleting,
    ended,
    finished,
    index_of,
    owner_of,
    selected,
    tracked_by,
    uid_of,
    uncounted,
)
from model.pod_ledger import Broken, Ledger
from model.recording_server import ENVIRONMENT, Server
from model.reference_controller import Sight
from model.simulated_cluster import SimulatedCluster
from model.users import FOREIGN_MANAGER, User
from support.controller.simulated_reconciler import MANAGER

NAME, RIVAL = "train", "serve"
BEGINNING = 1_800_000_000.0
NEVER = 1e9
ROUNDS = 60
Step = Callable[[random.Random], str | None]


class History:
    """A history, to be run once.

    Args:
        seed: of all.
        steps: seeds of the steps, instead of those that follow from the seed.
        trace: called with a line for each event.

    Attributes:
        done: how many syncs and calls were made, by all processes.
    """

    def __init__(
        self,
        seed: int,
        steps: Sequence[int] | None = None,
        trace: Callable[[str], None] = lambda text: None,
    ) -> None:
        chance = random.Random(seed)
        self.seed, self._trace = seed, trace
        self.now = BEGINNING
        self.server = Server(lambda: self.now, random.Random(seed))
        self.ledger = Ledger(self.server)
        self.cluster = SimulatedCluster(self.server, lambda: self.now)
        everybody = chance.random() < 0.15
        self.user = User(self.server, None if everybody and chance.random() < 0.7 else MANAGER)
        self.settings = ControllerSettings(
            adopt_unmanaged=everybody,
            max_uncounted=chance.choice([1, 2, 500, 500]),
            max_pods_per_sync=chance.choice([1, 2, 500, 500, 500]),
            expectation_timeout=NEVER,
        )
        self.fault_profile = _draw_fault_profile(chance)
        self._skewed = chance.random() < 0.1
        self._menu, self._weights = self._draw_menu(chance)
        length = chance.choice([30, 60, 100, 160])
        drawn = [chance.getrandbits(32) for _ in range(length)]
        self.steps = drawn if steps is None else list(steps)
        self.chance = chance
        self.process: Process | None = None
        self.nested = 0
        self.done = {"syncs": 0, "calls": 0, "crashes": 0}
        rivals = chance.random()
        self.user.shared_label = rivals < 0.05
        self.user.create(chance, NAME)
        if rivals < 0.2:
            self.user.create(chance, RIVAL)

    def run(self) -> None:
        """Live through it.

        Raises:
            Broken: something that must hold does not.
        """
        self.trace(f"the Jobs: {[job['spec'] for job in self.server.stored('jobs')]}")
        for seed in self.steps:
            self._step(random.Random(seed))
        self._calm()
        self._tally()

    def trace(self, text: str) -> None:
        """Tell what happens, with the time."""
        self._trace(f"{self.now - BEGINNING:9.2f} {text}")

    # What can happen.

    def _draw_menu(self, chance: random.Random) -> tuple[list[Step], list[float]]:
        """The steps that this history has, each as likely as drawn: no two histories are alike."""
        cluster, user = self.cluster, self.user
        always: list[tuple[Step, float]] = [
            (self._work, 30),
            (self._watch, 25),
            (self._pass_time, 8),
            (cluster.start, 8),
            (cluster.succeed, 8),
            (cluster.finish_deletion, 8),
            (cluster.collect, 4),
            (cluster.release, 3),
        ]
        sometimes: list[tuple[Step, float, float]] = [  # how likely at all, and then
            (cluster.fail, 0.8, 8),
            (cluster.delete, 0.4, 3),
            (cluster.disrupt, 0.3, 3),
            (cluster.lose_node, 0.2, 2),
            (cluster.rewrite_phase, 0.2, 5),
            (user.suspend, 0.3, 2),
            (user.scale, 0.4, 3),
            (user.limit, 0.3, 2),
            (user.delete, 0.15, 1),
            (user.recreate, 0.3, 1),
            (user.meddle, 0.25, 2),
            (user.strip, 0.1, 1),
            (user.note, 0.1, 1),
            (self._relist, 0.4, 2),
            (self._repeat, 0.4, 3),
            (self._resync, 0.2, 1),
        ]
        menu = [(step, weight * chance.choice([0.25, 0.5, 1, 2])) for step, weight in always]
        menu += [(step, weight) for step, likely, weight in sometimes if chance.random() < likely]
        self.meddles = any(step in (user.meddle, user.strip) for step, _ in menu)
        return [step for step, _ in menu], [weight for _, weight in menu]

    def _step(self, chance: random.Random) -> None:
        (step,) = chance.choices(self._menu, self._weights)
        if self.process is not None:
            self.process.chance = chance
        description = step(chance)
        if description:
            self.trace(description)

    def _meanwhile(self) -> None:
        """While a call is on its way, or the controller thinks, something else happens."""
        process = self.process
        if process is None or self.nested:
            return
        self.nested += 1
        try:
            with process.apart(), self.server.on_behalf_of(ENVIRONMENT):
                for _ in range(process.chance.choice([1, 1, 2, 3])):
                    (step,) = process.chance.choices(self._menu, self._weights)
                    if step == self._pass_time or (
                        step == self._work and process.chance.random() < 0.5
                    ):
                        continue
                    description = step(process.chance)
                    if description:
                        self.trace(f"      meanwhile: {description}")
        finally:
            self.nested -= 1

    def _work(self, chance: random.Random) -> str | None:
        """The controller looks at what is due; if nothing is, it may be soon."""
        process = self._up(chance)
        if not process.synced:
            return None
        due = process.reconciler.next_due()
        if due is not None and not self.nested and due > self.now and chance.random() < 0.7:
            self.now = min(due, self.now + chance.choice([1, 5, 30, 700]))
        try:
            process.process_next_item()
        except Crash:
            if self.nested:
                raise
            self._crash()
        return None

    def _crash(self) -> None:
        assert self.process is not None
        self._count()
        self.done["crashes"] += 1
        self.process = None
        self.nested = 0

    def _count(self) -> None:
        if self.process is not None:
            self.done["syncs"] += self.process.syncs
            self.done["calls"] += self.process.calls

    def _up(self, chance: random.Random) -> Process:
        """The process, started anew if it died."""
        if self.process is None:
            self.trace("the controller starts")
            self.process = Process(
                self.server,
                self.ledger,
                self.settings,
                self.fault_profile,
                now=lambda: self.now,
                skew=chance.choice([-3, 0, 3]) if self._skewed else 0,
                meanwhile=self._meanwhile,
                trace=self.trace,
            )
            self.process.chance = chance
            for stream in self.process.streams:
                stream.relist(self.now)
        return self.process

    def _watch(self, chance: random.Random) -> str | None:
        """A watch shows some of what has happened."""
        stream = chance.choice(self._up(chance).streams)
        if chance.random() < 0.02:
            self.server.bookmark()
        shown = stream.deliver(chance.choice([1, 2, 5, 100]))
        return f"the watch of {stream.resource} shows {shown} changes" if shown else None

    def _relist(self, chance: random.Random) -> str | None:
        """A watch breaks for good: what it had not shown is known only from a list."""
        stream = chance.choice(self._up(chance).streams)
        stream.relist(self.now)
        return f"{stream.resource} are listed anew"

    def _repeat(self, chance: random.Random) -> None:
        """A watch shows something again."""
        chance.choice(self._up(chance).streams).repeat(chance)

    def _resync(self, chance: random.Random) -> None:
        self._up(chance).reconciler.resync()

    def _pass_time(self, chance: random.Random) -> None:
        self.now += chance.choice([0.05, 1, 1, 2, 5, 15, 60])

    # The end: no more trouble.

    def _calm(self) -> None:
        """All is delivered, nothing fails: the controller comes to rest, and every Job to its end."""
        chance = self.chance
        self.trace("calm")
        self.fault_profile = FaultProfile()
        self._up(chance).fault_profile = self.fault_profile
        self.process.chance = chance  # type: ignore[union-attr]
        self._rest(chance)
        self._check_at_rest()
        for round_ in range(ROUNDS):
            if not self._unfinished():
                break
            self._spur_on(chance, round_)
            self._rest(chance)
        else:
            raise Broken("the Job does not finish")
        self._check_at_end()

    def _unfinished(self) -> list[Object]:
        return [
            job
            for job in self.server.stored("jobs")
            if not finished(job["status"]) and job["spec"].get("managedBy") != FOREIGN_MANAGER
        ]

    def _spur_on(self, chance: random.Random, round_: int) -> None:
        """The user lets the Jobs run, and their Pods end: in the end all of them well."""
        for job in self._unfinished():
            spec = job["spec"]
            if spec.get("suspend") or not spec["parallelism"]:
                self._edit(
                    job, {"suspend": False, "parallelism": spec["parallelism"] or self._size(spec)}
                )
        for pod in self.server.stored("pods"):
            if active(pod) and chance.random() < 0.8:
                fails = round_ < 20 and chance.random() < 0.2
                self.trace(self.cluster.end(pod, 1 if fails else 0, chance))

    def _size(self, spec: Object) -> int:
        elastic = spec["completionMode"] == "Indexed" and spec.get("completions") == 0
        return 0 if elastic else 2

    def _edit(self, job: Object, spec: Object) -> None:
        self.server.change("jobs", "default", job["metadata"]["name"], {
            "spec": spec, "metadata": {"generation": job["metadata"]["generation"] + 1}})  # fmt: skip

    def _rest(self, chance: random.Random) -> None:
        """Run until nothing is due, and nodes and collectors have nothing to do."""
        process = self._up(chance)
        steps = 0
        while True:
            self._settle(chance)
            for stream in process.streams:
                while stream.deliver(100):
                    pass
            due = process.reconciler.next_due()
            if due is None:
                if not any(stream.behind for stream in process.streams) and not self._settle(
                    chance
                ):
                    return
                continue
            self.now = max(self.now, due)
            process.process_next_item()
            steps += 1
            if steps > 600:
                raise Broken("the controller does not come to rest")

    def _settle(self, chance: random.Random) -> bool:
        """Nodes and other controllers finish what is under way."""
        any_ = False
        for act in (self.cluster.finish_deletion, self.cluster.release, self.cluster.collect):
            for _ in range(100):
                description = act(chance)
                if not description:
                    break
                any_ = True
                self.trace(description)
        return any_

    # What must hold once all is quiet.

    def _check_at_rest(self) -> None:
        for job in self._unfinished():
            pods = [pod for pod in self.ledger.controls(uid_of(job)) if selected(job, pod)]
            sight = Sight(job, pods, set(), self.now)
            self._check_job_at_rest(job, sight)

    def _check_job_at_rest(self, job: Object, sight: Sight) -> None:
        status, name = job["status"], job["metadata"]["name"]
        if (
            sight.finished_condition() is not None
            or sight.completion(len(sight.active)) is not None
        ):
            raise Broken(f"{name} should have ended: {sight.finished_condition()}")
        if deleting(job):
            raise Broken(f"{name} is not gone")
        right = len(sight.active)
        missing = min(sight.missing(), len(sight.free_indexes()) if sight.indexed else sight.wanted)
        if missing or sight.surplus():
            raise Broken(
                f"at rest, {missing} Pods of {name} are missing, {sight.surplus()} too many"
            )
        stored = {field: status.get(field, 0) for field in ("active", "ready", "terminating")}
        if stored != {"active": right, "ready": len(sight.ready), "terminating": 0}:
            raise Broken(f"at rest, the status of {name} says {stored}")
        # What an index needs to be tried again is kept, even if it was recorded before its
        # successor was deleted again.
        kept = {uid_of(pod) for pod in sight.tracked if sight.delayed(index_of(pod)) is pod}
        if uncounted(status, "succeeded") or uncounted(status, "failed") - kept:
            raise Broken(f"at rest, Pods of {name} are uncounted")
        for pod in sight.tracked:
            if ended(pod) and uid_of(pod) not in kept:
                raise Broken(f"at rest, {pod['metadata']['name']} has ended and has its finalizer")

    def _check_at_end(self) -> None:
        finalizers = self.settings.finalizers
        for pod in self.server.stored("pods"):
            name, owner = pod["metadata"]["name"], owner_of(pod)
            account = self.ledger.accounts.get(owner or "")
            foreign = (
                account is not None and account.job["spec"].get("managedBy") == FOREIGN_MANAGER
            )
            if not foreign and any(tracked_by(pod, finalizer) for finalizer in finalizers):
                raise Broken(f"at the end, {name} has its finalizer")
            if account is None or foreign or uid_of(pod) in self.ledger.excused:
                continue
            rewritten = uid_of(pod) in self.ledger.rewritten
            if active(pod) and owner is not None and not self.meddles and not rewritten:
                raise Broken(f"at the end, {name} runs")
        if lost := self.ledger.lost():
            raise Broken(f"not counted: {lost}")
        process = self.process
        assert process is not None
        before = self.server.version
        process.reconciler.resync()
        while process.process_next_item():
            pass
        if self.server.version != before:
            raise Broken("a finished Job is still worked on")
        if len(process.reconciler.expectations):
            raise Broken("something is expected of Jobs that are finished")

    def _tally(self) -> None:
        self._count()


def _draw_fault_profile(chance: random.Random) -> FaultProfile:
    if chance.random() < 0.15:
        return FaultProfile()
    return FaultProfile(
        rejection=chance.choice([0, 0, 0.02, 0.1, 0.3]),
        lost_answer=chance.choice([0, 0, 0.02, 0.1]),
        crash=chance.choice([0, 0, 0.02, 0.1, 0.2]),
        interference=chance.choice([0, 0.1, 0.3]),
    )
