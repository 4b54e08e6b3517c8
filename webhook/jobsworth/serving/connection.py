"""A connection of gunicorn's threaded worker, with TLS that can be renewed and patience that ends.

gunicorn waits without end for a client that has begun to send; here every phase has a deadline, so
that a slow client holds a thread for a few seconds at most. The handshake takes no thread at all: with a
CA for clients, a stranger cannot keep the API server waiting.
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
"""For the head and the body together: an API server gives a webhook 10 seconds by default for all."""
SILENCE_SECONDS = 5.0
"""For one step of reading or writing."""


class SlowRequest(NoMoreData, TimeoutError):  # type: ignore[misc]
    """A request did not arrive in time. gunicorn takes it for a client that has gone."""


class _Unreader(SocketUnreader):  # type: ignore[misc]
    """Reads what has to be there by a deadline."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self.deadline = 0.0

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Return the next bytes from the socket."""
        # Looked at between reads: to set a socket's timeout for each takes longer than reading.
        if time.monotonic() > self.deadline:
            raise SlowRequest(b"")
        try:
            data: bytes = super().chunk(size_hint)
        except TimeoutError:
            raise SlowRequest(b"") from None
        return data


class _Request(http.Request):  # type: ignore[misc]
    def _peer_is_trusted_proxy(self) -> bool:
        """Whether to believe what a client says of other clients: nobody, by the settings.

        gunicorn asks for each request, and reads the client's address for it.
        """
        return False


class _Parser(http.RequestParser):  # type: ignore[misc]
    mesg_class = _Request


class Connection(TConn):  # type: ignore[misc]
    """One client's connection.

    Args:
        linger: takes a socket whose sending side is shut, to close it once the client has.
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
        """Begin to speak TLS.

        Raises:
            OSError: the client has gone already.
        """
        self.sock = certificate.context.wrap_socket(
            self.sock, server_side=True, do_handshake_on_connect=False
        )

    def shake_hands(self) -> bool:
        """Go on with the handshake, without waiting, and tell whether it is done.

        Raises:
            OSError: the client does not speak TLS, is not let in, or has gone.
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
        """Make the socket one that a thread waits on, for a while."""
        self.sock.settimeout(SILENCE_SECONDS)

    def request(self) -> Any:
        """The next request; what it may take of time begins now.

        Raises:
            StopIteration: there is none.
            NoMoreData: it does not arrive, or not in time.
            ParseException: it is no HTTP.
        """
        self.parser.unreader.deadline = time.monotonic() + REQUEST_SECONDS
        return next(self.parser)

    @property
    def has_read_ahead(self) -> bool:
        """Whether bytes of a next request wait in TLS's own buffer, where no poller sees them."""
        return bool(self.sock.pending())

    def close(self, graceful: bool = False) -> None:
        """Close the connection; gracefully, the client closes first, so that it loses no answer.

        gunicorn's own graceful close waits for the client, and with it the whole worker does.
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
