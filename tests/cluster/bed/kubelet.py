"""A simulated kubelet: it runs, ends and deletes the Pods of one node without any container.

    python -m cluster.bed.kubelet https://127.0.0.1:6443 ca.crt admin.crt admin.key

A program of its own, so that a test can pause or kill it, and so that it takes no time from the test's interpreter.
"""

from __future__ import annotations

import heapq
import sys
import threading
import time
import traceback
from http.client import HTTPException
from pathlib import Path
from queue import Empty, SimpleQueue

from cluster.bed import stages
from cluster.bed.connection import Connection, with_certificate
from cluster.bed.stages import Pod, Stage

WORKERS = 8
RETRY_AFTER = 0.1
"""Seconds until a call is repeated that the API server did not answer, or answered with an error."""
PODS = f"/api/v1/pods?fieldSelector=spec.nodeName%3D{stages.NODE}"
PATCH = "application/strategic-merge-patch+json"
OUTDATED = (404, 409)
"""The Pod has changed meanwhile, or is gone: the watch reports that, and the worker looks at it again."""


class Unavailable(RuntimeError):
    """The API server rejected a call; the message has its answer."""


UNANSWERED = (OSError, HTTPException, Unavailable)


class Kubelet:
    """A cache of the node's Pods, which a watch fills, and workers that take each Pod to its next stage.

    Every status is written with the ``resourceVersion`` that it follows from. A stage is therefore never taken twice,
    and never after the one that follows it, however often a Pod is looked at.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._pods: dict[str, Pod] = {}  # by uid
        self._queues: list[SimpleQueue[str]] = [SimpleQueue() for _ in range(WORKERS)]

    def run(self) -> None:
        """Follow the Pods until the process ends, also across restarts of the API server."""
        for queue in self._queues:
            threading.Thread(target=self._work, args=(queue,), daemon=True).start()
        while True:
            try:
                self._report_node()
                self._follow()
            except UNANSWERED as error:
                _log(error)
                time.sleep(RETRY_AFTER)

    def _report_node(self) -> None:
        path = f"/api/v1/nodes/{stages.NODE}/status"
        self._call("PATCH", path, {"status": stages.node_status(_now())}, PATCH)

    def _follow(self) -> None:
        """List the Pods and watch them until the API server ends the watch."""
        listed = self._call("GET", PODS)
        self._pods = {pod["metadata"]["uid"]: pod for pod in listed["items"]}
        for uid in self._pods:
            self._enqueue(uid)
        version = listed["metadata"]["resourceVersion"]
        for event in self._connection.watch(f"{PODS}&watch=true&resourceVersion={version}"):
            if event["type"] == "ERROR":  # 410 Gone: list anew
                return
            pod = event["object"]
            uid = pod["metadata"]["uid"]
            if event["type"] == "DELETED":
                self._pods.pop(uid, None)
            else:
                self._pods[uid] = pod
            self._enqueue(uid)

    def _enqueue(self, uid: str) -> None:
        # Always the same worker for a Pod: no two ever act on it at once.
        self._queues[hash(uid) % WORKERS].put(uid)

    def _work(self, queue: SimpleQueue[str]) -> None:
        later: list[tuple[float, str]] = []  # a heap of times to look at a Pod again
        seen_running: dict[str, float] = {}
        while True:
            try:
                wait = max(0.0, later[0][0] - time.monotonic()) if later else None
                uid = queue.get(timeout=wait)
            except Empty:
                _, uid = heapq.heappop(later)
            pod = self._pods.get(uid)
            if pod is None:
                seen_running.pop(uid, None)
                continue
            try:
                stage = stages.next_stage(pod)
                if stage is Stage.END:
                    now = time.monotonic()
                    ends = seen_running.setdefault(uid, now) + stages.run_time(pod)
                    if now < ends:
                        heapq.heappush(later, (ends, uid))
                        continue
                self._take(stage, pod)
            except UNANSWERED as error:
                _log(error)
                heapq.heappush(later, (time.monotonic() + RETRY_AFTER, uid))
            except (
                Exception
            ):  # such as an annotation that is not a duration: this Pod's fault alone
                traceback.print_exc()

    def _take(self, stage: Stage | None, pod: Pod) -> None:
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        if stage is Stage.DELETE:
            options = {"gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}}
            self._call("DELETE", path, {"apiVersion": "v1", "kind": "DeleteOptions", **options})
        elif stage is not None:
            status = (stages.running if stage is Stage.RUN else stages.ended)(pod, _now())
            version = {"resourceVersion": metadata["resourceVersion"]}
            self._call("PATCH", f"{path}/status", {"metadata": version, "status": status}, PATCH)

    def _call(
        self, method: str, path: str, body: object = None, content_type: str = "application/json"
    ) -> Pod:
        answer = self._connection.request(method, path, body, content_type)
        if answer.code >= 400 and answer.code not in OUTDATED:
            raise Unavailable(f"{method} {path}: {answer.code} {answer.body}")
        return answer.body  # type: ignore[no-any-return]


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _log(error: Exception) -> None:
    print(f"{_now()} {error!r}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    url, *files = sys.argv[1:]
    ca, certificate, key = map(Path, files)
    agent = {"User-Agent": "kubelet"}
    Kubelet(with_certificate(url, ca, certificate, key, agent)).run()
