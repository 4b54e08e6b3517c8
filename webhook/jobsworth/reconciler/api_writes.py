"""What the reconciler writes: each call names the very object that is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.client.api import METADATA_ONLY, STRATEGIC_MERGE
from jobsworth.client.resources import jobs_path, pods_path

if TYPE_CHECKING:
    from jobsworth.client.api import Api
    from jobsworth.controller.pods import Pod


def delete_pod(api: Api, pod: Pod) -> dict[str, Any]:
    """Delete this very Pod, not another one of its name.

    Raises:
        ApiError: as any call; a conflict means that the Pod has been replaced by another.
    """
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": pod.uid}}
    return api.delete(pods_path(pod.namespace, pod.name), options, accept=METADATA_ONLY)


def patch_pod(api: Api, pod: Pod, patch: dict[str, Any]) -> dict[str, Any]:
    """Patch the metadata of this very Pod, not of another one of its name, by a strategic merge.

    Raises:
        ApiError: as any call.
    """
    path = pods_path(pod.namespace, pod.name)
    body = {"metadata": {**patch["metadata"], "uid": pod.uid}}
    return api.patch(path, body, STRATEGIC_MERGE, accept=METADATA_ONLY)


def post_pod(api: Api, namespace: str, body: dict[str, Any]) -> dict[str, Any]:
    """Create a Pod, and return its metadata.

    Raises:
        ApiError: as any call.
    """
    return api.create(pods_path(namespace), body, accept=METADATA_ONLY)


def put_status(api: Api, metadata: dict[str, Any], status: dict[str, Any]) -> dict[str, Any]:
    """Store the status of a Job, if it still is of the resourceVersion in its metadata.

    The subresource takes the metadata as it comes, so it must be all that was read; the spec it
    leaves as it is stored, so it need not be sent. managedFields that are left out are kept.

    Raises:
        ApiError: as any call.
    """
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "status": status}
    return api.replace(jobs_path(metadata["namespace"], metadata["name"]) + "/status", body)
