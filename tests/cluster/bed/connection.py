"""Plain HTTP to an API server: one connection a thread, kept open, JSON in and out."""

from __future__ import annotations

import http.client
import json
import re
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit


class Answer(NamedTuple):
    """An answer of the API server.

    Attributes:
        code: the HTTP status.
        body: the decoded object, which for an error is a ``Status``; a string where it was not JSON.
        warnings: the texts of its ``Warning`` headers.
    """

    code: int
    body: Any
    warnings: tuple[str, ...] = ()


class Connection:
    """An API server as one user sees it. Safe to share between threads."""

    def __init__(
        self,
        url: str,
        tls: ssl.SSLContext | None,
        headers: dict[str, str] | None = None,
        timeout: float = 60,
    ) -> None:
        self.url = url
        self._address = urlsplit(url)
        self._tls = tls
        self._headers = {"User-Agent": "test-bed", "Accept": "application/json", **(headers or {})}
        self._timeout = timeout
        self._local = threading.local()

    def request(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> Answer:
        """One request; a kept connection that the server has closed meanwhile is made anew."""
        payload = None if body is None else json.dumps(body).encode()
        headers = dict(self._headers)
        if payload is not None:
            headers["Content-Type"] = content_type
        path = self._address.path.rstrip("/") + path
        for again in (True, False):
            connection = self._connection()
            reused = connection.sock is not None
            try:
                connection.request(method, path, payload, headers)
                response = connection.getresponse()
                warnings = tuple(map(_warning, response.headers.get_all("Warning", ())))
                return Answer(response.status, _decoded(response.read()), warnings)
            except (OSError, http.client.HTTPException):
                connection.close()
                if not (reused and again):
                    raise
        raise AssertionError("not reached")

    def watch(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the events of a watch until the server ends it, on a connection of its own.

        Raises:
            OSError: the server cannot be reached.
            http.client.HTTPException: it rejected the watch, or broke off in the middle of an event.
        """
        connection = self._new_connection(timeout=None)
        try:
            connection.request("GET", self._address.path.rstrip("/") + path, headers=self._headers)
            response = connection.getresponse()
            if response.status != 200:
                raise http.client.HTTPException(f"watch of {path}: {response.status}")
            for line in response:
                if not line.endswith(b"\n"):
                    raise http.client.IncompleteRead(line)
                yield json.loads(line)
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        kept: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if kept is None:
            kept = self._local.connection = self._new_connection(self._timeout)
        return kept

    def _new_connection(self, timeout: float | None) -> http.client.HTTPConnection:
        host, port = self._address.hostname or "", self._address.port
        if self._tls is None:
            return http.client.HTTPConnection(host, port, timeout=timeout)
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=self._tls)


def with_certificate(
    url: str,
    ca_file: Path,
    certificate: Path,
    key: Path,
    headers: dict[str, str] | None = None,
) -> Connection:
    """Open a connection whose user is identified by a client certificate."""
    tls = ssl.create_default_context(cafile=ca_file)
    tls.load_cert_chain(certificate, key)
    return Connection(url, tls, headers)


def _warning(header: str) -> str:
    """Return the text of a ``Warning`` header: ``299 - "text"``, in UTF-8, with quotes and backslashes escaped."""
    quoted = header.encode("latin-1").decode().split(" ", 2)[2]
    return re.sub(r"\\(.)", r"\1", quoted[1:-1])


def _decoded(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")
