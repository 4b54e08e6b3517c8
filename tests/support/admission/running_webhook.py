"""A running ``jobsworth serve``, and a client that uses it as an API server does."""

from __future__ import annotations

import contextlib
import datetime
import http.client
import json
import os
import random
import select
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from jobsworth.certificates import ca
from jobsworth.certificates import leaf as issuing
from jobsworth.certificates.keypair import KeyPair

SOURCES = Path(__file__).parents[3] / "webhook"
LIFETIME = datetime.timedelta(days=2)
HOSTS = ("localhost", "127.0.0.1", "::1")
PATIENCE_SECONDS = 30


class Serving:
    """A server that runs in processes of its own."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        port: int,
        monitor: int,
        folder: Path,
        trusted: CertificateAuthority,
    ) -> None:
        self.host = "127.0.0.1"
        self.ca = trusted
        self.process = process
        self.port = port
        self.monitor = monitor
        self.folder = folder

    def probe(self, path: str) -> tuple[int, str]:
        """Return the answer of the plain port."""
        url = f"http://{self.host}:{self.monitor}{path}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, line: str) -> float:
        """The value of one metric, by its name and labels; 0 where it is not there."""
        for found in self.probe("/metrics")[1].splitlines():
            if found.startswith(f"{line} "):
                return float(found.rpartition(" ")[2])
        return 0.0

    def log(self) -> list[dict[str, Any]]:
        """The whole lines of the log so far."""
        written, _, _ = (self.folder / "log").read_text().rpartition("\n")
        return [json.loads(line) for line in written.splitlines()]

    def stop(self) -> int:
        """Stop as an orchestrator does, and give the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_SECONDS)

    def wait_until(self, what: str, condition: Any) -> None:
        """Wait for something to become true."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            if condition():
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"{what} did not come:\n{(self.folder / 'log').read_text()[-3000:]}")


def free_port() -> int:
    """Return a port in no use, below those that systems give to outgoing connections.

    Tests beside this one open thousands of these, and would take it before the server listens.
    """
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def swap(folder: Path, files: dict[str, bytes]) -> None:
    """Replace files all at once, as the kubelet does in the volume of a Secret or ConfigMap."""
    made = folder / f"..{time.monotonic_ns()}"
    made.mkdir(parents=True)
    for name, content in files.items():
        (made / name).write_bytes(content)
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"..data/{name}")
    data, new = folder / "..data", folder / "..data_tmp"
    before = data.resolve() if data.is_symlink() else None
    new.symlink_to(made.name)
    new.rename(data)
    if before is not None:
        shutil.rmtree(before)


class CertificateAuthority:
    """A CA for tests, and a volume with a certificate of it."""

    def __init__(self, folder: Path) -> None:
        now = datetime.datetime.now(datetime.UTC)
        self._pair = ca.create(now, LIFETIME)
        self.volume = folder / "tls"
        self.volume.mkdir(parents=True, exist_ok=True)
        self.file = folder / "ca.crt"
        self.file.write_bytes(self._pair.certificate)

    def issue(self) -> KeyPair:
        """A new certificate, signed by the CA."""
        now = datetime.datetime.now(datetime.UTC)
        return issuing.issue(self._pair, HOSTS, now, LIFETIME)

    def client(self) -> KeyPair:
        """A certificate for a client, as an API server has one."""
        now = datetime.datetime.now(datetime.UTC)
        signer = x509.load_pem_x509_certificate(self._pair.certificate)
        key = ec.generate_private_key(ec.SECP256R1())
        signed = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")]))
            .issuer_name(signer.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - LIFETIME)
            .not_valid_after(now + LIFETIME)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
            .sign(serialization.load_pem_private_key(self._pair.key, None), hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        text = key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return KeyPair(signed.public_bytes(pem), text)

    def rotate(self) -> KeyPair:
        """Put a new certificate into the volume."""
        pair = self.issue()
        swap(self.volume, {"tls.crt": pair.certificate, "tls.key": pair.key})
        return pair


@contextmanager
def serving(
    folder: Path,
    *options: str,
    certified: bool = True,
    program: str = "",
    host: str = "127.0.0.1",
) -> Iterator[Serving]:
    """Run a server with a certificate of its own in a folder, until the block ends.

    Args:
        folder: for its files and its log.
        options: of ``jobsworth serve``.
        certified: False to start without a certificate.
        program: Python code that runs the command line instead of ``python -m jobsworth``.
        host: the address of both ports.
    """
    port, monitor = free_port(), free_port()
    trusted = CertificateAuthority(folder)
    if certified:
        trusted.rotate()
    command = (
        *(sys.executable, *(("-c", program) if program else ("-m", "jobsworth"))),
        *("serve", "--kubernetes-version", "1.36"),
        *("--bind", f"{host}:{port}", "--monitor-bind", f"{host}:{monitor}"),
        *("--tls-cert", str(trusted.volume / "tls.crt")),
        *("--tls-key", str(trusted.volume / "tls.key")),
        *options,
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stderr=log, env=environment, cwd=folder)
    server = Serving(process, port, monitor, folder, trusted)
    server.host = host or server.host
    try:
        server.wait_until("readiness", lambda: _ready(server) if certified else _lives(server))
        yield server
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _lives(server: Serving) -> bool:
    try:
        return server.probe("/healthz")[0] == 200
    except OSError:
        return False


def _ready(server: Serving) -> bool:
    try:
        return server.probe("/readyz")[0] == 200
    except OSError:
        return False


def _is_readable(sock: socket.socket) -> bool:
    return bool(select.select([sock], [], [], 0)[0])


class Client:
    """Posts over one connection that stays open, and opens another after ``close``.

    As Go's HTTP client, it notices before a request that the server has closed the idle connection. It repeats
    no request.
    """

    def __init__(self, server: Serving) -> None:
        self._server = server
        self.context = ssl.create_default_context(cafile=str(server.ca.file))
        self._connection: http.client.HTTPSConnection | None = None
        self.connections = 0
        self.certificate: bytes | None = None

    def post(
        self, endpoint: str, body: bytes, headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        """The status and the body of the answer to a review."""
        if self._connection is not None and _is_readable(self._connection.sock):
            self.close()  # an idle server sends nothing but the end of the connection
        connection = self._connection or self._open()
        connection.request(
            "POST",
            f"/{endpoint}?timeout=10s",
            body,
            {"Content-Type": "application/json", **(headers or {})},
        )
        answer = connection.getresponse()
        content = answer.read()
        if answer.will_close:
            self.close()
        return answer.status, content

    @property
    def connected(self) -> bool:
        """True if there is an open connection."""
        return self._connection is not None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self._server.port, timeout=30, context=self.context
        )
        connection.connect()
        self.certificate = connection.sock.getpeercert(binary_form=True)
        self.connections += 1
        self._connection = connection
        return connection
