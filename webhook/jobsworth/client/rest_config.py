"""Find the API server that kubectl would call: from a kubeconfig, or from the service account of the Pod.

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
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jobsworth.client.api_errors import NotConfigured

if TYPE_CHECKING:
    from kubernetes.client import Configuration

DEFAULT_KUBECONFIG = "~/.kube/config"
ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
DEFAULT_NAMESPACE = "default"
PEM_CERTIFICATE = "-----BEGIN CERTIFICATE-----"


@dataclass(frozen=True, slots=True)
class Target:
    """A cluster, as the command line names it.

    Attributes:
        kubeconfig: a file; None for ``$KUBECONFIG``, ``~/.kube/config``, or the service account of the Pod.
        context: the name of a context in the kubeconfig; None for the current context.
    """

    kubeconfig: str | None = None
    context: str | None = None


@dataclass(frozen=True, slots=True)
class RestConfig:
    """An API server, and the credentials to call it.

    Attributes:
        configuration: the configuration of the kubernetes package, which refreshes the credentials.
        name: the name of the context, for messages.
        namespace: the namespace of the context; ``default`` if it has none.
    """

    configuration: Configuration
    name: str
    namespace: str = DEFAULT_NAMESPACE

    @property
    def url(self) -> str:
        """The URL of the API server."""
        return str(self.configuration.host).rstrip("/")


@contextlib.contextmanager
def rest_config(target: Target) -> Iterator[RestConfig]:
    """Load the configuration of a cluster; it is valid within the context manager.

    Certificates and keys inside a kubeconfig are written to files in a folder that only this user can
    read; the context manager removes it at the end.

    Raises:
        NotConfigured: the configuration is missing or invalid; the message states the fix.
        ImportError: the kubernetes package is not installed.
    """
    from kubernetes.client import Configuration

    configuration = Configuration()
    files = target.kubeconfig or _default_kubeconfig(target)
    with tempfile.TemporaryDirectory(prefix="jobsworth-") as folder:
        if files is None:
            _load_account(configuration)
            yield RestConfig(configuration, "the service account of this Pod", own_namespace())
        else:
            name, namespace = _load_kubeconfig(configuration, files, target.context, folder)
            yield RestConfig(configuration, name, namespace)


def own_namespace() -> str:
    """Return the namespace of the Pod that this process runs in; ``default`` outside of a Pod."""
    try:
        with open(ACCOUNT_NAMESPACE, encoding="utf-8") as file:
            return file.read().strip() or DEFAULT_NAMESPACE
    except OSError:
        return DEFAULT_NAMESPACE


def _default_kubeconfig(target: Target) -> str | None:
    """Return the files that kubectl would read; None in a Pod without a kubeconfig."""
    named = os.environ.get("KUBECONFIG")
    files = named or os.path.expanduser(DEFAULT_KUBECONFIG)
    if any(os.path.exists(os.path.expanduser(file)) for file in files.split(os.pathsep) if file):
        return files
    if os.environ.get("KUBERNETES_SERVICE_HOST") and target.context is None:
        return None
    absent = f"$KUBECONFIG names {named}, which does not exist" if named else (
        f"$KUBECONFIG is not set, and {DEFAULT_KUBECONFIG} does not exist"
    )  # fmt: skip
    raise NotConfigured(f"no cluster is configured: {absent}; name a file with --kubeconfig")


def _load_account(configuration: Configuration) -> None:
    from kubernetes import config

    try:
        config.load_incluster_config(configuration)
    except (config.ConfigException, OSError) as error:
        raise NotConfigured(
            f"the service account of this Pod cannot be used: {error}; set "
            "automountServiceAccountToken: true, or name a file with --kubeconfig"
        ) from None


def _load_kubeconfig(
    configuration: Configuration, files: str, context: str | None, folder: str
) -> tuple[str, str]:
    """Load a context, and return its name for messages and its namespace."""
    named = [os.path.expanduser(file) for file in files.split(os.pathsep) if file]
    if not any(map(os.path.exists, named)):
        raise NotConfigured(
            f"the kubeconfig {files} does not exist: name another with --kubeconfig"
        )
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
            f'context "{chosen["name"]}" of the kubeconfig {files} cannot be used: {_one_line(error)}'
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
    certificates = configuration.cert_file or ""
    if certificates.startswith(folder):
        _send_without_issuer(Path(certificates))
    inside = chosen.get("context") or {}
    return f'context "{chosen["name"]}"', inside.get("namespace") or DEFAULT_NAMESPACE


def _send_without_issuer(certificates: Path) -> None:
    """Keep OpenSSL from sending the CA with the client certificate in a file.

    OpenSSL completes the chain of a certificate that is alone in its file with a CA that it trusts, and
    Python cannot turn that off. An API server verifies the chain for every request, and the CA in it costs a
    second signature: 0.2 ms of CPU (Kubernetes 1.36.1). So the certificate is put into the file twice:
    servers ignore the second (RFC 8446, 4.4.2).
    """
    text = certificates.read_text()
    if text.count(PEM_CERTIFICATE) == 1:
        certificates.write_text(f"{text}\n{text}")


def _chosen_context(files: str, context: str | None) -> dict[str, Any]:
    """Return the requested context, or the current one."""
    from kubernetes.config.kube_config import KubeConfigMerger

    try:
        merged = KubeConfigMerger(files).config
        known = {each["name"]: each for each in merged.value.get("contexts") or ()}
        current = merged.value.get("current-context")
    except Exception as error:
        # A hand-written file can have YAML errors, and wrong types anywhere.
        raise NotConfigured(
            f"the kubeconfig {files} cannot be read: {_one_line(error)}; "
            "check it with `kubectl config view`"
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
    """Collect log messages: the kubernetes package reports the failure of a credential plugin only there."""
    logged: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: logged.append(record.getMessage())  # type: ignore[method-assign]
    root = logging.getLogger()
    others, root.handlers = root.handlers, [handler]
    try:
        yield logged
    finally:
        root.handlers = others


def _one_line(error: Exception) -> str:
    """Return the message of an error on one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text.removeprefix("Invalid kube-config file. ")
