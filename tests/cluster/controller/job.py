"""A Job of a scenario: what is done to it, and what is expected of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cluster.controller.job_policies import camel_case, indexes_of
from cluster.controller.pod import MERGE, STRATEGIC, Pod
from cluster.controller.waiting import WITHIN, eventually

if TYPE_CHECKING:
    from cluster.bed.connection import Answer
    from cluster.controller.scenario import Scenario

SHOWN = 20  # Pods, where something went wrong
COUNTS = ("active", "ready", "terminating", "succeeded", "failed")
LISTS = {"completed_indexes": "completedIndexes", "failed_indexes": "failedIndexes"}
ANNOUNCED_BY = {"Failed": "FailureTarget", "Complete": "SuccessCriteriaMet"}


class Job:
    """A Job under test; ``scenario.job(…)`` creates one."""

    def __init__(self, scenario: Scenario, stored: dict[str, Any]) -> None:
        self._scenario = scenario
        self._bed = scenario.controller.bed
        self.created = stored

    @property
    def name(self) -> str:
        return str(self.created["metadata"]["name"])

    @property
    def uid(self) -> str:
        return str(self.created["metadata"]["uid"])

    @property
    def path(self) -> str:
        return f"/apis/batch/v1/namespaces/{self._scenario.namespace}/jobs/{self.name}"

    # What there is.

    def read(self) -> dict[str, Any]:
        """The Job as it is stored now."""
        return self._bed.get(self.path)

    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = self.read().get("status") or {}
        return status

    def pods(self) -> list[Pod]:
        """All its Pods, the oldest first, ended and terminating ones too."""
        return [
            pod
            for pod in self._scenario.pods()
            if any(o["uid"] == self.uid for o in pod.stored["metadata"].get("ownerReferences", ()))
        ]

    def active_pods(self) -> list[Pod]:
        return [pod for pod in self.pods() if pod.active]

    def pod(self, index: int | None = None) -> Pod:
        """An active Pod, of this completion index if one is given; waited for if need be."""
        found: list[Pod] = []

        def missing() -> str:
            found[:] = [pod for pod in self.active_pods() if index in (None, pod.index)]
            return "" if found else f"no active Pod{'' if index is None else f' of index {index}'}"

        eventually(missing, explain=self.described)
        return found[0]

    def some_pods(self, count: int) -> list[Pod]:
        """So many of its active Pods, those that are not ready last."""
        pods = sorted(self.active_pods(), key=lambda pod: not pod.ready)
        assert len(pods) >= count, f"{len(pods)} active Pods\n{self.described()}"
        return pods[:count]

    def condition(self, kind: str) -> dict[str, Any] | None:
        """The condition of this type that is True or False; None if there is none."""
        found = [c for c in self.status().get("conditions") or () if c["type"] == kind]
        assert len(found) <= 1, f"{len(found)} conditions {kind}\n{self.described()}"
        return found[0] if found else None

    def is_true(self, kind: str) -> bool:
        condition = self.condition(kind)
        return condition is not None and condition["status"] == "True"

    def events(self) -> list[tuple[str, str]]:
        """Reason and message of each event about it."""
        path = f"/api/v1/namespaces/{self._scenario.namespace}/events"
        return [
            (event["reason"], event["message"])
            for event in self._bed.get(path)["items"]
            if event["involvedObject"].get("uid") == self.uid
        ]

    # What users do to it.

    def edit(self, **spec: Any) -> Answer:
        """Change fields of its spec, such as ``parallelism=2``; the answer is not checked."""
        body = {"spec": camel_case(spec)}
        return self._bed.request("PATCH", self.path, body, content_type=MERGE)

    def changes(self, **spec: Any) -> None:
        """Change fields of its spec, which must be accepted."""
        answer = self.edit(**spec)
        assert answer.code == 200, answer

    def edit_template(self, pod: dict[str, Any], **spec: Any) -> Answer:
        """Change its Pod template's spec, and fields of its own; the answer is not checked."""
        return self.edit(template={"spec": pod}, **spec)

    def is_suspended(self) -> None:
        self.changes(suspend=True)

    def is_resumed(self) -> None:
        self.changes(suspend=False)

    def is_deleted(self, policy: str | None = None) -> None:
        """Somebody deletes it, with this propagation policy; and it is gone or going."""
        options = {} if policy is None else {"propagationPolicy": policy}
        answer = self._bed.request("DELETE", self.path, options)
        assert answer.code in (200, 202), answer

    def is_annotated(self, name: str, *, by: str) -> None:
        """It gets an annotation, by ``patch`` or by ``update``."""
        annotations = {f"example.com/{name}": "yes"}
        if by == "patch":
            body = {"metadata": {"annotations": annotations}}
            answer = self._bed.request("PATCH", self.path, body, content_type=MERGE)
            assert answer.code == 200, answer
        else:
            self._update("", lambda job: job["metadata"]["annotations"].update(annotations))

    def gets_condition(self, kind: str, *, by: str) -> None:
        """Somebody else adds a condition to its status, by ``patch`` or by ``update``."""
        condition = {"type": kind, "status": "True", "reason": "Test"}
        if by == "patch":
            body = {"status": {"conditions": [condition]}}
            answer = self._bed.request("PATCH", f"{self.path}/status", body, content_type=STRATEGIC)
            assert answer.code == 200, answer
        else:
            add = lambda job: job["status"].setdefault("conditions", []).append(condition)  # noqa: E731
            self._update("/status", add)

    def gets_status(self, status: dict[str, Any]) -> None:
        """Its status changes in these fields."""
        self._update("/status", lambda job: job["status"].update(status))

    def _update(self, subresource: str, change: Callable[[dict[str, Any]], Any]) -> None:
        """Read, change and write it, again after a conflict."""
        code = 409
        while code == 409:
            job = self.read()
            change(job)
            code = self._bed.request("PUT", self.path + subresource, job).code
        assert code == 200, code

    # What is expected.

    def reaches(self, *, within: float = WITHIN, **expected: Any) -> None:
        """Wait for this status, and for Pods that agree with it.

        Args:
            expected: ``active``, ``ready``, ``terminating``, ``succeeded``, ``failed``: 0 unless given;
                ``completed_indexes``, ``failed_indexes``: none, or empty, unless given; given as ``""`` the
                list must be there and empty; ``active_indexes``: those that run, such as ``"0,2"``.
        """
        eventually(lambda: self._missing(expected), within, self.described)

    def stays(self, *, seconds: float = 1.0, **expected: Any) -> None:
        """The status is this one now, and still after each moment of this time."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            missing = self._missing(expected)
            assert not missing, f"{missing}\n{self.described()}"
            time.sleep(0.05)

    def is_failing(self, reason: str) -> None:
        """It has only announced that it will fail."""
        self._only_announces("Failed", reason)

    def is_completing(self, reason: str) -> None:
        """It has only announced that it will be complete."""
        self._only_announces("Complete", reason)

    def has_failed(self, reason: str, message: str | None = None, **expected: Any) -> None:
        """Wait until it has failed, announced and concluded alike, with this status."""
        self.ends("Failed", reason, message)
        self.reaches(**expected)  # its Pods may be a moment behind

    def is_complete(
        self, reason: str = "CompletionsReached", message: str | None = None, **expected: Any
    ) -> None:
        """Wait until it is complete, announced and concluded alike, with this status."""
        self.ends("Complete", reason, message)
        self.reaches(**expected)

    def ends(self, end: str, reason: str, message: str | None = None) -> None:
        """Wait until it is ``Complete`` or ``Failed``, announced and concluded alike, nothing left to count."""
        eventually(
            lambda: (
                "" if self.is_true("Failed") or self.is_true("Complete") else "it has not ended"
            ),
            explain=self.described,
        )
        shown = self.described()
        assert self.is_true(end), shown
        last, first = self.condition(end), self.condition(ANNOUNCED_BY[end])
        assert last is not None, shown
        assert first is not None, shown
        assert (last["reason"], last["message"]) == (first["reason"], first["message"]), shown
        assert last["reason"] == reason, shown
        assert message in (None, last["message"]), shown
        status = self.status()
        uncounted = status.get("uncountedTerminatedPods") or {}
        assert not any(uncounted.values()), shown
        assert ("completionTime" in status) == (end == "Complete"), shown

    def says(self, reason: str, message: str | None = None) -> None:
        """Wait for an event about it."""

        def missing() -> str:
            events = self.events()
            found = any(r == reason and message in (None, m) for r, m in events)
            return "" if found else f"no event {reason} {message or ''} among {events}"

        eventually(missing)

    def has_pods(self, count: int) -> None:
        """So many Pods of it exist, ended ones too: no other one was made, as none was deleted."""
        pods = self.pods()
        assert len(pods) == count, f"{len(pods)} Pods\n{self.described()}"

    def has_condition(self, kind: str, status: str) -> None:
        """Wait for a condition of this type and status."""

        def missing() -> str:
            condition = self.condition(kind)
            right = condition is not None and condition["status"] == status
            return "" if right else f"{kind} is not {status}"

        eventually(missing, explain=self.described)

    def is_left_alone(self, seconds: float = 1.5) -> None:
        """Nobody writes its status."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            assert self.status() == {}, self.described()
            time.sleep(0.1)

    def is_gone(self) -> None:
        """Wait until it exists no more."""
        eventually(lambda: "" if self._bed.request("GET", self.path).code == 404 else "it is there")

    # How that is found out.

    def _missing(self, expected: dict[str, Any]) -> str:
        status = self.status()
        wrong = [
            _wrong(f"status.{name}", status.get(name, 0), expected.get(name, 0)) for name in COUNTS
        ]
        wrong += [
            _wrong_list(status.get(field), field, expected.get(name))
            for name, field in LISTS.items()
        ]
        active = self.active_pods()
        wrong.append(_wrong("Pods that are active", len(active), expected.get("active", 0)))
        if "active_indexes" in expected:
            indexes = sorted(-1 if pod.index is None else pod.index for pod in active)
            wanted = indexes_of(expected["active_indexes"])
            wrong.append(_wrong("indexes that are active", indexes, wanted))
        return ", ".join(filter(None, wrong))

    def _only_announces(self, end: str, reason: str) -> None:
        announced = ANNOUNCED_BY[end]

        def missing() -> str:
            condition = self.condition(announced)
            right = condition is not None and condition["reason"] == reason
            return "" if right else f"no {announced} {reason}"

        eventually(missing, explain=self.described)
        for other in {*ANNOUNCED_BY, *ANNOUNCED_BY.values()} - {announced}:
            assert not self.is_true(other), self.described()

    def described(self) -> str:
        """Describe its status and its Pods, for failure messages."""
        answer = self._bed.request("GET", self.path)
        status = answer.body.get("status") if answer.code == 200 else answer
        pods = self.pods()
        more = [f"and {len(pods) - SHOWN} Pods more"] if len(pods) > SHOWN else []
        shown = [_described(pod) for pod in pods[:SHOWN]]
        return "\n".join([f"Job {self.name}: {json.dumps(status, indent=1)}", *shown, *more])


def _wrong(what: str, is_: object, should_be: object) -> str:
    return "" if is_ == should_be else f"{what} is {is_}, not {should_be}"


def _wrong_list(is_: str | None, field: str, should_be: str | None) -> str:
    if should_be is None:
        return "" if not is_ else f"status.{field} is {is_}, not empty"
    return _wrong(f"status.{field}", is_, should_be)


def _described(pod: Pod) -> str:
    marks = [pod.phase, *(["deleted"] if pod.deleted else []), *pod.finalizers]
    return f"Pod {pod.name}: {' '.join(marks)} {pod.annotations or ''}"
