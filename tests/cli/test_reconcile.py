"""The command line of ``jobsworth reconcile``: options rejected before any request, and --remove-finalizers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from jobsworth.cli import run
from jobsworth.client.api_resources import pods_path
from support.api_server.fake_http_server import FakeHttpServer
from support.api_server.fake_job_api import FakeJobApi

pytest.importorskip("kubernetes")

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: here
contexts: [{{name: here, context: {{cluster: here, user: here}}}}]
clusters: [{{name: here, cluster: {{server: "{url}"}}}}]
users: [{{name: here, user: {{token: secret}}}}]
"""


def reconcile(*arguments: str) -> int:
    """Run the command, and return its exit code."""
    with pytest.raises(SystemExit) as stopped:
        run(["reconcile", *arguments])
    return int(stopped.value.code or 0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--sync-period", "soon"], '--sync-period "soon" is not a duration; use for example 10s'),
        (["--pod-failure-backoff", "-1s"], '--pod-failure-backoff "-1s" must be greater than zero'),
        (["--kube-api-qps", "many"], '--kube-api-qps "many" is not a number'),
        (["--workers", "0"], "'--workers'"),
        (["--monitor-bind", "8081"], '--monitor-bind: "8081" is not an address; use ADDRESS:PORT'),
        (["--managed-by", "kubernetes.io/job-controller"], "use --adopt-unmanaged"),
        (["--kubeconfig", "/nowhere/config"], "the kubeconfig /nowhere/config does not exist"),
    ],
)
def test_wrong_options_are_reported(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reconcile(*arguments) == 2
    assert says in capsys.readouterr().err


def test_feature_gates_that_would_change_nothing_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text(KUBECONFIG.format(url="http://127.0.0.1:1"))
    gates = ["--feature-gates", "JobPodReplacementPolicy=false", "--kubernetes-version", "1.30"]
    assert reconcile("--kubeconfig", str(kubeconfig), *gates) == 2
    said = capsys.readouterr().err
    assert "--feature-gates changes nothing without --policy or --profile" in said
    assert "the controller itself has every Job feature of Kubernetes 1.36" in said


def test_release_removes_the_finalizer_of_every_tracked_pod_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    api = FakeJobApi(time.time)
    with FakeHttpServer(api) as server:
        kubeconfig = tmp_path / "config"
        kubeconfig.write_text(KUBECONFIG.format(url=server.url))
        kept = {"ours": ["example.com/other"], "theirs": ["batch.kubernetes.io/job-tracking"]}
        added = {"ours": ["jobsworth.dev/job-tracking"], "theirs": []}
        for name, finalizers in kept.items():
            meta = {"name": name, "namespace": "ns", "finalizers": [*finalizers, *added[name]]}
            api.request("POST", pods_path("ns"), {"metadata": meta, "spec": {}})
        assert reconcile("--remove-finalizers", "--kubeconfig", str(kubeconfig)) == 0
    found = {pod["metadata"]["name"]: pod["metadata"]["finalizers"] for pod in api.all("pods")}
    assert found == kept
    assert "removed the finalizer jobsworth.dev/job-tracking from 1 Pods" in capsys.readouterr().err
