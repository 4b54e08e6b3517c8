"""``jobsworth certs manage`` at a real API server: objects, leadership, and messages about missing rights."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cluster.installed_chart import ROOT, wait_for

if TYPE_CHECKING:
    from cluster.bed import TestBed


def manage(namespace: str, kubeconfig: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = _command(namespace, kubeconfig, *arguments)
    return subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)


def _command(namespace: str, kubeconfig: Path, *arguments: str) -> list[str]:
    return [
        sys.executable, "-m", "jobsworth", "certs", "manage", "--namespace", namespace,
        "--kubeconfig", str(kubeconfig), "--service", "webhook",
        "--mutating-webhook-configuration", namespace,
        "--validating-webhook-configuration", namespace, *arguments,
    ]  # fmt: skip


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "webhook"), *sys.path])}


def configuration(kind: str, name: str, *webhooks: str) -> dict[str, Any]:
    rule = {
        "apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["jobs"],
    }  # fmt: skip
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "webhooks": [
            {
                "name": webhook,
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "clientConfig": {"service": {"name": "webhook", "namespace": name, "path": "/x"}},
                "namespaceSelector": {"matchLabels": {"judged": name}},
                "rules": [rule],
                "timeoutSeconds": 7,
            }
            for webhook in webhooks
        ],
    }


def bundles(bed: TestBed, name: str) -> list[str]:
    found = []
    for kind in ("mutating", "validating"):
        path = f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations/{name}"
        answer = bed.request("GET", path)
        if answer.code == 200:
            found += [each["clientConfig"].get("caBundle", "") for each in answer.body["webhooks"]]
    return found


@pytest.fixture
def configured(bed: TestBed, namespace: str) -> str:
    for kind, webhooks in (("Mutating", ["a.b.c"]), ("Validating", ["d.e.f", "g.h.i"])):
        thing = configuration(f"{kind}WebhookConfiguration", namespace, *webhooks)
        bed.kubectl("create", "-f", "-", input=json.dumps(thing))
    return namespace


def test_once_makes_everything_and_then_nothing_more(
    bed: TestBed, configured: str, tmp_path: Path
) -> None:
    first = manage(configured, bed.kubeconfig, "--once", "--directory", str(tmp_path))
    assert first.returncode == 0, first.stderr
    made = bundles(bed, configured)
    assert len(made) == 3
    assert len(set(made)) == 1
    assert (tmp_path / "tls.crt").read_bytes().startswith(b"-----BEGIN CERTIFICATE")
    webhook = bed.get(
        f"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/{configured}"
    )["webhooks"][1]
    assert (webhook["timeoutSeconds"], webhook["clientConfig"]["service"]["path"]) == (7, "/x")
    with bed.calls() as calls:
        again = manage(configured, bed.kubeconfig, "--once", "--directory", str(tmp_path))
    assert again.returncode == 0, again.stderr
    assert [call.verb for call in calls.calls() if configured in (call.namespace,)] == [
        "get",
        "get",
    ]
    assert bundles(bed, configured) == made


def test_without_configurations_the_certificate_is_made_all_the_same(
    bed: TestBed, namespace: str, tmp_path: Path
) -> None:
    done = manage(namespace, bed.kubeconfig, "--once", "--directory", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tls.key").exists()


def test_of_four_replicas_that_start_at_once_all_show_one_certificate(
    bed: TestBed, configured: str, tmp_path: Path
) -> None:
    folders = [tmp_path / str(number) for number in range(4)]
    running = [
        subprocess.Popen(
            _command(configured, bed.kubeconfig, "--interval", "1s", "--directory", str(folder)),
            env=_environment(),
            stderr=subprocess.DEVNULL,
        )
        for folder in folders
    ]
    try:
        files = [folder / "tls.crt" for folder in folders]
        wait_for(lambda: all(file.exists() for file in files), "every replica's files")
        assert len({file.read_bytes() for file in files}) == 1
        lease = (
            f"/apis/coordination.k8s.io/v1/namespaces/{configured}/leases/jobsworth-certificates"
        )
        assert bed.get(lease)["spec"]["leaseTransitions"] == 0
    finally:
        for process in running:
            process.terminate()
        codes = [process.wait(20) for process in running]
    assert codes == [0] * 4
    assert bed.get(lease)["spec"]["holderIdentity"] == ""  # release, so that the next need not wait


def test_a_missing_right_is_reported_with_the_api_servers_message(
    bed: TestBed, configured: str
) -> None:
    done = manage(configured, bed.user("nobody"), "--once")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    output = json.loads(line)
    assert output["level"] == "error"
    assert f"cannot read Secret {configured}/jobsworth-certificates" in output["message"]
    assert 'User "nobody" cannot get resource "secrets"' in output["message"]


def test_an_api_server_that_does_not_answer_is_reported(bed: TestBed, tmp_path: Path) -> None:
    config = json.loads(bed.kubeconfig.read_text())
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"
    file = tmp_path / "config"
    file.write_text(json.dumps(config))
    done = manage("default", file, "--once")
    assert done.returncode == 1
    assert "cannot read Secret default/jobsworth-certificates" in done.stderr
    assert "Traceback" not in done.stderr
