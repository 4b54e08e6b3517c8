"""Connect to a cluster, through any client that a program already has."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.client.api_errors import NotConfigured
from jobsworth.client.api_interface import Api
from jobsworth.client.rest_config import RestConfig
from jobsworth.live.errors import ClusterError
from jobsworth.live.event_loop import CallingTask
from jobsworth.live.getter_api import GetterApi

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
