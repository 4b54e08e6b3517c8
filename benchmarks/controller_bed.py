"""The test bed of ``benchmarks/controller.py``: two Job controllers, one at a time, on one control plane."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cluster import programs
from cluster.bed import Process, TestBed, commands, free_ports

ROOT = Path(__file__).parent.parent
OURS, BUILT_IN = "jobsworth", "kube-controller-manager"
AGENTS = {OURS: "jobsworth-job-controller", BUILT_IN: "job-controller"}
MANAGER = "jobsworth.dev/job-controller"
READY_WITHIN = 60.0
SILENCE = 120.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Run:
    """The cost of one Job.

    Attributes:
        seconds: time from its creation until it was observed to be complete.
        first_pod: seconds until its first Pod existed.
        cpu: seconds of CPU of the controller.
        server_cpu: seconds of CPU of the API server.
        calls: calls of the controller, by verb and resource.
        peak: maximum memory of the controller, in MiB.
    """

    controller: str
    completions: int
    seconds: float = 0.0
    cpu: float = 0.0
    server_cpu: float = 0.0
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    peak: float = 0.0

    @property
    def per_minute(self) -> float:
        """Pods per minute, from the creation of the Job until all are counted."""
        return 60 * self.completions / self.seconds


class Bench:
    """A control plane, simulated kubelets, and at most one Job controller."""

    def __init__(self, bed: TestBed) -> None:
        self.bed = bed
        self._kubelet = Process(
            [
                sys.executable, str(ROOT / "benchmarks/controller_kubelet.py"),
                str(bed.folder.root), bed.url,
            ],
            bed.folder.log("kubelet"),
        )  # fmt: skip

    @contextlib.contextmanager
    def controller(self, name: str, qps: float, burst: int) -> Iterator[Process]:
        """Run a Job controller; ``qps`` 0 means no limit of calls per second."""
        start = self._start_ours if name == OURS else self._start_built_in
        process = start(qps, burst)
        try:
            yield process
        finally:
            process.kill()

    def run(self, name: str, process: Process, job: dict[str, Any]) -> Run:
        """Run one Job to its end."""
        run = Run(name, job["spec"]["completions"])
        namespace = self.bed.namespace("bench")
        server = self.bed.api_server
        assert server is not None
        with self.bed.calls() as log:
            cpu, server_cpu = cpu_seconds(process.pid), cpu_seconds(server.pid)
            began = time.monotonic()
            self.bed.create(for_controller(job, name), namespace)
            self.wait_for_end(namespace, job["metadata"]["name"])
            run.seconds = time.monotonic() - began
            time.sleep(0.3)  # until pending events and the audit log are written
            run.cpu = cpu_seconds(process.pid) - cpu
            run.server_cpu = cpu_seconds(server.pid) - server_cpu
            run.calls = log.count(AGENTS[name], namespace)
        run.peak = peak_memory(process.pid)
        process.check()
        self.clear(namespace)
        return run

    def wait_for_end(self, namespace: str, name: str) -> dict[str, Any]:
        """Wait until a Job is complete, and return it."""
        path = f"/apis/batch/v1/namespaces/{namespace}/jobs"
        selected = f"{path}?watch=true&fieldSelector=metadata.name%3D{name}"
        for event in self._watch(selected):
            for condition in event["object"].get("status", {}).get("conditions") or ():
                if condition["status"] != "True":
                    continue
                if condition["type"] == "Complete":
                    return event["object"]  # type: ignore[no-any-return]
                if condition["type"] == "Failed":
                    raise SystemExit(f"Job {namespace}/{name} failed: {condition}")
        raise SystemExit("the API server ended the watch")

    def first_pod(self, namespace: str) -> float:
        """Wait for a namespace's first Pod, and return its time by the monotonic clock."""
        for _ in self._watch(f"/api/v1/namespaces/{namespace}/pods?watch=true"):
            return time.monotonic()
        raise SystemExit("the API server ended the watch")

    def clear(self, namespace: str, name: str = "") -> None:
        """Delete a namespace's Jobs and Pods.

        Args:
            name: a stopped controller that left finalizers on the Pods.
        """
        self.bed.request("DELETE", f"/apis/batch/v1/namespaces/{namespace}/jobs")
        if name:
            with self.controller(name, 0, 1000):
                # After the deletion of the Jobs, the controller releases each Pod.
                while self._tracked(namespace):
                    time.sleep(1.0)
        self.bed.request("DELETE", f"/api/v1/namespaces/{namespace}/pods")

    def _tracked(self, namespace: str) -> bool:
        pods = self.bed.get(f"/api/v1/namespaces/{namespace}/pods")["items"]
        return any(pod["metadata"].get("finalizers") for pod in pods)

    def _watch(self, path: str) -> Iterator[dict[str, Any]]:
        # The bed's own connection cannot stream responses.
        lines = lines_of(self.bed, path)
        try:
            with contextlib.closing(lines):
                for line in lines:
                    yield json.loads(line)
        except TimeoutError:
            self._kubelet.check()
            raise SystemExit(f"timeout: no events from {path}") from None

    def _start_ours(self, qps: float, burst: int) -> Process:
        port = free_ports(1)[0]
        process = Process(
            [
                sys.executable, "-m", "jobsworth", "reconcile", f"--kubeconfig={self.bed.kubeconfig}",
                f"--monitor-bind=127.0.0.1:{port}", f"--kube-api-qps={qps:g}", f"--kube-api-burst={burst}",
            ],
            self.bed.folder.log(f"jobsworth-{port}"),
            {"PYTHONPATH": str(ROOT / "webhook")},
        )  # fmt: skip
        _wait_until(lambda: _answers(f"http://127.0.0.1:{port}/readyz"), process)
        return process

    def _start_built_in(self, qps: float, burst: int) -> Process:
        port = free_ports(1)[0]
        command = commands.controller_manager(
            programs.find("kube-controller-manager"),
            self.bed.folder,
            port,
            controllers="job-controller",
            # client-go takes 0 for "the default", and a negative number for no limit.
            qps=qps or -1,
            burst=burst,
            feature_gates={},
            flags=(),
        )
        process = Process(command, self.bed.folder.log(f"controller-manager-{port}"))
        _wait_until(lambda: self._works(process), process)
        return process

    def _works(self, process: Process) -> bool:
        """Return True once its caches are synced; its health check succeeds long before that."""
        return "Caches are synced" in process.log.read_text(encoding="utf-8", errors="replace")


def for_controller(job: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the Job, assigned to a controller."""
    if name != OURS:
        return job
    return {**job, "spec": {**job["spec"], "managedBy": MANAGER}}


def lines_of(bed: TestBed, path: str) -> Iterator[bytes]:
    """Yield the lines of a streamed response of the API server."""
    import ssl

    folder = bed.folder
    tls = ssl.create_default_context(cafile=folder.ca_file)
    tls.load_cert_chain(folder.root / "admin.crt", folder.root / "admin.key")
    host, port = bed.url.removeprefix("https://").split(":")
    connection = http.client.HTTPSConnection(host, int(port), context=tls, timeout=SILENCE)
    try:
        connection.request("GET", path)
        yield from connection.getresponse()
    finally:
        connection.close()


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_memory(pid: int) -> float:
    """Return the maximum resident memory of a process, in MiB."""
    return _memory(pid, "VmHWM")


def resident_memory(pid: int) -> float:
    """Return the resident memory of a process, in MiB."""
    return _memory(pid, "VmRSS")


def _memory(pid: int, what: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _wait_until(holds: Any, process: Process) -> None:
    until = time.monotonic() + READY_WITHIN
    while not holds():
        process.check()
        if time.monotonic() > until:
            raise SystemExit(f"not ready: {process.tail()}")
        time.sleep(0.05)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (urllib.error.URLError, http.client.HTTPException, OSError):
        return False
