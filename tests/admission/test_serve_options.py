"""``jobsworth serve`` reports wrong options before it serves anything."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from jobsworth.api.api_server import RELEASES
from jobsworth.cli import run
from jobsworth.policy.effective_policies import PolicyVersion
from jobsworth.serving import launch
from jobsworth.serving.settings import ServingSettings
from support.admission.running_webhook import SOURCES, Client, serving

CERTIFICATE = ("--tls-cert", "tls.crt", "--tls-key", "tls.key")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "no certificate: set --tls-cert and --tls-key, or use --self-signed"),
        (("--tls-cert", "tls.crt"), "no certificate: set --tls-cert and --tls-key"),
        (("--self-signed", "--tls-cert", "a"), "omit --tls-cert and --tls-key"),
        ((*CERTIFICATE, "--bind", "8443"), '--bind: "8443" is not an address; use ADDRESS:PORT'),
        ((*CERTIFICATE, "--bind", "::1:8443"), '--bind: "::1:8443" is not an address'),
        ((*CERTIFICATE, "--monitor-bind", ":99999"), '--monitor-bind: ":99999" is not an address'),
        ((*CERTIFICATE, "--drain-seconds", "-1"), '--drain-seconds: "-1" is not a whole number of 0 or more'),
        ((*CERTIFICATE, "--graceful-seconds", "many"), '"many" is not a whole number'),
        (
            (*CERTIFICATE, "--kubernetes-version", "9.9"),
            f'unknown Kubernetes release "9.9": use {RELEASES[0]} to {RELEASES[-1]} ',
        ),
        (
            (*CERTIFICATE, "--kubernetes-version", "auto", "--feature-gates", "Unknown=true"),
            'unknown feature gate "Unknown"',
        ),
        ((*CERTIFICATE, "--policy", "missing.yaml"), "missing.yaml: no such file or folder"),
    ],
)  # fmt: skip
def test_wrong_options_are_reported(
    options: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        run(["serve", *options])
    assert ended.value.code == 2
    reported = " ".join(capsys.readouterr().err.split())
    assert message in f"{reported} "


def test_the_development_server_listens_on_this_machine_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both addresses: a port of every interface without TLS is not what a laptop asked for."""
    monkeypatch.chdir(tmp_path)
    served: list[ServingSettings] = []
    monkeypatch.setattr(launch, "serve", lambda settings, *_, **__: served.append(settings))
    for options in (["--self-signed"], [*CERTIFICATE]):
        with pytest.raises(SystemExit):
            run(["serve", *options])
    assert [(each.bind, each.monitor_bind) for each in served] == [
        (("127.0.0.1", 8443), ("127.0.0.1", 8080)),
        (("", 8443), ("", 8080)),
    ]


@pytest.mark.slow
def test_without_gunicorn_the_extra_to_install_is_named(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['gunicorn'] = None; from jobsworth.cli import run; run(['serve'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'jobsworth[webhook]'" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_monitor_port_that_is_taken_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SystemExit) as ended:
            run(["serve", *CERTIFICATE, "--monitor-bind", address])
    assert ended.value.code == 2
    reported = " ".join(capsys.readouterr().err.split())
    assert f"cannot listen on {address}: Address already in use; use another --bind" in reported


@pytest.mark.slow
def test_a_server_is_ready_when_its_certificate_is_there(tmp_path: Path) -> None:
    with serving(tmp_path, "--log", "denials", certified=False) as server:
        code, text = server.probe("/readyz")
        assert code == 503
        assert "[-]certificate failed: not loaded" in text
        with pytest.raises(OSError, match=r".*"):
            Client(server).post("validate", b"{}")
        server.ca.rotate()
        server.wait_until("readiness", lambda: server.probe("/readyz")[0] == 200)
        # Every worker looks for itself, once a second.
        time.sleep(1.2)
        assert Client(server).post("validate", b"{}")[0] == 400
    (rejected, *_) = [line for line in server.log() if line["level"] == "error"]
    assert (
        rejected["message"]
        == "certificate rejected: without a certificate, no client can connect; fix the files"
    )
    assert rejected["error"].endswith("tls.crt: no such file")


GOOD = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: good}
spec: {limits: {backoffLimit: {maximum: 3}}}
"""


@pytest.mark.slow
def test_a_server_starts_with_the_valid_policies_and_the_last_good_version_of_the_others(
    tmp_path: Path,
) -> None:
    policies, stored = tmp_path / "policies", tmp_path / "stored"
    policies.mkdir()
    stored.mkdir()
    (policies / "good.yaml").write_text(GOOD)
    for name in ("kept", "new"):
        text = GOOD.replace("good", name).replace("maximum", "maximun")
        (policies / f"{name}.yaml").write_text(text)
    kept = yaml.safe_load(GOOD.replace("good", "kept"))
    (stored / "kept").write_text(PolicyVersion("kept.yaml", kept).to_json())
    (stored / "damaged").write_text("{")
    options = ("--policy", str(policies), "--last-good-policies", str(stored))
    with serving(tmp_path, *options) as server:
        code, text = server.probe("/readyz")
        assert code == 200
        assert (
            "[+]policy ok: kept is invalid, its last valid version is active; "
            "new is invalid, it enforces nothing\n"
        ) in text
        for name, success in (("good", 1), ("kept", 0), ("new", 0)):
            line = f'jobsworth_policy_load_success{{policy="{name}"}} {success}.0'
            assert line in server.probe("/metrics")[1].splitlines()
        hashes = {
            line
            for _ in range(20)
            for line in server.probe("/metrics")[1].splitlines()
            if line.startswith("jobsworth_policies_info")
        }
        assert len(hashes) == 1  # of all workers
        assert server.metric("jobsworth_policies") == 2
    (rejected,) = [line for line in server.log() if line["level"] == "error"]
    assert rejected["broken"] == {
        "kept": "its last valid version is active",
        "new": "it enforces nothing",
    }
    assert "new.yaml:4:41: error: spec.limits.backoffLimit.maximun" in rejected["error"]
