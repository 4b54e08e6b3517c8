"""A worker that crashes or hangs is replaced, whatever the files are, and the log stays JSON."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobsworth.serving.settings import HEARTBEAT_SECONDS
from support.admission.admission_reviews import body_of
from support.admission.running_webhook import PATIENCE_SECONDS, Client, Serving, serving
from support.admission.webhook_load import POLICY
from support.validation.engine_errors import job_with

pytestmark = pytest.mark.slow

GOOD = body_of(job_with())
HANG_SECONDS = 3
"""Of the server that runs `HANGING`; a tenth of the documented time."""
HANGING = """
import sys, time
from jobsworth.admission.decision import Reviewer
from jobsworth.cli import run
from jobsworth.serving import request_limits, worker_process

request_limits.HANG_SECONDS = 3
worker_process.LEAVE_SECONDS = 1.5
validate = Reviewer.validate

def hang(self, request):
    if request.uid == "hang":
        time.sleep(1000)
    if request.uid == "slow":
        time.sleep(1.5)
    return validate(self, request)

Reviewer.validate = hang
run(sys.argv[1:])
"""
SECOND_IS_LATE = """
import pathlib, sys, time
from jobsworth.cli import run
from jobsworth.serving.worker_process import WorkerProcess

begin = WorkerProcess.begin

def begin_late(self):
    try:
        pathlib.Path("first-worker").touch(exist_ok=False)
    except FileExistsError:
        time.sleep(2)
    begin(self)

WorkerProcess.begin = begin_late
run(sys.argv[1:])
"""
"""Its second worker is still starting when the first one serves."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(tmp_path, "--workers", "2", "--log", "denials") as server:
        yield server


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server for tests that kill none of its processes."""
    with serving(tmp_path_factory.mktemp("serving"), "--log", "denials") as server:
        yield server


def workers(server: Serving) -> list[int]:
    """The processes of the workers that were started, in order."""
    return [line["process"] for line in server.log() if "Booting worker" in line["message"]]


def ask_until_answered(server: Serving) -> None:
    def answered() -> bool:
        try:
            return Client(server).post("validate", GOOD)[0] == 200
        except OSError:
            return False

    server.wait_until("an answer", answered)


def test_a_killed_worker_is_replaced(server: Serving) -> None:
    server.wait_until("two workers", lambda: len(workers(server)) == 2)
    for process in workers(server):
        os.kill(process, signal.SIGKILL)
    server.wait_until("two other workers", lambda: len(workers(server)) == 4)
    ask_until_answered(server)
    assert server.probe("/readyz")[0] == 200


def test_the_counts_of_a_killed_worker_stay(server: Serving) -> None:
    name = 'jobsworth_admission_duration_seconds_count{endpoint="validate"}'
    for _ in range(6):
        client = Client(server)
        client.post("validate", GOOD)
        client.close()
    server.wait_until("both workers", lambda: len(workers(server)) == 2)
    for process in workers(server):
        os.kill(process, signal.SIGKILL)
    server.wait_until("two other workers", lambda: len(workers(server)) == 4)
    ask_until_answered(server)
    assert server.metric(name) >= 6


def test_a_worker_whose_request_hangs_is_replaced_after_the_time_limit(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "1", "--log", "denials", program=HANGING) as server:
        began = time.monotonic()
        hanging = threading.Thread(target=_ask, args=(server, "hang"))
        hanging.start()
        time.sleep(HANG_SECONDS - 0.8)
        answered: list[int] = []
        slow = threading.Thread(target=lambda: answered.append(_ask(server, "slow")))
        slow.start()
        server.wait_until("another worker", lambda: len(workers(server)) == 2)
        assert time.monotonic() - began < HEARTBEAT_SECONDS  # the arbiter adds no time of its own
        ask_until_answered(server)
        slow.join()
        assert answered == [200]  # its thread worked, and was not cut off
        hanging.join()
    assert any("takes too long" in line["message"] for line in server.log())


def test_a_worker_whose_threads_all_hang_is_replaced_with_requests_waiting(tmp_path: Path) -> None:
    options = ("--workers", "1", "--threads", "2", "--log", "denials")
    with serving(tmp_path, *options, program=HANGING) as server:
        clients = [threading.Thread(target=_ask, args=(server, "hang")) for _ in range(4)]
        for client in clients:
            client.start()
        began = time.monotonic()

        def replaced() -> bool:
            for _ in range(20):  # one of them is under way when the worker ends
                assert _repeated_probe(server) == 200
            return len(workers(server)) == 2

        server.wait_until("another worker", replaced)
        assert time.monotonic() - began < HEARTBEAT_SECONDS
        ask_until_answered(server)
        for client in clients:
            client.join()


STARTING = """
import asyncio, sys
from jobsworth.cli import run
from jobsworth.serving.worker_process import WorkerProcess

live = WorkerProcess._live

async def live_after_a_second(self, receive, send):
    await asyncio.sleep(1)
    await live(self, receive, send)

WorkerProcess._live = live_after_a_second
run(sys.argv[1:])
"""


FORKED = """
import sys, time
from jobsworth.cli import run
from jobsworth.serving.launch import WebhookServer

start = WebhookServer._start

def start_after_a_second(self):
    time.sleep(1)
    start(self)

WebhookServer._start = start_after_a_second
run(sys.argv[1:])
"""


@pytest.mark.parametrize("program", [FORKED, STARTING], ids=["forked", "starting"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_stops_while_a_worker_starts_stops_in_time(
    tmp_path: Path, number: signal.Signals, program: str
) -> None:
    options = ("--workers", "2", "--drain-seconds", "1", "--log", "denials")
    with serving(tmp_path, *options, program=program) as server:
        for process in workers(server):
            os.kill(process, signal.SIGKILL)
        before = len(workers(server))
        while len(workers(server)) == before:
            time.sleep(0.001)
        began = time.monotonic()
        server.process.send_signal(number)
        assert server.process.wait(PATIENCE_SECONDS) == 0
        # A worker that misses the signal is killed after 15 more seconds.
        assert time.monotonic() - began < 15


def test_the_server_stays_ready_while_all_workers_are_replaced(tmp_path: Path) -> None:
    options = ("--workers", "2", "--drain-seconds", "1", "--log", "denials")
    with serving(tmp_path, *options) as server:
        server.wait_until("two workers", lambda: len(workers(server)) == 2)
        replaced = workers(server)
        server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + PATIENCE_SECONDS
        while any(map(_runs, replaced)):
            assert _repeated_probe(server) == 200
            assert time.monotonic() < end
        assert len(workers(server)) == 4
        assert server.probe("/readyz")[0] == 200


def test_a_draining_server_is_not_ready_and_answers_all_the_same(tmp_path: Path) -> None:
    with serving(tmp_path, "--drain-seconds", "2", "--log", "denials") as server:
        server.process.send_signal(signal.SIGTERM)
        server.wait_until("the drain", lambda: server.probe("/readyz")[0] == 503)
        assert (
            "[-]workers failed: no worker serves, or the server is draining"
            in server.probe("/readyz")[1]
        )
        assert server.probe("/healthz")[0] == 200
        assert _ask(server, "late") == 200
        assert server.process.wait(PATIENCE_SECONDS) == 0


def _repeated_probe(server: Serving) -> int:
    """The answer to a probe, repeated like a kubelet's if it met the end of a worker."""
    try:
        return server.probe("/readyz")[0]
    except ConnectionResetError:
        return server.probe("/readyz")[0]


def _ask(server: Serving, uid: str) -> int:
    try:
        return Client(server).post("validate", body_of(job_with(), uid=uid))[0]
    except OSError:
        return 0


@pytest.mark.parametrize("name", ["tls.crt", "tls.key"])
def test_a_certificate_that_is_a_pipe_blocks_nothing(server: Serving, name: str) -> None:
    file = server.ca.volume / name
    file.unlink()
    os.mkfifo(file)
    server.wait_until("the error", lambda: any(_is_rejected(line) for line in server.log()))
    os.kill(workers(server)[0], signal.SIGKILL)
    server.wait_until("another worker", lambda: len(workers(server)) == 3)
    ask_until_answered(server)
    assert server.probe("/readyz")[0] == 200


def _is_rejected(line: dict[str, str]) -> bool:
    return "not a regular file" in line.get("error", "")


@pytest.mark.parametrize("linked", [False, True])
def test_a_policy_that_is_a_pipe_blocks_nothing(tmp_path: Path, linked: bool) -> None:
    policies = tmp_path / "policies"
    policies.mkdir()
    (policies / "policy.yaml").write_text(POLICY.format(number=0))
    with serving(tmp_path, "--policy", str(policies), "--log", "denials") as server:
        pipe = (tmp_path if linked else policies) / "pipe.yaml"
        os.mkfifo(pipe)
        if linked:
            (policies / "linked.yaml").symlink_to(pipe)
        server.wait_until("the error", lambda: any(_is_rejected(line) for line in server.log()))
        os.kill(workers(server)[0], signal.SIGKILL)
        server.wait_until("another worker", lambda: len(workers(server)) == 2)
        ask_until_answered(server)


def test_a_client_that_resets_its_connection_leaves_no_traceback(server: Serving) -> None:
    for port in (server.monitor, server.port):
        for sent in (
            b"",
            b"GET /metrics HTTP/1.1\r\n",
            b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 50,
        ):
            sock = socket.create_connection(("127.0.0.1", port))
            sock.sendall(sent)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()
    assert server.probe("/healthz")[0] == 200
    time.sleep(0.2)
    assert {line["level"] for line in server.log()} == {"info"}  # each line is JSON


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET /metrics HTTP/9.9\r\n\r\n", 400),
        (b"GET /" + b"x" * 270_000 + b" HTTP/1.1\r\n\r\n", 431),
        (b"POST /metrics HTTP/1.1\r\n\r\n", 405),
        (b"GET /other HTTP/1.1\r\n\r\n", 404),
    ],
)
def test_the_probes_answer_bad_requests_in_json(
    shared_server: Serving, sent: bytes, status: int
) -> None:
    with socket.create_connection(("127.0.0.1", shared_server.monitor), timeout=5) as sock:
        sock.sendall(sent)
        answer = http.client.HTTPResponse(sock)
        answer.begin()
        assert answer.status == status
        assert json.loads(answer.read())["code"] == status


def test_probes_are_answered_while_all_threads_are_busy(tmp_path: Path) -> None:
    options = ("--workers", "1", "--threads", "1", "--log", "denials")
    with serving(tmp_path, *options, program=HANGING) as server:
        busy = threading.Thread(target=_ask, args=(server, "hang"))
        busy.start()
        time.sleep(0.3)
        assert server.probe("/healthz")[0] == server.probe("/readyz")[0] == 200
        assert busy.is_alive()
        busy.join()


@pytest.mark.parametrize("program", ["", SECOND_IS_LATE], ids=["serving", "one-is-starting"])
def test_workers_end_when_the_arbiter_is_killed(tmp_path: Path, program: str) -> None:
    with serving(tmp_path, "--workers", "2", "--log", "denials", program=program) as server:
        server.wait_until("two workers", lambda: len(workers(server)) == 2)
        started = workers(server)
        server.process.kill()
        server.process.wait()
    end = time.monotonic() + PATIENCE_SECONDS
    while any(map(_runs, started)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(map(_runs, started))


def _runs(process: int) -> bool:
    """Return False also for a zombie, which some container's init collects only after seconds."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
