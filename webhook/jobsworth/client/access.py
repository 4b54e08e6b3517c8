"""Reaching an API server as kubectl would: a kubeconfig, or a Pod's own account; JSON, without models.

The official client loads the configuration, keeps the credentials fresh and the connections open. What
it would make of an answer, an instance of a generated class for every part of every object, takes
longer than judging it, so answers are read as plain JSON.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from jobsworth.client.unreachable import ClusterError, refusal, unreachable

if TYPE_CHECKING:
    from kubernetes.client import Configuration

DEFAULT_KUBECONFIG = "~/.kube/config"
ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
DEFAULT_NAMESPACE = "default"
TIMEOUT_SECONDS = 30.0

BUSY = (429, 500, 502, 503, 504)
"""Answers after which the same request may do: the server is overloaded, or just starting."""
TRIES = 4
LONGEST_WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Target:
    """Which cluster is meant, as the command line says it.

    Attributes:
        kubeconfig: a file; None for ``$KUBECONFIG``, ``~/.kube/config``, or the Pod's own account.
        context: the name of a context of it; None for the current one.
    """

    kubeconfig: str | None = None
    context: str | None = None


class ApiAccess:
    """An API server, and who asks it.

    Attributes:
        configuration: the official client's, for who makes connections of another kind.
        url: the server's address.
        name: of the context, for people; the address where there is none.
        namespace: the one that the context names, ``default`` where it names none.
    """

    def __init__(
        self,
        configuration: Configuration,
        *,
        name: str = "",
        namespace: str = DEFAULT_NAMESPACE,
        timeout: float = TIMEOUT_SECONDS,
        tries: int = TRIES,
    ) -> None:
        import urllib3
        from kubernetes.client import ApiClient

        self.url = str(configuration.host).rstrip("/")
        self.name = name or self.url
        self.namespace = namespace
        self.configuration = configuration
        self._timeout = timeout
        self._tries = tries
        self._limits = urllib3.Timeout(connect=min(timeout, 10.0), read=timeout)
        self._pool = ApiClient(configuration).rest_client.pool_manager

    def get(self, path: str, **query: str | int) -> Any:
        """The JSON that the server answers.

        Asked again, after a while, where the server says that it is too busy.

        Raises:
            Refused: the server answers with an error; what it says is in there.
            ClusterError: the server cannot be reached, or is no API server.
        """
        for left in reversed(range(self._tries)):
            status, headers, data = self._once(path, query)
            if status not in BUSY or not left:
                break
            time.sleep(_pause(headers.get("Retry-After"), self._tries - 1 - left))
        body = self._decoded(status, data)
        if status != 200:
            raise refusal(status, body, self.url, self.name)
        return body

    def _once(
        self, path: str, query: Mapping[str, str | int]
    ) -> tuple[int, Mapping[str, str], bytes]:
        import urllib3

        url = f"{self.url}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": "jobsworth",
        }
        try:
            for setting in dict[str, Any](self.configuration.auth_settings()).values():
                headers[setting["key"]] = setting["value"]
            answer = self._pool.request(
                "GET", url, headers=headers, retries=False, timeout=self._limits
            )
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            raise unreachable(error, self.url, self.name, self._timeout) from None
        return answer.status, answer.headers, answer.data

    def _decoded(self, status: int, data: bytes) -> Any:
        try:
            body = json.loads(data)
        except ValueError:
            body = None
        if isinstance(body, dict):
            return body
        raise ClusterError(
            f"{self.url} answers with status {status}, but not as a Kubernetes API server does: "
            f"is the address in {self.name} right, and does a proxy stand in between?"
        )


@contextlib.contextmanager
def api_access(
    target: Target, timeout: float = TIMEOUT_SECONDS, tries: int = TRIES
) -> Iterator[ApiAccess]:
    """Access to the cluster that is meant, while it lasts.

    Certificates and keys that stand inside a kubeconfig are files meanwhile, in a folder that only
    this user can read, and that is removed in the end.

    Raises:
        ClusterError: there is no configuration, or it is wrong; the message says what would be right.
    """
    from kubernetes.client import Configuration

    configuration = Configuration()
    configuration.retries = False
    files = target.kubeconfig or _default_kubeconfig(target)
    with tempfile.TemporaryDirectory(prefix="jobsworth-") as folder:
        if files is None:
            name, namespace = "this Pod's account", _load_account(configuration)
        else:
            name, namespace = _load_kubeconfig(configuration, files, target.context, folder)
        try:
            access = ApiAccess(
                configuration, name=name, namespace=namespace, timeout=timeout, tries=tries
            )
        except (OSError, ValueError) as error:
            raise ClusterError(f"{name} cannot be used: {error}") from None
        yield access


def _default_kubeconfig(target: Target) -> str | None:
    """The files that kubectl would read; None inside a Pod that has none."""
    named = os.environ.get("KUBECONFIG")
    files = named or os.path.expanduser(DEFAULT_KUBECONFIG)
    if any(os.path.exists(os.path.expanduser(file)) for file in files.split(os.pathsep) if file):
        return files
    if os.environ.get("KUBERNETES_SERVICE_HOST") and target.context is None:
        return None
    absent = f"$KUBECONFIG names {named}, which is not there" if named else (
        f"$KUBECONFIG is not set, and there is no {DEFAULT_KUBECONFIG}"
    )  # fmt: skip
    raise ClusterError(f"no cluster is known: {absent}; name a file with --kubeconfig")


def _load_account(configuration: Configuration) -> str:
    from kubernetes import config

    try:
        config.load_incluster_config(configuration)
        with open(ACCOUNT_NAMESPACE, encoding="utf-8") as file:
            return file.read().strip() or DEFAULT_NAMESPACE
    except FileNotFoundError:
        return DEFAULT_NAMESPACE
    except (config.ConfigException, OSError) as error:
        raise ClusterError(
            f"this Pod's account cannot be used: {error}; does the Pod have a token "
            "(automountServiceAccountToken)? Otherwise name a file with --kubeconfig"
        ) from None


def _load_kubeconfig(
    configuration: Configuration, files: str, context: str | None, folder: str
) -> tuple[str, str]:
    """Load a context; its name for people, and its namespace."""
    named = [os.path.expanduser(file) for file in files.split(os.pathsep) if file]
    if not any(map(os.path.exists, named)):
        raise ClusterError(f"there is no kubeconfig {files}: name another with --kubeconfig")
    chosen = _chosen_context(files, context)
    from kubernetes import config

    try:
        with _logged_errors() as logged:
            config.load_kube_config(
                config_file=files,
                context=chosen["name"],
                client_configuration=configuration,
                persist_config=False,
                temp_file_path=folder,
            )
    except Exception as error:
        raise ClusterError(
            f'context "{chosen["name"]}" of the kubeconfig {files} cannot be used: {_said(error)}'
        ) from None
    if logged:
        raise ClusterError(
            f'context "{chosen["name"]}" of the kubeconfig {files} has no credentials: {logged[0]}'
        )
    if urlsplit(str(configuration.host)).scheme not in ("http", "https"):
        raise ClusterError(
            f'context "{chosen["name"]}" of the kubeconfig {files} names the server '
            f'"{configuration.host}": it must be a URL such as https://10.0.0.1:6443'
        )
    inside = chosen.get("context") or {}
    return f'context "{chosen["name"]}"', inside.get("namespace") or DEFAULT_NAMESPACE


def _chosen_context(files: str, context: str | None) -> dict[str, Any]:
    """The context that is asked for, or the current one."""
    from kubernetes.config.kube_config import KubeConfigMerger

    try:
        merged = KubeConfigMerger(files).config
        known = {each["name"]: each for each in merged.value.get("contexts") or ()}
        current = merged.value.get("current-context")
    except Exception as error:
        # YAML errors, wrong types anywhere: a hand-written file can hold anything.
        raise ClusterError(
            f"the kubeconfig {files} cannot be read: {_said(error)}; "
            "`kubectl config view` shows what kubectl makes of it"
        ) from None
    wanted = context or current
    names = ", ".join(sorted(map(str, known))) or "none"
    if not wanted:
        raise ClusterError(
            f"the kubeconfig {files} has no current-context: name one with --context (it has: {names})"
        )
    if wanted not in known:
        raise ClusterError(f'the kubeconfig {files} has no context "{wanted}"; it has: {names}')
    node = known[wanted]
    return dict(getattr(node, "value", node))


@contextlib.contextmanager
def _logged_errors() -> Iterator[list[str]]:
    """Collects what is logged: that is how the client tells that a credential plugin failed."""
    logged: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: logged.append(record.getMessage())  # type: ignore[method-assign]
    root = logging.getLogger()
    others, root.handlers = root.handlers, [handler]
    try:
        yield logged
    finally:
        root.handlers = others


def _said(error: Exception) -> str:
    """What an error says, in one line."""
    said = " ".join(str(error).split()) or type(error).__name__
    return said.removeprefix("Invalid kube-config file. ")


def _pause(asked: str | None, tried: int) -> float:
    """How many seconds to wait: what the server asks for, or longer each time."""
    try:
        seconds = float(asked) if asked is not None else 2.0**tried
    except ValueError:
        seconds = 2.0**tried
    return max(0.0, min(seconds, LONGEST_WAIT_SECONDS))
