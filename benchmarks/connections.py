"""Measure memory and latency of the webhook while strangers open connections, and memory by their number.

    python benchmarks/connections.py [--minutes 10] [--rate 50] [--descriptors 256] [--silent 400]

First one worker after the other gets a number of connections of one kind: silent ones, ones that complete
their handshake, ones that have sent a request and stay idle, and ones that send half of a body. Then one
worker gets connections of these kinds, and some that close at once, `--rate` a second for `--minutes`, beside
two clients that keep their connection, and one that opens a connection for each request. `--silent` further
ones stay open all the time, and `--descriptors` limits the open files of the server.

The exit code is 1 if the worker's memory exceeds 256 MiB, if it is not within a fifth of the start 30 seconds
after the end, or if a request of these clients fails or takes 2 seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import asyncio.sslproto
import contextlib
import multiprocessing
import resource
import ssl
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests")]

from support.admission.admission_reviews import body_of  # noqa: E402
from support.admission.running_webhook import Client, Serving, serving  # noqa: E402
from support.validation.engine_errors import job_with  # noqa: E402

MAX_MEMORY_MIB = 256
MAX_SECONDS = 2.0
MAX_GROWTH = 1.2
QUIET_SECONDS = 30
REVIEW = body_of(job_with())
HEAD = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
REQUEST = HEAD + b"Content-Length: %d\r\n\r\n" % len(REVIEW) + REVIEW
HALF_BODY = HEAD + b"Content-Length: 200000\r\n\r\n" + b" " * 100_000
SENT = {
    "closed": None,
    "silent": None,
    "after the handshake": b"",
    "idle after a request": REQUEST,
    "half a body": HALF_BODY,
}
"""What a connection of each kind sends after its handshake; None for no handshake."""
ADDRESS = "127.0.0.66"
"""The address of the strangers, who are not on the machine of the API server."""
COUNTS = (100, 500, 4_000)

CONFINED = """
import resource, sys
from jobsworth.cli import run

if {descriptors}:
    resource.setrlimit(resource.RLIMIT_NOFILE, ({descriptors}, {descriptors}))
run(sys.argv[1:])
"""


class Strangers:
    """Connections that a process of its own opens, and holds until the server or the process ends them."""

    def __init__(self, port: int, ca: str) -> None:
        self._port = port
        self._context = ssl.create_default_context(cafile=ca)
        self._tasks: set[asyncio.Task[None]] = set()
        asyncio.sslproto.SSLProtocol.max_size = 16 * 1024  # this process needs memory, too

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, kind: str) -> None:
        task = asyncio.get_running_loop().create_task(self._hold(kind))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _hold(self, kind: str) -> None:
        tls = {} if SENT[kind] is None else {"ssl": self._context, "server_hostname": "localhost"}
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1",
                self._port,
                local_addr=(ADDRESS, 0),
                **tls,  # type: ignore[arg-type]
            )
            try:
                writer.write(SENT[kind] or b"")
                while kind != "closed" and await reader.read(1 << 16):
                    pass
            finally:
                writer.transport.abort()


def hold(port: int, ca: str, kind: str, count: int) -> None:
    """Hold a number of connections of one kind; those that the server ends are opened again, 50 a second."""

    async def run() -> None:
        strangers = Strangers(port, ca)
        for _ in range(count):
            strangers.start(kind)
            await asyncio.sleep(0.002)
        while True:
            if len(strangers) < count:
                strangers.start(kind)
            await asyncio.sleep(0.02)

    asyncio.run(run())


def arrive(port: int, ca: str, rate: float) -> None:
    """Open connections of all kinds in turn."""

    async def run() -> None:
        strangers, began = Strangers(port, ca), time.monotonic()
        for number, kind in enumerate(cycle(SENT), 1):
            strangers.start(kind)
            await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))

    asyncio.run(run())


@contextlib.contextmanager
def process(target: Callable[..., None], server: Serving, *arguments: object) -> Iterator[None]:
    """Run a function, which does not end by itself, in a process until the block ends."""
    child = multiprocessing.get_context("spawn").Process(
        target=target, args=(server.port, str(server.ca.file), *arguments)
    )
    child.start()
    try:
        yield
    finally:
        child.kill()
        child.join()


class Load:
    """Two clients that keep their connection, and one that opens another for each request."""

    def __init__(self, server: Serving) -> None:
        self._server = server
        self._stop = threading.Event()
        self.seconds: list[float] = []
        self.failures: list[str] = []
        self._threads = [
            threading.Thread(target=self._review, args=(keeps,)) for keeps in (True, True, False)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _review(self, keeps: bool) -> None:
        client = Client(self._server)
        while not self._stop.wait(0.1):
            began = time.monotonic()
            try:
                status, answer = client.post("validate", REVIEW)
                if status != 200:
                    self.failures.append(f"{status}: {answer[:200]!r}")
            except OSError as error:
                self.failures.append(f"{type(error).__name__}: {error}")
                client.close()
            self.seconds.append(time.monotonic() - began)
            if not keeps:
                client.close()
        client.close()


def warm_up(server: Serving) -> None:
    """Send a thousand reviews, over a hundred connections."""
    for _ in range(100):
        client = Client(server)
        for _ in range(10):
            client.post("validate", REVIEW)
        client.close()
    time.sleep(12)  # until freed memory is returned


def memory(server: Serving) -> float:
    """Return the resident memory of the worker in MiB (Linux)."""
    pid = server.process.pid
    (worker,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    lines = Path(f"/proc/{worker}/status").read_text().splitlines()
    (resident,) = [line.split()[1] for line in lines if line.startswith("VmRSS")]
    return int(resident) / 1024


def by_number(counts: tuple[int, ...]) -> None:
    """Print the memory by kind and number of connections."""
    print(f"| MiB | none | {' | '.join(f'{count:,}' for count in counts)} | after they ended |")
    print(f"| --- |{' ---: |' * (len(counts) + 2)}")
    for kind in list(SENT)[1:]:
        with serving(Path(tempfile.mkdtemp()), "--log", "denials") as server:
            Client(server).post("validate", REVIEW)
            row = [memory(server)]
            for count in counts:
                with process(hold, server, kind, count):
                    time.sleep(4 + count / 250)
                    row.append(memory(server))
            time.sleep(12)  # until freed memory is returned
            row.append(memory(server))
        print(f"| {kind} | {' | '.join(f'{each:.0f}' for each in row)} |", flush=True)


def over_time(options: argparse.Namespace) -> int:
    """Print memory and latency while strangers come, and return the exit code."""
    program = CONFINED.format(descriptors=options.descriptors)
    with serving(Path(tempfile.mkdtemp()), "--log", "denials", program=program) as server:
        load = Load(server)
        warm_up(server)
        start, sizes = memory(server), []
        with contextlib.ExitStack() as strangers:
            strangers.enter_context(process(arrive, server, options.rate))
            if options.silent:
                strangers.enter_context(process(hold, server, "silent", options.silent))
            end = time.monotonic() + options.minutes * 60
            while time.monotonic() < end:
                time.sleep(1)
                sizes.append(memory(server))
                if len(sizes) % 30 == 0:
                    print(
                        f"after {len(sizes)} s: {sizes[-1]:.0f} MiB; {len(load.seconds)} reviews,"
                        f" slowest {max(load.seconds):.2f} s",
                        flush=True,
                    )
        time.sleep(QUIET_SECONDS)
        after = memory(server)
        load.stop()
        errors = [line for line in server.log() if line["level"] == "error"]
    print(
        f"memory: {start:.0f} MiB at the start, {max(sizes):.0f} at most, {after:.0f} after\n"
        f"{len(load.seconds)} reviews: median {1000 * statistics.median(load.seconds):.1f} ms,"
        f" slowest {max(load.seconds):.2f} s, {len(load.failures)} failed"
    )
    for each in [*load.failures[:5], *errors[:5]]:
        print(f"  {each}")
    held = (
        max(sizes) <= MAX_MEMORY_MIB,
        after <= MAX_GROWTH * start,
        max(load.seconds) < MAX_SECONDS,
        not load.failures,
        not errors,
    )
    return 0 if all(held) else 1


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=50, help="new connections a second")
    parser.add_argument("--descriptors", type=int, default=0, help="0 for the system's limit")
    parser.add_argument("--silent", type=int, default=0)
    parser.add_argument("--only-over-time", action="store_true")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if not options.only_over_time:
        by_number(COUNTS)
    return over_time(options)


if __name__ == "__main__":
    sys.exit(main())
