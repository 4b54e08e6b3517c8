"""Call an API server over HTTP with plain JSON, by urllib3 as the kubernetes package configures it.

The kubernetes package refreshes credentials, and sets up urllib3 with certificates and proxies. Its generated
classes are not used: creating them for a response takes longer than validating the object.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import urllib3
from urllib3.exceptions import HTTPError

from jobsworth.client.api_errors import UNREACHABLE, ApiError, NotConfigured, error_of, printable
from jobsworth.client.api_interface import JSON, Api
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.client.rest_config import RestConfig
from jobsworth.client.retry import Retry

CALL_SECONDS = 60.0  # the request timeout of the API server
WATCH_SILENCE_SECONDS = 150.0  # a watch with bookmarks sends an event about once a minute

MAX_CONNECT_SECONDS = 10.0


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
        impersonated: the user to act as; empty for the user of the credentials.
        observe: receives the method and HTTP status of each call; ``WATCH`` for a watch.
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
        impersonated: str = "",
        observe: Callable[[str, int], None] = lambda method, code: None,
        stop: threading.Event | None = None,
    ) -> None:
        self._config = config
        self._http = _pool_manager(config, connections)
        self._headers = {
            "User-Agent": user_agent,
            "Accept-Encoding": "gzip" if compressed else "identity",
        }
        if impersonated:
            self._headers["Impersonate-User"] = impersonated
        self._seconds = timeout
        self._connect_seconds = min(timeout, MAX_CONNECT_SECONDS)
        self._retry = retry or Retry()
        self._limit = limit or TokenBucket(0, 1)
        self._observe = observe
        self._stop = stop or threading.Event()
        self._credentials_lock = threading.Lock()

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
        url = self._url(path, query)
        headers = {"Content-Type": content_type, "Accept": accept}
        tried = 0
        while True:
            try:
                return self._object(self._call(method, url, headers, body))
            except ApiError as error:
                tried += 1
                delay = self._retry.delay(error, tried, read=method == "GET")
                if delay is None or self._stop.is_set():
                    raise
                self._stop.wait(delay)

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield the events of a watch as they arrive, until the API server ends it."""
        url = self._url(path, {**query, "watch": "true"})
        with self._call("GET", url, {"Accept": JSON}, streamed=True) as response:
            try:
                yield from map(json.loads, response)
            except (HTTPError, OSError, ValueError, RecursionError) as error:
                message = f"the watch of {path} was interrupted: {error}"
                raise ApiError(UNREACHABLE, "", printable(message)) from error

    def text(self, path: str, query: Mapping[str, str]) -> str:
        """Read a text, such as the log of a container; bytes that are not UTF-8 are replaced."""
        response = self._call("GET", self._url(path, query), {"Accept": "*/*"})
        return response.data.decode("utf-8", "replace")

    def _call(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        body: Any = None,
        *,
        streamed: bool = False,
    ) -> urllib3.BaseHTTPResponse:
        """Send a request, and return the response if it is a success.

        Args:
            streamed: leave it to the caller to read the body of a success.

        Raises:
            ApiError: the API server rejected the call or could not be reached.
        """
        observed = "WATCH" if streamed else method
        seconds = WATCH_SILENCE_SECONDS if streamed else self._seconds
        self._limit.wait()
        headers = {**self._headers, **headers, **self._authorization()}
        try:
            response = self._http.request(
                method,
                url,
                json=body,
                headers=headers,
                timeout=urllib3.Timeout(connect=self._connect_seconds, read=seconds),
                preload_content=not streamed,
                retries=False,
                redirect=False,
            )
            rejection = self._rejection(response) if response.status >= 300 else None
        except (HTTPError, OSError, ValueError) as error:
            self._observe(observed, UNREACHABLE)
            raise unanswered(self._config, error, seconds) from error
        self._observe(observed, response.status)
        if rejection is not None:
            raise rejection
        return response

    def _object(self, response: urllib3.BaseHTTPResponse) -> dict[str, Any]:
        answer = _decoded(response.data)
        if not isinstance(answer, dict):
            raise self._rejection(response)
        return answer

    def _rejection(self, response: urllib3.BaseHTTPResponse) -> ApiError:
        wait = _whole_seconds(response.headers.get("Retry-After"))
        return rejected(self._config, response.status, _decoded(response.data), wait)

    def _authorization(self) -> dict[str, str]:
        """Return the header with a token, which the kubernetes package renews before it expires."""
        from kubernetes.config import ConfigException

        try:
            with self._credentials_lock:
                token = self._config.configuration.get_api_key_with_prefix(
                    "BearerToken", alias="authorization"
                )
        except ConfigException as error:
            raise NotConfigured(f"{self._config.name} has no credentials: {error}") from None
        return {"Authorization": token} if token else {}

    def _url(self, path: str, query: Mapping[str, str] | None) -> str:
        return self._config.url + path + (f"?{urlencode(query)}" if query else "")


def _pool_manager(config: RestConfig, connections: int) -> urllib3.PoolManager:
    from kubernetes.client.rest import RESTClientObject

    configuration = config.configuration
    configuration.connection_pool_maxsize = connections
    configuration.keep_alive = True
    try:
        manager = RESTClientObject(configuration).pool_manager
        manager.connection_from_url(config.url)  # fails for a URL that cannot be called
    except (HTTPError, OSError, ValueError) as error:
        raise NotConfigured(f"{config.name} cannot be used: {error}") from None
    return manager


def _decoded(data: bytes) -> Any:
    """Return the value of a JSON text; any other body as text."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace")


def _whole_seconds(text: str | None) -> float | None:
    return float(text) if text and text.isascii() and text.isdigit() else None


def rejected(
    config: RestConfig, code: int, answer: Any, retry_after: float | None = None
) -> ApiError:
    """Return the error for a response that is not a success, or not a JSON object.

    Args:
        code: the HTTP status.
        answer: the decoded body; its text if it is not JSON.
        retry_after: the value of the ``Retry-After`` header, in seconds.
    """
    error = error_of(code, answer, retry_after)
    message, url, name = error.message, config.url, config.name
    if code == 401:
        error.explanation = (
            f"{url} rejects the credentials of {name} (401 {message}): they may have expired; "
            "log in again, or choose another context with --context"
        )
    elif code == 403 and '"system:anonymous"' in message:
        error.explanation = (
            f"{url} rejects anonymous requests (403 {message}): "
            f"add credentials to {name}, or choose another context with --context"
        )
    elif (
        not isinstance(answer, dict) and code != 429
    ):  # an overloaded API server responds with plain text
        error.explanation = (
            f"{url} answers with status {code}, but not like a Kubernetes API server: "
            f"check the server address of {name}, and any proxy in between"
        )
    return error


def unanswered(config: RestConfig, error: Exception, timeout: float) -> ApiError:
    """Return the error for a request without a response.

    Args:
        error: the error of the HTTP library or the system.
        timeout: the timeout of the request in seconds.
    """
    kinds = {type(each).__name__ for each in _chain(error)}
    message = printable(_why_unanswered(config.url, config.name, error, kinds, timeout))
    return ApiError(UNREACHABLE, "", message, timed_out="ReadTimeoutError" in kinds)


def _why_unanswered(url: str, name: str, error: Exception, kinds: set[str], timeout: float) -> str:
    texts = " ".join(map(str, _chain(error)))
    if "CERTIFICATE_VERIFY_FAILED" in texts:
        detail = texts.partition("certificate verify failed: ")[2].partition(" (_ssl")[0]
        return (
            f"the certificate of {url} is not trusted ({detail or 'certificate verify failed'}): "
            f"set certificate-authority of {name} to the CA that signed it"
        )
    if "ProxyError" in kinds:
        return f"the proxy for {url} failed: {error}; check HTTPS_PROXY and NO_PROXY"
    if "SSLError" in kinds or "SSLV3_ALERT" in texts:
        return f"no TLS connection to {url}: {_inner(error)}; check the server address of {name}"
    if "ReadTimeoutError" in kinds:
        return f"{url} did not answer within {timeout:g} s"
    if "ConnectTimeoutError" in kinds:
        return (
            f"no connection to {url} within {min(timeout, MAX_CONNECT_SECONDS):g} s: check "
            f"the network (VPN) and the server address of {name}"
        )
    if "NameResolutionError" in kinds or "gaierror" in kinds:
        return f"the host of {url} cannot be resolved: check the server address of {name}"
    if "ConnectionRefusedError" in kinds or "Connection refused" in texts:
        return f"{url} refuses connections: check that the cluster runs, and the server address of {name}"
    return f"{url} cannot be reached: {_inner(error)}"


def _chain(error: BaseException | None) -> list[BaseException]:
    """Return an error and its causes, in every form in which the library stores them."""
    found: list[BaseException] = []
    while isinstance(error, BaseException) and error not in found:
        found.append(error)
        reason = getattr(error, "reason", None) or getattr(error, "original_error", None)
        error = (
            reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__
        )
    return found


def _inner(error: Exception) -> str:
    text = " ".join(str(_chain(error)[-1]).split())
    return text or type(error).__name__
