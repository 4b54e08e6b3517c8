"""uvicorn's HTTP protocol with limits for connections, heads and unread answers.

uvicorn limits the time between requests, but neither the number of connections, the time nor the length of a
head, nor the time in which a client reads. It answers malformed HTTP with a ``Status``.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from http import HTTPStatus
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from jobsworth.admission.application import JSON, status_body
from jobsworth.admission.review import BadReview
from jobsworth.serving.request_limits import (
    CONNECTIONS,
    MONITOR_CONNECTIONS,
    ConnectionLimit,
)

HEAD_SECONDS = 10.0
"""The time limit for a head: from its first byte, or, for the first request of a connection, from the end of
the handshake."""
MAX_HEAD_BYTES = 64 * 1024
"""The limit for request line and header fields together."""
ANSWER_SECONDS = 5.0
"""The time limit for the client to read, once more than :data:`MAX_UNREAD_BYTES` wait for it."""
MAX_UNREAD_BYTES = 16 * 1024
LINGER_SECONDS = 2.0
"""The time that a client gets to read why its request is malformed. A connection that is closed while the
client sends loses the answer."""


class HttpProtocol(HttpToolsProtocol):
    """The protocol of one connection."""

    limit: ClassVar[ConnectionLimit] = CONNECTIONS

    _deadline: asyncio.TimerHandle | None = None  # of the head that is incomplete
    _read_deadline: asyncio.TimerHandle | None = None  # of answers that the client does not read
    _head_bytes = 0
    _another_ended = False  # in the data that is parsed
    _rejected = False
    _used = 0.0  # the time at which the connection or its last request began

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        # uvicorn sends head and body of an answer one by one: without this, the body waits until the client
        # has acknowledged the head, 40 ms on Linux. asyncio sets it only if the listening socket names TCP,
        # gunicorn on that socket, too late for the connections that the kernel has taken before.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport.set_write_buffer_limits(high=MAX_UNREAD_BYTES)
        self._used = self.loop.time()
        self._expect_head()
        if len(self.connections) > self.limit.count:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._end_head()
        self._end_reading()
        if (
            self.timeout_keep_alive_task is not None
        ):  # uvicorn leaves it if the client resets the connection
            self.timeout_keep_alive_task.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Give the client some time to read."""
        super().pause_writing()
        loop = asyncio.get_running_loop()
        self._read_deadline = loop.call_later(ANSWER_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        self._end_reading()
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived."""
        if self._rejected:
            return
        self._another_ended = False
        super().data_received(data)
        if self._deadline is not None and not self._another_ended:
            self._head_bytes += len(data)
        if self._head_bytes > MAX_HEAD_BYTES:
            self._end_head()
            self._reject(BadReview("malformed HTTP: the head is too long", 431))

    def on_message_begin(self) -> None:
        """Start the head of a request."""
        super().on_message_begin()
        self._used = self.loop.time()
        self._expect_head()

    def on_headers_complete(self) -> None:
        """Answer the request; its body may follow."""
        self._end_head()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """End the body of a request; the next head may begin in the same data."""
        self._another_ended = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer malformed HTTP."""
        self._end_head()
        self._reject(BadReview(f"malformed HTTP: {msg}"))

    def _make_room(self) -> None:
        """End a connection of the client address that has most of them: the one that is unused for longest.

        A connection whose request is under review ends only if all others have one, too: then the newest.
        """
        connections = [each for each in self.connections if isinstance(each, HttpProtocol)]
        waiting = [each for each in connections if each is not self and each._awaits_client()]
        by_host = Counter(each._host for each in connections)
        if waiting:
            ended = min(waiting, key=lambda each: (-by_host[each._host], each._used))
        else:
            ended = max(connections, key=lambda each: (by_host[each._host], each._used))
        self.connections.discard(ended)  # at once: more may arrive before it is lost
        ended.transport.abort()

    @property
    def _host(self) -> str:
        return self.client[0] if self.client is not None else ""

    def _awaits_client(self) -> bool:
        """Return True if the client has to send or to read something."""
        reviews = self.cycle is not None and not (
            self.cycle.response_complete or self.cycle.more_body
        )
        return not reviews or self._read_deadline is not None

    def _expect_head(self) -> None:
        if self._deadline is None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(HEAD_SECONDS, self._expire)

    def _end_head(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            self._head_bytes = 0

    def _end_reading(self) -> None:
        if self._read_deadline is not None:
            self._read_deadline.cancel()
            self._read_deadline = None

    def _expire(self) -> None:
        self._deadline = None
        self.transport.close()

    def _reject(self, error: BadReview) -> None:
        body = status_body(error.status, str(error))
        head = (
            f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\n"
            f"Content-Type: {JSON}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self._rejected = True
        self.transport.write(head.encode() + body)
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self.transport.close)


class MonitorProtocol(HttpProtocol):
    """The protocol of one connection of the monitor."""

    limit = MONITOR_CONNECTIONS


def http_settings(protocol: type[HttpProtocol] = HttpProtocol) -> dict[str, Any]:
    """Return the settings that uvicorn gets for the webhook and for the monitor."""
    return {
        "http": protocol,
        "loop": "jobsworth.serving.event_loop:EventLoop",
        "ws": "none",
        "interface": "asgi3",
        "access_log": False,
        "log_config": None,
        "proxy_headers": False,  # no proxy stands between an API server and its webhook
        "server_header": False,
    }
