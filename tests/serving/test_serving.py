"""``jobsworth serve`` as it runs: over TLS, in several processes, under hostile clients."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import pty
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import jobsworth
from jobsworth.serving import http_protocol, request_limits
from support.admission.admission_reviews import UID, as_an_api_server_sends, body_of, response_of
from support.admission.mutated_reviews import Mutator
from support.admission.running_webhook import SOURCES, Client, Serving, free_port, serving, swap
from support.admission.webhook_load import BROKEN_POLICY, POLICY, Load
from support.api_server.oracle_cases import CATEGORIES, cases
from support.validation.engine_errors import job_with
from support.validation.server_comparison import normal

GOOD = body_of(job_with())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    # The oracle's server ran without --allow-privileged.
    options = ("--no-allow-privileged", "--workers", "2")
    with serving(tmp_path_factory.mktemp("serving"), *options) as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize("category", CATEGORIES)
def test_every_case_of_the_oracle_gets_its_verdict_and_causes(
    server: Serving, category: str
) -> None:
    client, differences = Client(server), []
    for case in cases(category):
        status, answer = client.post("validate", body_of(case["object"], case.get("old")))
        assert status == 200
        response = response_of(answer)
        code = 201 if response["allowed"] else response["status"]["code"]
        if (code == 201) != (case["code"] in (200, 201)) or code not in (201, case["code"]):
            differences.append((case["id"], case["code"], response))
        elif code == 422:
            found = {
                (cause["field"], cause["reason"], normal(cause["message"], case["object"]))
                for cause in response["status"]["details"]["causes"]
            }
            expected = {
                (field, reason, normal(message, case["object"]))
                for field, reason, message in case["causes"]
            }
            if found != expected:
                differences.append((case["id"], found ^ expected))
    assert differences == []


@pytest.mark.slow
def test_objects_that_the_oracle_accepted_are_valid_with_server_defaults(server: Serving) -> None:
    client, rejected = Client(server), []
    for category in CATEGORIES:
        for case in cases(category)[:60]:
            if case["code"] == 201:
                filled = jobsworth.default(case["object"], kubernetes_version="1.36")
                if "generateName" in filled["metadata"]:
                    filled["metadata"].setdefault("name", "generated-x7k2p")
                sent = as_an_api_server_sends(filled, UID)
                _, answer = client.post("validate", body_of(sent))
                if not response_of(answer)["allowed"]:
                    rejected.append((case["id"], answer))
    assert rejected == []


@pytest.mark.slow
def test_probes_and_metrics_are_right_over_all_processes(server: Serving) -> None:
    line = (
        'jobsworth_admission_requests_total{endpoint="mutate",kind="Job",operation="CREATE",'
        'verdict="allowed"}'
    )
    before = server.metric(line)
    for _ in range(20):
        client = Client(server)  # of its own, so that both workers get some
        assert client.post("mutate", GOOD)[0] == 200
        client.close()
    assert server.metric(line) - before == 20
    Client(server).post("validate", body_of(job_with({"restartPolicy": "Always"})))
    assert server.probe("/healthz") == (200, "ok\n")
    code, text = server.probe("/readyz")
    assert code == 200
    assert "[+]policy ok\n[+]certificate ok\n" in text
    assert server.probe("/other")[0] == 404
    text = server.probe("/metrics")[1]
    for name in (
        "jobsworth_admission_duration_seconds_bucket",
        "jobsworth_admission_findings_total{code=",
        "jobsworth_certificate_expiry_timestamp_seconds 1.",
        'jobsworth_file_load_success{what="policy"} 1.0',
    ):
        assert name in text
    assert len({entry["process"] for entry in server.log() if "Booting" in entry["message"]}) == 2


def test_the_log_has_a_line_of_json_for_every_request(server: Serving) -> None:
    client = Client(server)
    began = time.monotonic()
    client.post("validate", body_of(job_with(), uid="a-uid-of-its-own"))
    elapsed = 1000 * (time.monotonic() - began)
    (line,) = [entry for entry in server.log() if entry.get("uid") == "a-uid-of-its-own"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert 0 < line.pop("milliseconds") <= elapsed
    assert line == {
        "level": "info",
        "message": "validate",
        "uid": "a-uid-of-its-own",
        "operation": "CREATE",
        "kind": "Job",
        "namespace": "default",
        "name": "sample",
        "user": "developer",
        "dryRun": False,
        "verdict": "allowed",
        "allowed": True,
        "codes": [],
        "policies": [],
        "patchOperations": 0,
    }


@pytest.mark.slow
def test_reviews_that_have_gone_wrong_get_200_or_4xx(server: Serving) -> None:
    mutator, client, statuses = Mutator(seed=7), Client(server), set()
    for _ in range(1000):
        status, answer = client.post(mutator.endpoint(), mutator.body(), mutator.headers())
        statuses.add(status)
        json.loads(answer)
    assert statuses == {200, 400, 415}
    assert server.metric("jobsworth_admission_internal_errors_total") == 0


def secured(server: Serving) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(server.ca.file))
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=15)
    return context.wrap_socket(plain, server_hostname="localhost")


def everything(sock: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    received = b""
    try:
        while part := sock.recv(65536):
            received += part
    except (ConnectionResetError, ssl.SSLError):
        pass
    return received


HEAD = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def answer_to(sock: socket.socket, method: str = "POST") -> tuple[int, bytes]:
    """Return the status and the body of the next answer."""
    answer = http.client.HTTPResponse(sock, method=method)
    answer.begin()
    return answer.status, answer.read()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"POST /validate HTTP/9.9\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (HEAD + b"Content-Length: -1\r\n\r\n", 400),
        (HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", 400),
        (HEAD + b"Transfer-Encoding: xchunked\r\n\r\n", 400),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST /" + b"x" * 70_000, 431),
        (HEAD + b"X: " + b"x" * 70_000, 431),
        (HEAD + b"X: y\r\n" * 20_000, 431),
        (b"\x00\r\n\r\n", 400),
        (HEAD + b"X : y\r\n\r\n", 400),
        (HEAD + b"X: \x00\r\n\r\n", 400),
        (HEAD + b"Content-Length: 99999999\r\n\r\n", 413),
        (HEAD + b"Content-Length: 99999999\r\n\r\n" + b" " * 9_000_000, 413),
    ],
    ids=lambda value: repr(value[-40:]) if isinstance(value, bytes) else str(value),
)
def test_malformed_http_gets_a_4xx(server: Serving, sent: bytes, status: int) -> None:
    with secured(server) as sock:
        sock.sendall(sent)
        code, body = answer_to(sock)
        assert code == status
        assert json.loads(body)["code"] == status


@pytest.mark.slow
def test_after_malformed_http_the_connection_ends(server: Serving) -> None:
    with secured(server) as sock:
        sock.sendall(b"nonsense\r\n\r\n")
        assert answer_to(sock)[0] == 400
        assert everything(sock) == b""


@pytest.mark.parametrize("size", [1, 1000, 1 << 20])
def test_a_body_in_chunks_is_as_good_as_one_with_a_length(server: Serving, size: int) -> None:
    chunks = [GOOD[at : at + size] for at in range(0, len(GOOD), size)]
    body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in [*chunks, b""])
    with secured(server) as sock:
        sock.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + body)
        status, answer = answer_to(sock)
    assert status == 200
    assert response_of(answer)["allowed"]


def test_a_body_in_chunks_without_end_is_refused_at_the_limit(server: Serving) -> None:
    chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
    with secured(server) as sock:
        sock.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 9)
        status, answer = answer_to(sock)
    assert status == 413
    assert b"send at most 8388608 bytes" in answer


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1")
def test_connections_without_tls_or_with_old_tls_are_refused(server: Serving) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=15) as plain:
        plain.sendall(HEAD + b"\r\n")
        assert b"HTTP/1.1 200" not in everything(plain)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    old = socket.create_connection(("127.0.0.1", server.port), timeout=15)
    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        context.wrap_socket(old)


def test_a_request_without_a_body_is_answered_at_once(server: Serving) -> None:
    with secured(server) as sock:
        for method in (b"HEAD", b"GET", b"POST"):
            began = time.monotonic()
            sock.sendall(method + b" /validate HTTP/1.1\r\nHost: x\r\n\r\n")
            status, body = answer_to(sock, method.decode())
            assert 400 <= status < 500
            assert bool(body) == (method != b"HEAD")
            assert time.monotonic() - began < request_limits.BODY_SECONDS


def test_a_client_that_waits_for_100_continue_gets_it(server: Serving) -> None:
    with secured(server) as sock:
        sock.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(GOOD))
        assert sock.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(GOOD)
        assert b'"allowed":true' in answer_to(sock)[1]


IMPATIENT = """
import sys
from jobsworth.cli import run
from jobsworth.serving import http_protocol, request_limits

http_protocol.HEAD_SECONDS = request_limits.BODY_SECONDS = 1.0
run(sys.argv[1:])
"""


@pytest.mark.slow
def test_a_body_that_comes_too_late_is_answered_with_408(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "1", program=IMPATIENT) as server, secured(server) as sock:
        began = time.monotonic()
        sock.sendall(HEAD + b"Content-Length: 50\r\n\r\n{")
        answer = everything(sock)
        assert 1 <= time.monotonic() - began < request_limits.BODY_SECONDS
    assert answer.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert b"send the request again" in answer


@pytest.mark.slow
def test_a_head_that_comes_too_late_ends_the_connection(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "1", program=IMPATIENT) as server:
        idle, slow, used = secured(server), secured(server), secured(server)
        slow.sendall(HEAD[:30])
        used.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD + HEAD[:30])
        assert answer_to(used)[0] == 200
        began = time.monotonic()
        for sock in (idle, slow, used):
            with sock:
                assert everything(sock) == b""
        assert 0.5 <= time.monotonic() - began < http_protocol.HEAD_SECONDS


@pytest.mark.parametrize("count", [1, 63, 64, 65, 128])
def test_a_request_in_any_number_of_tls_records_is_answered_at_once(
    server: Serving, count: int
) -> None:
    """Also one whose last byte is in the last record that the server reads in one go."""
    request = HEAD + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context(cafile=str(server.ca.file))
    secured = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", server.port), timeout=15) as sock:

        def exchanged(operation: Callable[[], Any]) -> Any:
            while True:
                try:
                    return operation()
                except ssl.SSLWantReadError:
                    sock.sendall(outgoing.read())
                    incoming.write(sock.recv(65536))

        exchanged(secured.do_handshake)
        sock.sendall(outgoing.read())
        time.sleep(0.2)  # until the server has ended the handshake
        step = len(request) // count
        for start in range(0, step * (count - 1), step):
            secured.write(request[start : start + step])
        secured.write(request[step * (count - 1) :])
        began = time.monotonic()
        answer = exchanged(lambda: secured.read(65536))
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert time.monotonic() - began < request_limits.BODY_SECONDS


def test_two_requests_in_one_record_get_two_answers(server: Serving) -> None:
    request = HEAD + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD
    last = request.replace(b"Host: x", b"Host: x\r\nConnection: close")
    with secured(server) as sock:
        sock.sendall(request + last)
        assert everything(sock).count(b'"allowed":true') == 2


@pytest.mark.slow
def test_slow_clients_delay_no_other_client(server: Serving) -> None:
    idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    shaking = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    for sock in shaking:
        sock.sendall(b"\x16\x03\x01\x02\x00\x01")  # the first bytes of a handshake
    slow = [secured(server) for _ in range(3)]
    for sock in slow:
        sock.sendall(HEAD)
    try:
        client, began = Client(server), time.monotonic()
        for _ in range(20):
            client.close()
            assert client.post("validate", GOOD)[0] == 200
        assert time.monotonic() - began < http_protocol.HEAD_SECONDS
    finally:
        for sock in (*idle, *shaking, *slow):
            sock.close()


@pytest.mark.slow
def test_changes_under_load_lose_no_request(tmp_path: Path) -> None:
    policies = tmp_path / "policies"
    swap(policies, {"policy.yaml": POLICY.format(number=0).encode()})
    options = ("--policy", str(policies), "--log", "denials", "--drain-seconds", "1")
    with serving(tmp_path, *options) as server:
        load = Load(server, clients=4, longest_pause=0.5)

        def logged(opening: str) -> int:
            return sum(line["message"].startswith(opening) for line in server.log())

        server.ca.rotate()
        swap(policies, {"policy.yaml": POLICY.format(number=1).encode()})
        server.wait_until("the new policy", lambda: load.policies["1"])
        server.wait_until("the new certificate", lambda: len(load.certificates) == 2)
        swap(policies, {"policy.yaml": BROKEN_POLICY})
        swap(server.ca.volume, {"tls.crt": b"none", "tls.key": b"none"})
        server.wait_until("the rejection of the policy", lambda: logged("policy rejected"))
        server.wait_until("the rejection of the pair", lambda: logged("certificate rejected"))
        server.process.send_signal(signal.SIGHUP)
        server.wait_until("a second worker", lambda: logged("Booting worker") == 2)
        rejected = server.metric('jobsworth_file_loads_total{result="rejected",what="policy"}')
        metrics = server.probe("/metrics")[1]
        assert server.stop() == 0
        load.join()
    assert load.failures == []
    assert rejected == 1
    assert 'jobsworth_admission_findings_total{code="JP' in metrics
    assert set(load.policies) == {"0", "1"}
    assert len(load.certificates) == 2
    assert logged("Booting worker") == 2


@pytest.mark.slow
def test_only_the_clients_of_a_ca_are_let_in_where_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "serving").mkdir()
    ca = tmp_path / "serving/ca.crt"
    with serving(tmp_path / "serving", "--client-ca", str(ca)) as server:
        with pytest.raises((ssl.SSLError, OSError)):
            Client(server).post("validate", GOOD)
        pair = server.ca.client()
        (tmp_path / "client.crt").write_bytes(pair.certificate)
        (tmp_path / "client.key").write_bytes(pair.key)
        client = Client(server)
        client.context.load_cert_chain(tmp_path / "client.crt", tmp_path / "client.key")
        assert client.post("validate", GOOD)[0] == 200


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_curl_line_of_self_signed_works_as_it_stands(tmp_path: Path) -> None:
    port, monitor = free_port(), free_port()
    command = (
        *(sys.executable, "-m", "jobsworth", "serve", "--self-signed"),
        *("--bind", f"127.0.0.1:{port}", "--monitor-bind", f"127.0.0.1:{monitor}"),
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, cwd=tmp_path, env=environment, text=True
        ) as process,
    ):
        assert process.stdout is not None
        line = process.stdout.readline()
        command = [sys.executable, "-m", "jobsworth", "policy", "review", "job.yaml"]
        (tmp_path / "job.yaml").write_text(json.dumps(job_with({"restartPolicy": "Always"})))
        piped = subprocess.run(
            command, capture_output=True, cwd=tmp_path, env=environment, text=True, check=True
        )
        try:
            done = subprocess.run(
                line, shell=True, capture_output=True, text=True, cwd="/", timeout=30, check=False
            )
            own = subprocess.run(
                line.replace(f"@{tmp_path}/certs/review.json", "@-"),
                shell=True,
                capture_output=True,
                text=True,
                timeout=30,
                input=piped.stdout,
                check=False,
            )
        finally:
            process.send_signal(signal.SIGINT)
    assert response_of(done.stdout.encode())["allowed"]
    assert response_of(own.stdout.encode())["status"]["code"] == 422
    assert len(line.replace(str(tmp_path), "")) < 150
    assert (tmp_path / "certs/tls.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_on_a_terminal_a_banner_takes_the_place_of_the_log_of_the_start(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(POLICY.format(number=1))
    port, monitor = free_port(), free_port()
    command = (
        *(sys.executable, "-m", "jobsworth", "serve", "--self-signed", "--policy", "policy.yaml"),
        *("--bind", f"127.0.0.1:{port}", "--monitor-bind", f"127.0.0.1:{monitor}"),
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    user, terminal = pty.openpty()
    with subprocess.Popen(
        command, stdout=terminal, stderr=terminal, stdin=terminal, cwd=tmp_path, env=environment
    ) as process:
        os.close(terminal)
        shown = ""
        while "review.json" not in shown:
            shown += os.read(user, 4096).decode()
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(user, 4096):
                shown += part.decode()
    os.close(user)
    lines = shown.splitlines()
    assert lines[0] == f"Serving https://127.0.0.1:{port}/mutate and /validate, until Ctrl+C."
    assert lines[1] == f"Health and metrics: http://127.0.0.1:{monitor}/readyz and /metrics"
    assert lines[2] == "Policies: number-1"
    assert lines[5].startswith("  jobsworth policy review job.yaml -n default | curl --cacert ")
    assert not any(line.startswith("{") for line in lines)
    assert "loaded" not in shown


@pytest.mark.slow
def test_the_log_of_the_start_states_each_fact_once(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.wait_until("readiness", lambda: server.probe("/readyz")[0] == 200)
    messages = [line["message"] for line in server.log()]
    assert len(messages) == len(set(messages))
    assert not any("http://" in message or "Listening" in message for message in messages)
    (started,) = (line for line in server.log() if line["message"] == "serving")
    assert started["bind"].startswith("https://")
    (loaded,) = (line for line in server.log() if line["message"] == "certificate loaded")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", loaded["expires"])
