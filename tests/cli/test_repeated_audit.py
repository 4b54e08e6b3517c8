"""`jobsworth audit --interval` as a process: metrics, policies that change while it runs, and its end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsworth.cli import run
from support.api_server.fake_list_server import FakeListServer
from support.api_server.stored_objects import manifest, stored
from support.cli.command_processes import ROOT
from support.cli.command_processes import run as run_in_a_process
from support.polling import until

pytest.importorskip("kubernetes")

POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: few-retries}
spec:
  enforcement: %s
  limits: {backoffLimit: {maximum: %d}}
"""


class AuditProcess:
    """The process, with a folder of policies."""

    def __init__(self, server: FakeListServer, folder: Path) -> None:
        self.policy = folder / "policies/few-retries.yaml"
        self.policy.parent.mkdir()
        self.policy.write_text(POLICY % ("audit", 3))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = folder / "log"
        command = [
            sys.executable, "-m", "jobsworth", "audit", "-A", "--policy", str(self.policy.parent),
            "--interval", "1h", "--monitor-bind", f"127.0.0.1:{self.port}",
        ]  # fmt: skip
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=self.log.open("w"),
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT / "webhook"),
                "KUBECONFIG": str(server.kubeconfig(folder, token="secret")),
            },
        )

    def get(self, path: str) -> str:
        """The text at a path; empty while nothing listens, or it is not ready."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                text: str = answer.read().decode()
                return text
        except (urllib.error.URLError, ConnectionError):
            return ""

    def shows(self, line: str) -> None:
        """Wait until the metrics have this line."""
        until(lambda: line in self.get("/metrics").splitlines(), 30)


@pytest.fixture
def auditing(server: FakeListServer, tmp_path: Path) -> Iterator[AuditProcess]:
    server.jobs = [stored(manifest("poor"))]
    process = AuditProcess(server, tmp_path)
    try:
        until(lambda: process.get("/readyz") == "ok", 60)
        yield process
    finally:
        process.process.kill()
        process.process.wait()


def violations(enforcement: str, count: int) -> str:
    labels = f'enforcement="{enforcement}",policy="few-retries",resource_namespace="default"'
    return f"jobsworth_audit_violations{{{labels}}} {count}.0"


@pytest.mark.slow
def test_policies_are_reloaded_while_it_runs_and_invalid_ones_are_rejected(
    server: FakeListServer, auditing: AuditProcess
) -> None:
    auditing.shows(violations("audit", 1))
    assert server.events == {}
    auditing.policy.write_text(POLICY % ("warn", 3))
    auditing.shows(violations("warn", 1))
    (event,) = server.events.values()
    assert "policy few-retries" in event["message"]
    auditing.policy.write_text((POLICY % ("deny", 3)).replace("maximum", "maximun"))
    auditing.shows('jobsworth_file_load_success{what="policy"} 0.0')
    auditing.shows(violations("warn", 1))
    auditing.policy.write_text(POLICY % ("deny", 3))
    auditing.shows(violations("deny", 1))
    auditing.shows('jobsworth_file_load_success{what="policy"} 1.0')
    auditing.process.send_signal(signal.SIGTERM)
    assert auditing.process.wait(30) == 0
    log = auditing.log.read_text()
    assert "audited 1 Jobs and 0 CronJobs by 1 policies" in log
    assert "maximun" in log
    assert "Traceback" not in log


@pytest.mark.slow
def test_the_release_of_the_cluster_is_read_for_each_audit(
    server: FakeListServer, auditing: AuditProcess
) -> None:
    server.jobs = [stored(manifest("poor", podReplacementPolicy="Failed"))]
    server.version = ("1", "25")
    auditing.policy.write_text(POLICY % ("audit", 2))
    auditing.shows('jobsworth_audit_findings{code="JW001",severity="error",source="api"} 1.0')


@pytest.mark.slow
def test_a_policy_that_is_invalid_at_the_start_is_reported(
    server: FakeListServer, tmp_path: Path
) -> None:
    kubeconfig = str(server.kubeconfig(tmp_path, token="secret"))
    options = ("--interval", "5m", "--monitor-bind", "0", "--policy", "missing.yaml")
    done = run_in_a_process("audit", "-A", *options, folder=tmp_path, KUBECONFIG=kubeconfig)
    assert done.returncode == 2
    assert "missing.yaml" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--interval", "often"], '--interval "often" is not a duration; use for example 10s'),
        (["--interval", "5m", "-o", "json"], "omit --output and --output-file"),
        (
            ["--interval", "5m", "--monitor-bind", "8081"],
            '--monitor-bind: "8081" is not an address',
        ),
    ],
)
def test_wrong_options_are_reported(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(["audit", "-A", *arguments])
    assert stopped.value.code == 2
    assert says in capsys.readouterr().err
