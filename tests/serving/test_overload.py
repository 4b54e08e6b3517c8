"""Unauthenticated clients that are slow, silent, or too many do not keep others waiting."""

from __future__ import annotations

import http.client
import resource
import socket
import ssl
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from jobsworth.serving import http_protocol
from support.admission.admission_reviews import body_of
from support.admission.running_webhook import Client, Serving, serving
from support.validation.engine_errors import job_with

pytestmark = pytest.mark.slow

GOOD = body_of(job_with())
HEAD = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
REQUEST = HEAD + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD
MAX_SECONDS = http_protocol.ANSWER_SECONDS
"""The shortest of the times after which the server gives up a slow client: no request waits until then."""


@pytest.fixture(scope="module", autouse=True)
def many_descriptors() -> Iterator[None]:
    """Allow the test, and the servers that it starts, some thousand connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(tmp_path, "--log", "denials") as server:
        yield server


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server for tests that leave nothing behind."""
    with serving(tmp_path_factory.mktemp("serving"), "--log", "denials") as server:
        yield server


class Crowd(ExitStack):
    """Connections that stay open until the end of the test."""

    def __init__(self, server: Serving) -> None:
        super().__init__()
        self._server = server
        self._context = ssl.create_default_context(cafile=str(server.ca.file))

    def silent(self, count: int) -> None:
        """Open connections that send nothing."""
        for _ in range(count):
            self.plain()

    def slow(self, count: int, start: bytes) -> list[ssl.SSLSocket]:
        """Open connections that send the start of a request."""
        opened = [self.secured() for _ in range(count)]
        for sock in opened:
            sock.sendall(start)
        return opened

    def kept_alive(self, count: int) -> None:
        """Open connections that have sent a request, and stay idle after its answer."""
        for _ in range(count):
            (sock,) = self.slow(1, REQUEST)
            assert b" 200 OK" in sock.recv(65536)

    def plain(self, source: str = "127.0.0.1") -> socket.socket:
        sock = self.enter_context(socket.socket())
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(15)
        sock.bind((source, 0))
        sock.connect(("127.0.0.1", self._server.port))
        return sock

    def secured(self, source: str = "127.0.0.1") -> ssl.SSLSocket:
        return self.enter_context(
            self._context.wrap_socket(self.plain(source), server_hostname="localhost")
        )


def seconds_for(client: Client, times: int = 5) -> float:
    """The longest time that one of some requests takes, each over a new connection."""
    longest = 0.0
    for _ in range(times):
        began = time.monotonic()
        assert client.post("validate", GOOD)[0] == 200
        client.close()
        longest = max(longest, time.monotonic() - began)
    return longest


@pytest.mark.parametrize(
    "start",
    [b"", HEAD, HEAD + b"Content-Length: 500\r\n\r\n{"],
    ids=["silent", "slow head", "slow body"],
)
def test_forty_slow_clients_delay_no_request(shared_server: Serving, start: bytes) -> None:
    with Crowd(shared_server) as crowd:
        crowd.slow(40, start)
        assert seconds_for(Client(shared_server)) < MAX_SECONDS


def test_clients_that_read_no_answers_delay_no_request(server: Serving) -> None:
    with Crowd(server) as crowd:
        for sock in crowd.slow(40, b""):
            sock.sendall(REQUEST * 500)
        assert seconds_for(Client(server)) < MAX_SECONDS


IMPATIENT = """
import sys
from jobsworth.cli import run
from jobsworth.serving import http_protocol

http_protocol.ANSWER_SECONDS = 1.0
run(sys.argv[1:])
"""


def test_a_client_that_reads_no_answers_loses_its_connection(tmp_path: Path) -> None:
    with (
        serving(tmp_path, "--log", "denials", program=IMPATIENT) as server,
        socket.socket() as sock,
    ):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect(("127.0.0.1", server.monitor))
        sock.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 10_000)
        ends = f":{server.monitor:04X} ", f":{sock.getsockname()[1]:04X} "
        server.wait_until("the end of the connection", lambda: not _is_established(*ends))
        assert seconds_for(Client(server)) < MAX_SECONDS
        assert {line["level"] for line in server.log()} == {"info"}


def _is_established(local: str, remote: str) -> bool:
    """Return True if the kernel has an established connection between two ports (Linux)."""
    lines = Path("/proc/net/tcp").read_text().splitlines()
    return any(local in line and line.index(local) < line.find(f"{remote}01 ") for line in lines)


def test_two_thousand_idle_and_forty_slow_connections_delay_no_request(server: Serving) -> None:
    with Crowd(server) as crowd:
        crowd.kept_alive(1000)
        crowd.silent(1000)
        for start in (HEAD[:30], HEAD, HEAD + b"Content-Length: 500\r\n\r\n{", b""):
            crowd.slow(10, start)
        assert seconds_for(Client(server)) < MAX_SECONDS


def test_unfinished_bodies_take_bounded_memory(server: Serving) -> None:
    start = HEAD + b"Content-Length: 8000000\r\n\r\n" + b" " * 7_900_000
    with Crowd(server) as crowd:
        for _ in range(60):
            try:
                crowd.slow(1, start)
            except OSError:
                continue  # the server made room for others
        assert seconds_for(Client(server)) < MAX_SECONDS
        assert sum(memory_of_children(server.process.pid)) < 300


CRAMPED = """
import sys, time
from jobsworth.admission.decision import Reviewer
from jobsworth.cli import run
from jobsworth.serving import request_limits

request_limits.MAX_HELD_BYTES = 200_000
validate = Reviewer.validate

def take_a_second(self, request):
    time.sleep(1)
    return validate(self, request)

Reviewer.validate = take_a_second
run(sys.argv[1:])
"""


def test_large_requests_that_wait_take_bounded_memory(tmp_path: Path) -> None:
    """On a server that holds a three-hundredth of the documented bytes, and reviews slowly."""
    options = ("--workers", "1", "--threads", "1", "--log", "denials")
    large = GOOD + b" " * 90_000
    with serving(tmp_path, *options, program=CRAMPED) as server, ThreadPoolExecutor(6) as clients:
        waiting = [clients.submit(Client(server).post, "validate", large) for _ in range(5)]
        time.sleep(0.5)
        small = clients.submit(Client(server).post, "validate", GOOD)
        answers = [each.result() for each in waiting]
        assert sorted(status for status, _ in answers) == [200, 200, 503, 503, 503]
        assert all(b"send the request again" in body for status, body in answers if status == 503)
        assert small.result()[0] == 200


def test_a_request_that_is_refused_before_it_is_complete_gets_an_answer(tmp_path: Path) -> None:
    options = ("--workers", "1", "--threads", "1", "--log", "denials")
    start = HEAD + b"Content-Length: 100000\r\n\r\n" + b" " * 90_000
    with serving(tmp_path, *options, program=CRAMPED) as server, Crowd(server) as crowd:
        (first,) = crowd.slow(1, start)
        time.sleep(0.5)  # until it is the oldest for the server, too
        others = crowd.slow(2, start)
        answer = http.client.HTTPResponse(first)
        answer.begin()
        assert answer.status == 503
        assert b"send the request again" in answer.read()
        for sock in others:
            sock.sendall(b" " * (10_000 - len(GOOD)) + GOOD)
            assert b" 200 OK" in sock.recv(65536)
        (line,) = [each for each in server.log() if each["level"] == "warning"]
        assert line["error"] == "too many large requests: send the request again"


@pytest.mark.parametrize("pause", [0.5, 2.6])
def test_a_client_that_is_refused_while_it_sends_slowly_gets_its_answer(
    tmp_path: Path, pause: float
) -> None:
    options = ("--workers", "1", "--threads", "1", "--log", "denials")
    start = HEAD + b"Content-Length: 200000\r\n\r\n" + b" " * 90_000
    with serving(tmp_path, *options, program=CRAMPED) as server, Crowd(server) as crowd:
        (first,) = crowd.slow(1, start)
        time.sleep(0.5)
        crowd.slow(2, start)
        for _ in range(2):
            time.sleep(pause)
            first.sendall(b" " * 20_000)
        answer = http.client.HTTPResponse(first)
        answer.begin()
        assert answer.status == 503
        assert b"send the request again" in answer.read()


@pytest.mark.parametrize("waits", [True, False], ids=["silent", "closed"])
def test_connections_without_a_handshake_take_bounded_memory(server: Serving, waits: bool) -> None:
    assert seconds_for(Client(server)) < MAX_SECONDS
    before = sum(memory_of_children(server.process.pid))
    with Crowd(server) as crowd:
        for _ in range(1500):
            sock = crowd.plain()
            if not waits:
                sock.close()
        assert seconds_for(Client(server)) < MAX_SECONDS
        assert sum(memory_of_children(server.process.pid)) - before < 20
    assert {line["level"] for line in server.log()} == {"info"}


CONFINED = """
import resource, sys
from jobsworth.cli import run

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
run(sys.argv[1:])
"""


@pytest.mark.parametrize("port", ["webhook", "monitor"])
def test_more_clients_than_open_files_delay_neither_requests_nor_probes(
    tmp_path: Path, port: str
) -> None:
    with serving(tmp_path, "--log", "denials", program=CONFINED) as server, ExitStack() as crowd:
        number = server.port if port == "webhook" else server.monitor
        for _ in range(400):
            crowd.enter_context(socket.create_connection(("127.0.0.1", number)))
        began = time.monotonic()
        assert server.probe("/readyz")[0] == 200
        assert time.monotonic() - began < MAX_SECONDS
        assert seconds_for(Client(server)) < MAX_SECONDS
        assert {line["level"] for line in server.log()} == {"info"}


def test_answers_on_kept_connections_are_sent_at_once(shared_server: Serving) -> None:
    """No answer waits for the acknowledgement of its head, which a client's kernel sends after 40 ms."""
    client = Client(shared_server)
    monitor = http.client.HTTPConnection("127.0.0.1", shared_server.monitor)

    def probe() -> None:
        monitor.request("GET", "/healthz")
        assert monitor.getresponse().read() == b"ok\n"

    assert median_seconds(lambda: client.post("validate", GOOD)) < 0.03
    assert median_seconds(probe) < 0.03
    client.close()
    monitor.close()


def median_seconds(call: Callable[[], object]) -> float:
    """The median time of 50 calls."""
    taken = []
    for _ in range(50):
        began = time.monotonic()
        call()
        taken.append(time.monotonic() - began)
    return statistics.median(taken)


def memory_of_children(parent: int) -> list[int]:
    """The resident memory of the children of a process, in MiB."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":\t", 1) for line in status.read_text().splitlines())
        except OSError:
            continue
        if lines.get("PPid") == str(parent):
            found.append(int(lines["VmRSS"].split()[0]) // 1024)
    return found
