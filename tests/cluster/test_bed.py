"""The test bed itself: quick, apart from others, and gone afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.programs import NEWEST

if TYPE_CHECKING:
    from cluster.bed import TestBed

MERGE_PATCH = "application/merge-patch+json"
JOBS = "/apis/batch/v1/namespaces/{}/jobs"


@pytest.fixture(scope="module")
def running() -> Iterator[TestBed]:
    """A bed whose Jobs run."""
    with bed_or_skip(NEWEST, controllers="job-controller", kubelet=True) as bed:
        yield bed


def job(name: str, annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.36"}]}
    template = {"metadata": {"annotations": annotations or {}}, "spec": pod}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


def wait_for(done: Callable[[], bool], seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until, f"not within {seconds:.0f} s"
        time.sleep(0.1)


def condition(bed: TestBed, namespace: str, name: str) -> str:
    """The Job's terminal condition; empty while it runs."""
    status = bed.get(f"{JOBS.format(namespace)}/{name}").get("status", {})
    terminal = ("Complete", "Failed")
    return next((c["type"] for c in status.get("conditions", ()) if c["type"] in terminal), "")


def test_says_its_release(bed: TestBed) -> None:
    assert bed.release == NEWEST
    assert f"Server Version: v{NEWEST}." in bed.kubectl("version").stdout


def test_jobs_run_to_their_end(running: TestBed) -> None:
    namespace = running.namespace()
    running.create(job("good"), namespace)
    running.create(job("bad", {"bed/exit-code": "42"}, backoffLimit=0), namespace)
    wait_for(lambda: condition(running, namespace, "good") == "Complete")
    wait_for(lambda: condition(running, namespace, "bad") == "Failed")


def test_a_pod_ends_as_its_annotations_say(running: TestBed) -> None:
    namespace = running.namespace()
    output = {"bed/exit-code.1": "42", "bed/exit-code.2": "never", "bed/run-for": "300ms"}
    indexed = {"completionMode": "Indexed", "completions": 3, "parallelism": 3}
    running.create(job("mixed", output, backoffLimitPerIndex=0, **indexed), namespace)

    def status() -> dict[str, Any]:
        return running.get(f"{JOBS.format(namespace)}/mixed").get("status", {})

    wait_for(
        lambda: status().get("completedIndexes") == "0" and status().get("failedIndexes") == "1"
    )
    assert status()["active"] == 1


def test_a_deleted_pod_goes_but_for_the_finalizers_of_others(running: TestBed) -> None:
    namespace = running.namespace()
    held = job("held")["spec"]["template"]
    held["metadata"] = {
        "name": "held",
        "annotations": {"bed/exit-code": "never"},
        "finalizers": ["example.com/held"],
    }
    path = f"/api/v1/namespaces/{namespace}/pods/held"
    running.create({"apiVersion": "v1", "kind": "Pod", **held}, namespace)
    wait_for(lambda: running.get(path)["status"]["phase"] == "Running")
    running.request("DELETE", path)
    wait_for(lambda: running.get(path)["metadata"]["deletionGracePeriodSeconds"] == 0)
    free = {"metadata": {"finalizers": None}}
    assert running.request("PATCH", path, free, content_type=MERGE_PATCH).code == 200
    wait_for(lambda: running.request("GET", path).code == 404)


def test_calls_are_counted_by_user_agent(running: TestBed) -> None:
    namespace = running.namespace()
    with running.calls() as calls:
        running.create(job("counted", completions=3, parallelism=3), namespace)
        wait_for(lambda: condition(running, namespace, "counted") == "Complete")
    assert calls.count("job-controller", namespace)["create", "pods"] == 3
    assert calls.count("test-bed", namespace)["create", "jobs"] == 1
    assert calls.count("nobody") == {}


def test_users_may_do_what_rbac_allows(bed: TestBed, namespace: str) -> None:
    alice = bed.user("alice", "team")
    listing = ("get", "jobs", "--namespace", namespace)
    rejected = bed.kubectl(*listing, kubeconfig=alice, check=False)
    assert 'User "alice" cannot list resource "jobs"' in rejected.stderr
    bed.kubectl("create", "role", "see", "--verb=list", "--resource=jobs", "-n", namespace)
    bed.kubectl("create", "rolebinding", "see", "--role=see", "--group=team", "-n", namespace)
    wait_for(lambda: not bed.kubectl(*listing, kubeconfig=alice, check=False).returncode)


def test_service_accounts_have_tokens(bed: TestBed, namespace: str) -> None:
    bed.kubectl("create", "serviceaccount", "worker", "--namespace", namespace)
    worker = bed.service_account(namespace, "worker")
    reported = bed.kubectl(
        "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}", kubeconfig=worker
    )
    assert reported.stdout == f"system:serviceaccount:{namespace}:worker"


def test_stored_objects_outlive_a_killed_api_server() -> None:
    with bed_or_skip(NEWEST, audit=False) as bed:
        namespace = bed.namespace()
        bed.create(job("kept"), namespace)
        assert bed.api_server is not None
        assert bed.etcd is not None
        bed.api_server.kill()
        bed.etcd.kill()
        bed.start_etcd()
        bed.start_api_server()
        assert bed.get(f"{JOBS.format(namespace)}/kept")["metadata"]["name"] == "kept"


def test_pods_run_also_after_the_api_server_was_killed() -> None:
    with bed_or_skip(NEWEST, kubelet=True, audit=False) as bed:
        assert bed.api_server is not None
        bed.api_server.kill()
        bed.start_api_server()
        namespace = bed.namespace()
        template = job("late")["spec"]["template"]
        template["metadata"] = {"name": "late"}
        bed.create({"apiVersion": "v1", "kind": "Pod", **template}, namespace)
        path = f"/api/v1/namespaces/{namespace}/pods/late"
        wait_for(lambda: bed.get(path)["status"]["phase"] == "Succeeded")


def test_gates_and_flags_reach_the_server() -> None:
    gates = {"ContainerRestartRules": False, "RestartAllContainersOnContainerExits": False}
    flags = ("--allow-privileged=true",)
    manifest = job("dropped")
    container = manifest["spec"]["template"]["spec"]["containers"][0]
    container.update(restartPolicy="Never", securityContext={"privileged": True})
    with bed_or_skip(NEWEST, feature_gates=gates, api_server_flags=flags) as bed:
        stored = bed.create(manifest, bed.namespace())
    assert "restartPolicy" not in stored["spec"]["template"]["spec"]["containers"][0]


def test_stopping_leaves_nothing_behind() -> None:
    with bed_or_skip(NEWEST) as bed:
        folder, processes = bed.folder.root, [bed.api_server, bed.etcd]
        pids = [process.pid for process in processes if process is not None]
    assert not folder.exists()
    assert len(pids) == 2
    assert not any(alive(pid) for pid in pids)


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux ends the children of a killed process"
)
def test_processes_end_with_the_process_that_started_them(bed: TestBed) -> None:
    script = (
        "import sys, time\n"
        "from cluster.bed import TestBed\n"
        "bed = TestBed().start()\n"
        "print(bed.api_server.pid, bed.etcd.pid, bed.folder.root, flush=True)\n"
        "time.sleep(600)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    starter = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert starter.stdout is not None
    server, etcd, folder = starter.stdout.readline().split()
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    starter.stdout.close()
    wait_for(lambda: not alive(int(server)) and not alive(int(etcd)))
    assert Path(folder).exists()  # no process was left to remove it: the next bed does
    with bed_or_skip(NEWEST):
        assert not Path(folder).exists()


def alive(pid: int) -> bool:
    """Return True if a process runs; one that has ended and waits to be reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
