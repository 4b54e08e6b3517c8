"""Read the head of an HTTP/1.1 request, and write a response.

gunicorn's parser reads the head, strictly. A body needs a Content-Length, as API servers send it.
"""

from __future__ import annotations

import sys
from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from gunicorn.http import errors
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader

from jobsworth.admission.application import MOST_BYTES, start_error
from jobsworth.admission.review import BadReview

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

Environ = dict[str, Any]

_STATUSES = {
    errors.LimitRequestLine: HTTPStatus.REQUEST_URI_TOO_LONG,
    errors.LimitRequestHeaders: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    errors.ExpectationFailed: HTTPStatus.EXPECTATION_FAILED,
}
"""Statuses of malformed HTTP other than 400."""
_UNKNOWN = "", 0
"""No client address for gunicorn's parser, which would look it up among trusted proxies: there is none."""


class Head:
    """A request without its body.

    Attributes:
        environ: the WSGI environment, without ``wsgi.input``.
        length: the length of the body to wait for, in bytes; 0 for one that is too long, which the
            application rejects by its Content-Length.
        expects_continue: the client waits for ``100 Continue`` before it sends the body.
        closes: no request can follow on this connection.

    Args:
        text: the bytes up to and including the empty line.
        cfg: the settings of gunicorn, with the limits for the head.
        client, server: the addresses of both sides.

    Raises:
        BadReview: the head is malformed.
    """

    __slots__ = ("closes", "environ", "expects_continue", "length")

    def __init__(self, text: bytes, cfg: Any, client: Any, server: Any) -> None:
        try:
            request = Request(cfg, IterUnreader([text]), _UNKNOWN)
        except (errors.ParseException, errors.NoMoreData) as error:
            status = _STATUSES.get(type(error), HTTPStatus.BAD_REQUEST)
            raise BadReview(f"malformed HTTP: {error}"[:500], status) from None
        self.environ: Environ = {
            "REQUEST_METHOD": request.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(request.path).decode("latin-1"),
            "QUERY_STRING": request.query,
            "SERVER_PROTOCOL": "HTTP/{}.{}".format(*request.version),
            "SERVER_NAME": server[0],
            "SERVER_PORT": str(server[1]),
            "REMOTE_ADDR": client[0],
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "https",
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        headers: dict[str, str] = {}
        for name, value in request.headers:
            headers[name] = f"{headers[name]},{value}" if name in headers else value
        if "TRANSFER-ENCODING" in headers:
            # Without a length the body could not be limited before it is read.
            chunked = headers["TRANSFER-ENCODING"].lower() == "chunked"
            status = HTTPStatus.LENGTH_REQUIRED if chunked else HTTPStatus.BAD_REQUEST
            raise BadReview("send the body with a Content-Length, not a Transfer-Encoding", status)
        length = int(headers.get("CONTENT-LENGTH", "0"))
        self.length = length if length <= MOST_BYTES else 0
        self.expects_continue = self.length > 0 and "EXPECT" in headers
        self.closes = request.should_close() or length > MOST_BYTES
        for name in ("CONTENT-LENGTH", "CONTENT-TYPE"):
            if name in headers:
                self.environ[name.replace("-", "_")] = headers.pop(name)
        for name, value in headers.items():
            self.environ[f"HTTP_{name.replace('-', '_')}"] = value


def respond(application: WSGIApplication, environ: Environ, *, closes: bool) -> bytes:
    """Call a WSGI application, and return its response to one request."""
    started: list[Any] = []
    body = b"".join(application(environ, lambda *start: started.extend(start)))  # type: ignore[arg-type]
    lines = [
        f"HTTP/1.1 {started[0]}",
        "Server: jobsworth",
        f"Date: {formatdate(usegmt=True)}",
        f"Connection: {'close' if closes else 'keep-alive'}",
        *(f"{name}: {value}" for name, value in started[1]),
    ]
    # In one piece, so that a short response is one TLS record.
    head = "\r\n".join([*lines, "\r\n"]).encode("latin-1")
    return head if environ["REQUEST_METHOD"] == "HEAD" else head + body


def refusal(error: BadReview) -> bytes:
    """Return the response to a request that does not reach the application; it is the last one."""
    return respond(lambda _, start: start_error(start, error), {"REQUEST_METHOD": ""}, closes=True)
