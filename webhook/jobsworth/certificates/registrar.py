"""Write the webhook configurations of an installation, owned by what its removal deletes.

They are created at run time, because what must fail closed depends on the policies, and because nothing may
fail closed before a replica answers. Edits by other clients are reverted.

``helm uninstall`` deletes the cluster-scoped objects of a release, and the deletion of a namespace only the
objects in it. So the owner is a ClusterRole of the release, which in turn the namespace of the release owns.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from jobsworth.certificates.cluster_store import ClusterSnapshot
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import STRATEGIC_MERGE, Api
from jobsworth.client.api_resources import namespaces_path, resource_path
from jobsworth.registration import NOTHING, ScopePart, desired_webhooks

LOG = logging.getLogger("jobsworth.certificates")

RBAC = "rbac.authorization.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class RegistrationTemplate:
    """The parts of one webhook configuration.

    Attributes:
        metadata: labels and annotations.
        webhook: the webhook; its ``failurePolicy`` is the strictest to use.
        scope: the scope of the policies that require ``Fail``; None while the policies are invalid.
    """

    metadata: Mapping[str, Any]
    webhook: Mapping[str, Any]
    scope: tuple[ScopePart, ...] | None


class RegistrationStore(Protocol):
    """The storage of configurations: a :class:`jobsworth.certificates.cluster_store.Cluster`."""

    def write_configuration(
        self, seen: ClusterSnapshot, configuration: str, body: Mapping[str, Any]
    ) -> None: ...

    def delete_configuration(self, seen: ClusterSnapshot, configuration: str) -> None: ...


class Registrar:
    """Keep the webhook configurations of an installation as its policies require.

    Args:
        store: the storage of configurations.
        templates: returns the template of each configuration; None if they cannot be read.
        owner: returns the owner reference of the configurations; None while the installation is removed.
        ready: returns True if a replica of the webhook answers.
        queueing_controllers: users whose mere scheduling updates no webhook receives.
    """

    def __init__(
        self,
        store: RegistrationStore,
        templates: Callable[[], Mapping[str, RegistrationTemplate] | None],
        owner: Callable[[], Mapping[str, Any] | None],
        ready: Callable[[], bool],
        queueing_controllers: Sequence[str] = (),
    ) -> None:
        self._store = store
        self._templates = templates
        self._owner = owner
        self._ready = ready
        self._queueing_controllers = queueing_controllers

    def reconcile(self, seen: ClusterSnapshot, bundle: bytes) -> bool:
        """Write what differs, and return True if nothing is left to do.

        Args:
            seen: the stored configurations.
            bundle: the CA bundle of every webhook.

        Raises:
            ApiError: the API server rejected a call or could not be reached.
        """
        templates, owner = self._templates(), self._owner()
        if templates is None or owner is None:
            return templates is not None
        done = True
        for key, template in templates.items():
            done = self._write(seen, key, template, owner, bundle) and done
        for key, stored in seen.configurations.items():
            if key not in templates and owner in stored["metadata"].get("ownerReferences", ()):
                self._store.delete_configuration(seen, key)
                LOG.info("deleted a webhook configuration", extra={"configuration": key})
        return done

    def _write(
        self,
        seen: ClusterSnapshot,
        key: str,
        template: RegistrationTemplate,
        owner: Mapping[str, Any],
        bundle: bytes,
    ) -> bool:
        """Write a configuration if it differs, and return True if it is as the policies require."""
        stored = seen.configurations.get(key)
        if stored is not None and template.scope is None:
            return True  # keep what the last valid policies required
        scope = template.scope or NOTHING
        wanted = self._webhooks(template, scope, bundle, may_fail=True)
        final = True
        if _fails(wanted) and not _fails((stored or {}).get("webhooks", ())) and not self._ready():
            wanted = self._webhooks(template, scope, bundle, may_fail=False)
            final = False
        body = {
            "metadata": {**template.metadata, "ownerReferences": [owner]},
            "webhooks": wanted,
        }
        if stored is None or not _is_as_wanted(stored, body):
            self._store.write_configuration(seen, key, body)
            policies = sorted({each["failurePolicy"] for each in wanted})
            LOG.info(
                "wrote a webhook configuration",
                extra={"configuration": key, "failurePolicies": policies},
            )
        return final

    def _webhooks(
        self,
        template: RegistrationTemplate,
        scope: tuple[ScopePart, ...],
        bundle: bytes,
        *,
        may_fail: bool,
    ) -> list[dict[str, Any]]:
        client = {
            **template.webhook["clientConfig"],
            "caBundle": base64.b64encode(bundle).decode(),
        }
        return desired_webhooks(
            {**template.webhook, "clientConfig": client},
            scope,
            may_fail=may_fail,
            queueing_controllers=self._queueing_controllers,
        )


def _fails(webhooks: Sequence[Mapping[str, Any]]) -> bool:
    return any(each.get("failurePolicy") == "Fail" for each in webhooks)


def _is_as_wanted(stored: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Return True if a stored configuration has all that is wanted, and no other webhook or owner.

    The API server adds defaults to a webhook, so only the fields that are wanted are compared.
    """
    metadata, wanted = stored["metadata"], body["metadata"]
    webhooks = stored.get("webhooks") or []
    return (
        metadata.get("ownerReferences") == wanted["ownerReferences"]
        and all(
            (metadata.get(part) or {}).items() >= (wanted.get(part) or {}).items()
            for part in ("labels", "annotations")
        )
        and len(webhooks) == len(body["webhooks"])
        and all(
            (_pruned(one.get(name)) or None) == (_pruned(value) or None)
            for one, other in zip(webhooks, body["webhooks"], strict=True)
            for name, value in other.items()
        )
    )


def _pruned(value: Any) -> Any:
    """Return a value without the empty parts that the API server does not store."""
    if isinstance(value, dict):
        pruned = {name: _pruned(part) for name, part in value.items()}
        return {name: part for name, part in pruned.items() if part not in (None, {}, [])}
    return [_pruned(part) for part in value] if isinstance(value, list) else value


class RegistrationOwner:
    """The owner of the webhook configurations of an installation.

    Args:
        api: the API server.
        namespace: the name of the namespace.
        cluster_role: the name of the ClusterRole; empty to make the namespace the owner.
    """

    def __init__(self, api: Api, namespace: str, cluster_role: str = "") -> None:
        self._api = api
        self._namespace = namespace
        self._cluster_role = cluster_role

    def reference(self) -> dict[str, Any] | None:
        """Return the owner reference; None while the namespace or the ClusterRole is deleted.

        Raises:
            ApiError: the API server rejected a call or could not be reached.
        """
        namespace = self._get(f"Namespace {self._namespace}", namespaces_path(self._namespace))
        if namespace is None:
            return None
        above = _reference("v1", "Namespace", namespace)
        if not self._cluster_role:
            return above
        what = f"ClusterRole {self._cluster_role}"
        path = resource_path(f"/apis/{RBAC}", "clusterroles", name=self._cluster_role)
        role = self._get(what, path)
        if role is None:
            return None
        if above not in role["metadata"].get("ownerReferences", ()):
            try:
                patch = {"metadata": {"ownerReferences": [above]}}
                self._api.patch(path, patch, STRATEGIC_MERGE)
            except ApiError as error:
                raise error.while_trying_to(f"write {what}") from None
        return _reference(RBAC, "ClusterRole", role)

    def _get(self, what: str, path: str) -> Mapping[str, Any] | None:
        try:
            found = self._api.get(path)
        except ApiError as error:
            if error.not_found:
                return None
            raise error.while_trying_to(f"read {what}") from None
        return None if "deletionTimestamp" in found["metadata"] else found


def _reference(api_version: str, kind: str, owner: Mapping[str, Any]) -> dict[str, Any]:
    metadata = owner["metadata"]
    return {
        "apiVersion": api_version,
        "kind": kind,
        "name": metadata["name"],
        "uid": metadata["uid"],
    }
