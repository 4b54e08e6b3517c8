"""The API server over HTTP: the kubernetes package's configuration and connections, plain JSON on them.

The kubernetes package keeps credentials fresh, and sets up urllib3 with certificates and proxies. Of its
generated classes nothing is used.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import orjson

from jobsworth.client.api import JSON, Api
from jobsworth.client.errors import UNREACHABLE, ApiError, NotConfigured
from jobsworth.client.explanations import LONGEST_CONNECT_SECONDS, refused, unanswered
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.client.retry import Retry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import urllib3

    from jobsworth.client.configuration import RestConfig

CALL_SECONDS = 60.0  # the API server gives up on a request after as long
WATCH_SILENCE_SECONDS = 150.0  # a watch with bookmarks says something about once a minute
# A service account's token is read anew each minute by the kubernetes package.
CREDENTIALS_SECONDS = 30.0
CHUNK_BYTES = 1 << 16


class Client(Api):
    """An API server. Safe to share between threads.

    Args:
        user_agent: who we say we are.
        limit: of calls; watches are not limited.
        connections: how many calls are made at once.
        timeout: seconds that the server may keep us waiting for an answer.
        retry: after which errors a call is made again.
        compressed: have large answers compressed, for lists over slow networks.
        observe: is given method and HTTP status of each call.
        stop: set when the process is to end: nothing is tried again then.

    Raises:
        NotConfigured: the configuration's certificates or proxies cannot be used.
    """

    def __init__(
        self,
        config: RestConfig,
        *,
        user_agent: str,
        limit: TokenBucket | None = None,
        connections: int = 32,
        timeout: float = CALL_SECONDS,
        retry: Retry | None = None,
        compressed: bool = False,
        observe: Callable[[str, int], None] = lambda method, code: None,
        stop: threading.Event | None = None,
    ) -> None:
        import urllib3

        self._config = config
        self._pool, self._prefix = _pool(config, connections)
        self._seconds = timeout
        connect = min(timeout, LONGEST_CONNECT_SECONDS)
        self._timeout = urllib3.Timeout(connect=connect, read=timeout)
        self._watch_timeout = urllib3.Timeout(connect=connect, read=WATCH_SILENCE_SECONDS)
        self._retry = retry or Retry()
        self._limit = limit or TokenBucket(0, 1)
        self._observe = observe
        self._stop = stop or threading.Event()
        headers = {"User-Agent": user_agent}
        if compressed:
            headers["Accept-Encoding"] = "gzip"
        self._credentials = _Credentials(config, headers)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> dict[str, Any]:
        """Make a call, again where that may help, and return the decoded answer."""
        payload = None if body is None else orjson.dumps(body)
        url = self._url(path, query)
        headers = {"Content-Type": content_type, "Accept": accept}
        tried = 0
        while True:
            self._limit.wait()
            try:
                return self._once(method, url, payload, headers)
            except ApiError as error:
                tried += 1
                if error.code == 401:
                    self._credentials.expire()
                delay = self._retry.delay(error, tried, read=method == "GET")
                if delay is None or self._stop.is_set():
                    raise
                self._stop.wait(delay)

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield the events of a watch as they come, until the server ends it."""
        import urllib3

        self._limit.wait()
        try:
            response = self._pool.urlopen(
                "GET",
                self._url(path, {**query, "watch": "true"}),
                headers={**self._credentials.headers(), "Accept": JSON},
                retries=False,
                redirect=False,
                assert_same_host=False,
                timeout=self._watch_timeout,
                preload_content=False,
            )
            self._observe("WATCH", response.status)
            try:
                if response.status != 200:
                    raise refused(self._config, response.status, _decoded(response.read()))
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
                headers={**self._credentials.headers(), **headers},
                retries=False,
                redirect=False,
                assert_same_host=False,
                timeout=self._timeout,
            )
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            self._observe(method, UNREACHABLE)
            raise unanswered(self._config, error, self._seconds) from error
        self._observe(method, response.status)
        answer = _decoded(response.data)
        if response.status >= 300 or not isinstance(answer, dict):
            wait = _whole_seconds(response.headers.get("Retry-After"))
            raise refused(self._config, response.status, answer, wait)
        return answer

    def _url(self, path: str, query: Mapping[str, str] | None) -> str:
        return self._prefix + path + (f"?{urlencode(query)}" if query else "")


class _Credentials:
    """The headers that say who we are, asked of the kubernetes package only now and then."""

    def __init__(self, config: RestConfig, headers: dict[str, str]) -> None:
        self._config = config
        self._always = headers
        self._headers = headers
        self._until = 0.0
        self._lock = threading.Lock()

    def headers(self) -> dict[str, str]:
        with self._lock:
            if time.monotonic() >= self._until:
                self._headers = self._always | self._fresh()
                self._until = time.monotonic() + CREDENTIALS_SECONDS
            return self._headers

    def expire(self) -> None:
        self._until = 0.0

    def _fresh(self) -> dict[str, str]:
        from kubernetes.config import ConfigException

        try:
            settings = dict[str, Any](self._config.configuration.auth_settings())
        except ConfigException as error:
            raise NotConfigured(f"{self._config.name} has no credentials: {error}") from None
        return {
            each["key"].title(): each["value"]
            for each in settings.values()
            if each["in"] == "header" and each["value"]
        }


def _pool(config: RestConfig, connections: int) -> tuple[urllib3.HTTPConnectionPool, str]:
    """The connections to the server, and what every path on them begins with."""
    import urllib3
    from kubernetes.client.rest import RESTClientObject

    configuration, url = config.configuration, config.url
    configuration.connection_pool_maxsize = connections
    configuration.keep_alive = True
    try:
        manager = RESTClientObject(configuration).pool_manager
        pool: urllib3.HTTPConnectionPool = manager.connection_from_url(url)
    except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
        raise NotConfigured(f"{config.name} cannot be used: {error}") from None
    # A proxy wants the whole address of what it does not tunnel.
    whole = isinstance(manager, urllib3.ProxyManager) and url.startswith("http:")
    return pool, url if whole else (urllib3.util.parse_url(url).path or "")


def _lines(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    rest = b""
    for chunk in response.stream(CHUNK_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from filter(None, lines)


def _decoded(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def _whole_seconds(text: str | None) -> float | None:
    return float(text) if text and text.isascii() and text.isdigit() else None
