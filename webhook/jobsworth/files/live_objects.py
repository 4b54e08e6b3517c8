"""The objects in a cluster that documents update, read one by one."""

from __future__ import annotations

from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import BATCH, resource_path
from jobsworth.files.existing_objects import describe
from jobsworth.findings.result import Result
from jobsworth.manifests import Document

RESOURCES = {
    ("batch/v1", "Job"): (BATCH, "jobs"),
    ("batch/v1", "CronJob"): (BATCH, "cronjobs"),
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): ("/apis/jobset.x-k8s.io/v1alpha2", "jobsets"),
}
"""The group path and resource of the kinds that are compared, by apiVersion and kind."""


class LiveObjects:
    """The objects in a cluster: each document is validated as an update of its own.

    Args:
        api: the API server.
        namespace: the namespace of documents that have none.
    """

    def __init__(self, api: Api, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._found: set[tuple[str | None, str | None, str | None]] = set()

    def old(self, document: Document) -> Any:
        """Return the object that a document updates; None for a new one.

        Raises:
            ApiError: it cannot be read.
        """
        kind, namespace, name = describe(document.value)
        version = document.value.get("apiVersion") if isinstance(document.value, dict) else None
        resource = RESOURCES.get((str(version), kind or ""))
        if resource is None or not name:
            return None
        within = namespace or self._namespace
        try:
            found = self._api.get(resource_path(*resource, within, name))
        except ApiError as error:
            if error.not_found:
                return None
            if error.code == 403:
                advice = f"{error}: grant the verb get on {resource[1]} in namespace {within}"
                error.explanation = advice
            raise error.while_trying_to(f"read {kind} {within}/{name}") from None
        self._found.add((kind, namespace, name))
        return found if namespace else _without_namespace(found)

    def have(self, result: Result) -> bool:
        """Return True if the cluster has the validated object."""
        return (result.kind, result.namespace, result.name) in self._found


def _without_namespace(value: dict[str, Any]) -> dict[str, Any]:
    """Return a stored object as the update of a manifest without a namespace, which its client adds."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return value
    kept = {name: part for name, part in metadata.items() if name != "namespace"}
    return {**value, "metadata": kept}
