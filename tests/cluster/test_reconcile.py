"""``jobsworth reconcile`` on a real control plane: alone, beside the built-in controller, killed, restarted."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.bed import EXIT_CODE, RUN_FOR, TestBed, free_ports

Object = dict[str, Any]
MANAGER = "jobsworth.dev/job-controller"
FINALIZER = "jobsworth.dev/job-tracking"
SOURCES = Path(__file__).parents[2] / "webhook"


@pytest.fixture(scope="module")
def bed() -> Iterator[TestBed]:
    """A cluster whose built-in Job controller runs, and whose Pods do."""
    with bed_or_skip(
        controllers="job-controller,garbage-collector-controller", kubelet=True
    ) as bed:
        yield bed


@pytest.fixture(scope="module")
def bed_without() -> Iterator[TestBed]:
    """A cluster without the built-in Job controller."""
    with bed_or_skip(controllers="garbage-collector-controller", kubelet=True) as bed:
        yield bed


class Reconciler:
    """A process of ours.

    Attributes:
        port: of its metrics.
    """

    def __init__(self, bed: TestBed, *arguments: str) -> None:
        (self.port,) = free_ports(1)
        self._log = Path(bed.folder.root) / f"reconcile-{self.port}.log"
        command = [sys.executable, "-m", "jobsworth", "reconcile", "--kubeconfig", bed.kubeconfig]
        limits = ["--kube-api-qps", "200", "--kube-api-burst", "400"]
        listen = ["--monitor-bind", f"127.0.0.1:{self.port}"]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*map(str, command), *limits, *listen, *arguments],
                env={**os.environ, "PYTHONPATH": str(SOURCES)},
                stderr=log,
            )

    def log(self) -> str:
        """Return its output so far."""
        return self._log.read_text()

    def at_work(self) -> bool:
        """Return True if its output has this text."""
        return "caches synced" in self.log()

    def metrics(self) -> str:
        """Return its metrics."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as answer:
            return str(answer.read().decode())

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it by a signal, and return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(30)


@contextlib.contextmanager
def running(bed: TestBed, *arguments: str) -> Iterator[Reconciler]:
    """A process of ours that is at work."""
    reconciler = Reconciler(bed, *arguments)
    try:
        until(reconciler.at_work)
        yield reconciler
    finally:
        if reconciler.process.poll() is None:
            reconciler.end()


def until(true: Callable[[], object], seconds: float = 120) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)


def create(
    bed: TestBed, name: str, annotations: dict[str, str] | None = None, **spec: Any
) -> Callable[[], Object]:
    """Create a Job of ours, and return what reads its status."""
    pod = {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "busybox:1.36"}],
        "terminationGracePeriodSeconds": 1,
    }
    template = {"metadata": {"annotations": annotations or {}}, "spec": pod}
    namespace = bed.namespace()
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"managedBy": MANAGER, "template": template, **spec},
    }
    if spec.get("managedBy", MANAGER) is None:
        del job["spec"]["managedBy"]
    bed.create(job, namespace)
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}"

    def status() -> Object:
        found: Object = bed.get(path)
        return {"namespace": namespace, **found["status"]}

    return status


def finished(status: Callable[[], Object]) -> str | None:
    """Complete or Failed, once the Job is."""
    for entry in status().get("conditions") or ():
        if entry["type"] in ("Complete", "Failed") and entry["status"] == "True":
            return str(entry["type"])
    return None


def finalizers(bed: TestBed, status: Callable[[], Object]) -> list[list[str]]:
    """Of each Pod of a Job's namespace its finalizers."""
    pods = bed.get(f"/api/v1/namespaces/{status()['namespace']}/pods")["items"]
    return [pod["metadata"].get("finalizers") or [] for pod in pods]


def test_a_job_completes_beside_the_built_in_controller_that_leaves_it_alone(bed: TestBed) -> None:
    with running(bed) as reconciler, bed.calls() as calls:
        status = create(bed, "ours", completionMode="Indexed", completions=20, parallelism=10)
        until(lambda: finished(status))
        assert status()["completedIndexes"] == "0-19"
        assert not any(finalizers(bed, status))
        assert not calls.count(user_agent="kube-controller-manager.*job-controller")
        # A cache that is behind leads to rejected requests for the last Pods of a Job that has finished.
        made = Counter(
            (call.verb, call.resource) for call in calls.calls("jobsworth") if call.code < 300
        )
        assert made["create", "pods"] == made["patch", "pods"] == 20
        assert 'job_pods_finished_total{completion_mode="Indexed",result="succeeded"} 20.0' in (
            reconciler.metrics()
        )
        assert reconciler.end() == 0


def test_the_built_in_controllers_jobs_are_left_alone(bed: TestBed) -> None:
    with running(bed), bed.calls() as calls:
        status = create(bed, "theirs", managedBy=None, completions=2)
        until(lambda: finished(status))
        assert not calls.count(user_agent="jobsworth")


@pytest.mark.parametrize("kills", [3])
def test_a_process_that_is_killed_again_and_again_counts_each_pod_once(
    bed: TestBed, kills: int
) -> None:
    status = create(
        bed,
        "killed",
        {RUN_FOR: "200ms", f"{EXIT_CODE}.3": "1", f"{EXIT_CODE}.7": "1"},
        completionMode="Indexed",
        completions=40,
        parallelism=8,
        backoffLimitPerIndex=0,
    )
    for _ in range(kills):
        with running(bed) as reconciler:
            before = status().get("succeeded", 0)
            until(lambda: status().get("succeeded", 0) > before or finished(status))  # noqa: B023
            reconciler.end(signal.SIGKILL)
    with running(bed):
        until(lambda: finished(status) == "Failed", 60)
    assert (status()["succeeded"], status()["failed"]) == (38, 2)
    assert status()["failedIndexes"] == "3,7"
    assert not any(finalizers(bed, status))


def test_an_api_server_that_goes_away_is_waited_for(bed: TestBed) -> None:
    with running(bed):
        status = create(
            bed, "patient", {RUN_FOR: "500ms"}, completions=12, parallelism=3, backoffLimit=0
        )
        until(lambda: status().get("succeeded", 0) >= 3)
        bed.api_server.kill()
        time.sleep(1)
        bed.start_api_server()
        until(lambda: finished(status) == "Complete", 60)
        assert status()["succeeded"] == 12
        assert not any(finalizers(bed, status))


def test_the_pods_of_a_deleted_job_go(bed: TestBed) -> None:
    with running(bed):
        status = create(bed, "deleted", {RUN_FOR: "1h"}, parallelism=3)
        until(lambda: status().get("active") == 3)
        namespace = status()["namespace"]
        bed.kubectl("delete", "job", "deleted", "--namespace", namespace)
        path = f"/api/v1/namespaces/{namespace}/pods"
        until(lambda: not bed.get(path)["items"])


def test_adoption_is_rejected_where_the_built_in_controller_is_at_work(bed: TestBed) -> None:
    reconciler = Reconciler(bed, "--adopt-unmanaged")
    assert reconciler.process.wait(20) == 1
    assert "--controllers=*,-job-controller" in reconciler.log()
    assert not reconciler.at_work()


def test_jobs_without_managed_by_are_adopted_where_the_built_in_controller_is_off(
    bed_without: TestBed,
) -> None:
    with running(bed_without, "--adopt-unmanaged"):
        status = create(bed_without, "plain", {RUN_FOR: "1s"}, managedBy=None, completions=2)
        until(lambda: status().get("active"))
        assert finalizers(bed_without, status) == [["batch.kubernetes.io/job-tracking"]]
        until(lambda: finished(status) == "Complete")
        assert not any(finalizers(bed_without, status))


def test_release_frees_what_is_left(bed_without: TestBed) -> None:
    bed = bed_without
    with running(bed) as reconciler:
        status = create(bed, "left", {RUN_FOR: "1h"}, parallelism=3)
        until(lambda: status().get("active") == 3)
        reconciler.end()
    command = [sys.executable, "-m", "jobsworth", "reconcile", "--remove-finalizers"]
    done = subprocess.run(
        [*command, "--kubeconfig", str(bed.kubeconfig)],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "from 3 Pods" in done.stderr
    assert not any(finalizers(bed, status))


def test_when_the_leader_is_killed_the_other_takes_over(bed: TestBed) -> None:
    with running(bed, "--leader-elect") as first:
        second = Reconciler(bed, "--leader-elect")
        status = create(bed, "handed-over", {RUN_FOR: "2s"}, completions=6, parallelism=2)
        until(lambda: status().get("active") == 2)
        assert not second.at_work()
        first.end(signal.SIGKILL)
        until(second.at_work, 30)
        until(lambda: finished(status) == "Complete", 60)
        assert status()["succeeded"] == 6
        assert second.end() == 0
