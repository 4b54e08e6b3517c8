"""Connect to a cluster, through any client that a program already has.

A function of the program that gets objects is such a client, too: it is watched by polling.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from jobsworth.client.api_errors import UNREACHABLE, ApiError, NotConfigured
from jobsworth.client.api_interface import JSON, Api
from jobsworth.client.paging import PAGE_SIZE, pages
from jobsworth.client.rest_config import RestConfig
from jobsworth.live.errors import ClusterError
from jobsworth.live.event_loop import CallingTask, Cancelled

Object = dict[str, Any]

Getter = Callable[[str], Any]
"""Returns the decoded JSON of a path such as ``/apis/batch/v1/namespaces/batch/jobs/train``, with its query;
for the path of a log, a text. It may be a coroutine function."""
JOB_SECONDS, OTHER_SECONDS = 2.0, 10.0
"""Seconds between two readings of a list of Jobs, and of another list."""


class GetterApi(Api):
    """An API server that can only be read.

    Args:
        getter: the function.
        await_result: waits for the result of a coroutine function; None if it cannot be one.
        closed: ends the watches.
    """

    def __init__(
        self,
        getter: Getter,
        await_result: Callable[[Awaitable[Any]], Any] | None,
        closed: threading.Event,
    ) -> None:
        self._getter = getter
        self._await_result = await_result
        self._closed = closed
        self._lists: dict[str, list[Object] | None] = {}
        self._calls = threading.Lock()  # the function need not be safe to share between threads

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Object:
        """Get an object, or a page of a list; no other method is called."""
        url = _url(path, query)
        answer: Object = self._get(url, path, dict, "the JSON object as a dict")
        if "items" in answer:
            self._lists[url] = answer["items"]
        return answer

    def text(self, path: str, query: Mapping[str, str]) -> str:
        """Get the text of a log."""
        text: str = self._get(_url(path, query), path, str, "the text of a log")
        return text

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Object]:
        """Yield what changes between two readings of the first page of a list, and a bookmark after each."""
        selectors = {key: query[key] for key in query if key.endswith("Selector")}
        before = _by_uid(self._lists.get(_url(path, {**selectors, "limit": str(PAGE_SIZE)})))
        pause = JOB_SECONDS if path.endswith("/jobs") else OTHER_SECONDS
        while not self._closed.wait(pause):
            page = next(pages(self, path, selectors=selectors))
            now = _by_uid(page.items)
            for uid, value in before.items():
                if uid not in now:
                    yield _event("DELETED", value)
            for uid, value in now.items():
                if value != before.get(uid):
                    yield _event("MODIFIED" if uid in before else "ADDED", value)
            yield _event("BOOKMARK", {"metadata": {"resourceVersion": str(page.version)}})
            before = now

    def _get(self, url: str, path: str, wanted: type, words: str) -> Any:
        try:
            with self._calls:
                answer = self._getter(url)
                if self._await_result is not None and inspect.isawaitable(answer):
                    answer = self._await_result(answer)
        except Cancelled:
            raise
        except Exception as error:
            raise as_api_error(error) from error
        if isinstance(answer, wanted):
            return answer
        given = type(answer).__name__
        raise ApiError(UNREACHABLE, "", f"get({path!r}) returned {given}: it must return {words}")


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


def _url(path: str, query: Mapping[str, str] | None) -> str:
    return path + (f"?{urlencode(query)}" if query else "")


def _by_uid(values: list[Object] | None) -> dict[str, Object]:
    return {str(each["metadata"].get("uid")): each for each in values or ()}


def _event(kind: str, value: Object) -> Object:
    """Return an event of a watch, whose object always has a resourceVersion."""
    metadata = {"resourceVersion": "", **value["metadata"]}
    return {"type": kind, "object": {**value, "metadata": metadata}}


USER_AGENT = "jobsworth"
_HEADERS = ("impersonate-user", "impersonate-group", "impersonate-uid", "authorization")


class UnusableClient(TypeError):
    """Raised for a client that cannot be used."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster to read.

    Attributes:
        name: for messages.
        namespace: the default one.
        task: the asyncio task whose cancellation ends all calls; None outside asyncio.
    """

    api: Api
    name: str
    namespace: str = "default"
    task: CallingTask | None = None


Connection = contextlib.AbstractContextManager[Cluster]


@contextlib.contextmanager
def connect(
    client: Any,
    *,
    context: str | None = None,
    kubeconfig: str | None = None,
    tries: int = 4,
    task: CallingTask | None = None,
) -> Iterator[Cluster]:
    """Return the cluster of the client that a program gives.

    Args:
        client: an ``ApiClient`` of the kubernetes package, one of its APIs such as ``BatchV1Api``, a function
            ``get(path)``, or None for the kubeconfig of kubectl or the service account of the Pod.
        context, kubeconfig: without a client, the cluster.
        tries: of a read while the API server is busy.
        task: the asyncio task that waits for this thread.

    Raises:
        UnusableClient: the client is none of these, or sends headers of its own.
        ClusterError: the configuration is missing or invalid.
        ImportError: the cluster extra is not installed.
    """
    with contextlib.ExitStack() as stack:
        if client is None:
            from jobsworth.client.rest_config import Target, rest_config

            try:
                config = stack.enter_context(rest_config(Target(kubeconfig, context)))
            except NotConfigured as error:
                raise ClusterError(str(error)) from None
            cluster = _called(config, tries)
        else:
            cluster = _given(client, tries, task, stack)
        if task is not None:
            cluster = replace(cluster, api=_CancellableApi(cluster.api, task), task=task)
        yield cluster


def _given(
    client: Any, tries: int, task: CallingTask | None, stack: contextlib.ExitStack
) -> Cluster:
    if isinstance(client, Api):
        return Cluster(client, "the API server")
    owner = getattr(client, "api_client", client)
    configuration = getattr(owner, "configuration", None)
    if configuration is not None and hasattr(owner, "call_api"):
        _check_headers(owner)
        from jobsworth.client.rest_config import RestConfig, own_namespace

        # A copy, because the client sets the size of the connection pool.
        config = RestConfig(copy(configuration), str(configuration.host), own_namespace())
        return _called(config, tries)
    if callable(client):
        closed = threading.Event()
        stack.callback(closed.set)
        return Cluster(
            GetterApi(client, None if task is None else task.result, closed), "the given client"
        )
    raise UnusableClient(
        f"client must be a kubernetes.client.ApiClient, one of its APIs, or a function get(path), not "
        f"{type(client).__name__}"
    )


class _CancellableApi(Api):
    """Reads through another Api until the task of the caller is cancelled."""

    def __init__(self, api: Api, task: CallingTask) -> None:
        self._api = api
        self._task = task

    def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        self._task.check()
        return self._api.get(path, query)

    def text(self, path: str, query: Mapping[str, str]) -> str:
        self._task.check()
        return self._api.text(path, query)

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        self._task.check()
        return self._api.stream(path, query)


def _called(config: RestConfig, tries: int) -> Cluster:
    from jobsworth.client.retry import Retry
    from jobsworth.client.transport import Client

    try:
        client = Client(
            config,
            user_agent=USER_AGENT,
            connections=4,
            timeout=30.0,
            retry=Retry(tries, reads_while_busy=True),
            compressed=True,
        )
    except NotConfigured as error:
        raise ClusterError(str(error)) from None
    return Cluster(client, config.name, config.namespace)


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
