"""Store certificates in a cluster: in a Secret, and as ``caBundle`` in webhook configurations.

Every write sends the resourceVersion that was read, so if two replicas write at once, one gets a conflict.
The RBAC verbs ``get``, ``patch`` and ``create`` on the named objects suffice, and ``delete`` to remove a
configuration: a missing object is created by server-side apply, which, unlike a POST, RBAC can allow by name.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jobsworth.certificates.rotation import Bundle
from jobsworth.certificates.state import KEYS
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import APPLY, STRATEGIC_MERGE, Api
from jobsworth.client.api_resources import CORE, resource_path

FIELD_MANAGER = "jobsworth-certificates"
API_VERSION = "admissionregistration.k8s.io/v1"
ADMISSION = f"/apis/{API_VERSION}"


@dataclass(frozen=True, slots=True)
class WebhookConfiguration:
    """A webhook configuration.

    Attributes:
        kind: ``MutatingWebhookConfiguration`` or ``ValidatingWebhookConfiguration``.
        name: the name of the configuration.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def path(self) -> str:
        """The API path of the configuration."""
        return resource_path(ADMISSION, f"{self.kind.lower()}s", name=self.name)


@dataclass(frozen=True, slots=True)
class ClusterSnapshot:
    """A snapshot of the stored objects.

    Attributes:
        data: the data of the Secret; empty if there is no Secret.
        version: the resourceVersion of the Secret; None if there is no Secret.
        bundles: the ``caBundle`` of every webhook in the existing configurations.
        versions: the resourceVersion of each existing configuration.
        configurations: the existing configurations, as stored.
        issued: the data of the Secret that another issuer writes; empty if there is none,
            None without such an issuer.
    """

    data: Mapping[str, bytes]
    version: str | None
    bundles: tuple[Bundle, ...]
    versions: Mapping[str, str]
    configurations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    issued: Mapping[str, bytes] | None = None


class Cluster:
    """The Secret and the webhook configurations of one installation.

    Args:
        api: the API server.
        namespace: the namespace of the Secrets.
        secret: the name of the Secret to write.
        configurations: the webhook configurations.
        issued_secret: the name of the Secret that another issuer writes; empty without one.

    Every method raises ApiError if the API server rejects the call or does not answer; with ``conflict`` if
    an object has changed since it was read.
    """

    def __init__(
        self,
        api: Api,
        *,
        namespace: str,
        secret: str,
        configurations: tuple[WebhookConfiguration, ...],
        issued_secret: str = "",
    ) -> None:
        self._api = api
        self._configurations = {str(each): each for each in configurations}
        self._secret_metadata = {"name": secret, "namespace": namespace}
        self._secret_path = resource_path(CORE, "secrets", namespace, secret)
        self._secret = f"Secret {namespace}/{secret}"
        self._issued_path = (
            resource_path(CORE, "secrets", namespace, issued_secret) if issued_secret else ""
        )
        self._issued = f"Secret {namespace}/{issued_secret}"

    def read(self) -> ClusterSnapshot:
        """Read the Secrets and the configurations."""
        secret = self._get(self._secret, self._secret_path)
        issued = None
        if self._issued_path:
            issued = _data(self._get(self._issued, self._issued_path) or {})
        bundles: list[Bundle] = []
        versions: dict[str, str] = {}
        stored: dict[str, dict[str, Any]] = {}
        for key, each in self._configurations.items():
            found = self._get(key, each.path)
            if found is None:
                continue
            versions[key] = _version(found)
            stored[key] = found
            bundles += [
                Bundle(key, webhook["name"], _decoded(webhook["clientConfig"].get("caBundle")))
                for webhook in found.get("webhooks") or ()
            ]
        version = None if secret is None else _version(secret)
        return ClusterSnapshot(
            _data(secret or {}), version, tuple(bundles), versions, stored, issued
        )

    def write_secret(self, seen: ClusterSnapshot, data: Mapping[str, bytes]) -> None:
        """Replace the certificate keys in the data of the Secret."""
        version = seen.version if seen.version is not None else self._create_secret()
        encoded = {key: base64.b64encode(value).decode() for key, value in data.items()}
        body = {
            "metadata": {"resourceVersion": version},
            "data": {key: encoded.get(key) for key in KEYS},  # null removes a key
        }
        self._patch(self._secret, self._secret_path, body)

    def write_bundle(self, seen: ClusterSnapshot, configuration: str, bundle: bytes) -> None:
        """Write a bundle into every webhook of a configuration, and change no other field."""
        encoded = base64.b64encode(bundle).decode()
        body = {
            "metadata": {"resourceVersion": seen.versions[configuration]},
            "webhooks": [  # the merge key is the name
                {"name": each.webhook, "clientConfig": {"caBundle": encoded}}
                for each in seen.bundles
                if each.configuration == configuration
            ],
        }
        self._patch(configuration, self._configurations[configuration].path, body)

    def write_configuration(
        self, seen: ClusterSnapshot, configuration: str, body: Mapping[str, Any]
    ) -> None:
        """Create a configuration, or replace its webhooks and its owner.

        Args:
            seen: the last snapshot.
            configuration: one of those of the installation.
            body: its metadata and its webhooks.
        """
        known, metadata = self._configurations[configuration], body["metadata"]
        if configuration in seen.versions:
            replaced = {"$patch": "replace"}  # a strategic merge patch keeps other items by default
            owners = [replaced, *metadata["ownerReferences"]]
            version = seen.versions[configuration]
            self._patch(
                configuration,
                known.path,
                {
                    "metadata": {**metadata, "ownerReferences": owners, "resourceVersion": version},
                    "webhooks": [replaced, *body["webhooks"]],
                },
            )
            return
        created = {"apiVersion": API_VERSION, "kind": known.kind, **body}
        created["metadata"] = {**metadata, "name": known.name}
        try:
            self._api.patch(known.path, created, APPLY, field_manager=FIELD_MANAGER)
        except ApiError as error:
            if error.conflict:
                raise _changed_since_read(configuration) from None
            raise error.while_trying_to(f"create {configuration}") from None

    def delete_configuration(self, seen: ClusterSnapshot, configuration: str) -> None:
        """Delete a configuration."""
        options = {"preconditions": {"resourceVersion": seen.versions[configuration]}}
        try:
            self._api.delete(self._configurations[configuration].path, options)
        except ApiError as error:
            if not error.not_found:
                raise error.while_trying_to(f"delete {configuration}") from None

    def _get(self, what: str, path: str) -> dict[str, Any] | None:
        try:
            return self._api.get(path)
        except ApiError as error:
            if error.not_found:
                return None
            raise error.while_trying_to(f"read {what}") from None

    def _patch(self, what: str, path: str, body: dict[str, Any]) -> None:
        try:
            self._api.patch(path, body, STRATEGIC_MERGE, field_manager=FIELD_MANAGER)
        except ApiError as error:
            if error.not_found:
                raise _changed_since_read(what) from None
            raise error.while_trying_to(f"write {what}") from None

    def _create_secret(self) -> str:
        """Create an empty Secret and return its resourceVersion."""
        body = {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "Opaque",
            "metadata": self._secret_metadata,
        }
        try:
            made = self._api.patch(self._secret_path, body, APPLY, field_manager=FIELD_MANAGER)
        except ApiError as error:
            if error.code == 409:
                raise _changed_since_read(self._secret) from None
            raise error.while_trying_to(f"create {self._secret}") from None
        if _data(made):
            raise _changed_since_read(self._secret)  # another replica was faster
        return _version(made)


def _changed_since_read(what: str) -> ApiError:
    return ApiError(409, "Conflict", f"{what} has changed since it was read")


def _version(found: dict[str, Any]) -> str:
    version: str = found["metadata"]["resourceVersion"]
    return version


def _data(secret: dict[str, Any]) -> dict[str, bytes]:
    return {key: _decoded(text) for key, text in (secret.get("data") or {}).items()}


def _decoded(text: str | None) -> bytes:
    try:
        return base64.b64decode(text or "")
    except binascii.Error:
        return b""
