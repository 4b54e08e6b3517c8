"""A connection of one client: TLS, then requests one after another. Nothing here blocks.

A request reaches a thread when it is complete, so a slow client, whether it sends or reads slowly, holds a
place among the connections but no thread.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from typing import TYPE_CHECKING, Any

from jobsworth.admission.review import BadReview
from jobsworth.serving.http_messages import refusal
from jobsworth.serving.request_heads import Environ, Head, HeadReader
from jobsworth.serving.serving_settings import KEEP_ALIVE_SECONDS

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

FIRST_REQUEST_SECONDS = 10.0
"""The time limit from the connection to the first byte of a request, including the handshake."""
REQUEST_SECONDS = 10.0
"""The time limit for head and body together: by default, an API server waits 10 seconds for a webhook."""
ANSWER_SECONDS = 5.0
"""The time limit for the client to read an answer."""
LINGER_SECONDS = 2.0
"""The time that a client gets to close the connection after the last answer. If the server closed it while
the client still sends, the client could lose the answer."""
MOST_HEAD_BYTES = 64 * 1024
"""The limit for request line and header fields together."""

_READ_BYTES = 64 * 1024  # more than a TLS record, so that OpenSSL never holds back bytes
_MOST_READS = 64
_LATE = BadReview("the body did not arrive in time: send the request again", 408)
_WANTS = (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError)


class Connection:
    """A connection, used by one thread at a time.

    Args:
        heads: reads the heads of requests.
        sock: the accepted socket.
        client: its address.
        application: answers the requests.
        context: for TLS; None for plain HTTP.

    Attributes:
        sock: the socket.
        peer: the address of the client, without its port.
        deadline: the time, in seconds of the monotonic clock, at which to call :meth:`expire`.
        closed: the connection is of no further use.
        closes: the answer to the current request is the last one.
        counted: what the worker has counted of :attr:`held`.

    Raises:
        OSError: the client has closed the connection.
    """

    def __init__(
        self,
        heads: HeadReader,
        sock: socket.socket,
        client: Any,
        application: WSGIApplication,
        context: ssl.SSLContext | None,
    ) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        server = sock.getsockname()
        self._addresses: Environ = {
            "SERVER_NAME": server[0],
            "SERVER_PORT": str(server[1]),
            "REMOTE_ADDR": client[0],
        }
        self._shakes_hands = context is not None
        self.sock: Any = sock
        if context is not None:
            self.sock = context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        self.peer: str = client[0]
        self.application = application
        self.deadline = time.monotonic() + FIRST_REQUEST_SECONDS
        self.closed = self.closes = self._lingers = False
        self.counted = self._size = 0
        self._heads = heads
        self._buffer = bytearray()
        self._head: Head | None = None
        self._unsent = memoryview(b"")

    @property
    def held(self) -> int:
        """The number of bytes received of requests that are not answered."""
        return len(self._buffer) + self._size

    @property
    def sends(self) -> bool:
        """True if the client has not read an answer completely."""
        return bool(self._unsent)

    def advance(self) -> Environ | None:
        """Go on as far as possible without waiting, and return the next request if it is complete."""
        try:
            self._send()
            if self._shakes_hands:
                self.sock.do_handshake()
                self._shakes_hands = False
            return self._receive()
        except _WANTS:
            pass
        except OSError:
            self.closed = True
        except BadReview as error:
            self.answer(refusal(error), closes=True)
        return None

    def answer(self, response: bytes, *, closes: bool) -> None:
        """Send as much of a response as the client reads at once; :meth:`advance` sends the rest."""
        self.closes = closes
        self._size = 0
        if closes:
            self._buffer.clear()
        self._unsent = memoryview(response)
        self.deadline = time.monotonic() + ANSWER_SECONDS
        try:
            self._send()
        except _WANTS:
            pass
        except OSError:
            self.closed = True

    def expire(self) -> None:
        """Handle the deadline: close the connection, or answer a request whose body is late."""
        if self._head is None or self._unsent:
            self.closed = True
        else:
            self.answer(refusal(_LATE), closes=True)

    def hurry(self) -> None:
        """Wait only a moment for the start of a request, because the server stops."""
        if not self._buffer and self._head is None and not self._unsent:
            self.deadline = min(self.deadline, time.monotonic() + LINGER_SECONDS)

    def _send(self) -> None:
        if not self._unsent:
            return
        while self._unsent:
            self._unsent = self._unsent[self.sock.send(self._unsent) :]
        wait = REQUEST_SECONDS if self._buffer else float(KEEP_ALIVE_SECONDS)
        if self.closes:
            self.sock.shutdown(socket.SHUT_WR)  # then discard what the client sends until it closes
            self._lingers = True
            wait = LINGER_SECONDS
        self.deadline = time.monotonic() + wait

    def _receive(self) -> Environ | None:
        for _ in range(_MOST_READS):
            if (environ := self._take_request()) is not None:
                return environ
            received = self.sock.recv(_READ_BYTES)
            if not received:
                self.closed = True
                return None
            if not self._lingers:
                if not self._buffer and self._head is None:
                    self.deadline = time.monotonic() + REQUEST_SECONDS
                self._buffer += received
        return self._take_request()  # the last piece may complete it

    def _take_request(self) -> Environ | None:
        """Remove a request from the buffer if it is complete."""
        buffer = self._buffer
        if self._head is None:
            end = buffer.find(b"\r\n\r\n") + 4
            if max(end, len(buffer) if end < 4 else 0) > MOST_HEAD_BYTES:
                raise BadReview("malformed HTTP: the head is too long", 431)
            if end < 4:
                return None
            self._head = self._heads.read(bytes(buffer[:end]))
            del buffer[:end]
            if self._head.expects_continue and not buffer:
                self.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        head, size = self._head, self._head.length
        if len(buffer) < size:
            return None
        environ = {**head.environ, **self._addresses, "wsgi.input": io.BytesIO(buffer[:size])}
        del buffer[:size]
        self._head, self.closes, self._size = None, head.closes, size
        return environ
