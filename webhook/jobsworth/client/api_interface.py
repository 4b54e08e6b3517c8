"""The interface to an API server: request, stream, and the verbs on top of them.

Calls send and return plain JSON objects as dictionaries. The HTTP transport and the in-memory API server
implement it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

JSON = "application/json"
METADATA_ONLY = f"{JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,{JSON}"
"""The media type of a response with metadata only."""

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
        """Make a call and return the decoded response.

        Args:
            content_type: the media type of the body.
            accept: the media type of the response: JSON or METADATA_ONLY.

        Raises:
            ApiError: the API server rejected the call or could not be reached.
        """
        raise NotImplementedError

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield the events of a watch as they arrive, until the API server ends it.

        Raises:
            ApiError: the API server rejected the call, could not be reached, or closed the connection.
        """
        raise NotImplementedError

    def text(self, path: str, query: Mapping[str, str]) -> str:
        """Read a text, such as the log of a container.

        Raises:
            ApiError: the API server rejected the call or could not be reached.
        """
        raise NotImplementedError

    # Each verb raises the same errors as a request.

    def get(self, path: str, query: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Read an object, or a page of a list."""
        return self.request("GET", path, query=query)

    def create(self, path: str, body: dict[str, Any], *, accept: str = JSON) -> dict[str, Any]:
        """Create an object in the collection at the path."""
        return self.request("POST", path, body, accept=accept)

    def replace(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Replace a stored object."""
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
        """Patch an object; APPLY creates it if it is missing.

        Args:
            content_type: the kind of patch: STRATEGIC_MERGE, MERGE or APPLY.
            field_manager: the name in ``managedFields``; by default derived from the user agent.
        """
        query = {"fieldManager": field_manager} if field_manager else None
        return self.request(
            "PATCH", path, body, query=query, content_type=content_type, accept=accept
        )

    def delete(self, path: str, options: dict[str, Any], *, accept: str = JSON) -> dict[str, Any]:
        """Delete an object with ``DeleteOptions``."""
        return self.request("DELETE", path, options, accept=accept)
