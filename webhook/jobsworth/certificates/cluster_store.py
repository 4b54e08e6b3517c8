"""Certificates in a cluster: the Secret that holds them, the webhook configurations that publish them.

Every write names the resource version that was read, so that of two replicas that write at once, one is told
:class:`Conflict`. It takes the verbs ``get``, ``patch`` and ``create`` on the objects by their names:
an object that is missing is created by server-side apply, which, unlike a POST, RBAC can allow by name.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from kubernetes.client import AdmissionregistrationV1Api, CoreV1Api
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from jobsworth.certificates.rotation import Bundle
from jobsworth.certificates.state import KEYS

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

FIELD_MANAGER = "jobsworth-certificates"
TIMEOUT = 10.0
"""Seconds that a request may take."""


class Conflict(Exception):
    """Somebody else wrote meanwhile: read again, and decide anew."""


class Unavailable(Exception):
    """The API server could not be asked, or refused; the message says what, and what it said."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A webhook configuration.

    Attributes:
        kind: ``MutatingWebhookConfiguration`` or ``ValidatingWebhookConfiguration``.
        name: its name.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What was read of a cluster.

    Attributes:
        data: the Secret's; empty where there is no Secret.
        version: its resource version; None where there is no Secret.
        bundles: those of every webhook of the configurations that exist.
        versions: the resource version of each configuration that exists.
    """

    data: Mapping[str, bytes]
    version: str | None
    bundles: tuple[Bundle, ...]
    versions: Mapping[str, str]


class Cluster:
    """The objects of one installation."""

    def __init__(
        self,
        client: ApiClient,
        *,
        namespace: str,
        secret: str,
        configurations: tuple[Configuration, ...],
    ) -> None:
        self._core = CoreV1Api(client)
        self._admission = AdmissionregistrationV1Api(client)
        self._namespace = namespace
        self._secret = secret
        self._configurations = {str(each): each for each in configurations}

    def read(self) -> Seen:
        """The Secret and the configurations as they are.

        Raises:
            Unavailable: the API server could not be asked, or refused.
        """
        secret = self._get_secret()
        bundles: list[Bundle] = []
        versions: dict[str, str] = {}
        for key, each in self._configurations.items():
            read, _ = self._calls(each)
            found = _asked(f"read {key}", partial(read, each.name), missing=None)
            if found is None:
                continue
            versions[key] = found.metadata.resource_version
            bundles += [
                Bundle(key, webhook.name, _decoded(webhook.client_config.ca_bundle))
                for webhook in found.webhooks or ()
            ]
        data, version = ({}, None) if secret is None else secret
        return Seen(data, version, tuple(bundles), versions)

    def write_secret(self, seen: Seen, data: Mapping[str, bytes]) -> None:
        """Make our part of the Secret's data this.

        Raises:
            Conflict: it is not what was read any more.
            Unavailable: the API server could not be asked, or refused.
        """
        version = seen.version if seen.version is not None else self._create_secret()
        encoded = {key: base64.b64encode(value).decode() for key, value in data.items()}
        body = {
            "metadata": {"resourceVersion": version},
            "data": {key: encoded.get(key) for key in KEYS},  # null takes a key away
        }
        _asked(
            f"write Secret {self._namespace}/{self._secret}",
            lambda: self._core.patch_namespaced_secret(
                self._secret, self._namespace, body,
                field_manager=FIELD_MANAGER, _request_timeout=TIMEOUT,
            ),
        )  # fmt: skip

    def write_bundle(self, seen: Seen, configuration: str, bundle: bytes) -> None:
        """Put a bundle into every webhook of a configuration, and change nothing else of it.

        Raises:
            Conflict: the configuration is not what was read any more, or is gone.
            Unavailable: the API server could not be asked, or refused.
        """
        encoded = base64.b64encode(bundle).decode()
        body = {
            "metadata": {"resourceVersion": seen.versions[configuration]},
            "webhooks": [  # merged by name, as the API declares
                {"name": each.webhook, "clientConfig": {"caBundle": encoded}}
                for each in seen.bundles
                if each.configuration == configuration
            ],
        }
        each = self._configurations[configuration]
        _, patch = self._calls(each)
        _asked(f"write {configuration}", lambda: patch(each.name, body))

    def _calls(
        self, configuration: Configuration
    ) -> tuple[Callable[[str], Any], Callable[[str, Any], Any]]:
        api = self._admission
        read: Any
        patch: Any
        if configuration.kind == "MutatingWebhookConfiguration":
            read = api.read_mutating_webhook_configuration
            patch = api.patch_mutating_webhook_configuration
        else:
            read = api.read_validating_webhook_configuration
            patch = api.patch_validating_webhook_configuration
        return (
            lambda name: read(name, _request_timeout=TIMEOUT),
            lambda name, body: patch(
                name, body, field_manager=FIELD_MANAGER, _request_timeout=TIMEOUT
            ),
        )

    def _get_secret(self) -> tuple[dict[str, bytes], str] | None:
        found = _asked(
            f"read Secret {self._namespace}/{self._secret}",
            lambda: self._core.read_namespaced_secret(
                self._secret, self._namespace, _request_timeout=TIMEOUT
            ),
            missing=None,
        )
        return None if found is None else _secret(found)

    def _create_secret(self) -> str:
        """Create an empty Secret, and return its resource version."""
        where = {"name": self._secret, "namespace": self._namespace}
        body = {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": where}
        made = _asked(
            f"create Secret {self._namespace}/{self._secret}",
            lambda: self._core.patch_namespaced_secret(
                self._secret, self._namespace, body,
                field_manager=FIELD_MANAGER, _content_type="application/apply-patch+yaml",
                _request_timeout=TIMEOUT,
            ),
        )  # fmt: skip
        data, version = _secret(made)
        if data:
            raise Conflict  # another replica was faster
        return version


_REQUIRED: Any = object()


def _asked(what: str, call: Callable[[], Any], missing: Any = _REQUIRED) -> Any:
    """Ask the API server; the value ``missing`` is for a 404, where it is given."""
    try:
        return call()
    except ApiException as error:
        if error.status == 404 and missing is not _REQUIRED:
            return missing
        if error.status in (404, 409):
            raise Conflict from None
        raise Unavailable(f"cannot {what}: {_said(error)}") from None
    except (HTTPError, OSError) as error:
        raise Unavailable(f"cannot {what}: {error}") from None


def _said(error: ApiException) -> str:
    """What the API server said in refusing."""
    try:
        return str(json.loads(error.body or "")["message"])
    except (ValueError, KeyError, TypeError):
        return f"{error.status} {error.reason}"


def _secret(found: Any) -> tuple[dict[str, bytes], str]:
    return {k: _decoded(v) for k, v in (found.data or {}).items()}, found.metadata.resource_version


def _decoded(text: str | None) -> bytes:
    try:
        return base64.b64decode(text or "")
    except binascii.Error:
        return b""
