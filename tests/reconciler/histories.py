"""Random histories of a Job, with everything that can go wrong, and what must hold all the same.

A history is drawn from a seed: a Job, what its Pods and its user do, what the watches show and when, the
errors and lost answers of calls, and crashes between any two calls. Its invariants:

- every Pod that ended under our eyes is written down before it loses its finalizer, and is counted once;
- the API server never refuses a status for what it says;
- while no answer is lost, no more Pods run than the Job wants, nor two of one index;
- once the trouble is over the Job finishes, and no Pod keeps the finalizer.
"""

from __future__ import annotations

import random
from typing import Any

from jobsworth.client.api import UNREACHABLE, ApiError, jobs_path, pods_path
from jobsworth.controller.pods import ENDED_BADLY, ENDED_WELL
from jobsworth.controller.settings import Settings
from reconciler.fake_api import Call, Change, Object
from reconciler.status_rules import holds
from reconciler.world import NAMESPACE, World, job

JOB = "train"
FINALIZER = "jobsworth.dev/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"
STEPS = 60
ERRORS = (
    ApiError(409, "Conflict", "the object has been modified"),
    ApiError(500, "InternalError", "etcd is away"),
    ApiError(403, "Forbidden", "exceeded quota"),
    ApiError(429, "TooManyRequests", "busy", retry_after=1),
    ApiError(UNREACHABLE, "", "connection reset"),
)


class Crash(BaseException):
    """The process dies here."""


class Broken(AssertionError):
    """An invariant does not hold; the message says which, and the history's seed."""


class History:
    """A history, to be run once.

    Args:
        seed: all of it follows from this.
        trouble: how likely a call goes wrong, from 0 to 1.
    """

    def __init__(self, seed: int, trouble: float = 0.12) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.trouble = trouble if self.chance.random() < 0.8 else 0.0
        self.lost_answers = False
        self.counted: dict[str, set[str]] = {"succeeded": set(), "failed": set()}
        self.indexes: set[int] = set()
        self.log: list[str] = []
        self.world = World(Settings(), chance=random.Random(seed))
        self.world.api.before = self._before
        self.world.api.after = self._after
        self._seen_changes = 0
        self._pods: dict[str, Object] = {}
        self._by_us = False
        self.spec = self._draw_job()
        self.world.api.call("POST", jobs_path(NAMESPACE), job(JOB, **self.spec))
        self.uid = self.world.job(JOB)["metadata"]["uid"]

    def run(self) -> None:
        """Live through it.

        Raises:
            Broken: something that must hold does not.
        """
        for _ in range(STEPS):
            self._step()
        self._calm_down()

    # What happens.

    def _draw_job(self) -> Object:
        chance = self.chance
        spec: Object = {"parallelism": chance.randint(1, 4), "completions": chance.randint(1, 6)}
        spec["backoffLimit"] = chance.choice([0, 1, 3, 6])
        rules: list[Object] = []
        if chance.random() < 0.6:
            spec["completionMode"] = "Indexed"
            if chance.random() < 0.5:
                spec["backoffLimitPerIndex"] = chance.choice([0, 1, 2])
                spec["backoffLimit"] = 100
                if chance.random() < 0.4:
                    spec["maxFailedIndexes"] = chance.randint(0, spec["completions"])
                rules.append(_exit_rule("FailIndex", 3))
            if chance.random() < 0.3:
                count = chance.randint(1, spec["completions"])
                spec["successPolicy"] = {"rules": [{"succeededCount": count}]}
        elif chance.random() < 0.2:
            del spec["completions"]
        if chance.random() < 0.5:
            rules += [_exit_rule("Ignore", 2), _exit_rule("FailJob", 4)]
            spec["podFailurePolicy"] = {"rules": rules}
        elif chance.random() < 0.4:
            spec["podReplacementPolicy"] = "Failed"
        if chance.random() < 0.15:
            spec["activeDeadlineSeconds"] = chance.randint(5, 200)
        if chance.random() < 0.15:
            spec["suspend"] = True
        return spec

    def _step(self) -> None:
        (happens,) = self.chance.choices(
            (self._look, self._watch, self._pod, self._wait, self._relist, self._user, self._node),
            (30, 30, 30, 12, 3, 5, 15),
        )
        happens()

    def _look(self) -> None:
        """The reconciler works on whatever is due; the process may die in between."""
        self._by_us = True
        try:
            for _ in range(self.chance.randint(1, 3)):
                self.world.reconciler.step_job()
                self.world.reconciler.step_orphan()
        except Crash:
            self.log.append("crash")
            self._by_us = False
            self.world.start()
        finally:
            self._by_us = False
            self._check()

    def _watch(self) -> None:
        """A watch shows some of what has happened, perhaps with something old repeated."""
        resource, cache = self.chance.choice(self.world.caches())
        news = self.world.news(resource, cache)
        for change in news[: self.chance.randint(1, 6)]:
            cache.apply(change.kind, change.object)
            if self.chance.random() < 0.1:
                repeated: Change = self.chance.choice(self.world.api.since(resource, 0))
                if repeated.version <= cache.seen.version:
                    cache.apply(repeated.kind, repeated.object)

    def _relist(self) -> None:
        """A watch breaks for good: what it had not shown is known only from the list."""
        resource, cache = self.chance.choice(self.world.caches())
        self.world.list(resource, cache)

    def _wait(self) -> None:
        self.world.now += self.chance.choice([0.1, 1, 1, 3, 12])

    def _pod(self) -> None:
        """A Pod starts, becomes ready, or ends."""
        running = self.world.running()
        if not running:
            return
        pod = self.chance.choice(running)
        fate = self.chance.random()
        if fate < 0.35:
            self.world.ready(pod)
        elif fate < 0.75:
            self.world.end(pod)
        else:
            self.world.end(pod, exit_code=self.chance.choice([1, 1, 1, 2, 3, 4]))

    def _node(self) -> None:
        """A Pod that is being deleted ends, as the kubelet has it; or somebody deletes a Pod."""
        pods = self.world.pods()
        going = [pod for pod in pods if "deletionTimestamp" in pod["metadata"]]
        if going:
            self._let_end(self.chance.choice(going))
        elif pods and self.chance.random() < 0.15:
            name = self.chance.choice(pods)["metadata"]["name"]
            self.world.api.call("DELETE", pods_path(NAMESPACE, name))

    def _let_end(self, pod: Object) -> None:
        name = pod["metadata"]["name"]
        if pod["status"]["phase"] not in ("Succeeded", "Failed"):
            self.world.end(pod, exit_code=self.chance.choice([0, 143, 143]))
        if self.world.api.get("pods", NAMESPACE, name) is not None:
            self.world.api.call("DELETE", pods_path(NAMESPACE, name), {"gracePeriodSeconds": 0})

    def _user(self) -> None:
        """The user suspends, resumes, wants more or fewer Pods, deletes the Job, takes a Pod from it."""
        if self.world.api.get("jobs", NAMESPACE, JOB) is None:
            return
        fate = self.chance.random()
        if fate < 0.06:
            self.world.delete(JOB, self.chance.choice(["Background", "Foreground", "Orphan"]))
            return
        if fate < 0.2 and self.world.running():
            name = self.chance.choice(self.world.running())["metadata"]["name"]
            self.world.api.change("pods", NAMESPACE, name, {"metadata": {"ownerReferences": None}})
            return
        change: Object = {"suspend": not self.world.job(JOB)["spec"].get("suspend", False)}
        if self.chance.random() < 0.5:
            change = {"parallelism": self.chance.randint(0, 4)}
        self.world.patch(JOB, **change)

    def _calm_down(self) -> None:
        """No more trouble: whatever runs succeeds, until the Job is finished."""
        self.trouble = 0.0
        if not self._gone():
            self.world.patch(JOB, suspend=False, parallelism=3)
        for _ in range(200):
            self._by_us = True
            self.world.run(3)
            self._by_us = False
            self._check()
            for pod in self.world.pods():
                if "deletionTimestamp" in pod["metadata"]:
                    self._let_end(pod)
            for pod in self.world.running():
                self.world.end(pod)
            self.world.api.collect_garbage()
            if (self._gone() or self._finished()) and not self.world.tracked():
                break
            self.world.now += 30
        self._check_end()

    # What goes wrong.

    def _before(self, call: Call) -> None:
        if not self._by_us or self.chance.random() >= self.trouble:
            return
        if self.chance.random() < 0.35:
            raise Crash
        error = self.chance.choice(ERRORS)
        if error.conflict and call.method == "POST":
            return
        raise error

    def _after(self, call: Call) -> None:
        self._note(call)
        if self._by_us and self.chance.random() < self.trouble / 2:
            if call.method == "POST":
                self.lost_answers = True
            if self.chance.random() < 0.4:
                raise Crash
            raise ApiError(UNREACHABLE, "", "connection reset")

    # What must hold.

    def _note(self, call: Call) -> None:
        """Right after each call: what it changed is as it should be."""
        for change in self.world.api.changes[self._seen_changes :]:
            if change.resource == "jobs":
                self._note_status(change.object["status"])
            if change.resource == "pods":
                self._note_pod(change)
        self._seen_changes = len(self.world.api.changes)
        if call.method == "POST" and call.resource == "pods" and not self.lost_answers:
            self._check_running()

    def _note_status(self, status: Object) -> None:
        uncounted = status.get("uncountedTerminatedPods") or {}
        for outcome, uids in self.counted.items():
            uids.update(uncounted.get(outcome) or ())
        self.indexes |= set(_indexes(status.get("completedIndexes")))
        if self.counted["succeeded"] & self.counted["failed"]:
            self._broken("a Pod is counted as succeeded and as failed")

    def _note_pod(self, change: Change) -> None:
        pod, uid = change.object, change.object["metadata"]["uid"]
        before = self._pods.get(uid)
        self._pods[uid] = pod
        if before is None or not self._by_us:
            return
        had = FINALIZER in (before["metadata"].get("finalizers") or ())
        has = FINALIZER in (pod["metadata"].get("finalizers") or ())
        cached = self.world.reconciler.pods.get_uid(uid)
        if not had or has or cached is None or cached.state not in (ENDED_WELL, ENDED_BADLY):
            return
        self._check_written_down(pod, cached.state == ENDED_WELL)

    def _check_written_down(self, pod: Object, well: bool) -> None:
        if self._gone() or "deletionTimestamp" in self.world.job(JOB)["metadata"]:
            return
        status = self.world.job(JOB)["status"]
        if holds(status, "Complete") or holds(status, "Failed") or not _controlled(pod):
            return
        uid = pod["metadata"]["uid"]
        if uid in self.counted["succeeded"] | self.counted["failed"]:
            return
        index = int(pod["metadata"].get("annotations", {}).get(INDEX, -1))
        if well and index in self.indexes:
            return
        if not well and self._ignored(pod):
            return
        self._broken(f"{pod['metadata']['name']} lost its finalizer before it was written down")

    def _ignored(self, pod: Object) -> bool:
        rules = (self.spec.get("podFailurePolicy") or {}).get("rules") or ()
        ignored = {code for rule in rules if rule["action"] == "Ignore"
                   for code in rule["onExitCodes"]["values"]}  # fmt: skip
        return any(
            container["state"]["terminated"]["exitCode"] in ignored
            for container in pod["status"].get("containerStatuses") or ()
        )

    def _check_running(self) -> None:
        """A creation must not make more Pods than there should be, by what the cache shows of the Job."""
        cached = self.world.reconciler.jobs.get(f"{NAMESPACE}/{JOB}")
        if cached is None:
            return
        mine = [pod for pod in self.world.running() if _controlled(pod)]
        if len(mine) > cached.job.parallelism:
            self._broken(f"{len(mine)} Pods run, {cached.job.parallelism} are wanted")
        indexes = [pod["metadata"].get("annotations", {}).get(INDEX) for pod in mine]
        if cached.job.indexed and len(set(indexes)) != len(indexes):
            self._broken(f"two Pods of one index run: {indexes}")

    def _check(self) -> None:
        self._note(Call("", "", "", "", "", None))
        for call, error in self.world.api.refused:
            if call.subresource == "status" and error.code == 422:
                self._broken(f"the API server refused a status: {error}")

    def _gone(self) -> bool:
        return self.world.api.get("jobs", NAMESPACE, JOB) is None

    def _finished(self) -> bool:
        status = self.world.job(JOB)["status"]
        return holds(status, "Complete") or holds(status, "Failed")

    def _check_end(self) -> None:
        if self.world.tracked():
            self._broken(f"Pods keep the finalizer: {self.world.tracked()}")
        if self._gone():
            return
        status = self.world.job(JOB)["status"]
        if not self._finished():
            self._broken(f"the Job never finishes: {status}")
        succeeded, failed = status.get("succeeded", 0), status.get("failed", 0)
        if self.spec.get("completionMode") == "Indexed":
            wanted = len(_indexes(status.get("completedIndexes")))
        else:
            wanted = len(self.counted["succeeded"])
        if succeeded != wanted or failed != len(self.counted["failed"]):
            self._broken(
                f"counted {succeeded} succeeded and {failed} failed, "
                f"written down were {wanted} and {len(self.counted['failed'])}"
            )

    def _broken(self, what: str) -> None:
        raise Broken(f"history {self.seed}: {what}; Job {self.spec}")


def _controlled(pod: Object) -> bool:
    return bool(pod["metadata"].get("ownerReferences"))


def _exit_rule(action: str, code: int) -> Object:
    return {"action": action, "onExitCodes": {"operator": "In", "values": [code]}}


def _indexes(text: Any) -> list[int]:
    from reconciler.status_rules import indexes

    return indexes(text or "")
