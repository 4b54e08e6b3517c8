"""The chart's controller beside the webhook: its container's arguments, with the rights of the webhook's account."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from cluster.bed import Process, TestBed, free_ports
from cluster.programs import NEWEST
from cluster.test_reconcile import until
from cluster.test_reconciled_policies import items, violating

ROOT = Path(__file__).parents[2]
GRANTED = ("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "Lease")


class Sidecars:
    """The controllers of the chart's webhook Pods, as processes of this machine."""

    def __init__(self, bed: TestBed, folder: Path) -> None:
        self.bed = bed
        self._folder = folder
        self.namespace = bed.namespace("system")
        self._policies = folder / "policies"
        self._policies.mkdir()
        self._account = Path()
        self.processes: list[Process] = []
        self.logs: list[Path] = []

    def install(self, *values: str) -> None:
        """Install the chart's rights and policies, or upgrade them."""
        text = self.bed.helm(
            "template", "jobsworth", str(ROOT / "charts/jobsworth"), "--namespace", self.namespace,
            "--kube-version", f"{NEWEST}.0",
            "--values", str(ROOT / "charts/jobsworth/ci/sidecar-values.yaml"), *values,
        ).stdout  # fmt: skip
        objects = [each for each in yaml.safe_load_all(text) if each]
        for each in objects:
            hook = "helm.sh/hook" in each["metadata"].get("annotations", {})
            if each["kind"] in GRANTED and not hook:
                self.bed.kubectl("apply", "-f", "-", input=json.dumps(each))
            if each["kind"] == "ConfigMap" and each["metadata"]["name"] == "jobsworth-policies":
                for name, document in each["data"].items():
                    (self._policies / name).write_text(document)
        deployments = [each for each in objects if each["kind"] == "Deployment"]
        assert [each["metadata"]["name"] for each in deployments] == ["jobsworth"]
        pod = deployments[0]["spec"]["template"]["spec"]
        self._account = self.bed.service_account(self.namespace, pod["serviceAccountName"])
        (self._container,) = (
            each for each in pod["containers"] if each["name"] == "job-controller"
        )

    def start(self) -> Process:
        """Start the controller of one more Pod."""
        (port,) = free_ports(1)
        log = self._folder / f"log-{port}"
        args = [
            each.replace("/etc/jobsworth", str(self._folder)) for each in self._container["args"]
        ]
        process = Process(
            [sys.executable, "-m", "jobsworth", *args, f"--listen=127.0.0.1:{port}"],
            log,
            {
                "PYTHONPATH": os.pathsep.join([str(ROOT / "webhook"), *sys.path]),
                "KUBECONFIG": str(self._account),
                "POD_NAME": f"pod-{port}",
            },
        )
        self.processes.append(process)
        self.logs.append(log)
        return process

    def leads(self, number: int) -> bool:
        """Return True if a controller has acquired the Lease."""
        return "caches synced" in self.logs[number].read_text()


@pytest.fixture
def sidecars(tmp_path: Path) -> Iterator[Sidecars]:
    with bed_or_skip(NEWEST, controllers="garbage-collector-controller", kubelet=True) as bed:
        sidecars = Sidecars(bed, tmp_path)
        try:
            yield sidecars
        finally:
            for process in sidecars.processes:
                process.kill()


def complete(job: dict[str, Any]) -> bool:
    return any(one["type"] == "Complete" for one in job["status"].get("conditions") or ())


def test_a_killed_leader_and_an_upgrade_lose_no_pod(sidecars: Sidecars) -> None:
    bed = sidecars.bed
    sidecars.install()
    first = sidecars.start()
    until(lambda: sidecars.leads(0))
    sidecars.start()
    team = bed.namespace("team")
    jobs = f"/apis/batch/v1/namespaces/{team}/jobs"
    pods = f"/api/v1/namespaces/{team}/pods"

    def create(name: str, retries: int = 1) -> None:
        job = violating(name)
        job["spec"]["backoffLimit"] = retries
        bed.create(job, team)

    create("before")
    create("held", 9)
    until(lambda: bed.get(f"{jobs}/held")["spec"]["suspend"])
    os.kill(first.pid, signal.SIGKILL)
    create("without-a-leader")
    until(lambda: sidecars.leads(1), 60)
    until(lambda: complete(bed.get(f"{jobs}/without-a-leader")))
    sidecars.install("--set", "policies.few-retries.limits.backoffLimit.maximum=20")
    sidecars.start()
    create("during-the-upgrade")
    os.kill(sidecars.processes[1].pid, signal.SIGTERM)
    until(lambda: sidecars.leads(2), 60)
    until(lambda: all(map(complete, items(bed, jobs))), 60)
    assert len(items(bed, jobs)) == len(items(bed, pods)) == 4
    assert "Forbidden" not in "".join(log.read_text() for log in sidecars.logs)
