"""What is asked of an API server, whoever carries it there.

:class:`Api` is the whole of it: one call, one watch. The HTTP client is one implementation, an API
server in memory another. What is asked is plain JSON: for a hundred Pods a second, the model classes of
the kubernetes package cost more than all the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

JSON = "application/json"
METADATA_ONLY = f"{JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,{JSON}"
"""As what an answer is wanted of which only the name and the version are looked at."""

STRATEGIC_MERGE = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"

UNREACHABLE = 0  # instead of an HTTP status: no answer came
GONE = 410


@dataclass(slots=True)
class ApiError(Exception):
    """An API server's refusal, or that it could not be reached.

    Attributes:
        code: the HTTP status, UNREACHABLE without an answer: then the call may have been carried out.
        reason: as the server's ``Status`` has it, such as ``NotFound``.
        message: for people.
        retry_after: seconds after which the server wants to be asked again, if it said so.
        causes: the reasons of the causes that the ``Status`` details.
    """

    code: int
    reason: str
    message: str
    retry_after: float | None = None
    causes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message

    @property
    def not_found(self) -> bool:
        """The object is not there, or no longer."""
        return self.code == 404

    @property
    def conflict(self) -> bool:
        """The object has changed since it was read, or has another UID."""
        return self.code == 409 and self.reason != "AlreadyExists"

    @property
    def may_have_been_carried_out(self) -> bool:
        """The call may have had its effect all the same: no answer came, or none that says no."""
        return self.code == UNREACHABLE or self.code >= 500

    @property
    def another_object(self) -> bool:
        """The object of this name is no longer the one that was meant: its UID is another.

        A patch that gives the UID is refused as an attempt to change it. Any other 422 is something
        else, such as a policy that stands in the way.
        """
        if self.code == 422:
            return "metadata.uid" in self.message
        return self.conflict and "precondition" in self.message

    @property
    def namespace_terminating(self) -> bool:
        """Nothing can be created, for the namespace is being deleted."""
        return self.code == 403 and "NamespaceTerminating" in self.causes


class Api(Protocol):
    """An API server."""

    def call(
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
            accept: as what the answer is wanted: JSON or METADATA_ONLY.

        Raises:
            ApiError: the server refused, or could not be reached.
        """

    def watch(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """The events of a watch, each with ``type`` and ``object``, until the server ends it.

        Raises:
            ApiError: the server refused, could not be reached, or went away.
        """


def error_of(code: int, status: Any, retry_after: float | None = None) -> ApiError:
    """The error that an answer with this HTTP status and body stands for."""
    if not isinstance(status, dict):
        return ApiError(code, "", str(status)[:500] or f"HTTP status {code}", retry_after)
    details = status.get("details") or {}
    causes = tuple(cause.get("reason") or "" for cause in details.get("causes") or ())
    if retry_after is None:
        retry_after = details.get("retryAfterSeconds") or None
    return ApiError(
        code,
        status.get("reason") or "",
        status.get("message") or f"HTTP status {code}",
        retry_after,
        causes,
    )


def pods_path(namespace: str, name: str = "") -> str:
    """The path of a namespace's Pods, or of one; of all namespaces' Pods if none is given."""
    return _path("/api/v1", namespace, "pods", name)


def jobs_path(namespace: str, name: str = "") -> str:
    """The path of a namespace's Jobs, or of one; of all namespaces' Jobs if none is given."""
    return _path("/apis/batch/v1", namespace, "jobs", name)


def lease_path(namespace: str, name: str) -> str:
    """The path of a Lease."""
    return _path("/apis/coordination.k8s.io/v1", namespace, "leases", name)


def _path(group: str, namespace: str, resource: str, name: str) -> str:
    within = f"/namespaces/{namespace}" if namespace else ""
    return f"{group}{within}/{resource}" + (f"/{name}" if name else "")


def resource_version(obj: Any) -> int:
    """The resourceVersion of an object or list as a number; 0 where it has none.

    Two of one resource can be compared: the API says so since Kubernetes 1.35 (KEP-5504), and etcd's
    have always been increasing numbers.
    """
    text = (obj.get("metadata") or {}).get("resourceVersion") if isinstance(obj, dict) else None
    return int(text) if text and text.isdigit() else 0
