"""asyncio's event loop, with servers that bound the memory of connections before the end of their handshake.

asyncio accepts any number of connections, gives each a buffer of 256 KiB before its TLS handshake, waits 60
seconds for the handshake, and leaves what belongs to a failed one to the garbage collector. Anyone who
reaches the port, and each TCP check of a load balancer, would fill the memory without a certificate.
"""

from __future__ import annotations

import asyncio
import asyncio.sslproto
import contextlib
import logging
import socket
from collections import Counter
from collections.abc import Callable
from ssl import SSLContext
from typing import Any

from jobsworth.serving.request_limits import HANDSHAKES

HANDSHAKE_SECONDS = 10.0
"""The time limit for a handshake: by default, an API server waits 10 seconds for a webhook."""
SHUTDOWN_SECONDS = 2.0
"""The time that a client gets to confirm the end of its TLS connection."""
PAUSE_SECONDS = 0.5
"""The time without new connections after the kernel had no descriptor or memory for one."""
TLS_BUFFER_BYTES = 16 * 1024
"""The size of a connection's buffer: a TLS record has 16 KiB at most."""

_log = logging.getLogger(__name__)


class EventLoop(asyncio.SelectorEventLoop):
    """An event loop whose servers are :class:`BoundedServer`."""

    async def create_server(  # type: ignore[override]
        self,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        *,
        sock: socket.socket,
        ssl: SSLContext | None = None,
        backlog: int = 0,
    ) -> BoundedServer:
        """Return a server for a socket that listens already."""
        # A public name of a class that is not documented. Without it, the limits hold all the same.
        asyncio.sslproto.SSLProtocol.max_size = TLS_BUFFER_BYTES
        return BoundedServer(self, protocol_factory, sock, ssl)


class BoundedServer:
    """Accept connections; a handshake above the limit ends the oldest of the address that has most of them.

    Args:
        loop: the event loop.
        protocol_factory: returns the protocol of a connection, which begins after its handshake.
        listener: the listening socket.
        context: the TLS context; None for a server without TLS.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        protocol_factory: Callable[[], asyncio.BaseProtocol],
        listener: socket.socket,
        context: SSLContext | None,
    ) -> None:
        self._loop = loop
        self._protocol_factory = protocol_factory
        self._listener = listener
        self._tls: dict[str, Any] = {}
        if context is not None:
            self._tls = {
                "ssl": context,
                "ssl_handshake_timeout": HANDSHAKE_SECONDS,
                "ssl_shutdown_timeout": SHUTDOWN_SECONDS,
            }
        self._handshakes: dict[
            asyncio.Task[None], str
        ] = {}  # the client's address; the oldest first
        self._closed = False
        listener.setblocking(False)
        self._listen()

    def close(self) -> None:
        """Accept no more connections; handshakes go on."""
        self._closed = True
        self._loop.remove_reader(self._listener)

    async def wait_closed(self) -> None:
        """Return at once: uvicorn waits for the connections itself."""

    def _listen(self) -> None:
        if not self._closed:
            self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        """Accept one connection, so that those before it go on between two."""
        try:
            connection, address = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # another worker accepted it, or the client has closed it
        except OSError as error:
            _log.warning("cannot accept a connection: %s", error.strerror)
            self._loop.remove_reader(self._listener)
            self._loop.call_later(PAUSE_SECONDS, self._listen)
            return
        if len(self._handshakes) >= HANDSHAKES.count:
            by_host = Counter(self._handshakes.values())
            ended = min(self._handshakes, key=lambda each: -by_host[self._handshakes[each]])
            del self._handshakes[ended]
            ended.cancel()  # asyncio aborts the connection
        handshake = self._loop.create_task(self._connect(connection))
        self._handshakes[handshake] = address[0]
        handshake.add_done_callback(lambda task: self._handshakes.pop(task, None))

    async def _connect(self, connection: socket.socket) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            try:
                await self._loop.connect_accepted_socket(
                    self._protocol_factory, connection, **self._tls
                )
            except OSError as error:
                # The handshake failed. asyncio's frames refer to the error, and through it to the
                # connection and its buffers: without this cycle they are freed at once.
                error.__traceback__ = None
