"""A connection of gunicorn's threaded worker, with TLS that can be renewed and patience that ends.

gunicorn waits without end for a client that has begun to send; here every phase has a deadline, so
that a slow client holds a thread for a few seconds at most.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

from gunicorn import http, util
from gunicorn.http.errors import NoMoreData
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn

from jobsworth.admission.tls import Certificate

HANDSHAKE_SECONDS = 5.0
REQUEST_SECONDS = 10.0
"""For the head and the body together: an API server gives a webhook 10 seconds by default for all."""
SILENCE_SECONDS = 5.0
"""For one step of reading or writing."""


class NoCertificate(NoMoreData):  # type: ignore[misc]
    """There is no certificate yet to serve with."""


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


class Connection(TConn):  # type: ignore[misc]
    """One client's connection.

    Args:
        certificate: gives the certificate of this moment; None while there is none.
        plain: speak HTTP without TLS.
        linger: takes a socket whose sending side is shut, to close it once the client has.
    """

    initialized: bool
    sock: Any

    def __init__(
        self,
        cfg: Any,
        sock: socket.socket,
        client: Any,
        server: Any,
        *,
        certificate: Callable[[], Certificate | None],
        plain: bool,
        linger: Callable[[socket.socket], None],
    ) -> None:
        super().__init__(cfg, sock, client, server)
        self._certificate = certificate
        self._plain = plain
        self._linger = linger

    def init(self) -> None:
        """Shake hands, the first time; make the socket one that a thread waits on, each time."""
        if not self.initialized:
            self.initialized = True
            if not self._plain:
                self.sock = self._secured()
            self.parser = http.get_parser(self.cfg, self.sock, self.client)
            self.parser.unreader = _Unreader(self.sock)
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

    def _secured(self) -> socket.socket:
        certificate = self._certificate()
        if certificate is None:
            raise NoCertificate(b"")
        self.sock.settimeout(HANDSHAKE_SECONDS)
        try:
            return certificate.context.wrap_socket(self.sock, server_side=True)
        except TimeoutError:
            raise SlowRequest(b"") from None

    @property
    def has_read_ahead(self) -> bool:
        """Whether bytes of a next request wait in TLS's own buffer, where no poller sees them."""
        return not self._plain and self.initialized and bool(self.sock.pending())

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
