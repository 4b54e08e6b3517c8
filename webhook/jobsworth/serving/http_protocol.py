"""uvicorn's HTTP protocol with limits for heads and unread answers, and with a ``Status`` for malformed HTTP.

uvicorn limits the time between requests, but neither the time nor the length of a head, nor the time in which
a client reads.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from jobsworth.admission.application import JSON, status_body
from jobsworth.admission.review import BadReview

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

    _deadline: asyncio.TimerHandle | None = None  # of the head that is incomplete
    _read_deadline: asyncio.TimerHandle | None = None  # of answers that the client does not read
    _head_bytes = 0
    _another_ended = False  # in the data that is parsed
    _rejected = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=MAX_UNREAD_BYTES)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._end_head()
        self._end_reading()
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


def http_settings() -> dict[str, Any]:
    """Return the settings that uvicorn gets for the webhook and for the monitor."""
    return {
        "http": HttpProtocol,
        "loop": "asyncio",
        "ws": "none",
        "interface": "asgi3",
        "access_log": False,
        "log_config": None,
        "proxy_headers": False,  # no proxy stands between an API server and its webhook
        "server_header": False,
    }
