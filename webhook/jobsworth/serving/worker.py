"""A threaded worker for gunicorn that leaves without losing a request and reports errors in JSON.

Differences from :class:`gunicorn.workers.gthread.ThreadWorker`, with the reasons:

- The TLS handshake and the wait for the first request happen in the poller, so that they hold no thread.
- A worker that has answered enough requests asks to leave, and serves until its replacement does. Then
  it accepts no connections, answers every request with ``Connection: close``, and ends when the last
  connection is closed. It never closes a keep-alive connection that the client may be about to reuse.
- While the server drains, ``Connection: close`` makes clients open their next connection elsewhere.
- A thread stays with its connection for a few milliseconds if no other connection waits for a thread,
  because handing the connection to the poller and back takes as long as a review.
- A request that takes longer than the timeout counts as hung, even if other threads make progress.
- Malformed HTTP gets a ``Status`` in JSON, and never a 5xx.
- A worker that must stop at once exits without a traceback, even if it is already ending: Python prints an
  exception that a signal handler raises while the interpreter shuts down.
"""

from __future__ import annotations

import os
import select
import selectors
import signal
import socket
import ssl
import threading
import time
from collections import deque
from functools import partial
from random import randint
from typing import Any

from gunicorn import util
from gunicorn.http import errors, wsgi
from gunicorn.workers.gthread import ThreadWorker

from jobsworth.admission.application import status_body
from jobsworth.serving import scoreboard
from jobsworth.serving.connection import Connection

FIRST_REQUEST_SECONDS = 10.0
"""The time limit from the connection to the first byte of a request, including the handshake."""
LINGER_SECONDS = 2.0
STAY_MILLISECONDS = 5
STOP_SECONDS = 0.1
"""The time that requests in flight get when the worker must stop at once."""

_CLIENT_ERRORS = {
    errors.LimitRequestLine: (414, "URI Too Long"),
    errors.LimitRequestHeaders: (431, "Request Header Fields Too Large"),
    errors.ExpectationFailed: (417, "Expectation Failed"),
}
"""Statuses of malformed HTTP other than 400."""


class StaticConfig:
    """The settings of gunicorn as plain attributes: gunicorn looks up some forty by name per request."""

    def __init__(self, cfg: Any) -> None:
        self._cfg = cfg
        self.__dict__.update({name: getattr(cfg, name) for name in cfg.settings})
        self.is_ssl = cfg.is_ssl

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cfg, name)


class _Date:
    """The current time as an HTTP date, formatted once a second."""

    def __init__(self) -> None:
        self._made = 0, ""

    def now(self) -> str:
        """Return the value of a ``Date`` header."""
        second, text = self._made
        now = int(time.time())
        if now != second:
            text = util.http_date(now)
            self._made = now, text  # one assignment, because threads share it
        return text


_DATE = _Date()


class Response(wsgi.Response):  # type: ignore[misc]
    """A response that sends head and body in one TLS record."""

    headers_sent: bool

    def default_headers(self) -> list[str]:
        """Return the status line and the headers of every response."""
        major, minor = self.req.version
        return [
            f"HTTP/{major}.{minor} {self.status}\r\n",
            f"Server: {self.version}\r\n",
            f"Date: {_DATE.now()}\r\n",
            f"Connection: {'close' if self.should_close() else 'keep-alive'}\r\n",
            *(("Transfer-Encoding: chunked\r\n",) if self.chunked else ()),
        ]

    def write(self, arg: bytes) -> None:
        """Send a part of the body, with the head before the first part."""
        if self.status_code != 200 and not self.headers_sent:
            # The body may not be read completely, so the start of the next request is unknown.
            self.force_close()
        if self.headers_sent or self.chunked or self._omits_body:
            super().write(arg)
            return
        head = [*self.default_headers(), *(f"{name}: {value}\r\n" for name, value in self.headers)]
        self.sock.sendall("".join([*head, "\r\n"]).encode("latin-1") + arg)
        self.headers_sent = True
        self.sent += len(arg)


class Worker(ThreadWorker):  # type: ignore[misc]
    """A worker of :class:`jobsworth.serving.server.Server`."""

    cfg: Any

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._scoreboard = self.app.scoreboard
        self._scoreboard.set_state(self.age, scoreboard.STARTING)
        most = self.app.settings.requests_per_worker
        # Workers start together; spread the requests after which they leave.
        self._enough = most + randint(0, most // 10) if most else None
        self._lock = threading.Lock()
        self._waiting = 0
        self._running: dict[Connection, float] = {}
        self._lingering: deque[tuple[float, socket.socket]] = deque()

    def init_process(self) -> None:
        """Prepare the worker process and serve."""
        self.cfg = StaticConfig(self.cfg)
        super().init_process()

    def run(self) -> None:
        """Serve until the worker must leave or stop."""
        self._scoreboard.set_state(self.age, scoreboard.SERVING)
        super().run()

    def handle_quit(self, sig: int, frame: object) -> None:
        """Stop at once."""
        self.alive = False
        time.sleep(STOP_SECONDS)
        os._exit(0)

    def handle_abort(self, sig: int, frame: object) -> None:
        """Exit at once because a request hangs: a clean exit would wait for its thread."""
        os._exit(1)

    @property
    def _leaving(self) -> bool:
        return bool(self._scoreboard.state(self.age) == scoreboard.LEAVING)

    def notify(self) -> None:
        """Send the arbiter a heartbeat about once a second, unless a request hangs."""
        now = time.monotonic()
        while self._lingering and self._lingering[0][0] <= now:
            self._end(self._lingering.popleft()[1])
        if self._scoreboard.stopping:
            # A worker that has just been forked can lose the stop signal.
            self.alive = False
        if self._leaving:
            self.set_accept_enabled(False)
            if self.nr_conns == 0:
                self.alive = False
        if all(now - began <= self.cfg.timeout for began in list(self._running.values())):
            super().notify()

    def set_accept_enabled(self, enabled: bool) -> None:
        """Start or stop to accept new connections."""
        if not enabled and self._accepting and not self.alive:
            # No other worker accepts the connections in the kernel's queue when the server stops.
            while all(map(self.accept, self.sockets)):
                pass
        super().set_accept_enabled(enabled and not self._leaving)

    def accept(self, listener: Any) -> bool:
        """Accept a new connection, if there is one, and start its handshake."""
        try:
            client, address = listener.accept()
        except OSError:
            # Another worker was faster, the client has closed the connection, or no descriptor is
            # free. In the last case the poller reports the connection again.
            return False
        certificate = self.app.active_certificate()
        connection = Connection(self.cfg, client, address, listener.getsockname(), self._linger)
        if certificate is None:
            connection.close()
            return True
        try:
            connection.secure(certificate)
        except OSError:
            connection.close()
            return True
        self.nr_conns += 1
        connection.timeout = time.monotonic() + FIRST_REQUEST_SECONDS
        self.pending_conns.append(connection)
        going_on = partial(self._handshake, connection)
        self.poller.register(connection.sock, selectors.EVENT_READ, going_on)
        return True

    def _handshake(self, conn: Connection, sock: Any) -> None:
        """Continue a handshake; when it is complete, wait for the first request."""
        try:
            done = conn.handshake()
        except OSError as error:
            self.log.debug("TLS with %s failed: %s", conn.client, error)
            self.poller.unregister(sock)
            self.pending_conns.remove(conn)
            self.nr_conns -= 1
            conn.close()
            return
        if done:
            ready = partial(self.on_pending_socket_readable, conn)
            self.poller.modify(sock, selectors.EVENT_READ, ready)

    def enqueue_req(self, conn: Connection) -> None:
        """Queue a readable connection for a thread."""
        with self._lock:
            self._waiting += 1
        super().enqueue_req(conn)

    def handle(self, conn: Connection) -> bool:
        """Answer the requests of a connection in a thread while they follow each other quickly."""
        with self._lock:
            self._waiting -= 1
        try:
            conn.init()
            while self.handle_request(conn.request(), conn):
                if self._waiting or not self.alive or not self._more_on(conn):
                    return True
        except (StopIteration, OSError) as error:
            # The client has closed the connection or is too slow.
            self.log.debug("connection of %s closed: %r", conn.client, error)
        except Exception as error:
            self.handle_error(None, conn.sock, conn.client, error)
        return False

    def _more_on(self, conn: Connection) -> bool:
        """Return True if the next request of a connection arrives within a few milliseconds."""
        if conn.has_read_ahead:
            return True
        poll = select.poll()
        poll.register(conn.sock, select.POLLIN)
        return bool(poll.poll(STAY_MILLISECONDS))

    def handle_request(self, req: Any, conn: Connection) -> bool:
        """Answer one request, and return True if the connection can be reused."""
        self._running[conn] = time.monotonic()
        try:
            self.nr += 1
            response, environ = wsgi.create(
                req, conn.sock, conn.client, conn.server, self.cfg, response_class=Response
            )
            environ["wsgi.multithread"] = True
            if self._closes_connection():
                response.force_close()
            for part in self.wsgi(environ, response.start_response):
                response.write(part)
            response.close()
            return not response.should_close()
        finally:
            self._running.pop(conn, None)
            if self._enough is not None and self.nr >= self._enough:
                self._request_leave()

    def _closes_connection(self) -> bool:
        """Return True if the client must send its next request on another connection."""
        return (
            not self.alive
            or self._leaving
            or self._scoreboard.draining
            or len(self.keepalived_conns) >= self.max_keepalived
        )

    def _request_leave(self) -> None:
        if self._scoreboard.state(self.age) == scoreboard.SERVING:
            self._scoreboard.set_state(self.age, scoreboard.LEAVE_REQUESTED)
            # Wake the arbiter, which then manages its workers.
            os.kill(self.ppid, signal.SIGCHLD)

    def finish_request(self, conn: Connection, fs: Any) -> None:
        """Wait for the next request of the connection, or close it."""
        if not fs.cancelled() and fs.exception() is None and fs.result() and conn.has_read_ahead:
            self.enqueue_req(conn)
        else:
            super().finish_request(conn, fs)

    def _linger(self, sock: socket.socket) -> None:
        self._lingering.append((time.monotonic() + LINGER_SECONDS, sock))
        self.poller.register(sock, selectors.EVENT_READ, self._drain)

    def _drain(self, sock: Any) -> None:
        try:
            if sock.recv(65536):
                return
        except (BlockingIOError, ssl.SSLWantReadError):
            return
        except OSError:
            pass
        self._end(sock)

    def _end(self, sock: socket.socket) -> None:
        try:
            self.poller.unregister(sock)
        except (KeyError, ValueError):
            return  # closed already
        sock.close()

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer malformed HTTP, and requests whose handling failed."""
        code, phrase = _CLIENT_ERRORS.get(type(exc), (400, "Bad Request"))
        message = f"malformed HTTP: {exc}"[:500]
        if not isinstance(exc, errors.ParseException):
            self.log.error("Request handling failed", exc_info=exc)
            message = "the request could not be answered: see the log of jobsworth"
        body = status_body(code, message)
        head = (
            f"HTTP/1.1 {code} {phrase}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            client.sendall(head.encode("latin-1") + body)
        except OSError:
            self.log.debug("%s closed the connection before the error was sent", addr)
