"""API writes of the reconciler; each has a precondition on the UID or the resourceVersion.

None asks the API server to look for unknown fields: what is sent comes from objects that it has read, and
no user would see its warnings. Without that search, a write costs it less CPU time.
"""

from __future__ import annotations

from typing import Any

from jobsworth.client.api_interface import MERGE, METADATA_ONLY, STRATEGIC_MERGE, Api
from jobsworth.client.api_resources import jobs_path, pods_path
from jobsworth.controller.pods import Pod

UNKNOWN_FIELDS_IGNORED = {"fieldValidation": "Ignore"}
HOLD_MANAGER = "jobsworth-hold"
"""The field manager of ``spec.suspend`` in Jobs that policies hold."""


def delete_pod(api: Api, pod: Pod) -> dict[str, Any]:
    """Delete this Pod, with its UID as precondition.

    Raises:
        ApiError: the call failed; a conflict means that another Pod has replaced this one.
    """
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": pod.uid}}
    return api.delete(pods_path(pod.namespace, pod.name), options, accept=METADATA_ONLY)


def patch_pod(api: Api, pod: Pod, patch: dict[str, Any]) -> dict[str, Any]:
    """Apply a strategic merge patch to the metadata of this Pod, with its UID as precondition.

    Raises:
        ApiError: the call failed.
    """
    path = pods_path(pod.namespace, pod.name)
    body = {"metadata": {**patch["metadata"], "uid": pod.uid}}
    return api.request(
        "PATCH",
        path,
        body,
        query=UNKNOWN_FIELDS_IGNORED,
        content_type=STRATEGIC_MERGE,
        accept=METADATA_ONLY,
    )


def post_pod(api: Api, namespace: str, body: dict[str, Any]) -> dict[str, Any]:
    """Create a Pod, and return its metadata.

    Raises:
        ApiError: the call failed.
    """
    return api.request(
        "POST", pods_path(namespace), body, query=UNKNOWN_FIELDS_IGNORED, accept=METADATA_ONLY
    )


def hold_job(
    api: Api, metadata: dict[str, Any], annotation: str, policies: str | None
) -> dict[str, Any]:
    """Suspend a Job and record the policies that hold it, or resume it, and return its metadata.

    The resourceVersion is a precondition: the decision was made about this version of the Job.

    Args:
        metadata: the Job's metadata as read.
        annotation: the annotation for the policies.
        policies: their names; None to resume the Job.

    Raises:
        ApiError: the call failed.
    """
    body = {
        "metadata": {
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
            "annotations": {annotation: policies},
        },
        "spec": {"suspend": policies is not None},
    }
    return api.request(
        "PATCH",
        jobs_path(metadata["namespace"], metadata["name"]),
        body,
        query={**UNKNOWN_FIELDS_IGNORED, "fieldManager": HOLD_MANAGER},
        content_type=MERGE,
        accept=METADATA_ONLY,
    )


def put_status(api: Api, metadata: dict[str, Any], status: dict[str, Any]) -> dict[str, Any]:
    """Replace the status of a Job, if its resourceVersion is still the one in its metadata.

    A PUT to the subresource also replaces the metadata, so send it complete; it ignores the spec, so
    omit that. The API server keeps managedFields that are omitted.

    Raises:
        ApiError: the call failed.
    """
    body = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "status": status}
    path = jobs_path(metadata["namespace"], metadata["name"]) + "/status"
    return api.request("PUT", path, body, query=UNKNOWN_FIELDS_IGNORED)
