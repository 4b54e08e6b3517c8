"""The life of Pods without the Job controller: nodes run them, users and controllers delete them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from jobsworth.client.api_resources import pods_path
from jobsworth.controller.times import write_time
from model.object_fields import OURS, RESERVED, Object, deleting, ended, tracked_by
from model.random_job_specs import EXIT_CODES, FOREIGN_FINALIZER
from model.recording_server import NAMESPACE, Server

PHASES = ("Pending", "Running", "Succeeded", "Failed", "Failed", "Unknown")
Step = Callable[[random.Random], str | None]


class SimulatedCluster:
    """The nodes, the garbage collectors, and clients that delete Pods. Each step describes what it did.

    Args:
        now: seconds since 1970.
    """

    def __init__(self, server: Server, now: Callable[[], float]) -> None:
        self.server = server
        self.now = now

    # The life of a Pod on its node.

    def start(self, chance: random.Random) -> str | None:
        """A Pod is bound to a node, runs, becomes ready; or is no longer ready."""
        pod = self._one(chance, lambda pod: not ended(pod))
        if pod is None:
            return None
        ready = "True" if chance.random() < 0.8 else "False"
        self._report(
            pod,
            "Running",
            conditions=[self._condition("Ready", ready)],
            containerStatuses=self._containers(pod, {"running": {}}),
        )
        return f"{_name(pod)} runs, ready: {ready}"

    def succeed(self, chance: random.Random) -> str | None:
        """A Pod ends well."""
        pod = self._one(chance, lambda pod: not ended(pod))
        return None if pod is None else self.end(pod, 0, chance)

    def fail(self, chance: random.Random) -> str | None:
        """A Pod fails; one that is restarted in place may not."""
        pod = self._one(chance, lambda pod: not ended(pod))
        if pod is None:
            return None
        if pod["spec"].get("restartPolicy") == "OnFailure" and chance.random() < 0.7:
            return self._restart(pod)
        return self.end(pod, chance.choice((1, 1, *EXIT_CODES)), chance)

    def end(self, pod: Object, code: int, chance: random.Random) -> str:
        """End a Pod with an exit code; of some failed Pods no container has a status."""
        reason = {0: "Completed", 137: "OOMKilled"}.get(code, "Error")
        finished = int(self.now()) - chance.choice([0, 0, 0, 1, 2])
        terminated = {"exitCode": code, "reason": reason, "finishedAt": write_time(finished)}
        kept = [
            entry for entry in pod["status"].get("conditions") or () if entry["type"] != "Ready"
        ]
        says_how = code == 0 or chance.random() < 0.9
        self._report(
            pod,
            "Failed" if code else "Succeeded",
            conditions=[*kept, self._condition("Ready", "False")],
            containerStatuses=self._containers(pod, {"terminated": terminated}) if says_how else [],
        )
        return f"{_name(pod)} ends with {code}" + ("" if says_how else ", nobody says how")

    def _restart(self, pod: Object) -> str:
        restarts = _restarts(pod) + 1
        status = self._containers(pod, {"running": {}}, restarts)
        self._report(pod, "Running", containerStatuses=status)
        return f"{_name(pod)} restarts for the {restarts}. time"

    # Deletion, by others than the Job controller.

    def delete(self, chance: random.Random) -> str | None:
        """Somebody deletes a Pod, or deletes it by force."""
        pod = self._one(chance, lambda pod: True)
        if pod is None:
            return None
        force = chance.random() < 0.3
        options = {"gracePeriodSeconds": 0} if force else {}
        self.server.request("DELETE", pods_path(NAMESPACE, _name(pod)), options)
        return f"{_name(pod)} is deleted" + (" by force" if force else "")

    def disrupt(self, chance: random.Random) -> str | None:
        """A Pod is evicted: it gets the condition DisruptionTarget, and is deleted."""
        pod = self._one(chance, lambda pod: not ended(pod))
        if pod is None:
            return None
        self._disrupted(pod)
        if chance.random() < 0.8:
            self.server.request("DELETE", pods_path(NAMESPACE, _name(pod)), {})
        return f"{_name(pod)} is disrupted"

    def lose_node(self, chance: random.Random) -> str | None:
        """A node is gone: the garbage collector of Pods has its Pods fail, and deletes them."""
        pod = self._one(chance, lambda pod: not ended(pod))
        if pod is None:
            return None
        name = _name(self._disrupted(pod))
        self.server.change("pods", NAMESPACE, name, {"status": {"phase": "Failed"}})
        self.server.request("DELETE", pods_path(NAMESPACE, name), {"gracePeriodSeconds": 0})
        return f"{name} fails with its node"

    def finish_deletion(self, chance: random.Random) -> str | None:
        """The node is through with a Pod that is being deleted: it ends, and may go."""
        pod = self._one(chance, lambda pod: deleting(pod) and _lingers(pod))
        if pod is None:
            return None
        description = f"{_name(pod)} may go"
        if not ended(pod):
            description += ": " + self.end(pod, chance.choice([0, 143, 143]), chance)
        if self.server.find("pods", _name(pod)) is not None and chance.random() < 0.8:
            self.server.request(
                "DELETE", pods_path(NAMESPACE, _name(pod)), {"gracePeriodSeconds": 0}
            )
        return description

    def rewrite_phase(self, chance: random.Random) -> str | None:
        """A Pod that has ended gets another phase: by a kubelet with that fault, or by a user."""
        uncounted = self._one(chance, lambda pod: ended(pod) and tracked(pod))
        pod = uncounted or self._one(chance, ended)
        if pod is None:
            return None
        phases = [each for each in PHASES if each != pod["status"]["phase"]]
        phase = chance.choice(phases)
        self._report(pod, phase)
        return f"{_name(pod)} has ended, and becomes {phase}"

    def release(self, chance: random.Random) -> str | None:
        """Let a client with a finalizer on a Pod remove it."""
        pod = self._one(
            chance, lambda pod: FOREIGN_FINALIZER in (pod["metadata"].get("finalizers") or ())
        )
        if pod is None or not (ended(pod) or deleting(pod)):
            return None
        left = [name for name in pod["metadata"]["finalizers"] if name != FOREIGN_FINALIZER]
        self._change(pod, {"metadata": {"finalizers": left}})
        return f"{_name(pod)} is released by {FOREIGN_FINALIZER}"

    def collect(self, chance: random.Random) -> str | None:
        """The garbage collector does a thing."""
        return self.server.collect_one(chance)

    # Helpers.

    def _one(self, chance: random.Random, wanted: Callable[[Object], bool]) -> Object | None:
        pods = [pod for pod in self.server.stored("pods") if wanted(pod)]
        return chance.choice(pods) if pods else None

    def _report(self, pod: Object, phase: str, **status: Any) -> None:
        """As the kubelet writes a status; a Pod that gets this far has a node."""
        patch: Object = {"status": {"phase": phase, **status}}
        if not pod["spec"].get("nodeName"):
            patch["spec"] = {"nodeName": "node"}
        self._change(pod, patch)

    def _change(self, pod: Object, patch: Object) -> Object:
        return self.server.change("pods", NAMESPACE, _name(pod), patch)

    def _disrupted(self, pod: Object) -> Object:
        present = pod["status"].get("conditions") or []
        return self._change(
            pod, {"status": {"conditions": [*present, self._condition("DisruptionTarget", "True")]}}
        )

    def _condition(self, kind: str, status: str) -> Object:
        when = write_time(int(self.now()))
        return {"type": kind, "status": status, "lastTransitionTime": when}

    def _containers(self, pod: Object, state: Object, restarts: int | None = None) -> list[Object]:
        if restarts is None:
            restarts = _restarts(pod)
        return [{"name": "main", "state": state, "restartCount": restarts}]


def tracked(pod: Object) -> bool:
    """Return True if a Pod has a tracking finalizer."""
    return tracked_by(pod, OURS) or tracked_by(pod, RESERVED)


def _name(pod: Object) -> str:
    name: str = pod["metadata"]["name"]
    return name


def _restarts(pod: Object) -> int:
    return sum(entry["restartCount"] for entry in pod["status"].get("containerStatuses") or ())


def _lingers(pod: Object) -> bool:
    """Return True if the node has still to act on a Pod that is being deleted."""
    return bool(pod["metadata"].get("deletionGracePeriodSeconds")) or not ended(pod)
