"""An API server as its callers see it: one request and one stream, and the verbs over them.

What is asked is plain JSON: for a hundred Pods a second, the model classes of the kubernetes package
cost more than all the rest. The HTTP transport is one implementation, an API server in memory another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

JSON = "application/json"
METADATA_ONLY = f"{JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,{JSON}"
"""The format of an answer of which only the metadata is looked at."""

STRATEGIC_MERGE = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"


class Api:
    """An API server."""

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> dict[str, Any]:
        """Make a call and return the decoded answer.

        Args:
            content_type: of the body.
            accept: the format of the answer: JSON or METADATA_ONLY.

        Raises:
            ApiError: the server refused, or could not be reached.
        """
        raise NotImplementedError

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield the events of a watch as they come, until the server ends it.

        Raises:
            ApiError: the server refused, could not be reached, or went away.
        """
        raise NotImplementedError

    # Each verb raises what a request raises.

    def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Read an object, or a page of a list."""
        return self.request("GET", path, query=query)

    def create(self, path: str, body: dict[str, Any], *, accept: str = JSON) -> dict[str, Any]:
        """Create an object in the collection at the path."""
        return self.request("POST", path, body, accept=accept)

    def replace(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Store an object in place of what is there."""
        return self.request("PUT", path, body)

    def patch(
        self,
        path: str,
        body: dict[str, Any],
        content_type: str,
        *,
        field_manager: str = "",
        accept: str = JSON,
    ) -> dict[str, Any]:
        """Change an object; by APPLY create it where it is missing.

        Args:
            content_type: the kind of patch: STRATEGIC_MERGE, MERGE or APPLY.
            field_manager: as ``managedFields`` shows it; by default derived from the user agent.
        """
        query = {"fieldManager": field_manager} if field_manager else None
        return self.request(
            "PATCH", path, body, query=query, content_type=content_type, accept=accept
        )

    def delete(self, path: str, options: dict[str, Any], *, accept: str = JSON) -> dict[str, Any]:
        """Delete an object, as the ``DeleteOptions`` say."""
        return self.request("DELETE", path, options, accept=accept)
