"""A connection of the threaded worker of gunicorn, with reloadable TLS and a deadline for every phase.

gunicorn waits without limit for a client that has started to send. The deadlines here limit the time
that a slow client holds a thread to a few seconds. The handshake takes no thread: with a client CA, a client
without a certificate cannot delay the API server.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from typing import Any

from gunicorn import http, util
from gunicorn.http.errors import NoMoreData
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn

from jobsworth.serving.tls_context import Certificate

REQUEST_SECONDS = 10.0
"""The time limit for head and body together: by default, an API server waits 10 seconds for a webhook."""
IO_SECONDS = 5.0
"""The time limit for one read or write."""


class SlowRequest(NoMoreData, TimeoutError):  # type: ignore[misc]
    """A request that did not arrive in time. gunicorn handles it like a closed connection."""


class _Unreader(SocketUnreader):  # type: ignore[misc]
    """Read a request that must arrive before a deadline."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self.deadline = 0.0

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Return the next bytes from the socket."""
        # Check between reads: setting the timeout of the socket for each read takes longer than reading.
        if time.monotonic() > self.deadline:
            raise SlowRequest(b"")
        try:
            data: bytes = super().chunk(size_hint)
        except TimeoutError:
            raise SlowRequest(b"") from None
        return data


class _Request(http.Request):  # type: ignore[misc]
    def _peer_is_trusted_proxy(self) -> bool:
        """Return False: no proxy stands in front of the webhook.

        gunicorn calls this for each request, and its own version reads the address of the client.
        """
        return False


class _Parser(http.RequestParser):  # type: ignore[misc]
    mesg_class = _Request


class Connection(TConn):  # type: ignore[misc]
    """The connection of one client.

    Args:
        linger: receives a socket that is shut down for writing, to close it after the client has closed it.
    """

    sock: Any

    def __init__(
        self,
        cfg: Any,
        sock: socket.socket,
        client: Any,
        server: Any,
        linger: Callable[[socket.socket], None],
    ) -> None:
        super().__init__(cfg, sock, client, server)
        self.data_ready = True  # it waits in the poller, never in a thread
        self._linger = linger

    def secure(self, certificate: Certificate) -> None:
        """Start TLS.

        Raises:
            OSError: the client has closed the connection.
        """
        self.sock = certificate.context.wrap_socket(
            self.sock, server_side=True, do_handshake_on_connect=False
        )

    def handshake(self) -> bool:
        """Continue the handshake without blocking, and return True when it is complete.

        Raises:
            OSError: the client does not use TLS, has no valid certificate, or has closed the connection.
        """
        try:
            self.sock.do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return False
        self.parser = _Parser(self.cfg, self.sock, self.client)
        self.parser.unreader = _Unreader(self.sock)
        self.initialized = True
        return True

    def init(self) -> None:
        """Make the socket blocking, with a timeout."""
        self.sock.settimeout(IO_SECONDS)

    def request(self) -> Any:
        """Return the next request; its time limit starts now.

        Raises:
            StopIteration: there is no further request.
            NoMoreData: the request does not arrive in time.
            ParseException: the request is not valid HTTP.
        """
        self.parser.unreader.deadline = time.monotonic() + REQUEST_SECONDS
        return next(self.parser)

    @property
    def has_read_ahead(self) -> bool:
        """Return True if the TLS buffer holds bytes of the next request, which no poller can see."""
        return bool(self.sock.pending())

    def close(self, graceful: bool = False) -> None:
        """Close the connection; if graceful, after the client has, so that it loses no answer.

        The graceful close of gunicorn blocks the whole worker until the client has closed.
        """
        if graceful:
            try:
                self.sock.shutdown(socket.SHUT_WR)
                self.sock.setblocking(False)
            except OSError:
                pass
            else:
                self._linger(self.sock)
                return
        util.close(self.sock)
