"""gunicorn's threaded worker, made to leave without losing a request, and to refuse in JSON.

What differs from :class:`gunicorn.workers.gthread.ThreadWorker`, and why:

- A new connection shakes hands, and waits for its first request, in the poller and not in a thread.
- A worker that has answered enough requests asks to leave. It serves on until its replacement does;
  then it accepts no more, answers every request with ``Connection: close``, and ends when no connection
  is left. A connection that the client may still use is never closed under its hands.
- Before the server stops, the same ``Connection: close`` sends clients elsewhere.
- A thread stays with its connection for some milliseconds when no other waits for a thread: handing the
  connection to the poller and back takes as long as the verdict.
- A request that takes longer than the timeout counts as a hang, also when other threads go on.
- Malformed HTTP is answered with a ``Status`` in JSON, and never with a 5xx.
- A worker that is told to stop at once does, in silence, also when it is ending already: an exception that
  a signal's handler raises while the interpreter shuts down is printed with its traceback.
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
"""From the connection to the first byte of a request, with the handshake between."""
LINGER_SECONDS = 2.0
STAY_MILLISECONDS = 5
STOP_SECONDS = 0.1
"""What a request in flight has left when the worker is to stop at once."""

_CLIENT_ERRORS = {
    errors.LimitRequestLine: (414, "URI Too Long"),
    errors.LimitRequestHeaders: (431, "Request Header Fields Too Large"),
    errors.ExpectationFailed: (417, "Expectation Failed"),
}
"""Malformed HTTP is 400, but for these."""


class Fixed:
    """gunicorn's settings as plain attributes; it looks each up by name, some forty times a request."""

    def __init__(self, cfg: Any) -> None:
        self._cfg = cfg
        self.__dict__.update({name: getattr(cfg, name) for name in cfg.settings})
        self.is_ssl = cfg.is_ssl

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cfg, name)


class _Date:
    """The time as HTTP writes it, made once a second."""

    def __init__(self) -> None:
        self._made = 0, ""

    def now(self) -> str:
        """The value of a ``Date`` header."""
        second, text = self._made
        now = int(time.time())
        if now != second:
            text = util.http_date(now)
            self._made = now, text  # both at once: threads share it
        return text


_DATE = _Date()


class Response(wsgi.Response):  # type: ignore[misc]
    """A response that leaves in one piece: head and body in one TLS record."""

    headers_sent: bool

    def default_headers(self) -> list[str]:
        """The status line, and the headers that every response has."""
        major, minor = self.req.version
        return [
            f"HTTP/{major}.{minor} {self.status}\r\n",
            f"Server: {self.version}\r\n",
            f"Date: {_DATE.now()}\r\n",
            f"Connection: {'close' if self.should_close() else 'keep-alive'}\r\n",
            *(("Transfer-Encoding: chunked\r\n",) if self.chunked else ()),
        ]

    def write(self, arg: bytes) -> None:
        """Send a part of the body, behind the head where it is the first."""
        if self.status_code != 200 and not self.headers_sent:
            # Nobody knows whether the body was read, and so where the next request begins.
            self.force_close()
        if self.headers_sent or self.chunked or self._omits_body:
            super().write(arg)
            return
        head = [*self.default_headers(), *(f"{name}: {value}\r\n" for name, value in self.headers)]
        self.sock.sendall("".join([*head, "\r\n"]).encode("latin-1") + arg)
        self.headers_sent = True
        self.sent += len(arg)


class Worker(ThreadWorker):  # type: ignore[misc]
    """Serves an application of :class:`jobsworth.serving.server.Server`."""

    cfg: Any

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._board = self.app.board
        self._board.set_state(self.age, scoreboard.STARTING)
        most = self.app.settings.requests_per_worker
        # Not all workers at once, though they began together.
        self._enough = most + randint(0, most // 10) if most else None
        self._lock = threading.Lock()
        self._waiting = 0
        self._running: dict[Connection, float] = {}
        self._lingering: deque[tuple[float, socket.socket]] = deque()

    def init_process(self) -> None:
        """Prepare to serve, in the process that does, and serve."""
        self.cfg = Fixed(self.cfg)
        super().init_process()

    def run(self) -> None:
        """Serve until told to leave or to stop."""
        self._board.set_state(self.age, scoreboard.SERVING)
        super().run()

    def handle_quit(self, sig: int, frame: object) -> None:
        """Stop at once."""
        self.alive = False
        time.sleep(STOP_SECONDS)
        os._exit(0)

    def handle_abort(self, sig: int, frame: object) -> None:
        """End, because a request hangs; its thread would have to be waited for otherwise."""
        os._exit(1)

    @property
    def _leaving(self) -> bool:
        return bool(self._board.state(self.age) == scoreboard.LEAVING)

    def notify(self) -> None:
        """Tell the arbiter, about once a second, that this worker lives, unless a request hangs."""
        now = time.monotonic()
        while self._lingering and self._lingering[0][0] <= now:
            self._end(self._lingering.popleft()[1])
        if self._board.stopping:
            # The signal that says so is lost on a worker that has just been forked.
            self.alive = False
        if self._leaving:
            self.set_accept_enabled(False)
            if self.nr_conns == 0:
                self.alive = False
        if all(now - began <= self.cfg.timeout for began in list(self._running.values())):
            super().notify()

    def set_accept_enabled(self, enabled: bool) -> None:
        """Accept new connections, or leave them to the other workers."""
        if not enabled and self._accepting and not self.alive:
            # Nobody else will take what waits in the kernel's queue when the server stops.
            while all(map(self.accept, self.sockets)):
                pass
        super().set_accept_enabled(enabled and not self._leaving)

    def accept(self, listener: Any) -> bool:
        """Accept a new connection, if there is one, and begin its handshake."""
        try:
            client, address = listener.accept()
        except OSError:
            # Another worker was quicker, the client has gone, or no descriptor is free: the next
            # round of the poller tells.
            return False
        certificate = self.app.certificate_in_force()
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
        going_on = partial(self._shake_hands, connection)
        self.poller.register(connection.sock, selectors.EVENT_READ, going_on)
        return True

    def _shake_hands(self, conn: Connection, sock: Any) -> None:
        """Go on with a handshake; when it is done, wait for the first request."""
        try:
            done = conn.shake_hands()
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
        """Have a thread answer what has arrived on a connection."""
        with self._lock:
            self._waiting += 1
        super().enqueue_req(conn)

    def handle(self, conn: Connection) -> bool:
        """Answer what has arrived on a connection, and what follows soon, in a thread of its own."""
        with self._lock:
            self._waiting -= 1
        try:
            conn.init()
            while self.handle_request(conn.request(), conn):
                if self._waiting or not self.alive or not self._more_on(conn):
                    return True
        except (StopIteration, OSError) as error:
            # The client has gone, is too slow, does not speak TLS, or is not let in.
            self.log.debug("connection of %s closed: %r", conn.client, error)
        except Exception as error:
            self.handle_error(None, conn.sock, conn.client, error)
        return False

    def _more_on(self, conn: Connection) -> bool:
        """Whether a connection's next request comes within some milliseconds."""
        if conn.has_read_ahead:
            return True
        poll = select.poll()
        poll.register(conn.sock, select.POLLIN)
        return bool(poll.poll(STAY_MILLISECONDS))

    def handle_request(self, req: Any, conn: Connection) -> bool:
        """Answer one request, and tell whether the connection may be used again."""
        self._running[conn] = time.monotonic()
        try:
            self.nr += 1
            response, environ = wsgi.create(
                req, conn.sock, conn.client, conn.server, self.cfg, response_class=Response
            )
            environ["wsgi.multithread"] = True
            if self._sends_away():
                response.force_close()
            for part in self.wsgi(environ, response.start_response):
                response.write(part)
            response.close()
            return not response.should_close()
        finally:
            self._running.pop(conn, None)
            if self._enough is not None and self.nr >= self._enough:
                self._ask_to_leave()

    def _sends_away(self) -> bool:
        """Whether the client should make its next request on another connection."""
        return (
            not self.alive
            or self._leaving
            or self._board.draining
            or len(self.keepalived_conns) >= self.max_keepalived
        )

    def _ask_to_leave(self) -> None:
        if self._board.state(self.age) == scoreboard.SERVING:
            self._board.set_state(self.age, scoreboard.WISHES_TO_LEAVE)
            # Wakes the arbiter, which looks at its workers then.
            os.kill(self.ppid, signal.SIGCHLD)

    def finish_request(self, conn: Connection, fs: Any) -> None:
        """Wait for the connection's next request, or close it."""
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
        """Answer what is not HTTP, or not as it should be."""
        code, phrase = _CLIENT_ERRORS.get(type(exc), (400, "Bad Request"))
        told = f"malformed HTTP: {exc}"[:500]
        if not isinstance(exc, errors.ParseException):
            self.log.error("Error while a request was handled", exc_info=exc)
            told = "the request could not be answered"
        body = status_body(code, told)
        head = (
            f"HTTP/1.1 {code} {phrase}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        try:
            client.sendall(head.encode("latin-1") + body)
        except OSError:
            self.log.debug("%s has gone before its error was told", addr)
