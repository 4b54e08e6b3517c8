"""One connection too many ends one that is not in use; answers are sent at once."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from jobsworth.serving.http_protocol import HttpProtocol, MonitorProtocol, http_settings
from jobsworth.serving.request_limits import CONNECTIONS, HANDSHAKES, ConnectionLimit

HEAD = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n"
LIMIT = 3


class Connection(socket.socket):
    """A socket whose other end has a certain address."""

    host = ""

    def getpeername(self) -> tuple[str, int]:
        return self.host, 40_000


class Transport(asyncio.Transport):
    """A transport that records how it ended."""

    def __init__(self, host: str) -> None:
        connection = Connection()
        connection.host = host
        super().__init__({"socket": connection})
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.abort()

    def is_closing(self) -> bool:
        return self.aborted

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def write(self, data: Any) -> None:
        pass

    def resume_reading(self) -> None:
        pass


async def answers(scope: Any, receive: Any, send: Any) -> None:
    """Read the request, wait if it says so, and answer it."""
    while (await receive()).get("more_body"):
        pass
    if scope["path"] == "/review":
        await asyncio.sleep(60)
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]}
    )
    await send({"type": "http.response.body", "body": b""})


class Connections:
    """The connections of one server, each with the name by which a test refers to it."""

    def __init__(self) -> None:
        self._config = Config(answers, lifespan="off", **http_settings())
        self._config.load()
        self._state = ServerState()
        self._by_name: dict[str, HttpProtocol] = {}

    async def open(self, name: str, sent: bytes = b"", *, host: str = "10.0.0.1") -> HttpProtocol:
        """Open a connection, send something, and let the server answer."""
        protocol = HttpProtocol(self._config, self._state, {}, asyncio.get_running_loop())
        self._by_name[name] = protocol
        protocol.connection_made(Transport(host))
        if sent:
            protocol.data_received(sent)
        await asyncio.sleep(0.001)
        return protocol

    async def send(self, name: str, sent: bytes) -> None:
        self._by_name[name].data_received(sent)
        await asyncio.sleep(0.001)

    def ended(self) -> list[str]:
        return [
            name
            for name, each in self._by_name.items()
            if isinstance(each.transport, Transport) and each.transport.aborted
        ]


@pytest.fixture(autouse=True)
def few_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HttpProtocol, "limit", ConnectionLimit(LIMIT, 1.0))


REQUEST = HEAD + b"{}"
UNDER_REVIEW = REQUEST.replace(b"/validate", b"/review")


def test_the_connection_ends_that_is_unused_for_longest() -> None:
    async def scenario() -> None:
        connections = Connections()
        await connections.open("answered", REQUEST)
        await connections.open("silent")
        await connections.open("half a head", HEAD[:20])
        await connections.send("answered", REQUEST)
        for name in ("new", "newer", "newest"):
            await connections.open(name)
        assert connections.ended() == ["answered", "silent", "half a head"]

    asyncio.run(scenario())


def test_a_body_that_does_not_arrive_makes_room() -> None:
    async def scenario() -> None:
        connections = Connections()
        for name in ("first", "second", "third"):
            await connections.open(name, HEAD + b"{")
        await connections.open("new", REQUEST)
        assert connections.ended() == ["first"]

    asyncio.run(scenario())


def test_a_client_that_does_not_read_makes_room() -> None:
    async def scenario() -> None:
        connections = Connections()
        for name in ("first", "second", "third"):
            protocol = await connections.open(name, UNDER_REVIEW)
        protocol.pause_writing()
        await connections.open("new")
        protocol.resume_writing()  # lets the application end
        assert connections.ended() == ["third"]

    asyncio.run(scenario())


def test_a_request_under_review_is_not_cut_for_a_client_without_one() -> None:
    async def scenario() -> None:
        connections = Connections()
        for name in ("first", "second"):
            await connections.open(name, UNDER_REVIEW)
        await connections.open("idle", REQUEST)
        await connections.open("third", UNDER_REVIEW)
        assert connections.ended() == ["idle"]
        await connections.open("new")
        assert connections.ended() == ["idle", "new"]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("sent", "ended"),
    [(b"", "first"), (REQUEST, "first"), (UNDER_REVIEW, "second")],
    ids=["silent", "idle", "reviewed"],
)
def test_the_address_with_most_connections_makes_room(sent: bytes, ended: str) -> None:
    async def scenario() -> None:
        connections = Connections()
        await connections.open("API server", REQUEST)
        for name in ("first", "second"):
            await connections.open(name, sent, host="10.0.0.66")
        await connections.send("API server", UNDER_REVIEW)
        await connections.open("another", host="10.0.0.2")
        assert connections.ended() == [ended]

    asyncio.run(scenario())


@pytest.mark.parametrize("error", [None, ConnectionResetError()], ids=["closed", "reset"])
def test_nothing_waits_for_a_connection_that_is_lost(error: Exception | None) -> None:
    async def scenario() -> None:
        protocol = await Connections().open("idle", REQUEST)
        idle = protocol.timeout_keep_alive_task
        assert idle is not None
        protocol.connection_lost(error)
        assert idle.cancelled()

    asyncio.run(scenario())


def test_answers_are_sent_at_once() -> None:
    async def scenario() -> None:
        protocol = await Connections().open("new")
        connection = protocol.transport.get_extra_info("socket")
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    asyncio.run(scenario())


def test_limits_leave_open_files_for_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [HANDSHAKES, CONNECTIONS, MonitorProtocol.limit]
    monkeypatch.setattr("resource.getrlimit", lambda which: (256, 256))
    assert [each.count for each in limits] == [43, 129, 43]
    monkeypatch.setattr("resource.getrlimit", lambda which: (20, 20))
    assert [each.count for each in limits] == [1, 1, 1]
    monkeypatch.setattr("resource.getrlimit", lambda which: (4096, 4096))
    assert [each.count for each in limits] == [128, 500, 100]
    monkeypatch.setattr("resource.getrlimit", lambda which: (-1, -1))
    assert [each.count for each in limits] == [128, 500, 100]
