"""Find the API server that kubectl would call: by a kubeconfig, or by a Pod's own account.

The kubernetes package loads the configuration and keeps the credentials fresh: tokens that expire,
credential plugins, certificates inside the file.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jobsworth.client.errors import NotConfigured

if TYPE_CHECKING:
    from kubernetes.client import Configuration

DEFAULT_KUBECONFIG = "~/.kube/config"
ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
DEFAULT_NAMESPACE = "default"


@dataclass(frozen=True, slots=True)
class Target:
    """Which cluster is meant, as the command line says it.

    Attributes:
        kubeconfig: a file; None for ``$KUBECONFIG``, ``~/.kube/config``, or the Pod's own account.
        context: the name of a context of it; None for the current one.
    """

    kubeconfig: str | None = None
    context: str | None = None


@dataclass(frozen=True, slots=True)
class RestConfig:
    """An API server, and who calls it.

    Attributes:
        configuration: the kubernetes package's, which keeps the credentials fresh.
        name: of the context, for people.
        namespace: the one that the context names, ``default`` where it names none.
    """

    configuration: Configuration
    name: str
    namespace: str = DEFAULT_NAMESPACE

    @property
    def url(self) -> str:
        """The server's address."""
        return str(self.configuration.host).rstrip("/")


@contextlib.contextmanager
def rest_config(target: Target) -> Iterator[RestConfig]:
    """Load the configuration of the cluster that is meant; it can be used within the context.

    Certificates and keys that stand inside a kubeconfig are files meanwhile, in a folder that only
    this user can read, and that is removed in the end.

    Raises:
        NotConfigured: there is no configuration, or it is wrong; the message says what would be right.
        ImportError: the kubernetes package is not installed.
    """
    from kubernetes.client import Configuration

    configuration = Configuration()
    configuration.retries = False
    files = target.kubeconfig or _default_kubeconfig(target)
    with tempfile.TemporaryDirectory(prefix="jobsworth-") as folder:
        if files is None:
            _load_account(configuration)
            yield RestConfig(configuration, "this Pod's account", own_namespace())
        else:
            name, namespace = _load_kubeconfig(configuration, files, target.context, folder)
            yield RestConfig(configuration, name, namespace)


def own_namespace() -> str:
    """Return the namespace of the Pod that this process runs in; ``default`` outside of one."""
    try:
        with open(ACCOUNT_NAMESPACE, encoding="utf-8") as file:
            return file.read().strip() or DEFAULT_NAMESPACE
    except OSError:
        return DEFAULT_NAMESPACE


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
    raise NotConfigured(f"no cluster is known: {absent}; name a file with --kubeconfig")


def _load_account(configuration: Configuration) -> None:
    from kubernetes import config

    try:
        config.load_incluster_config(configuration)
    except (config.ConfigException, OSError) as error:
        raise NotConfigured(
            f"this Pod's account cannot be used: {error}; does the Pod have a token "
            "(automountServiceAccountToken)? Otherwise name a file with --kubeconfig"
        ) from None


def _load_kubeconfig(
    configuration: Configuration, files: str, context: str | None, folder: str
) -> tuple[str, str]:
    """Load a context; its name for people, and its namespace."""
    named = [os.path.expanduser(file) for file in files.split(os.pathsep) if file]
    if not any(map(os.path.exists, named)):
        raise NotConfigured(f"there is no kubeconfig {files}: name another with --kubeconfig")
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
        raise NotConfigured(
            f'context "{chosen["name"]}" of the kubeconfig {files} cannot be used: {_said(error)}'
        ) from None
    if logged:
        raise NotConfigured(
            f'context "{chosen["name"]}" of the kubeconfig {files} has no credentials: {logged[0]}'
        )
    if urlsplit(str(configuration.host)).scheme not in ("http", "https"):
        raise NotConfigured(
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
        raise NotConfigured(
            f"the kubeconfig {files} cannot be read: {_said(error)}; "
            "`kubectl config view` shows what kubectl makes of it"
        ) from None
    wanted = context or current
    names = ", ".join(sorted(map(str, known))) or "none"
    if not wanted:
        raise NotConfigured(
            f"the kubeconfig {files} has no current-context: name one with --context (it has: {names})"
        )
    if wanted not in known:
        raise NotConfigured(f'the kubeconfig {files} has no context "{wanted}"; it has: {names}')
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
