"""Pods of a Job on a test bed, whose ends the test writes as the components of Kubernetes write them."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

from cluster.controller.pod import MERGE, STRATEGIC
from cluster.controller.waiting import eventually
from jobsworth.controller.times import write_time

if TYPE_CHECKING:
    from cluster.bed import TestBed

Object = dict[str, Any]
KEPT = "example.com/kept"
"""A finalizer that keeps a deleted Pod, so that its last state can be read."""
INDEX = "batch.kubernetes.io/job-completion-index"
_EVENT_NUMBERS = itertools.count(1)


class PlayedJob:
    """A Job of a namespace of its own.

    Args:
        keep: its Pods stay after they were deleted.
    """

    def __init__(self, bed: TestBed, namespace: str, manifest: Object, *, keep: bool) -> None:
        self.bed = bed
        self.namespace = namespace
        self.keep = keep
        self._manifest = manifest
        self.stored = bed.create(manifest, namespace)
        self.name = str(self.stored["metadata"]["name"])
        self.path = f"/apis/batch/v1/namespaces/{namespace}/jobs/{self.name}"
        self._played: set[str] = set()

    def is_created_again(self) -> None:
        """Wait until it is gone, and create it again."""
        eventually(
            lambda: "" if self.bed.request("GET", self.path).code == 404 else "it is there",
            within=60,
        )
        self.stored = self.bed.create(self._manifest, self.namespace)

    def read(self) -> Object:
        return self.bed.get(self.path)

    def pods(self) -> list[Object]:
        items: list[Object] = self.bed.get(f"/api/v1/namespaces/{self.namespace}/pods")["items"]
        return sorted(items, key=lambda pod: pod["metadata"]["creationTimestamp"])

    def next_pod(self, index: int | None = None) -> PlayedPod:
        """Wait for a Pod that no earlier call has returned."""
        found: list[Object] = []

        def missing() -> str:
            found[:] = [
                pod
                for pod in self.pods()
                if pod["metadata"]["uid"] not in self._played
                and "deletionTimestamp" not in pod["metadata"]
                and pod["metadata"]["ownerReferences"][0]["uid"] == self.stored["metadata"]["uid"]
                and (
                    index is None or pod["metadata"].get("annotations", {}).get(INDEX) == str(index)
                )
            ]
            return "" if found else f"no new Pod of index {index}"

        eventually(missing, within=60, explain=lambda: str(self.read().get("status")))
        self._played.add(found[0]["metadata"]["uid"])
        return PlayedPod(self, found[0])

    def ends(self) -> None:
        """Wait until it is Complete or Failed; the kubelet stops the Pods that the controller deletes."""

        def missing() -> str:
            for pod in self.pods():
                if "deletionTimestamp" in pod["metadata"]:
                    PlayedPod(self, pod).stops()
            conditions = self.read().get("status", {}).get("conditions") or ()
            done = any(
                each["type"] in ("Complete", "Failed") and each["status"] == "True"
                for each in conditions
            )
            return "" if done else f"the conditions are {conditions}"

        eventually(missing, within=60, explain=lambda: str(self.read().get("status")))

    def counts(self, **status: int) -> None:
        """Wait until its status has these numbers."""

        def missing() -> str:
            now = self.read().get("status") or {}
            wrong = {key: now.get(key, 0) for key in status if now.get(key, 0) != status[key]}
            return f"{wrong}, not {status}" if wrong else ""

        eventually(missing, within=60, explain=lambda: str(self.read().get("status")))

    def loses_pods(self) -> None:
        """Its ended Pods are deleted, as the Pod garbage collector or a user does."""
        for pod in self.pods():
            path = f"/api/v1/namespaces/{self.namespace}/pods/{pod['metadata']['name']}"
            self.bed.request("DELETE", path, {"gracePeriodSeconds": 0})
        eventually(lambda: "Pods are left" if self.pods() else "", within=60)

    def has_event(self, reason: str) -> None:
        """Wait for an Event about it."""

        def missing() -> str:
            items = self.bed.get(f"/api/v1/namespaces/{self.namespace}/events")["items"]
            reasons = [each["reason"] for each in items]
            return "" if reason in reasons else f"the Events are {reasons}"

        eventually(missing, within=60)

    def saved(self) -> Object:
        """Return its objects as kubectl prints them."""
        events = self.bed.get(f"/api/v1/namespaces/{self.namespace}/events")["items"]
        return {
            "items": [
                {**self.read(), "apiVersion": "batch/v1", "kind": "Job"},
                *({**each, "apiVersion": "v1", "kind": "Pod"} for each in self.pods()),
                *({**each, "apiVersion": "v1", "kind": "Event"} for each in events),
            ]
        }


class PlayedPod:
    """A Pod, and what the kubelet and others do with it."""

    def __init__(self, job: PlayedJob, stored: Object) -> None:
        self.job = job
        self.stored = stored
        self.name = str(stored["metadata"]["name"])
        self.path = f"/api/v1/namespaces/{job.namespace}/pods/{self.name}"
        deleted = "deletionTimestamp" in stored["metadata"]
        if job.keep and not deleted and KEPT not in (stored["metadata"].get("finalizers") or ()):
            self._patch("", {"metadata": {"finalizers": [KEPT]}})

    def runs(self) -> PlayedPod:
        now = _now()
        self._status(
            phase="Running",
            startTime=now,
            conditions=[{"type": "Ready", "status": "True", "lastTransitionTime": now}],
            containerStatuses=self._containers({"running": {"startedAt": now}}, ready=True),
        )
        self.event("Started", "Started container main", type="Normal")
        return self

    def waits(self, reason: str, message: str) -> PlayedPod:
        """Its container does not start."""
        state = {"waiting": {"reason": reason, "message": message}}
        self._status(phase="Pending", containerStatuses=self._containers(state))
        return self

    def is_unschedulable(self, message: str) -> PlayedPod:
        condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
        self._status(phase="Pending", conditions=[{**condition, "message": message}])
        self.event("FailedScheduling", message)
        return self

    def succeeds(self) -> None:
        self._ended("Succeeded", 0, "Completed")

    def fails(
        self,
        code: int = 1,
        reason: str = "Error",
        *,
        pod_reason: str = "",
        message: str = "",
        disruption: str = "",
    ) -> None:
        """Its container ends.

        Args:
            disruption: reason of a condition DisruptionTarget.
        """
        more: Object = {}
        if disruption:
            more["conditions"] = [_disrupted(disruption)]
        if pod_reason:
            more |= {"reason": pod_reason, "message": message}
        self._ended("Failed", code, reason, **more)

    def is_rejected(self, reason: str, message: str) -> None:
        """The kubelet rejects it before a container runs."""
        self._status(phase="Failed", reason=reason, message=message)

    def restarts(self, code: int, times: int) -> None:
        """Its container fails in place, and waits before the next start."""
        now = _now()
        last = {"terminated": {"exitCode": code, "reason": "Error", "finishedAt": now}}
        state = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting"}}
        statuses = self._containers(state)
        statuses[0] |= {"restartCount": times, "lastState": last}
        self._status(phase="Running", startTime=now, containerStatuses=statuses)
        self.event("BackOff", f"Back-off restarting failed container main in pod {self.name}")

    def is_deleted(self, disruption: str = "", code: int | None = 143) -> None:
        """Another client deletes it, with the condition of its cause, and the kubelet ends it.

        Args:
            code: of its container; None if the kubelet does not answer.
        """
        if disruption == "EvictionByEvictionAPI":
            eviction = {"apiVersion": "policy/v1", "kind": "Eviction"}
            metadata = {"name": self.name, "namespace": self.job.namespace}
            answer = self.job.bed.request(
                "POST", f"{self.path}/eviction", {**eviction, "metadata": metadata}
            )
            assert answer.code == 201, answer
        else:
            if disruption:
                self._status(conditions=[_disrupted(disruption)])
            answer = self.job.bed.request("DELETE", self.path, {"gracePeriodSeconds": 30})
            assert answer.code in (200, 202), answer
        if code is None:
            return
        self._ended("Failed", code, "Error")
        if not self.job.keep:  # of a kept Pod, it would only move the time of the deletion on
            self.job.bed.request("DELETE", self.path, {"gracePeriodSeconds": 0})

    def stops(self) -> None:
        """The kubelet stops it, because it was deleted."""
        if self.stored["status"]["phase"] == "Running":
            self._ended("Failed", 137, "Error")
        self.job.bed.request("DELETE", self.path, {"gracePeriodSeconds": 0})

    def event(self, reason: str, message: str, type: str = "Warning") -> None:
        """Another component emits an Event about it."""
        now = _now()
        self.job.bed.create(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": f"{self.name}.{next(_EVENT_NUMBERS)}"},
                "involvedObject": {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "name": self.name,
                    "namespace": self.job.namespace,
                    "uid": self.stored["metadata"]["uid"],
                },
                "reason": reason,
                "message": message,
                "type": type,
                "count": 1,
                "firstTimestamp": now,
                "lastTimestamp": now,
            },
            self.job.namespace,
        )

    def _ended(self, phase: str, code: int, ended_by: str, **more: Any) -> None:
        now = _now()
        state = {
            "terminated": {
                "exitCode": code, "reason": ended_by, "startedAt": now, "finishedAt": now,
            }
        }  # fmt: skip
        ready = {"type": "Ready", "status": "False", "lastTransitionTime": now}
        conditions = [ready, *more.pop("conditions", ())]
        before = self.job.bed.request("GET", self.path).body.get("status", {})
        containers = self._containers(state)
        for each, old in zip(containers, before.get("containerStatuses") or (), strict=False):
            each["restartCount"] = old["restartCount"]
            each["lastState"] = old.get("lastState") or {}
        self._status(phase=phase, conditions=conditions, containerStatuses=containers, **more)

    def _containers(self, state: Object, *, ready: bool = False) -> list[Object]:
        return [
            {
                "name": each["name"],
                "image": each["image"],
                "imageID": "",
                "ready": ready,
                "restartCount": 0,
                "state": state,
            }
            for each in self.stored["spec"]["containers"]
        ]

    def _status(self, **status: Any) -> None:
        self._patch("/status", {"status": status})

    def _patch(self, subresource: str, body: Object) -> None:
        kind = STRATEGIC if subresource or self.job.keep else MERGE
        answer = self.job.bed.request("PATCH", self.path + subresource, body, content_type=kind)
        assert answer.code in (200, 404), answer


def _disrupted(reason: str) -> Object:
    return {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": reason,
        "message": f"as {reason} writes it",
        "lastTransitionTime": _now(),
    }


def _now() -> str:
    return write_time(int(time.time()))
