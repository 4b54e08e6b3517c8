"""Read the heads of HTTP/1.1 requests.

gunicorn's parser reads a head, strictly. A body needs a Content-Length, as API servers send it.

An API server sends the same head with every review but for the length. Parsing it takes 70 µs, half as long
as a review without policies, so a head that differs from an earlier one only in the digits of its
Content-Length is not parsed again.
"""

from __future__ import annotations

import sys
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_to_bytes

from gunicorn.http import errors
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader

from jobsworth.admission.application import MOST_BYTES
from jobsworth.admission.review import BadReview

Environ = dict[str, Any]

MOST_REMEMBERED = 64
"""The number of heads to remember: a few for each API server and endpoint."""
MOST_REMEMBERED_BYTES = 2048
"""The longest head to remember; those of API servers have some 250 bytes."""
MOST_DIGITS = 9
"""The most digits of a length that is read without gunicorn's parser; a longer one is too long for a body."""

_LENGTH = b"\r\nContent-Length: "
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
        environ: the WSGI environment, without ``wsgi.input`` and addresses. Do not change it.
        length: the length of the body to wait for, in bytes; 0 for one that is too long, which the
            application rejects by its Content-Length.
        expects_continue: the client waits for ``100 Continue`` before it sends the body.
        closes: no request can follow on this connection.
    """

    __slots__ = (
        "_asks_to_close",
        "_asks_to_continue",
        "closes",
        "environ",
        "expects_continue",
        "length",
    )

    def __init__(
        self, environ: Environ, length: int, *, asks_to_close: bool, asks_to_continue: bool
    ) -> None:
        self.environ = environ
        self.length = length if length <= MOST_BYTES else 0
        self.expects_continue = self.length > 0 and asks_to_continue
        self.closes = asks_to_close or length > MOST_BYTES
        self._asks_to_close = asks_to_close
        self._asks_to_continue = asks_to_continue

    def with_length(self, digits: str) -> Head:
        """Return the head with another Content-Length."""
        return Head(
            {**self.environ, "CONTENT_LENGTH": digits},
            int(digits),
            asks_to_close=self._asks_to_close,
            asks_to_continue=self._asks_to_continue,
        )


class HeadReader:
    """Reads heads, and remembers the latest ones. Safe to share between threads.

    Args:
        cfg: the settings of gunicorn, with the limits for the head.
    """

    __slots__ = ("_cfg", "_remembered")

    def __init__(self, cfg: Any) -> None:
        self._cfg = cfg
        self._remembered: dict[bytes, Head] = {}

    def read(self, text: bytes) -> Head:
        """Read a head.

        Args:
            text: the bytes up to and including the empty line.

        Raises:
            BadReview: the head is malformed.
        """
        start = text.find(_LENGTH) + len(_LENGTH)
        end = text.find(b"\r\n", start)
        digits = text[start:end]
        if start < len(_LENGTH) or not digits.isdigit() or len(digits) > MOST_DIGITS:
            return _parsed(text, self._cfg)
        rest = text[:start] + text[end:]
        head = self._remembered.get(rest)
        if head is not None:
            return head.with_length(digits.decode())
        head = _parsed(text, self._cfg)
        if len(rest) <= MOST_REMEMBERED_BYTES:
            if len(self._remembered) >= MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[rest] = head
        return head


def _parsed(text: bytes, cfg: Any) -> Head:
    try:
        request = Request(cfg, IterUnreader([text]), _UNKNOWN)
    except (errors.ParseException, errors.NoMoreData) as error:
        status = _STATUSES.get(type(error), HTTPStatus.BAD_REQUEST)
        raise BadReview(f"malformed HTTP: {error}"[:500], status) from None
    environ: Environ = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(request.path).decode("latin-1"),
        "QUERY_STRING": request.query,
        "SERVER_PROTOCOL": "HTTP/{}.{}".format(*request.version),
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
    asks_to_continue = "EXPECT" in headers
    for name in ("CONTENT-LENGTH", "CONTENT-TYPE"):
        if name in headers:
            environ[name.replace("-", "_")] = headers.pop(name)
    for name, value in headers.items():
        environ[f"HTTP_{name.replace('-', '_')}"] = value
    return Head(
        environ,
        length,
        asks_to_close=request.should_close(),
        asks_to_continue=asks_to_continue,
    )
