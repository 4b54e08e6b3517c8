"""A cluster of one Job, in memory, in which calls fail and the controller dies: for laws.

It keeps what the API server keeps: finalizers hold deleted Pods, a status is stored whole and by the
rules. A Pod that has ended stays so, unless a test rewrites its phase, which the API server allows.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jobsworth.controller import well_known_names
from jobsworth.controller.jobs import read_job
from jobsworth.controller.plan import ActionResults, Memory, plan
from jobsworth.controller.pod_body import pod_body
from jobsworth.controller.pods import read_pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.status import write_status
from jobsworth.controller.sync_context import SyncDecision, decide_sync
from jobsworth.controller.times import write_time
from support.controller.job_syncs import NOW
from support.controller.status_rules import broken_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.controller.actions import Creation
    from jobsworth.controller.backoff import BackoffRecord
    from jobsworth.controller.status import Status


class Died(Exception):
    """The controller has died; what it had not stored is lost."""


class Rejected(Exception):
    """The API server has rejected a call."""


@dataclass
class SingleJobCluster:
    """One Job and its Pods.

    Attributes:
        created: how many Pods there have ever been.
        released_early: Pods of which the finalizer was removed before they had ended or were counted.
        calls: how many calls the controller may still make before it dies.
        rejections: which of its calls are rejected, by their number.
    """

    job: dict[str, Any]
    settings: ControllerSettings = field(default_factory=ControllerSettings)
    now: float = NOW
    pods: dict[str, dict[str, Any]] = field(default_factory=dict)
    created: int = 0
    released_early: int = 0
    backoff: BackoffRecord | None = None
    removals: set[str] = field(default_factory=set)
    lagging: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: int = 10**9
    rejections: frozenset[int] = frozenset()
    made: int = 0
    finished: bool = False

    def sync(
        self, *, dies_after: int | None = None, rejections: frozenset[int] = frozenset()
    ) -> None:
        """Let the controller sync; it may die after some calls, and some may be rejected."""
        self.calls = 10**9 if dies_after is None else dies_after
        self.rejections, self.made = rejections, 0
        try:
            self._sync()
        except Rejected:
            pass
        except Died:
            self.backoff, self.lagging, self.removals = None, {}, set()

    def _call(self) -> None:
        if self.made >= self.calls:
            raise Died
        self.made += 1
        if self.made in self.rejections:
            raise Rejected

    def _sync(self) -> None:
        job = read_job(self.job, self.settings)
        if decide_sync(job, self.settings) is not SyncDecision.SYNC:
            return
        shown = [self.lagging.get(name, pod) for name, pod in self.pods.items()]
        memory = Memory(True, frozenset(self.removals), self.backoff)
        pods = [read_pod(pod, self.settings) for pod in shown]
        decided = plan(job, pods, memory, self.now, self.settings)
        assert not (decided.deletions and decided.creations)
        self._store(decided.interim)
        deleted = frozenset(
            entry.pod.uid
            for entry in decided.deletions
            if self._tried(self._delete, entry.pod.name, entry.untrack_first)
        )
        created = sum(self._tried(self._create, job, creation) for creation in decided.creations)
        record = decided.after(ActionResults(deleted, created, len(decided.creations) - created))
        self._store(record.status)
        self.backoff = record.backoff
        untracked = []
        for pod in record.finalizer_removals:
            stale = copy.deepcopy(self.pods[pod.name]) if pod.name in self.pods else None
            if self._tried(self._strip, pod.name):
                untracked.append(pod.uid)
                self.removals.add(pod.uid)
                if stale is not None and pod.name in self.pods:
                    self.lagging[pod.name] = stale
        conclusion = record.after(frozenset(untracked))
        self._store(conclusion.status)
        self.finished = conclusion.finished

    def _tried(self, action: Callable[..., None], *arguments: Any) -> bool:
        try:
            action(*arguments)
        except Rejected:
            return False
        return True

    def _store(self, status: Status | None) -> None:
        if status is None:
            return
        self._call()
        written = write_status(status)
        assert broken_rules(self.job["spec"], self.job["status"], written) == []
        self.job["status"] = written

    def _delete(self, name: str, untrack_first: bool) -> None:
        if untrack_first and name in self.pods and self.pods[name]["metadata"]["finalizers"]:
            self._call()
            self.released_early += 1
            self.pods[name]["metadata"]["finalizers"] = []
        self._call()
        self.delete(name)

    def _create(self, job: Any, creation: Creation) -> None:
        self._call()
        body = pod_body(job, creation)
        self.created += 1
        name = f"{body['metadata']['generateName']}{self.created:05}"
        metadata = {
            **body["metadata"],
            "name": name,
            "uid": f"uid-{name}",
            "creationTimestamp": write_time(int(self.now)),
        }
        self.pods[name] = {**body, "metadata": metadata, "status": {"phase": "Running"}}

    def _strip(self, name: str) -> None:
        self._call()
        if name in self.pods:
            self.pods[name]["metadata"]["finalizers"] = []
            self._sweep()

    # What others do.

    def observe(self) -> None:
        """The watch catches up."""
        self.removals.clear()
        self.lagging.clear()

    def delete(self, name: str) -> None:
        """Somebody deletes a Pod."""
        if name in self.pods:
            deletion = {"deletionTimestamp": write_time(int(self.now) + 30)}
            self.pods[name]["metadata"] = {**deletion, **self.pods[name]["metadata"]}
            self._sweep()

    def end(self, name: str, *, well: bool) -> None:
        """A Pod ends."""
        pod = self.pods[name]
        if pod["status"]["phase"] == "Running":
            ended = {"exitCode": int(not well), "finishedAt": write_time(int(self.now))}
            container = {"name": "main", "state": {"terminated": ended}}
            phase = "Succeeded" if well else "Failed"
            pod["status"] = {"phase": phase, "containerStatuses": [container]}
            self._sweep()

    def rewrite_phase(self, number: int) -> None:
        """Give a Pod that has ended another phase."""
        ended = [name for name in self.pods if name not in self.running()]
        if ended:
            status = self.pods[ended[number % len(ended)]]["status"]
            others = [
                each for each in ("Running", "Succeeded", "Failed") if each != status["phase"]
            ]
            status["phase"] = others[number % 2]

    def running(self) -> list[str]:
        """The Pods that have not ended, those that are being deleted included."""
        return [name for name, pod in self.pods.items() if pod["status"]["phase"] == "Running"]

    def terminating(self) -> list[str]:
        """Those of them that are being deleted."""
        return [
            name for name in self.running() if "deletionTimestamp" in self.pods[name]["metadata"]
        ]

    def holds(self, kind: str) -> bool:
        """Return True if a condition of the Job is True."""
        return any(
            entry["type"] == kind and entry["status"] == "True"
            for entry in self.job["status"].get("conditions", ())
        )

    def _sweep(self) -> None:
        for name, pod in [*self.pods.items()]:
            metadata = pod["metadata"]
            ended = pod["status"]["phase"] != "Running"
            if "deletionTimestamp" in metadata and not metadata["finalizers"] and ended:
                del self.pods[name]
                self.lagging.pop(name, None)

    @property
    def tracked(self) -> list[str]:
        """Pods with the finalizer."""
        return [
            name
            for name, pod in self.pods.items()
            if well_known_names.OUR_FINALIZER in pod["metadata"]["finalizers"]
        ]
