"""A Pod of a scenario's Job, whose kubelet the test plays."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from jobsworth.controller.times import read_time, write_time
from jobsworth.controller.well_known_names import COMPLETION_INDEX, INDEX_FAILURE_COUNT

if TYPE_CHECKING:
    from cluster.bed import TestBed
    from cluster.bed.connection import Answer

STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
ENDED = ("Succeeded", "Failed")
LONG_AGO = 3600.0


class Pod:
    """A Pod under test.

    Args:
        stored: the Pod as the API server gave it.
        long_ago: its containers report an end an hour ago, so that no back-off is left to wait for.
    """

    def __init__(self, bed: TestBed, stored: dict[str, Any], *, long_ago: bool = False) -> None:
        self._bed = bed
        self._long_ago = long_ago
        self.stored = stored

    @property
    def name(self) -> str:
        return str(self.stored["metadata"]["name"])

    @property
    def uid(self) -> str:
        return str(self.stored["metadata"]["uid"])

    @property
    def path(self) -> str:
        return f"/api/v1/namespaces/{self.stored['metadata']['namespace']}/pods/{self.name}"

    @property
    def index(self) -> int | None:
        """Its completion index."""
        annotation = self.annotations.get(COMPLETION_INDEX)
        return None if annotation is None else int(annotation)

    @property
    def annotations(self) -> dict[str, str]:
        return self.stored["metadata"].get("annotations") or {}

    @property
    def failure_count(self) -> str | None:
        """The number of earlier failures of its index, from its annotation."""
        return self.annotations.get(INDEX_FAILURE_COUNT)

    @property
    def finalizers(self) -> list[str]:
        return self.stored["metadata"].get("finalizers") or []

    @property
    def phase(self) -> str:
        return str(self.stored["status"]["phase"])

    @property
    def deleted(self) -> bool:
        return "deletionTimestamp" in self.stored["metadata"]

    @property
    def ended(self) -> bool:
        return self.phase in ENDED

    @property
    def active(self) -> bool:
        return not self.deleted and not self.ended

    @property
    def ready(self) -> bool:
        conditions = self.stored["status"].get("conditions") or ()
        return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)

    @property
    def created_at(self) -> float:
        """In seconds since 1970; whole ones, as the API has them."""
        return float(read_time(self.stored["metadata"]["creationTimestamp"]) or 0)

    @property
    def ended_at(self) -> float:
        """The time at which its container ended, in whole seconds since 1970."""
        state = self.stored["status"]["containerStatuses"][0]["state"]
        return float(read_time(state["terminated"]["finishedAt"]) or 0)

    def again(self) -> Pod | None:
        """The Pod as it is now; None if it is gone."""
        answer = self._bed.request("GET", self.path)
        same = answer.code == 200 and answer.body["metadata"]["uid"] == self.uid
        return Pod(self._bed, answer.body, long_ago=self._long_ago) if same else None

    # What the kubelet does.

    def becomes_ready(self) -> None:
        condition = {"type": "Ready", "status": "True", "lastTransitionTime": self._now}
        self._set({"phase": "Running", "conditions": [condition]})

    def succeeds(self) -> None:
        """Its containers end with exit code 0."""
        self._ends("Succeeded", 0)

    def fails(self, exit_code: int = 1, condition: str | None = None) -> None:
        """Its containers end.

        Args:
            exit_code: of each of them.
            condition: type of a condition that the Pod gets besides.
        """
        conditions = [] if condition is None else [{"type": condition, "status": "True"}]
        self._ends("Failed", exit_code, conditions)

    def restarts(self, exit_code: int, times: int = 1) -> None:
        """Its containers have ended, and run again in place."""
        last = {"terminated": {"exitCode": exit_code, "finishedAt": self._now}}
        containers = [
            _container(each, {"running": {"startedAt": self._now}})
            | {"restartCount": times, "lastState": last, "ready": True}
            for each in self._containers
        ]
        self._set({"phase": "Running", "containerStatuses": containers})

    # What users do.

    def deletes(self, seconds: int | None = None) -> None:
        """Somebody deletes it, with so many seconds of grace."""
        options = {} if seconds is None else {"gracePeriodSeconds": seconds}
        answer = self._bed.request("DELETE", self.path, options)
        assert answer.code in (200, 202, 404), answer

    def is_evicted(self) -> None:
        """Evict it; the API server deletes it, with the condition that gives the reason."""
        eviction = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": self.name, "namespace": self.stored["metadata"]["namespace"]},
        }
        answer = self._bed.request("POST", f"{self.path}/eviction", eviction)
        assert answer.code == 201, answer

    def loses_finalizer(self, finalizer: str) -> None:
        patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": [finalizer]}}
        answer = self._bed.request("PATCH", self.path, patch, content_type=STRATEGIC)
        assert answer.code in (200, 404), answer

    def is_changed(self, patch: dict[str, Any], subresource: str = "") -> Answer:
        """Somebody changes it by a merge patch."""
        answer = self._bed.request("PATCH", self.path + subresource, patch, content_type=MERGE)
        assert answer.code == 200, answer
        return answer

    @property
    def _containers(self) -> list[dict[str, Any]]:
        return list(self.stored["spec"]["containers"])

    @property
    def _now(self) -> str:
        return write_time(int(time.time() - (LONG_AGO if self._long_ago else 0)))

    def _ends(self, phase: str, exit_code: int, conditions: list[dict[str, Any]] = []) -> None:  # noqa: B006
        state = {"terminated": {"exitCode": exit_code, "finishedAt": self._now}}
        self._set(
            {
                "phase": phase,
                "conditions": [
                    {"type": "Ready", "status": "False", "lastTransitionTime": self._now},
                    *conditions,
                ],
                "containerStatuses": [_container(each, state) for each in self._containers],
            }
        )

    def _set(self, status: dict[str, Any]) -> None:
        answer = self._bed.request(
            "PATCH", f"{self.path}/status", {"status": status}, content_type=STRATEGIC
        )
        assert answer.code == 200, answer


def _container(container: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": state,
    }
