"""The owner of the webhook configurations: the object whose deletion deletes them.

``helm uninstall`` deletes the cluster-scoped objects of a release, and the deletion of a namespace only the
objects in it. So the owner is a ClusterRole of the release, which in turn the namespace of the release owns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import STRATEGIC_MERGE, Api
from jobsworth.client.api_resources import namespaces_path, resource_path

RBAC = "rbac.authorization.k8s.io/v1"


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
