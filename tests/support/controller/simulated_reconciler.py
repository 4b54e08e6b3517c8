"""A reconciler and an API server in one thread, with a clock that only a test moves."""

from __future__ import annotations

import random
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import jobs_path, pods_path
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.signals import Count, Event
from jobsworth.controller.times import write_time
from jobsworth.reconciler.events import EventSink
from jobsworth.reconciler.informers import Informer
from jobsworth.reconciler.parallel import Calls, one_by_one
from jobsworth.reconciler.reconciler import Reconciler
from jobsworth.reconciler.sync_outcome import SyncOutcome
from support.api_server.fake_job_api import Call, Change, FakeJobApi

Object = dict[str, Any]
NAMESPACE = "default"
MANAGER = "jobsworth.dev/job-controller"


class RecordingSink(EventSink):
    """Records events and counts."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.counts: dict[tuple[str, ...], int] = {}

    def event(self, metadata: Object, event: Event) -> None:
        self.events.append(event)

    def write(self, metadata: Object, event: Event, kind: str = "Job") -> bool:
        self.events.append(event)
        return True

    def count(self, count: Count) -> None:
        key = (count.metric, *(value for _, value in count.labels))
        self.counts[key] = self.counts.get(key, 0) + count.amount

    def reasons(self) -> list[str]:
        """The reasons of the events, in their order."""
        return [event.reason for event in self.events]


class SimulatedReconciler:
    """A reconciler and an API server that a test moves step by step.

    Attributes:
        now: the time, in seconds since 1970.
        sink: events and counts of the reconciler, those before a restart included.
    """

    def __init__(
        self,
        settings: ControllerSettings | None = None,
        *,
        chance: random.Random | None = None,
        calls: Calls = one_by_one,
    ) -> None:
        self.now = 1_800_000_000.0
        self.settings = settings or ControllerSettings()
        self.api = FakeJobApi(lambda: self.now, chance)
        self.sink = RecordingSink()
        self.calls = calls
        self.start()

    def start(self) -> None:
        """Start a reconciler that knows nothing; the one before is dead."""
        self.reconciler = Reconciler(
            self.api,
            self.settings,
            clock=lambda: self.now,
            monotonic=lambda: self.now,
            calls=self.calls,
            event_sink=self.sink,
        )
        for resource, cache in self.caches():
            self.list(resource, cache)

    def caches(self) -> list[tuple[str, Informer[Any]]]:
        """The caches by their resource; that of Jobs comes first."""
        return [("jobs", self.reconciler.jobs), ("pods", self.reconciler.pods)]

    def list(self, resource: str, cache: Informer[Any]) -> None:
        """Fill a cache from a list."""
        path = jobs_path("") if resource == "jobs" else pods_path("")
        answer = self.api.request("GET", path)
        # Caches cut down what they are given.
        cache.replace(answer["items"], int(answer["metadata"]["resourceVersion"]), self.now)

    def pending_changes(self, resource: str, cache: Informer[Any]) -> list[Change]:
        """Return the changes that a cache has not been shown yet."""
        return self.api.since(resource, cache.seen.version)

    def deliver(self) -> None:
        """Show the caches all that has happened."""
        for resource, cache in self.caches():
            for change in self.pending_changes(resource, cache):
                cache.apply(change.kind, change.object)

    def settle(self) -> list[SyncOutcome]:
        """Deliver what has happened, and look at whatever is due."""
        self.deliver()
        outcomes = []
        while (outcome := self.reconciler.process_next_job()) is not None:
            outcomes.append(outcome)
            self.deliver()
        while self.reconciler.process_next_orphan_pod():
            self.deliver()
        return outcomes

    def run(self, seconds: float = 0.0) -> list[SyncOutcome]:
        """Let time pass, stopping wherever something is due."""
        end = self.now + seconds
        outcomes = self.settle()
        while (due := self.reconciler.next_due()) is not None and due <= end:
            self.now = max(self.now, due)
            outcomes += self.settle()
        self.now = end
        return outcomes

    # What users and nodes do.

    def create(self, name: str = "train", **spec: Any) -> Object:
        """Create a Job that names us; fields of its spec can be given."""
        return self.api.request("POST", jobs_path(NAMESPACE), job(name, **spec))

    def patch(self, name: str = "train", **spec: Any) -> Object:
        """Change fields of a Job's spec."""
        return self.api.request("PATCH", jobs_path(NAMESPACE, name), {"spec": spec})

    def delete(self, name: str = "train", policy: str = "Background") -> None:
        """Delete a Job."""
        self.api.request("DELETE", jobs_path(NAMESPACE, name), {"propagationPolicy": policy})

    def job(self, name: str = "train") -> Object:
        """A Job as it is stored."""
        found = self.api.copy_of("jobs", NAMESPACE, name)
        assert found is not None
        return found

    def status(self, name: str = "train") -> Object:
        """Its status, zeros filled in."""
        return {"active": 0, "succeeded": 0, "failed": 0, **self.job(name)["status"]}

    def conditions(self, name: str = "train") -> dict[str, str]:
        """Of each condition that is True its reason."""
        return {
            entry["type"]: entry.get("reason", "")
            for entry in self.job(name)["status"].get("conditions") or ()
            if entry["status"] == "True"
        }

    def pods(self) -> list[Object]:
        """All Pods, in the order of their creation."""
        return sorted(self.api.all("pods"), key=lambda pod: pod["metadata"]["name"])

    def running(self) -> list[Object]:
        """The Pods that have not ended and are not being deleted."""
        return [
            pod
            for pod in self.pods()
            if pod["status"]["phase"] in ("Pending", "Running")
            and "deletionTimestamp" not in pod["metadata"]
        ]

    def tracked(self) -> list[str]:
        """The names of the Pods that have a tracking finalizer."""
        return [
            pod["metadata"]["name"]
            for pod in self.pods()
            if any(
                name.endswith("/job-tracking") for name in pod["metadata"].get("finalizers") or ()
            )
        ]

    def end(self, pod: Object, exit_code: int = 0, **status: Any) -> None:
        """Have a Pod end, as the kubelet reports it."""
        phase = "Failed" if exit_code else "Succeeded"
        ended = {"exitCode": exit_code, "finishedAt": write_time(int(self.now)), "reason": "Error"}
        container = {"name": "main", "state": {"terminated": ended}, "restartCount": 0}
        reported = {"phase": phase, "containerStatuses": [container], **status}
        self.api.change("pods", NAMESPACE, pod["metadata"]["name"], {"status": reported})

    def ready(self, pod: Object) -> None:
        """Have a Pod run and be ready."""
        since = write_time(int(self.now))
        condition = {"type": "Ready", "status": "True", "lastTransitionTime": since}
        patch = {"spec": {"nodeName": "node"},
                 "status": {"phase": "Running", "conditions": [condition]}}  # fmt: skip
        self.api.change("pods", NAMESPACE, pod["metadata"]["name"], patch)

    def reject(self, method: str, resource: str, error: ApiError, times: int = 1) -> None:
        """Have the next calls of a kind rejected."""
        left = times

        def before(call: Call) -> None:
            nonlocal left
            if (
                left
                and call.method == method
                and resource == call.resource + (f"/{call.subresource}" if call.subresource else "")
            ):
                left -= 1
                raise error

        self.api.before = before

    def made(self, method: str, resource: str) -> int:
        """Return the number of calls of a kind."""
        name, _, subresource = resource.partition("/")
        return sum(
            call.method == method and call.resource == name and call.subresource == subresource
            for call in self.api.calls
        )


def job(name: str = "train", manager: str | None = MANAGER, **spec: Any) -> Object:
    """A Job; fields of its spec can be given."""
    pod = {
        "restartPolicy": spec.pop("restart_policy", "Never"),
        "containers": [{"name": "main", "image": "busybox:1.36"}],
    }
    managed = {} if manager is None else {"managedBy": manager}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {**managed, "template": {"spec": pod}, **spec},
    }
