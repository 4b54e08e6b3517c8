"""Sources of answers: an API server, through any client that a program already has."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlencode

from jobsworth.client.api_errors import UNREACHABLE, ApiError, NotConfigured
from jobsworth.client.api_interface import Api
from jobsworth.following.errors import ClusterError
from jobsworth.following.requests import Get, GetText

if TYPE_CHECKING:
    from jobsworth.client.rest_config import RestConfig

Getter = Callable[[str], Any]
"""Returns the decoded JSON of a path such as ``/apis/batch/v1/namespaces/batch/jobs/train``, with its query;
for the path of a log, a text. It may be a coroutine function."""
USER_AGENT = "jobsworth"
_HEADERS = ("impersonate-user", "impersonate-group", "impersonate-uid", "authorization")


class UnusableClient(TypeError):
    """Raised for a client that cannot be used."""


class Source(Protocol):
    """Answers requests."""

    name: str
    namespace: str
    api: Api | None

    def answer(self, request: Get | GetText) -> Any:
        """Return the answer to a request.

        Raises:
            ApiError: the API server rejected it, or could not be reached.
        """


class ApiSource:
    """An API server, called by :class:`jobsworth.client.api_interface.Api`."""

    def __init__(self, api: Api, name: str, namespace: str) -> None:
        self.api: Api | None = api
        self.name = name
        self.namespace = namespace

    def answer(self, request: Get | GetText) -> Any:
        """Call the API server."""
        if self.api is None:
            raise AssertionError("never without an API server")
        if isinstance(request, GetText):
            return self.api.text(request.path, request.query)
        return self.api.get(request.path, request.query)


class GetterSource:
    """A function of the user's program that gets objects.

    Attributes:
        getter: it.
        api: None: it cannot watch.
    """

    def __init__(self, getter: Getter) -> None:
        self.getter = getter
        self.api: Api | None = None
        self.name = "the given client"
        self.namespace = "default"

    def answer(self, request: Get | GetText) -> Any:
        """Call the function."""
        try:
            return checked_answer(request, self.getter(path_of(request)))
        except Exception as error:
            raise as_api_error(error) from error


def path_of(request: Get | GetText) -> str:
    """Return the path of a request with its query."""
    return request.path + (f"?{urlencode(request.query)}" if request.query else "")


def checked_answer(request: Get | GetText, answer: Any) -> Any:
    """Return the answer of a user's function, if it is of the right type.

    Raises:
        ApiError: it is not.
    """
    wanted: type = str if isinstance(request, GetText) else dict
    if isinstance(answer, wanted):
        return answer
    given = type(answer).__name__
    words = "the text of a log" if wanted is str else "the JSON object as a dict"
    raise ApiError(
        UNREACHABLE, "", f"get({request.path!r}) returned {given}: it must return {words}"
    )


def as_api_error(error: Exception) -> ApiError:
    """Return the error of a user's function as an ApiError, with the HTTP status that it carries."""
    if isinstance(error, ApiError):
        return error
    response = getattr(error, "response", None)
    for holder in (error, response):
        for attribute in ("status", "status_code", "code"):
            code = getattr(holder, attribute, None)
            if isinstance(code, int) and not isinstance(code, bool):
                return ApiError(code, "", f"{type(error).__name__}: {error}")
    return ApiError(UNREACHABLE, "", f"{type(error).__name__}: {error}")


@contextlib.contextmanager
def source_of(
    client: Any,
    *,
    context: str | None = None,
    kubeconfig: str | None = None,
    timeout: float = 30.0,
    tries: int = 4,
) -> Iterator[Source]:
    """Return the source of answers for the client that a program gives.

    Args:
        client: an ``ApiClient`` of the kubernetes package, one of its APIs such as ``BatchV1Api``, a function
            :data:`Getter`, or None for the kubeconfig of kubectl or the service account of the Pod.
        context, kubeconfig: without a client, the cluster.
        timeout: of a request, in seconds.
        tries: of a read while the API server is busy.

    Raises:
        UnusableClient: the client is none of these, or sends headers of its own.
        ClusterError: the configuration is missing or invalid.
        ImportError: the cluster extra is not installed.
    """
    if isinstance(client, Api):
        yield ApiSource(client, "the API server", "default")
        return
    owner = getattr(client, "api_client", client)
    configuration = getattr(owner, "configuration", None)
    if configuration is not None and hasattr(owner, "call_api"):
        _check_headers(owner)
        from jobsworth.client.rest_config import RestConfig, own_namespace

        # A copy, because the client sets the size of the connection pool.
        config = RestConfig(copy(configuration), str(configuration.host), own_namespace())
        yield _source(config, timeout, tries)
    elif callable(client):
        yield GetterSource(client)
    elif client is None:
        from jobsworth.client.rest_config import Target, rest_config

        with contextlib.ExitStack() as stack:
            try:
                config = stack.enter_context(rest_config(Target(kubeconfig, context)))
            except NotConfigured as error:
                raise ClusterError(str(error)) from None
            yield _source(config, timeout, tries)
    else:
        raise UnusableClient(
            f"client must be a kubernetes.client.ApiClient, one of its APIs, or a function get(path), not "
            f"{type(client).__name__}"
        )


def is_asynchronous(source: Source) -> bool:
    """Return True for a source whose function is a coroutine function."""
    return isinstance(source, GetterSource) and inspect.iscoroutinefunction(source.getter)


def _source(config: RestConfig, timeout: float, tries: int) -> ApiSource:
    from jobsworth.client.retry import Retry
    from jobsworth.client.transport import Client

    try:
        client = Client(
            config,
            user_agent=USER_AGENT,
            connections=4,
            timeout=timeout,
            retry=Retry(tries, reads_while_busy=True),
            compressed=True,
        )
    except NotConfigured as error:
        raise ClusterError(str(error)) from None
    return ApiSource(client, config.name, config.namespace)


def _check_headers(api_client: Any) -> None:
    """Reject a client with headers that decide who calls: only its configuration is used.

    Raises:
        UnusableClient: it has such headers.
    """
    given: Mapping[str, str] = getattr(api_client, "default_headers", None) or {}
    found = [name for name in given if name.lower() in _HEADERS]
    if found:
        raise UnusableClient(
            f"the ApiClient sets the header {found[0]}, which would be lost: give a function get(path) "
            "instead"
        )
