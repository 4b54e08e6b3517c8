"""Credentials of a kubeconfig, as the kubernetes package loads and renews them."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobsworth.client.api_resources import pods_path
from jobsworth.client.rest_config import Target, rest_config
from jobsworth.client.transport import Client
from support.api_server.fake_http_server import FakeHttpServer
from support.api_server.fake_job_api import FakeJobApi

pytest.importorskip("kubernetes")

PLUGIN = """
import json, pathlib
runs = pathlib.Path(__file__).with_name("runs")
number = int(runs.read_text()) + 1 if runs.exists() else 1
runs.write_text(str(number))
status = {"token": f"token-{number}", "expirationTimestamp": "EXPIRY"}
print(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}))
"""


@pytest.fixture
def server() -> Iterator[FakeHttpServer]:
    with FakeHttpServer(FakeJobApi(time.time)) as server:
        yield server


def kubeconfig(folder: Path, user: dict[str, Any], server: str, **cluster: str) -> Target:
    file = folder / "kubeconfig"
    text = {
        "clusters": [{"name": "c", "cluster": {"server": server, **cluster}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    file.write_text(json.dumps(text))
    return Target(str(file))


def plugin(folder: Path, expiry: str) -> dict[str, Any]:
    script = folder / "plugin.py"
    script.write_text(PLUGIN.replace("EXPIRY", expiry))
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": sys.executable,
            "args": [str(script)],
            "interactiveMode": "Never",
        }
    }


def sent_tokens(target: Target, server: FakeHttpServer, calls: int) -> list[str]:
    sent = []
    with rest_config(target) as config:
        client = Client(config, user_agent="test")
        for _ in range(calls):
            client.get(pods_path("ns"))
            sent.append(server.headers["Authorization"])
    return sent


def test_a_token_of_the_kubeconfig_is_sent(tmp_path: Path, server: FakeHttpServer) -> None:
    target = kubeconfig(tmp_path, {"token": "secret"}, server.url)
    assert sent_tokens(target, server, 1) == ["Bearer secret"]


def test_a_credential_plugin_runs_once_while_its_token_is_valid(
    tmp_path: Path, server: FakeHttpServer
) -> None:
    target = kubeconfig(tmp_path, plugin(tmp_path, "2126-01-01T00:00:00Z"), server.url)
    assert sent_tokens(target, server, 3) == ["Bearer token-1"] * 3


def test_a_credential_plugin_runs_again_when_its_token_expires(
    tmp_path: Path, server: FakeHttpServer
) -> None:
    target = kubeconfig(tmp_path, plugin(tmp_path, "2026-01-01T00:00:00Z"), server.url)
    first, second = sent_tokens(target, server, 2)
    assert first != second


def test_the_proxy_of_a_cluster_is_used(
    tmp_path: Path, server: FakeHttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    cluster = {"server": "http://api.example.com/base", "proxy-url": server.url}
    target = kubeconfig(tmp_path, {"token": "secret"}, **cluster)
    assert sent_tokens(target, server, 1) == ["Bearer secret"]
    assert server.path == "http://api.example.com/base/api/v1/namespaces/ns/pods"
    assert server.headers["Host"] == "api.example.com"
