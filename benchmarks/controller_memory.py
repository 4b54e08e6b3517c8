"""Measure the memory of the Job controller with 100,000 Pods in its cache."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PODS, JOBS = 100_000, 200
PAGE = 500


def measure() -> None:
    """Measure in a separate process, which has nothing else in memory."""
    code = "import controller_memory; controller_memory.fill()"
    paths = [str(ROOT / each) for each in ("webhook", "tests", "benchmarks")]
    subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}; {code}"], check=True
    )


class Lists:
    """A simulated API server that lists Pods in pages of JSON text, as a real one does."""

    def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the next page."""
        first = int((query or {}).get("continue", 0))
        meta = {"resourceVersion": "1000000"}
        if first + PAGE < PODS:
            meta["continue"] = str(first + PAGE)
        page = {"metadata": meta, "items": [pod(number) for number in range(first, first + PAGE)]}
        answer: dict[str, Any] = json.loads(json.dumps(page))
        return answer

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield no events."""
        return iter(())


def pod(number: int) -> dict[str, Any]:
    """Return a running Pod of one of the Jobs, with the status of a kubelet."""
    job, index = number % JOBS, number // JOBS
    uid = f"{job:08x}-1111-4222-8333-444444444444"
    name = f"training-run-{job}"
    since = f"2026-01-01T{number % 24:02}:{number % 60:02}:00Z"
    labels = {
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name,
        "batch.kubernetes.io/job-completion-index": str(index),
        "controller-uid": uid,
        "job-name": name,
        "team": f"team-{job % 20}",
    }
    return {
        "metadata": {
            "name": f"{name}-{index}-{number:05x}",
            "generateName": f"{name}-{index}-",
            "namespace": f"team-{job % 20}",
            "uid": f"{number:08x}-5555-4666-8777-{number:012x}",
            "resourceVersion": str(500_000 + number),
            "creationTimestamp": since,
            "labels": labels,
            "annotations": {"batch.kubernetes.io/job-completion-index": str(index)},
            "finalizers": ["jobsworth.dev/job-tracking"],
            "ownerReferences": [
                {
                    "apiVersion": "batch/v1",
                    "kind": "Job",
                    "name": name,
                    "uid": uid,
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
            "managedFields": [{"manager": "m", "fieldsV1": {f"f:{key}": {} for key in "abcdef"}}]
            * 2,
        },
        "spec": {
            "nodeName": f"node-{number % 1000}",
            "containers": [{"name": "main", "image": "registry.example/train:1.2", "env": []}],
            "restartPolicy": "Never",
        },
        "status": {
            "phase": "Running",
            "startTime": since,
            "podIP": f"10.{number % 200}.{number // 200 % 250}.7",
            "conditions": [
                {"type": kind, "status": "True", "lastTransitionTime": since}
                for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
            ],
            "containerStatuses": [
                {
                    "name": "main",
                    "ready": True,
                    "restartCount": 0,
                    "state": {"running": {"startedAt": since}},
                }
            ],
        },
    }


def fill() -> None:
    """List the Pods into the reconciler's caches, and print the memory of the process."""
    import kubernetes.client  # noqa: F401  (a part of what the controller has in memory)
    import urllib3  # noqa: F401
    from controller_bed import peak_memory, resident_memory

    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.list_watch import ListWatch
    from jobsworth.controller.settings import ControllerSettings
    from jobsworth.reconciler.informers import PodInformer

    before = resident_memory(os.getpid())
    cache = PodInformer(ControllerSettings())
    list_watch = ListWatch(
        Lists(),
        "/api/v1/pods",
        apply=cache.apply,
        replace=cache.replace,
        failed=print,
        stop=threading.Event(),
    )
    began = time.monotonic()
    with contextlib.suppress(ApiError):  # the watch after the list ends at once
        list_watch.once()
    seconds = time.monotonic() - began
    after = resident_memory(os.getpid())
    each = (after - before) * 1024 * 1024 / PODS
    print(
        f"{len(cache):,} Pods in the cache: {after:.0f} MiB resident, {peak_memory(os.getpid()):.0f} MiB"
        f" at the most, {each:.0f} bytes per Pod; {before:.0f} MiB before; listed in {seconds:.1f} s\n"
    )
