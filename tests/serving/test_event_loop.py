"""Servers of the webhook's event loop end the oldest handshake for a new one, and keep nothing of it."""

from __future__ import annotations

import asyncio
import asyncio.sslproto
import errno
import gc
import socket
import ssl
import weakref
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from jobsworth.serving import event_loop
from jobsworth.serving.event_loop import TLS_BUFFER_BYTES, EventLoop
from jobsworth.serving.request_limits import ConnectionLimit
from support.admission.running_webhook import CertificateAuthority

LIMIT = 3


class Echo(asyncio.Protocol):
    """A protocol that sends back what it gets."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        assert isinstance(self.transport, asyncio.Transport)
        self.transport.write(data)


class Clients:
    """Clients of a server in the same event loop."""

    def __init__(self, address: tuple[str, int], authority: CertificateAuthority) -> None:
        self._address = address
        self._context = ssl.create_default_context(cafile=str(authority.file))

    async def silent(self, source: str = "127.0.0.1") -> asyncio.StreamReader:
        """Open a connection that sends nothing."""
        reader, writer = await asyncio.open_connection(*self._address, local_addr=(source, 0))
        reader.writer = writer  # type: ignore[attr-defined]  # keeps the connection open
        await _turns()
        return reader

    async def echoed(self) -> bytes:
        """Return what a client gets back that completes its handshake and sends a word."""
        reader, writer = await asyncio.open_connection(
            *self._address, ssl=self._context, server_hostname="localhost"
        )
        writer.write(b"word")
        word = await reader.readexactly(4)
        writer.transport.abort()
        return word


async def _turns() -> None:
    """Let the server accept what has arrived."""
    await asyncio.sleep(0.02)


async def has_ended(reader: asyncio.StreamReader) -> bool:
    try:
        async with asyncio.timeout(0.05):
            return await reader.read(1) == b""
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True


@pytest.fixture
def authority(tmp_path: Path) -> CertificateAuthority:
    authority = CertificateAuthority(tmp_path)
    authority.rotate()
    return authority


def with_server(
    authority: CertificateAuthority, scenario: Callable[[Clients], Awaitable[None]]
) -> None:
    """Run a scenario beside a server with TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.volume / "tls.crt", authority.volume / "tls.key")

    async def run() -> None:
        loop = asyncio.get_running_loop()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = await loop.create_server(Echo, sock=listener, ssl=context)
            await scenario(Clients(listener.getsockname(), authority))
            server.close()

    with asyncio.Runner(loop_factory=EventLoop) as runner:
        runner.run(run())


@pytest.fixture
def few_handshakes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop, "HANDSHAKES", ConnectionLimit(LIMIT, 1.0))


@pytest.mark.usefixtures("few_handshakes")
def test_one_handshake_too_many_ends_the_oldest(authority: CertificateAuthority) -> None:
    async def scenario(clients: Clients) -> None:
        waiting = [await clients.silent() for _ in range(LIMIT + 2)]
        ended = [await has_ended(each) for each in waiting]
        assert ended == [True, True, False, False, False]

    with_server(authority, scenario)


@pytest.mark.usefixtures("few_handshakes")
def test_the_handshakes_of_one_address_do_not_end_those_of_another(
    authority: CertificateAuthority,
) -> None:
    async def scenario(clients: Clients) -> None:
        slow = await clients.silent("127.0.0.2")
        others = [await clients.silent() for _ in range(LIMIT)]
        ended = [await has_ended(each) for each in (slow, *others)]
        assert ended == [False, True, False, False]

    with_server(authority, scenario)


@pytest.mark.usefixtures("few_handshakes")
def test_a_client_gets_through_beside_silent_ones(authority: CertificateAuthority) -> None:
    async def scenario(clients: Clients) -> None:
        waiting = [await clients.silent() for _ in range(LIMIT)]
        assert [await clients.echoed() for _ in range(5)] == [b"word"] * 5
        assert [await has_ended(each) for each in waiting] == [True, False, False]

    with_server(authority, scenario)


def test_a_silent_client_is_disconnected_in_time(
    authority: CertificateAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_loop, "HANDSHAKE_SECONDS", 0.05)

    async def scenario(clients: Clients) -> None:
        silent = await clients.silent()
        await asyncio.sleep(0.1)
        assert await has_ended(silent)

    with_server(authority, scenario)


@pytest.mark.usefixtures("few_handshakes")
@pytest.mark.parametrize("end", ["closed", "malformed", "evicted"])
def test_a_failed_handshake_leaves_nothing_to_the_garbage_collector(
    authority: CertificateAuthority, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    made: list[weakref.ref[asyncio.sslproto.SSLProtocol]] = []
    initialize = asyncio.sslproto.SSLProtocol.__init__

    def note(self: asyncio.sslproto.SSLProtocol, *args: object, **options: object) -> None:
        made.append(weakref.ref(self))
        initialize(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio.sslproto.SSLProtocol, "__init__", note)

    async def scenario(clients: Clients) -> None:
        gc.disable()
        try:
            for _ in range(5):
                silent = await clients.silent()
                writer = silent.writer  # type: ignore[attr-defined]
                if end == "malformed":
                    writer.write(b"GET / HTTP/1.1\r\n\r\n")
                if end != "evicted":
                    await _turns()
                    writer.transport.abort()
                await _turns()
            left = sum(each() is not None for each in made)
        finally:
            gc.enable()
        assert len(made) == 5
        assert left == (LIMIT if end == "evicted" else 0)

    with_server(authority, scenario)


def test_connections_have_small_buffers(authority: CertificateAuthority) -> None:
    """The name `max_size` of asyncio's class means what it meant."""

    async def scenario(clients: Clients) -> None:
        loop = asyncio.get_running_loop()
        context = ssl.create_default_context()
        protocol = asyncio.sslproto.SSLProtocol(
            loop,
            Echo(),
            context,
            None,
            False,
            "localhost",  # type: ignore[arg-type]
        )
        assert len(protocol.get_buffer(-1)) == TLS_BUFFER_BYTES
        assert len(protocol.get_buffer(2 * TLS_BUFFER_BYTES)) == TLS_BUFFER_BYTES

    with_server(authority, scenario)


class Exhausted(socket.socket):
    """A listening socket that has no descriptor for its first connection."""

    failed = False

    def accept(self) -> tuple[socket.socket, object]:
        if not self.failed:
            self.failed = True
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


def test_a_server_without_descriptors_goes_on_when_it_has_some(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(event_loop, "PAUSE_SECONDS", 0.01)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        with Exhausted() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            server = await loop.create_server(Echo, sock=listener)
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writer.write(b"word")
            assert await reader.readexactly(4) == b"word"
            server.close()
            writer.transport.abort()

    with asyncio.Runner(loop_factory=EventLoop) as runner:
        runner.run(run())
    assert caplog.messages == ["cannot accept a connection: Too many open files"]
