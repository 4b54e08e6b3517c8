"""Call an API server over HTTP with plain JSON, on connections that the kubernetes package configures.

The kubernetes package refreshes credentials, and sets up urllib3 with certificates and proxies. Its generated
classes are not used.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import orjson

from jobsworth.client.api_errors import UNREACHABLE, ApiError, NotConfigured
from jobsworth.client.api_interface import JSON, Api
from jobsworth.client.explanations import LONGEST_CONNECT_SECONDS, rejected, unanswered
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.client.retry import Retry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import urllib3

    from jobsworth.client.rest_config import RestConfig

CALL_SECONDS = 60.0  # the request timeout of the API server
WATCH_SILENCE_SECONDS = 150.0  # a watch with bookmarks sends an event about once a minute
# The kubernetes package reads the token of a service account again every minute.
CREDENTIALS_SECONDS = 30.0


class Client(Api):
    """A client of an API server. Safe to share between threads.

    Args:
        config: the API server and the credentials.
        user_agent: the ``User-Agent`` header.
        limit: the rate limit of all calls, including the start of a watch.
        connections: the size of the connection pool.
        timeout: the seconds to wait for a response.
        retry: the retry policy.
        compressed: request compressed responses, for lists over slow networks.
        observe: receives the method and HTTP status of each call.
        stop: set when the process must end; no call is retried after that.

    Raises:
        NotConfigured: the certificates or proxies of the configuration cannot be used.
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
        headers = {
            "Host": _host(config.url),
            "User-Agent": user_agent,
            "Accept-Encoding": "gzip" if compressed else "identity",
        }
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
        """Make a call, retry it if the policy allows, and return the decoded response."""
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
        """Yield the events of a watch as they arrive, until the API server ends it."""
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
            with response:
                if response.status != 200:
                    raise rejected(self._config, response.status, _decoded(response.data))
                yield from map(orjson.loads, response)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            raise ApiError(
                UNREACHABLE, "", f"the watch of {path} was interrupted: {error}"
            ) from error

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
            raise rejected(self._config, response.status, answer, wait)
        return answer

    def _url(self, path: str, query: Mapping[str, str] | None) -> str:
        return self._prefix + path + (f"?{urlencode(query)}" if query else "")


class _Credentials:
    """A cache of the authentication headers of the kubernetes package."""

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
    """Return the connection pool of the server, and the prefix of every path."""
    import urllib3
    from kubernetes.client.rest import RESTClientObject

    from jobsworth.client.http_connection import make_calls_direct

    configuration, url = config.configuration, config.url
    configuration.connection_pool_maxsize = connections
    configuration.keep_alive = True
    try:
        manager = RESTClientObject(configuration).pool_manager
        pool: urllib3.HTTPConnectionPool = manager.connection_from_url(url)
        make_calls_direct(pool)
    except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
        raise NotConfigured(f"{config.name} cannot be used: {error}") from None
    # A proxy needs the full URL of a request that it does not tunnel.
    whole = isinstance(manager, urllib3.ProxyManager) and url.startswith("http:")
    return pool, url if whole else (urllib3.util.parse_url(url).path or "")


def _host(url: str) -> str:
    """Return the ``Host`` header of calls to a server."""
    from urllib3.connection import port_by_scheme
    from urllib3.util import parse_url

    server = parse_url(url)
    usual = server.port == port_by_scheme.get(server.scheme or "")
    return (server.host if usual else server.netloc) or ""


def _decoded(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def _whole_seconds(text: str | None) -> float | None:
    return float(text) if text and text.isascii() and text.isdigit() else None
