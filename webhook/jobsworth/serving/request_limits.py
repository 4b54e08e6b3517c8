"""Limits for each request: the length of its body, and the time to send and to review it.

An ASGI layer between the server and the WSGI application. A thread runs the application for a complete
request, and returns a complete response: a slow client holds a connection, but no thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import resource
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, cast
from wsgiref.types import WSGIApplication, WSGIEnvironment

from a2wsgi.wsgi import build_environ
from werkzeug.wrappers import Response

from jobsworth.admission.application import JSON, MAX_BYTES, body_too_long, status_body
from jobsworth.admission.review import BadReview

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

BODY_SECONDS = 10.0
"""The time limit for a body: by default, an API server waits 10 seconds for a webhook."""
LINGER_SECONDS = 10.0
"""The time that a client whose body is rejected gets to send the rest, so that it reads the answer. A
connection that is closed while the client sends loses the answer."""
HANG_SECONDS = 40.0
"""The time after which a review counts as hung: an API server waits 30 seconds for a webhook at most."""
MAX_HELD_BYTES = 64 * 1024 * 1024
"""The limit for the bodies of all requests that are incomplete or wait for their review."""
SMALL_BYTES = 32 * 1024
"""The length of a body that is accepted beyond this limit. Few Jobs are larger."""

MAX_DESCRIPTORS = 4_096
"""The number of open files that a worker asks for."""
RESERVED_DESCRIPTORS = 40
"""The number of open files that no connection takes: a worker has 19, and reads policies and certificates."""


def _late() -> BadReview:
    return BadReview("the body did not arrive in time: send the request again", 408)


def _overload() -> BadReview:
    return BadReview("too many large requests: send the request again", 503)


class _Disconnected(Exception):
    """The client has closed the connection."""


@dataclass(slots=True, eq=False)
class _IncompleteBody:
    """A body that is being received.

    Attributes:
        limit: the time limit.
        rejected: True to end it now, because the bodies of all requests are too large.
        content: what has arrived.
    """

    limit: asyncio.Timeout
    rejected: bool = False
    content: bytearray = field(default_factory=bytearray)


class RequestLimits:
    """An ASGI application that hands complete requests to a WSGI application.

    Args:
        application: answers the requests.
        threads: the number of threads that run it.
        rejected: called with path and error of each request that does not reach the application.
        hung: called when a review takes longer than :data:`HANG_SECONDS`.

    Attributes:
        draining: True to close each connection after its answer.
    """

    def __init__(
        self,
        application: WSGIApplication,
        *,
        threads: int,
        rejected: Callable[[str, BadReview], object],
        hung: Callable[[], object],
    ) -> None:
        self.draining = False
        self._application = application
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="review")
        self._rejected = rejected
        self._hung = hung
        self._held = 0
        self._incomplete: dict[_IncompleteBody, None] = {}  # the oldest first

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        body = b""
        try:
            body = await self._read(scope, receive)
            response = await self._answer(scope, body)
        except BadReview as error:
            self._rejected(scope["path"], error)
            await _reject(error, receive, send)
        except _Disconnected:
            return
        else:
            headers = [
                (name.lower().encode("latin-1"), value.encode("latin-1"))
                for name, value in response.headers
            ]
            if self.draining:
                headers.append((b"connection", b"close"))
            await _send(send, response.status_code, headers, response.get_data())
        finally:
            self._held -= len(body)

    async def _read(self, scope: MutableMapping[str, Any], receive: Receive) -> bytes:
        """Return the body; its length is counted in `_held`."""
        if int(dict(scope["headers"]).get(b"content-length", 0)) > MAX_BYTES:
            raise body_too_long()
        incomplete = None
        try:
            async with asyncio.timeout(BODY_SECONDS) as limit:
                incomplete = _IncompleteBody(limit)
                self._incomplete[incomplete] = None
                await self._fill(incomplete, receive)
        except TimeoutError:
            rejected = incomplete is not None and incomplete.rejected
            raise _overload() if rejected else _late() from None
        finally:
            if incomplete is not None:
                del self._incomplete[incomplete]
                self._held -= len(incomplete.content)
        self._held += len(incomplete.content)
        return bytes(incomplete.content)

    async def _fill(self, body: _IncompleteBody, receive: Receive) -> None:
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Disconnected
            body.content += message["body"]
            self._held += len(message["body"])
            if len(body.content) > MAX_BYTES:
                raise body_too_long()
            more = message.get("more_body", False)
            del message  # it would keep this part of the body until the next one arrives
            if self._held > MAX_HELD_BYTES and len(body.content) > SMALL_BYTES:
                self._make_room()
            if body.rejected:
                raise _overload()
        if self._held > MAX_HELD_BYTES and len(body.content) > SMALL_BYTES:
            raise _overload()  # complete requests hold all of it

    def _make_room(self) -> None:
        """Reject the bodies that are incomplete for longest, until the others are within the limit."""
        for body in self._incomplete:
            if self._held <= MAX_HELD_BYTES:
                return
            if body.rejected or body.limit.expired():
                continue  # it is rejected already
            self._held -= len(body.content)
            body.content.clear()
            body.rejected = True
            body.limit.reschedule(asyncio.get_running_loop().time())

    async def _answer(self, scope: MutableMapping[str, Any], body: bytes) -> Response:
        """Return the application's response."""
        headers: Headers = [
            (name, value)
            for name, value in scope["headers"]
            if name not in (b"content-length", b"transfer-encoding")
        ]
        headers.append((b"content-length", b"%d" % len(body)))
        complete = {**scope, "headers": headers}
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(HANG_SECONDS):
                return await loop.run_in_executor(self._threads, self._respond, complete, body)
        except TimeoutError:
            self._hung()
            text = "internal error: the review takes too long; see the log of jobsworth"
            raise BadReview(text, 500) from None

    def _respond(self, scope: MutableMapping[str, Any], body: bytes) -> Response:
        environ = cast("WSGIEnvironment", build_environ(cast("Any", scope), cast("Any", None)))
        environ["wsgi.input"] = io.BytesIO(body)
        return Response.from_app(self._application, environ, buffered=True)


async def _send(
    send: Send, status: int, headers: Headers, body: bytes, *, more_body: bool = False
) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": more_body})


async def _reject(error: BadReview, receive: Receive, send: Send) -> None:
    """Answer with a ``Status``, and wait until the client has sent the rest before the connection ends."""
    body = status_body(error.status, str(error))
    headers = [
        (b"content-type", JSON.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
    ]
    await _send(send, error.status, headers, body, more_body=True)
    if error.status != HTTPStatus.REQUEST_TIMEOUT:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while (await receive()).get("more_body"):
                    pass
    await send({"type": "http.response.body", "body": b"", "more_body": False})


@dataclass(frozen=True, slots=True)
class ConnectionLimit:
    """A limit for the connections of one kind in one worker.

    Attributes:
        maximum: the limit where the process may open enough files.
        share: the part of the open files beyond :data:`RESERVED_DESCRIPTORS` that these connections may take.
    """

    maximum: int
    share: float

    @property
    def count(self) -> int:
        """The number of connections."""
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if descriptors == resource.RLIM_INFINITY:
            return self.maximum
        return max(1, min(self.maximum, int((descriptors - RESERVED_DESCRIPTORS) * self.share)))


HANDSHAKES = ConnectionLimit(128, 0.2)
"""Connections that have not completed their TLS handshake."""
CONNECTIONS = ConnectionLimit(500, 0.6)
"""Connections of the webhook after their handshake."""
MONITOR_CONNECTIONS = ConnectionLimit(100, 0.2)
"""Connections of the monitor's port: of the kubelet, of Prometheus, and of anyone who reaches it."""


def allow_descriptors() -> None:
    """Raise the soft limit of open files, which is 1,024 on many machines, towards the hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MAX_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
