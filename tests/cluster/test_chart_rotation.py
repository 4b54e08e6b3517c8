"""Certificates that change every few seconds, with traffic, two replicas and a crash: not one request fails."""

from __future__ import annotations

import base64
import contextlib
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.installed_chart import NAME, Installation, wait_for
from cluster.programs import NEWEST
from cluster.small_jobs import JOBS, job
from jobsworth.certificates.keypair import issued_by, split

if TYPE_CHECKING:
    from pathlib import Path

    from cluster.bed import TestBed

SECONDS = 80.0
CRASHED = 8.0
"""Seconds that one replica is without the container: less than the overlap, as a crash should be."""
FAST = (
    "--duration=60s", "--renew-before=40s", "--ca-duration=130s", "--settle=3s", "--overlap=20s",
    "--interval=1s",
)  # fmt: skip
VALUES: dict[str, Any] = {
    "webhook": {
        "workers": 2,
        "mutating": {"failurePolicy": "Fail"},
        "validating": {"failurePolicy": "Fail"},
        "log": "denials",
    },
}


@pytest.fixture(scope="module")
def quiet() -> Iterator[TestBed]:
    with bed_or_skip(NEWEST, audit=False) as bed:
        yield bed


class Watch:
    """Does something over and over in threads, and keeps what went wrong."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.done = 0
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def over_and_over(self, do: Callable[[], str], pause: float = 0.0) -> None:
        def loop() -> None:
            while not self._stop.wait(pause):
                try:
                    fault = do()
                except Exception as error:
                    fault = repr(error)
                self.done += 1
                if fault:
                    self.faults.append(f"{time.monotonic():.1f} {fault}")

        self._threads.append(threading.Thread(target=loop, daemon=True))
        self._threads[-1].start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def test_no_request_fails_while_ca_and_certificate_change(quiet: TestBed) -> None:
    arguments = {"certificates": FAST}
    with Installation(quiet, VALUES, arguments) as it:
        team = quiet.namespace("team")
        other = it.start_again("certificates")  # a second replica's, with a folder of its own
        wait_for((other / "tls.crt").exists, "the second replica's files")
        requests, handshakes, files = Watch(), Watch(), Watch()
        authorities: set[bytes] = set()
        shown: set[bytes] = set()

        def create() -> str:
            answer = quiet.request("POST", f"{JOBS.format(team)}?dryRun=All", job())
            return "" if answer.code == 201 else str(answer.body)

        def shake_hands() -> str:
            bundle = base64.b64decode(it.bundles()["validate.jobsworth.dev"])
            authorities.update(split(bundle))
            shown.add(_handshake(it, bundle))
            return ""

        def compare() -> str:
            return _untrusted(it, other)

        for _ in range(4):
            requests.over_and_over(create)
        handshakes.over_and_over(shake_hands, 0.02)
        files.over_and_over(compare, 0.1)
        time.sleep(SECONDS / 3)
        it.signal("certificates", signal.SIGKILL)  # the one that was first, and leads
        time.sleep(CRASHED)
        it.start("certificates")
        time.sleep(SECONDS * 2 / 3 - CRASHED)
        for watch in (requests, handshakes, files):
            watch.stop()
        print(
            f"{requests.done} requests, {handshakes.done} handshakes, {len(authorities)} authorities, "
            f"{len(shown)} certificates in {SECONDS:.0f} s"
        )
        assert (requests.faults, handshakes.faults, files.faults) == ([], [], [])
        assert requests.done > 1000
        assert len(authorities) >= 3
        assert len(shown) >= 3


def _handshake(it: Installation, bundle: bytes) -> bytes:
    """The certificate that the webhook shows to a new connection that trusts a bundle, as the API server does."""
    client = ssl.create_default_context(cadata=bundle.decode())
    name = f"{NAME}.{it.namespace}.svc"
    with (
        socket.create_connection(("127.0.0.1", it.port), timeout=5) as plain,
        client.wrap_socket(plain, server_hostname=name) as connection,
    ):
        return connection.getpeercert(binary_form=True) or b""


def _untrusted(it: Installation, folder: Path) -> str:
    """Return the certificate that the second replica would serve, if a bundle does not trust it."""
    with contextlib.suppress(FileNotFoundError):
        certificate = (folder / "tls.crt").read_bytes()
        for name, bundle in it.bundles().items():
            if not any(issued_by(certificate, each) for each in split(base64.b64decode(bundle))):
                return f"{name} does not trust the second replica"
    return ""
