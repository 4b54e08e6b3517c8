"""After uninstalling, the cluster is as it was before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from cluster.bed.stages import NO_REGISTRY
from cluster.installed_chart import CHART, NAME, ROOT, Installation, wait_for
from cluster.programs import NEWEST
from cluster.small_jobs import job
from jobsworth.controller.well_known_names import OUR_FINALIZER, OUR_MANAGER

if TYPE_CHECKING:
    from cluster.bed import TestBed

VALUES: dict[str, Any] = {
    "policies": {"retries": {"limits": {"backoffLimit": {"maximum": 3}}}},
    "webhook": {"workers": 1, "drainSeconds": 0},
    "certificates": {"selfManaged": {"interval": "1s"}},
    "controller": {"enabled": True},
    "autoscaling": {"enabled": True},
    "networkPolicy": {"enabled": True},
    "dashboard": {"enabled": True},
}
PASSING = {"events", "events.events.k8s.io", "componentstatuses", "nodes", "pods.metrics.k8s.io"}


@pytest.fixture(scope="module")
def running() -> Iterator[TestBed]:
    with bed_or_skip(
        NEWEST, controllers="job-controller,garbage-collector-controller", kubelet=True
    ) as bed:
        yield bed


def everything(bed: TestBed, *ignored: str) -> set[str]:
    """All objects of the cluster, but for those of some namespaces and what comes and goes by itself."""
    kinds = bed.kubectl("api-resources", "--verbs=list", "-o", "name").stdout.split()
    columns = "custom-columns=K:.kind,NS:.metadata.namespace,N:.metadata.name"
    requested = ",".join(kind for kind in kinds if kind not in PASSING)
    lines = bed.kubectl("get", requested, "-A", "--no-headers", "-o", columns).stdout.splitlines()
    return {" ".join(line.split()) for line in lines if line.split()[1] not in ignored}


def finalizers(bed: TestBed, namespace: str) -> list[list[str]]:
    pods = bed.get(f"/api/v1/namespaces/{namespace}/pods")["items"]
    return [pod["metadata"].get("finalizers", []) for pod in pods]


def test_uninstalling_leaves_nothing_behind(running: TestBed) -> None:
    team = running.namespace("team")
    installation = Installation(running, VALUES)
    before = everything(running, team)
    with installation as it:
        assert {line.split()[0] for line in everything(running, team) - before} > {
            "ConfigMap", "Deployment", "Lease", "MutatingWebhookConfiguration", "Secret", "Service",
            "ValidatingWebhookConfiguration", "ClusterRole", "RoleBinding", "NetworkPolicy",
        }  # fmt: skip
        long = job(managedBy=OUR_MANAGER, parallelism=2, completions=2)
        long["spec"]["template"]["metadata"] = {"annotations": {"bed/exit-code": "never"}}
        running.create(long, team)
        wait_for(lambda: len(finalizers(running, team)) == 2, "the controller to make Pods")
        assert it.uninstall() == f'release "{NAME}" uninstalled\n'
        # The replicas go on for a moment; what they hold must not come back.
        wait_for(lambda: everything(running, team) == before, "everything to be gone")
    assert everything(running, team) == before
    # The hook ran on a node that is played, so its command is run here, with the rights that the hook has.
    assert finalizers(running, team) == [[OUR_FINALIZER]] * 2
    _release(running, it.namespace)
    assert finalizers(running, team) == [[]] * 2


def test_uninstalling_ends_although_the_image_of_its_hook_cannot_be_pulled(
    running: TestBed,
) -> None:
    namespace = running.namespace("unpullable")
    before = everything(running)
    values = (
        f"image.repository={NO_REGISTRY}jobsworth,controller.enabled=true,controller.releaseDeadlineSeconds=5,"
        "webhook.mutating.enabled=false,webhook.validating.enabled=false,fullnameOverride=unpullable"
    )
    running.helm("install", "unpullable", str(CHART), "--namespace", namespace, "--set", values)
    done = running.helm("uninstall", "unpullable", "--namespace", namespace, check=False)
    assert done.returncode != 0
    assert "job unpullable-release-finalizers failed: DeadlineExceeded" in done.stderr
    assert running.helm("list", "--all", "--namespace", namespace, "--short").stdout == ""
    wait_for(lambda: everything(running) == before, "everything to be gone")


def _release(bed: TestBed, namespace: str) -> None:
    text = bed.helm(
        "template", NAME, str(CHART), "--namespace", namespace, "--kube-version", f"{NEWEST}.0",
        "--set", f"fullnameOverride={NAME},controller.enabled=true",
        "--show-only", "templates/release-finalizers.yaml",
    ).stdout  # fmt: skip
    command = ""
    for each in yaml.safe_load_all(text):
        if each["kind"] == "Job":
            (container,) = each["spec"]["template"]["spec"]["containers"]
            command = container["command"][-1]
        else:
            bed.kubectl("create", "-f", "-", input=json.dumps(each))
    account = bed.service_account(namespace, f"{NAME}-release-finalizers")
    assert command.startswith("jobsworth reconcile --remove-finalizers && ")
    first = command.split(" && ")[0].split()[1:]
    subprocess.run(
        [sys.executable, "-m", "jobsworth", *first, "--kubeconfig", str(account)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "webhook"), *sys.path])},
        check=True,
    )
