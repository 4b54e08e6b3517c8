"""A gunicorn worker: one thread waits for all connections, a few threads review.

The reviewing threads never wait for a client, so slow and silent clients delay no others. At the
limit of connections, the worker closes the one that has been idle longest, of the address that holds most of
them: behind a load balancer, all API servers share an address.

gunicorn's own threaded worker gives each TLS handshake and each unfinished request a thread, and stops
accepting at SIGTERM, before a Service sends its clients elsewhere (see docs/decisions/0015-own-worker.md).
"""

from __future__ import annotations

import contextlib
import math
import os
import queue
import resource
import select
import selectors
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from gunicorn.workers.base import Worker as BaseWorker

from jobsworth.admission.review import BadReview
from jobsworth.serving.connection import Connection
from jobsworth.serving.http_messages import refusal, respond
from jobsworth.serving.probes import METRICS
from jobsworth.serving.request_heads import Environ, HeadReader
from jobsworth.serving.turns import Turns

MOST_CONNECTIONS = 1000
MOST_HELD_BYTES = 64 * 1024 * 1024
"""The limit for all requests together that are incomplete or wait for their review."""
SMALL_BYTES = 32 * 1024
"""The length of a request that is reviewed beyond this limit. Few Jobs are larger."""
DESCRIPTORS_BESIDE = 64
"""The number of file descriptors that a worker needs beside its connections."""
TICK_SECONDS = 0.5
LEAVE_SECONDS = 1.0
"""The time in which a worker with a hanging request asks its clients to use other connections."""
STOPS = signal.SIGTERM, signal.SIGQUIT
"""The signals with which the arbiter stops a worker: blocked until the worker can handle them."""
STAY_MILLISECONDS = 5
"""The time for which a thread waits for the next request of a connection if there is nothing else to do.
Handing the connection to the loop and back takes as long as a review."""

TURN_SECONDS = 0.005
"""The time for which a review waits for its turn. Python runs one thread at a time anyway, and threads that
wait for the interpreter are woken by each system call of the others. A review that takes longer than others
wait, because of a large object or a namespace that it asks the API server for, does not hold them up."""

_OVERLOAD = BadReview("too many large requests: send the request again", 503)
_FAILURE = BadReview("internal error: see the log of jobsworth", 500)


class Worker(BaseWorker):  # type: ignore[misc]
    """A worker of :class:`jobsworth.serving.webhook_server.WebhookServer`.

    On SIGTERM it keeps serving for ``drain_seconds`` and closes each connection after an answer. Then it
    accepts no more connections, finishes the requests in flight, and ends. It also ends if a request hangs.

    Attributes:
        slot: the number that the server gives it, and its successor.
    """

    slot = 0

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._heads = HeadReader(self.cfg)
        self._selector = selectors.DefaultSelector()
        self._idle: dict[str, dict[Connection, None]] = {}  # by peer, the longest idle first
        self._busy: dict[Connection, float] = {}  # start of the review
        self._held = self._evicted = self._refused = 0
        self._requests: queue.SimpleQueue[tuple[Connection, Environ]] = queue.SimpleQueue()
        self._returned: deque[Connection] = deque()
        self._turns = Turns()
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._places = min(MOST_CONNECTIONS, descriptors - DESCRIPTORS_BESIDE)
        self._leave_at = math.inf
        self._accepts = True

    def handle_exit(self, sig: int, frame: object) -> None:
        """Start to drain (SIGTERM)."""
        self.app.leave(self)
        self._leave(self.app.settings.drain_seconds)

    def handle_quit(self, sig: int, frame: object) -> None:
        """Stop at once, and without a traceback, even while the interpreter shuts down."""
        os._exit(0)

    def handle_abort(self, sig: int, frame: object) -> None:
        """Stop at once because the arbiter misses the heartbeat."""
        os._exit(1)

    def run(self) -> None:
        """Serve until the worker must end."""
        for _ in range(self.cfg.threads):
            threading.Thread(target=self._review, daemon=True).start()
        for listener in (*self.sockets, self.app.probe_listener):
            listener.setblocking(False)
            self._selector.register(listener, selectors.EVENT_READ, self._accept)
        self._selector.register(
            self.PIPE[0], selectors.EVENT_READ, lambda pipe: os.read(pipe, 4096)
        )
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        ticked = 0.0
        while self._accepts or self._idle or self._working():
            for key, _ in self._selector.select(TICK_SECONDS):
                key.data(key.fileobj)
            while self._returned:
                self._take_back(self._returned.popleft())
            if time.monotonic() - ticked >= TICK_SECONDS:
                ticked = time.monotonic()
                self._tick(ticked)

    # The loop.

    def _tick(self, now: float) -> None:
        self.notify()
        if os.getppid() != self.ppid:
            os._exit(1)  # the arbiter was killed: nothing else would stop this worker
        for connection in self._all_idle():
            if connection.deadline <= now:
                self._go_on(connection, connection.expire)
        if not self._leaving and self._hanging():
            self.log.error("A request takes longer than %s seconds: leaving", self.cfg.timeout)
            self._leave(LEAVE_SECONDS)
        if self._evicted:
            self.log.warning("Closed %s idle connections to make room for others", self._evicted)
            self._evicted = 0
        if self._refused:
            self.log.warning("Refused %s large requests to make room for others", self._refused)
            self._refused = 0
        if self._accepts and now >= self._leave_at:
            self._stop_accepting()

    def _hanging(self) -> int:
        """Return the number of requests that take too long."""
        latest = time.monotonic() - self.cfg.timeout
        return sum(began < latest for began in list(self._busy.values()))

    def _working(self) -> bool:
        """Return True while requests are in flight that can still be answered."""
        threads: int = self.cfg.threads
        return self._hanging() < min(len(self._busy), threads)

    def _leave(self, seconds: float) -> None:
        self._leave_at = min(self._leave_at, time.monotonic() + seconds)

    @property
    def _leaving(self) -> bool:
        return self._leave_at < math.inf

    def _all_idle(self) -> list[Connection]:
        return [connection for peer in self._idle.values() for connection in peer]

    def _stop_accepting(self) -> None:
        self._accepts = False
        for listener in (*self.sockets, self.app.probe_listener):
            while self._accept(listener):
                pass  # if the server stops, no other worker accepts what waits in the kernel's queue
            self._selector.unregister(listener)
            listener.close()
        for connection in self._all_idle():
            connection.hurry()

    def _accept(self, listener: Any) -> bool:
        """Accept a connection, if there is one."""
        if len(self._selector.get_map()) + len(self._busy) >= self._places:
            self._evict()
        try:
            sock, client = listener.accept()
        except BlockingIOError:
            return False  # another worker was faster
        except OSError:
            self._evict()  # no descriptor is free, or the client has closed the connection
            return False
        try:
            connection = self._connection(listener, sock, client)
        except OSError:
            sock.close()
        else:
            self._wait_for(connection)
        return True

    def _connection(self, listener: Any, sock: socket.socket, client: Any) -> Connection:
        if listener is self.app.probe_listener:
            return Connection(self._heads, sock, client, self.app.probes, None)
        certificate = self.app.files.certificate
        if certificate is None:
            raise ConnectionAbortedError
        return Connection(self._heads, sock, client, self.wsgi, certificate.context)

    def _evict(self) -> None:
        """Close the connection that has been idle longest, of the peer with most connections."""
        if (connection := self._longest_idle(lambda _: 1)) is not None:
            self._forget(connection)
            self._close(connection)
            self._evicted += 1

    def _refuse(self) -> bool:
        """Refuse the request that is incomplete for longest, of the peer that holds most bytes."""
        connection = self._longest_idle(lambda one: one.held)
        if connection is None:
            return False
        self._forget(connection)
        if connection.sends:
            connection.closed = True  # its client does not read the previous answer either
        else:
            connection.answer(refusal(_OVERLOAD), closes=True)
        self._refused += 1
        self._keep(connection)
        return True

    def _longest_idle(self, share: Callable[[Connection], int]) -> Connection | None:
        """Return the connection that is idle longest and has a share, of the peer with the largest share."""
        peer = max(self._idle.values(), key=lambda peer: sum(map(share, peer)), default={})
        return next(filter(share, peer), None)

    def _close(self, connection: Connection) -> None:
        connection.sock.close()
        self._held -= connection.counted

    def _count(self, connection: Connection) -> None:
        self._held += connection.held - connection.counted
        connection.counted = connection.held

    def _wait_for(self, connection: Connection) -> None:
        """Wait until the client sends, or reads what is sent to it."""
        self._idle.setdefault(connection.peer, {})[connection] = None
        events = selectors.EVENT_WRITE if connection.sends else selectors.EVENT_READ
        ready: Callable[[Any], None] = lambda _: self._go_on(connection, connection.advance)  # noqa: E731
        self._selector.register(connection.sock, events, ready)

    def _forget(self, connection: Connection) -> None:
        self._selector.unregister(connection.sock)
        peer = self._idle[connection.peer]
        del peer[connection]
        if not peer:
            del self._idle[connection.peer]

    def _go_on(self, connection: Connection, step: Callable[[], Environ | None]) -> None:
        """Let an idle connection take a step, and hand over the request that this completes."""
        if connection not in self._idle.get(connection.peer, ()):
            return  # closed to make room, after the selector had reported it
        sends = connection.sends
        environ = step()
        self._count(connection)
        moves = connection.closed or environ is not None or connection.sends != sends
        if moves:
            self._forget(connection)
        while self._held > MOST_HELD_BYTES and self._refuse():
            pass
        if not moves:
            return  # it waits for the same, unless it has just been refused
        if environ is not None:
            self._hand_over(connection, environ)
        else:
            self._keep(connection)

    def _hand_over(self, connection: Connection, environ: Environ) -> None:
        if connection.application is self.app.probes and environ["PATH_INFO"] != METRICS:
            # Answer here, because all threads may be busy.
            response = respond(self.app.probes, environ, closes=True)
        elif self._held > MOST_HELD_BYTES and connection.held > SMALL_BYTES:
            response = refusal(_OVERLOAD)
            self._refused += 1
        else:
            self._busy[connection] = math.inf
            self._requests.put((connection, environ))
            return
        connection.answer(response, closes=True)
        self._keep(connection)

    def _keep(self, connection: Connection) -> None:
        """Wait for a connection, unless it is closed."""
        self._count(connection)
        if connection.closed:
            self._close(connection)
        else:
            self._wait_for(connection)

    def _take_back(self, connection: Connection) -> None:
        del self._busy[connection]
        self._keep(connection)
        if connection.held and not connection.closed:
            self._go_on(connection, connection.advance)

    # The reviewing threads.

    def _review(self) -> None:
        while True:
            environ: Environ | None
            connection, environ = self._requests.get()
            stays = True
            while stays:
                with self._turns.one(TURN_SECONDS):
                    environ = environ or connection.advance()
                    if environ is not None:
                        self._busy[connection] = time.monotonic()
                        closes = connection.closes or self._leaving
                        response = self._response(connection, environ, closes=closes)
                        connection.answer(response, closes=closes)
                stays = environ is not None and self._goes_on(connection)
                environ = None
            self._returned.append(connection)
            with contextlib.suppress(BlockingIOError):  # full of wake-ups already
                os.write(self.PIPE[1], b".")

    def _response(self, connection: Connection, environ: Environ, *, closes: bool) -> bytes:
        try:
            return respond(connection.application, environ, closes=closes)
        except Exception:
            self.log.exception("The application failed")
            return refusal(_FAILURE)

    def _goes_on(self, connection: Connection) -> bool:
        """Return True if the next request of a connection follows at once, and no other one waits."""
        if connection.closed or connection.closes or connection.sends or not self._requests.empty():
            return False
        if connection.held:
            return True
        poll = select.poll()
        poll.register(connection.sock, select.POLLIN)
        return bool(poll.poll(STAY_MILLISECONDS))
