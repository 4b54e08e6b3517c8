"""The webhook and its probes over IPv6 and IPv4."""

from __future__ import annotations

import socket
import ssl
import urllib.request
from pathlib import Path

import pytest

from support.admission.admission_reviews import body_of, response_of
from support.admission.running_webhook import Serving, serving
from support.validation.engine_errors import job_with

pytestmark = pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")


@pytest.mark.slow
def test_without_a_host_webhook_and_probes_answer_over_both_families(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "1", host="") as server:
        for host in ("[::1]", "127.0.0.1"):
            assert _probe(server, host) == 200
            assert _allowed(server, host)
        (line,) = [each for each in server.log() if each["message"] == "serving"]
        assert line["bind"] == f"https://[::]:{server.port}"
        assert line["monitor"] == f"[::]:{server.monitor}"


@pytest.mark.slow
def test_an_ipv6_host_is_written_in_brackets(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "1", host="[::1]") as server:
        assert _probe(server, "[::1]") == 200
        assert _allowed(server, "[::1]")
        with pytest.raises(OSError, match="refused"):
            _probe(server, "127.0.0.1")


def _probe(server: Serving, host: str) -> int:
    with urllib.request.urlopen(f"http://{host}:{server.monitor}/readyz", timeout=10) as answer:
        status: int = answer.status
        return status


def _allowed(server: Serving, host: str) -> bool:
    request = urllib.request.Request(
        f"https://{host}:{server.port}/validate",
        body_of(job_with()),
        {"Content-Type": "application/json"},
    )
    trusted = ssl.create_default_context(cafile=str(server.ca.file))
    with urllib.request.urlopen(request, timeout=10, context=trusted) as answer:
        allowed: bool = response_of(answer.read())["allowed"]
        return allowed
