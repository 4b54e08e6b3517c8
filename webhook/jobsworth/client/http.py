"""The API server over HTTP: the kubernetes package's configuration and connections, plain JSON on them.

The kubernetes package keeps credentials fresh, and sets up urllib3 with certificates and proxies. Of its
generated classes nothing is used: see :mod:`jobsworth.client.access`, which loads the configuration.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import orjson

from jobsworth.client.api import JSON, UNREACHABLE, ApiError, error_of
from jobsworth.client.rate_limit import TokenBucket

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import urllib3

CALL_TIMEOUT = 60.0  # the API server gives up on a request after as long
WATCH_SILENCE = 150.0  # a watch with bookmarks says something about once a minute
CREDENTIALS_FOR = (
    30.0  # a service account's token is read anew each minute by the kubernetes package
)
TRIES = 5
LONGEST_WAIT = 30.0


class Client:
    """An API server. Safe to share between threads.

    Args:
        configuration: a ``kubernetes.client.Configuration``.
        user_agent: who we say we are.
        limit: of calls; watches are not limited.
        connections: how many calls are made at once.
        observe: is told method and HTTP status of each call.
        stop: set when the process is to end: nothing is tried again then.
    """

    def __init__(
        self,
        configuration: Any,
        *,
        user_agent: str,
        limit: TokenBucket | None = None,
        connections: int = 32,
        observe: Callable[[str, int], None] = lambda method, code: None,
        stop: threading.Event | None = None,
    ) -> None:
        import urllib3
        from kubernetes.client.rest import RESTClientObject

        configuration.connection_pool_maxsize = connections
        configuration.keep_alive = True
        self._configuration = configuration
        self._prefix = urllib3.util.parse_url(configuration.host).path or ""
        self._pool: urllib3.HTTPConnectionPool = RESTClientObject(
            configuration
        ).pool_manager.connection_from_url(configuration.host)
        self._timeout = urllib3.Timeout(connect=10.0, read=CALL_TIMEOUT)
        self._watch_timeout = urllib3.Timeout(connect=10.0, read=WATCH_SILENCE)
        self._limit = limit or TokenBucket(0, 1)
        self._observe = observe
        self._stop = stop or threading.Event()
        self._user_agent = user_agent
        self._headers: dict[str, str] = {}
        self._headers_until = 0.0
        self._refreshing = threading.Lock()

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> dict[str, Any]:
        """Make a call; where the server says when to ask again (429, 503), do.

        Raises:
            ApiError: the server refused, or could not be reached.
        """
        payload = None if body is None else orjson.dumps(body)
        url = self._url(path, query)
        for left in range(TRIES - 1, -1, -1):
            self._limit.wait()
            try:
                return self._once(
                    method, url, payload, {"Content-Type": content_type, "Accept": accept}
                )
            except ApiError as error:
                if error.code == 401 and left == TRIES - 1:
                    self._headers_until = 0.0
                elif error.retry_after is None or not left or self._stop.is_set():
                    raise
                else:
                    self._stop.wait(min(error.retry_after, LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")

    def watch(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """The events of a watch, until the server ends it.

        Raises:
            ApiError: the server refused, could not be reached, or went away.
        """
        import urllib3

        self._limit.wait()
        try:
            response = self._pool.urlopen(
                "GET",
                self._url(path, {**query, "watch": "true"}),
                headers={**self._credentials(), "Accept": JSON},
                retries=False,
                redirect=False,
                timeout=self._watch_timeout,
                preload_content=False,
            )
            self._observe("WATCH", response.status)
            try:
                if response.status != 200:
                    raise error_of(response.status, _answer(response.read()))
                for line in _lines(response):
                    yield orjson.loads(line)
            finally:
                response.close()
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            raise ApiError(UNREACHABLE, "", f"watch of {path} broke off: {error}") from error

    def _once(
        self, method: str, url: str, payload: bytes | None, headers: dict[str, str]
    ) -> dict[str, Any]:
        import urllib3

        try:
            response = self._pool.urlopen(
                method,
                url,
                body=payload,
                headers={**self._credentials(), **headers},
                retries=False,
                redirect=False,
                timeout=self._timeout,
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            self._observe(method, UNREACHABLE)
            raise ApiError(UNREACHABLE, "", f"{method} {url}: {error}") from error
        self._observe(method, response.status)
        answer = _answer(response.data)
        if response.status >= 300 or not isinstance(answer, dict):
            raise error_of(response.status, answer, _seconds(response.headers.get("Retry-After")))
        return answer

    def _url(self, path: str, query: Mapping[str, str] | None) -> str:
        url = self._prefix.rstrip("/") + quote(path)
        return f"{url}?{urlencode(query)}" if query else url

    def _credentials(self) -> dict[str, str]:
        with self._refreshing:
            if time.monotonic() >= self._headers_until:
                self._headers = self._fresh_credentials()
                self._headers_until = time.monotonic() + CREDENTIALS_FOR
            return self._headers

    def _fresh_credentials(self) -> dict[str, str]:
        headers = {"User-Agent": self._user_agent}
        for setting in self._configuration.auth_settings().values():
            if setting["in"] == "header" and setting["value"]:
                headers[setting["key"].title()] = setting["value"]
        return headers


def _lines(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    rest = b""
    for chunk in response.stream(1 << 16):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from filter(None, lines)


def _answer(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isdigit() else None
