"""A kubelet that plays a JobScenario on a test bed, in real time.

It is the simulator's own model of nodes and Pods, with the wall clock as its time. What the model decides (a Pod runs,
ends, is evicted) is written to the API server; what the controllers and the API server decide (a Pod is created, a Pod
is deleted) is given to the model. So the Pods of a scenario behave on the bed as they do in the simulator, and what
becomes of the Job is decided by the real controller.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from cluster.bed.stages import NODE
from cluster.controller.pod import MERGE, STRATEGIC
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.pods import UNKNOWN_INDEX
from jobsworth.controller.pods import Pod as PodView
from jobsworth.controller.times import write_time
from jobsworth.controller.well_known_names import COMPLETION_INDEX, RUNNING
from jobsworth.runs.failure_causes import DISRUPTIONS
from jobsworth.runs.run_record import PodRecord
from jobsworth.runs.simulation.scenario import ONLY_JOB
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.simulated_nodes import DISRUPTED, Nodes, PodTemplate, SimulatedPod
from jobsworth.runs.virtual_time import EventQueue
from support.simulation.job_outcomes import JobOutcome, by_index, conditions_of

if TYPE_CHECKING:
    from cluster.bed import TestBed

TICK = 0.05
"""Seconds between two looks at the clock."""
APART = 0.2
"""Seconds between the beginnings of two Jobs that run at the same time."""
MAX_ENTRIES = 10**9
GONE = (404, 409)
"""The Pod does not exist any more, or is another one."""


class PlayedPod:
    """A Pod on the bed, with its model, and how much of the model the API server has."""

    def __init__(self, path: str, model: SimulatedPod, containers: list[dict[str, Any]]) -> None:
        self.path = path
        self.model = model
        self.containers = containers
        self.bound = False
        self.deleted = False
        self.written = model.view


class PlayedJob:
    """A Job on the bed, and the scenario of its Pods.

    Args:
        documents: the Job and its JobScenario.
        seed: of what the scenario leaves to chance.
    """

    def __init__(
        self,
        bed: TestBed,
        namespace: str,
        documents: tuple[Any, Any],
        seed: int,
    ) -> None:
        self._manifest, scenario = documents
        self._scenario = read_scenario(scenario)
        self._seed = seed
        self._bed = bed
        self._namespace = namespace
        self._events: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._pods: dict[str, PlayedPod] = {}  # by UID
        self._attempts: Counter[int] = Counter()
        self._status: dict[str, Any] = {}
        self._queue = EventQueue()
        self._nodes: Nodes
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._play_or_note, daemon=True)

    @property
    def name(self) -> str:
        return str(self._manifest["metadata"]["name"])

    @property
    def path(self) -> str:
        return f"/apis/batch/v1/namespaces/{self._namespace}/jobs/{self.name}"

    def begin(self) -> None:
        """Create the Job, and play its Pods from now on."""
        stored = self._bed.create(self._manifest, self._namespace)
        self._origin = time.monotonic()
        self._template = PodTemplate(stored["spec"]["template"])
        scenario = replace(self._scenario, start=int(time.time()))
        self._nodes = Nodes(scenario, self._seed, self._queue, self._models)
        for change in scenario.changes:
            self._queue.at(change.at, self._edit, change.spec)
        self._thread.start()

    def sees(self, event: dict[str, Any]) -> None:
        """Take an event of a watch that is about the Job or one of its Pods."""
        self._events.put(event)

    def outcome(self) -> JobOutcome:
        """Wait until the Job has finished, or the scenario is over, and return how it stands."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        status = self._bed.get(self.path)["status"]
        models = self._models()
        return JobOutcome(
            conditions=conditions_of(status.get("conditions") or ()),
            **{
                name: status.get(name) or 0
                for name in ("active", "terminating", "succeeded", "failed")
            },
            completed_indexes=_indexes(status.get("completedIndexes")),
            failed_indexes=_indexes(status.get("failedIndexes")),
            pods=by_index(model.record.index for model in models),
        )

    def _models(self) -> Iterator[SimulatedPod]:
        return iter([pod.model for pod in self._pods.values()])

    # The clock.

    def _play_or_note(self) -> None:
        try:
            self._play()
        except BaseException as failure:
            self._failure = failure

    def _play(self) -> None:
        now = 0
        while now < self._scenario.until and not self._finished:
            event: dict[str, Any] | None
            try:
                event = self._events.get(timeout=TICK)
            except Empty:
                event = None
            now = int((time.monotonic() - self._origin) * 1000)
            self._queue.run(now, lambda: False)
            if event is not None:
                self._take(event)
            for pod in list(self._pods.values()):
                self._write(pod)

    @property
    def _finished(self) -> bool:
        return any(
            each["type"] in ("Complete", "Failed") and each["status"] == "True"
            for each in self._status.get("conditions") or ()
        )

    # From the API server to the model.

    def _take(self, event: dict[str, Any]) -> None:
        stored = event["object"]
        if stored["kind"] == "Job":
            self._status = stored.get("status") or {}
            return
        metadata = stored["metadata"]
        pod = self._pods.get(metadata["uid"])
        if pod is None:
            pod = self._pods[metadata["uid"]] = self._new_pod(stored)
            self._nodes.add(pod.model)
        if "deletionTimestamp" in metadata and not pod.deleted:
            pod.deleted = True
            self._nodes.delete(pod.model, (metadata.get("deletionGracePeriodSeconds") or 0) * 1000)

    def _new_pod(self, stored: dict[str, Any]) -> PlayedPod:
        metadata = stored["metadata"]
        annotation = (metadata.get("annotations") or {}).get(COMPLETION_INDEX)
        index = None if annotation is None else int(annotation)
        key = UNKNOWN_INDEX if index is None else index
        self._attempts[key] += 1
        view = PodView(self._namespace, metadata["name"], metadata["uid"], index=key)
        record = PodRecord(metadata["name"], index, self._attempts[key], self._queue.now)
        model = SimulatedPod(view, record, self._template, ONLY_JOB, lambda pod: None, touched={})
        path = f"/api/v1/namespaces/{self._namespace}/pods/{metadata['name']}"
        return PlayedPod(path, model, stored["spec"]["containers"])

    # From the model to the API server.

    def _write(self, pod: PlayedPod) -> None:
        model = pod.model
        if model.record.scheduled is None:
            return  # if it is deleted, the Pod garbage collector ends it
        if not pod.bound:
            pod.bound = True
            target = {"apiVersion": "v1", "kind": "Node", "name": NODE}
            binding = {"apiVersion": "v1", "kind": "Binding", "target": target}
            binding["metadata"] = {"name": model.record.name}
            self._call("POST", f"{pod.path}/binding", binding)
        if model.record.deleted is not None and not pod.deleted:
            pod.deleted = True
            self._delete(pod)
        if model.view is pod.written:
            return
        pod.written = model.view
        self._patch_status(pod, _status(pod))
        if model.record.ended is not None and pod.deleted:
            self._call("DELETE", pod.path, {"gracePeriodSeconds": 0})

    def _delete(self, pod: PlayedPod) -> None:
        """Delete a Pod as its cause does: by an eviction, or after the condition of the cause."""
        view, record = pod.model.view, pod.model.record
        options = {"gracePeriodSeconds": max(1, view.gone_by - self._nodes.seconds())}
        if record.cause == "EvictionAPI":
            eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "deleteOptions": options}
            metadata = {"name": record.name, "namespace": self._namespace}
            self._call("POST", f"{pod.path}/eviction", {**eviction, "metadata": metadata})
            return
        if DISRUPTED in view.conditions:
            self._patch_status(pod, {"conditions": _conditions(pod.model)})
        self._call("DELETE", pod.path, options)

    def _edit(self, spec: dict[str, Any]) -> None:
        answer = self._bed.request("PATCH", self.path, {"spec": spec}, content_type=MERGE)
        assert answer.code == 200, answer

    def _patch_status(self, pod: PlayedPod, status: dict[str, Any]) -> None:
        self._call("PATCH", f"{pod.path}/status", {"status": status}, STRATEGIC)

    def _call(
        self, method: str, path: str, body: Any, content_type: str = "application/json"
    ) -> None:
        answer = self._bed.request(method, path, body, content_type=content_type)
        assert answer.code < 300 or answer.code in GONE, (method, path, answer)


class PlayedJobs:
    """Jobs that are played at the same time in a namespace of their own."""

    def __init__(self, bed: TestBed) -> None:
        self._bed = bed
        self._namespace = bed.namespace("played")
        self._jobs: dict[str, PlayedJob] = {}

    def play(self, documents: dict[str, tuple[Any, Any]], seed: int) -> dict[str, JobOutcome]:
        """Play scenarios with their Jobs, and return the outcomes."""
        self._jobs = {
            name: PlayedJob(self._bed, self._namespace, each, seed)
            for name, each in documents.items()
        }
        for path in (
            f"/api/v1/namespaces/{self._namespace}/pods",
            f"/apis/batch/v1/namespaces/{self._namespace}/jobs",
        ):
            version = self._bed.get(path)["metadata"]["resourceVersion"]
            watch = f"{path}?watch=true&resourceVersion={version}"
            threading.Thread(target=self._follow, args=(watch,), daemon=True).start()
        for job in self._jobs.values():
            job.begin()
            time.sleep(APART)
        return {name: job.outcome() for name, job in self._jobs.items()}

    def _follow(self, path: str) -> None:
        for event in self._bed.connection.watch(path):
            metadata = event["object"]["metadata"]
            owners = metadata.get("ownerReferences") or ()
            for name in (metadata["name"], *(owner["name"] for owner in owners)):
                if name in self._jobs:
                    self._jobs[name].sees(event)


def _status(pod: PlayedPod) -> dict[str, Any]:
    """Return the status that the kubelet reports of a Pod."""
    model = pod.model
    view, record = model.view, model.record
    status = {"phase": view.phase, "conditions": _conditions(model)}
    if record.started is None and record.exit_code is None:
        return status
    codes = {each.container: each for each in view.terminations}
    statuses = []
    for container in pod.containers:
        name = container["name"]
        state: dict[str, Any] = {"running": {}}
        if record.ended is not None:
            ended = codes.get(name)
            state = {
                "terminated": {
                    "exitCode": 0 if ended is None else ended.exit_code,
                    "reason": "Completed" if ended is None else ended.reason,
                    "finishedAt": write_time(view.finished_at),
                }
            }
        statuses.append(
            {
                "name": name,
                "image": container["image"],
                "imageID": "",
                "ready": view.ready,
                "restartCount": view.container_restarts if name == pod.model.template.first else 0,
                "state": state,
            }
        )
    return {**status, "containerStatuses": statuses}


def _conditions(model: SimulatedPod) -> list[dict[str, Any]]:
    view = model.view
    ready = "True" if view.ready and view.phase == RUNNING else "False"
    conditions = [{"type": "Ready", "status": ready}]
    for each in view.conditions:
        name, _, status = each.partition("=")
        reason = DISRUPTIONS[model.record.cause].reason if model.record.cause else ""
        conditions.append({"type": name, "status": status, "reason": reason})
    return conditions


def _indexes(text: str | None) -> tuple[int, ...]:
    return tuple(
        index
        for first, last in IndexSet.read(text, MAX_ENTRIES).intervals
        for index in range(first, last + 1)
    )
