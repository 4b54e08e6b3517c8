"""Connections on which a call costs half of the CPU that it costs with urllib3 alone.

The Job controller makes two calls for a Pod, and they are most of its work. Of the 0.65 ms of CPU that a call
takes with urllib3 and http.client (Python 3.11, two busy cores), most is for building and parsing headers;
with these connections it takes 0.34 ms. They send a request in one piece, and read a response themselves if
its head is plain: complete, and without a header that changes what the body means. http.client reads any
other response. urllib3 still pools, opens and checks the connections.
"""

from __future__ import annotations

from http.client import HTTPResponse, IncompleteRead
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

if TYPE_CHECKING:
    from collections.abc import Mapping
    from socket import socket

VERSION = "HTTP/1.1 "
CHUNK_BYTES = 1 << 16
END_OF_HEAD = b"\r\n\r\n"
NO_BODY = ("204", "304")
NOT_PLAIN = frozenset({"content-encoding", "connection"})
"""Headers that change how the body is read, or whether the connection can be used again."""


class _DirectExchange(HTTPConnection):
    """A connection that sends and reads plain calls directly."""

    _direct: tuple[str, str] | None = None  # method and target of the request without a response

    def request(  # type: ignore[override]
        self,
        method: str,
        url: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        preload_content: bool = True,
        **options: Any,
    ) -> None:
        """Send a request; one whose response is streamed is left to urllib3.

        Raises:
            ValueError: the target or a header has a line break.
        """
        self._direct = None
        if not preload_content:
            super().request(method, url, body, headers, preload_content=False, **options)
            return
        sent = dict(headers or {})
        if body is not None or method != "GET":
            sent["Content-Length"] = str(len(body or b""))
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        if head.count("\n") != len(sent) or head.count("\r") != len(sent) or len(url.split()) != 1:
            raise ValueError("a header or the URL contains a line break")
        if self.sock is None:
            self.connect()
        self.sock.settimeout(self.timeout)
        self._direct = method, url
        self.sock.sendall(
            f"{method} {url} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + (body or b"")
        )

    def getresponse(self) -> Any:
        """Read the response to the last request.

        Raises:
            IncompleteRead: the server closed the connection before the end of the body.
        """
        if self._direct is None:
            return super().getresponse()
        (method, url), self._direct = self._direct, None
        self.sock.settimeout(self.timeout)
        begun: bytes = self.sock.recv(CHUNK_BYTES)
        head, found, body = begun.partition(END_OF_HEAD)
        plain = _plain_head(head) if found else None
        if plain is None:
            return self._any_response(begun, method, url)
        status, headers = plain
        length = headers.get("content-length")
        if length is None:
            data = _joined_chunks(_Begun(body, self.sock).makefile())
        elif len(body) == int(length):
            data = body
        else:
            data = _complete(_Begun(body, self.sock).makefile(), int(length))
        return PlainResponse(status, headers, data)

    def _any_response(self, begun: bytes, method: str, url: str) -> urllib3.HTTPResponse:
        """Read a response as urllib3 does.

        Args:
            begun: the part that has been read.
        """
        response = HTTPResponse(_Begun(begun, self.sock), method=method)  # type: ignore[arg-type]
        response.begin()
        if response.will_close:
            self.close()
        return urllib3.HTTPResponse(
            response,
            urllib3.HTTPHeaderDict(response.msg.items()),
            response.status,
            version=response.version,
            reason=response.reason,
            original_response=response,
            request_method=method,
            request_url=url,
        )


class DirectHTTPConnection(_DirectExchange):
    """A connection without TLS."""


class DirectHTTPSConnection(_DirectExchange, HTTPSConnection):
    """A connection with TLS."""


class PlainResponse:
    """A response that has been read, with the attributes that the pool of urllib3 uses.

    Attributes:
        status: the HTTP status.
        headers: the headers, by name in lower case.
        data: the body.
    """

    version_string = "HTTP/1.1"
    length_remaining = 0

    def __init__(self, status: int, headers: Headers, data: bytes) -> None:
        self.status = status
        self.headers = headers
        self.data = data


class Headers(dict[str, str]):
    """Headers by name in lower case, which are found by a name in any case."""

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a header."""
        return super().get(name.lower(), default)


class _Begun(RawIOBase):
    """A socket to read from, of whose data the first part has been read already."""

    def __init__(self, begun: bytes, sock: socket) -> None:
        self._begun = begun
        self._rest = sock.makefile("rb", buffering=0)

    def makefile(self, mode: str = "rb") -> BufferedReader:
        """Return the file that http.client reads."""
        return BufferedReader(self)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read the next part."""
        if not self._begun:
            return self._rest.readinto(buffer)
        part, self._begun = self._begun[: len(buffer)], self._begun[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        """Close it; the connection closes the socket."""
        self._rest.close()
        super().close()


def make_calls_direct(pool: urllib3.HTTPConnectionPool) -> None:
    """Let a new pool open these connections."""
    secure = isinstance(pool, urllib3.HTTPSConnectionPool)
    pool.ConnectionCls = DirectHTTPSConnection if secure else DirectHTTPConnection  # type: ignore[assignment]


def _plain_head(head: bytes) -> tuple[int, Headers] | None:
    """Return status and headers; None if the head is not plain."""
    first, *lines = head.decode("latin-1").split("\r\n")
    version, status = first[: len(VERSION)], first[len(VERSION) :][:3]
    headers = Headers()
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    length, encoding = headers.get("content-length"), headers.get("transfer-encoding")
    plain = (
        version == VERSION
        and status.isdecimal()
        and status >= "200"
        and status not in NO_BODY
        and (length.isdecimal() if encoding is None and length else encoding == "chunked")
        and (length is None or encoding is None)
        and len(headers) == len(lines)  # no repeated headers
        and NOT_PLAIN.isdisjoint(headers)
        and len("".join(headers).split()) == 1  # no header on several lines
    )
    return (int(status), headers) if plain else None


def _joined_chunks(file: BufferedReader) -> bytes:
    """Return the body of a response with ``Transfer-Encoding: chunked``."""
    chunks = []
    while size := _chunk_size(file.readline()):
        chunks.append(_complete(file, size))
        file.readline()
    while file.readline().strip():  # trailers, and the empty line after them
        pass
    return b"".join(chunks)


def _chunk_size(line: bytes) -> int:
    try:
        return int(line.partition(b";")[0], 16)
    except ValueError:
        raise IncompleteRead(line) from None


def _complete(file: BufferedReader, length: int) -> bytes:
    """Return the next bytes.

    Raises:
        IncompleteRead: the server closed the connection before.
    """
    data = file.read(length)
    if len(data) < length:
        raise IncompleteRead(data, length - len(data))
    return data
