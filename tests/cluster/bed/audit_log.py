"""The API calls of a bed, from the audit log: user agent, verb, resource and count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple


class Call(NamedTuple):
    """One answered request.

    Attributes:
        user_agent: as the client gave it: the built-in Job controller's ends with ``/job-controller``.
        user: its name.
        verb: ``create``, ``update``, ``patch``, ``get``, ``list``, ``watch`` (when it ends) …
        resource: with the subresource, such as ``jobs/status``; the path where it is not a resource.
        namespace: empty for what has none.
        code: the HTTP status.
        annotations: those of the audit event, such as what admission records.
    """

    user_agent: str
    user: str
    verb: str
    resource: str
    namespace: str
    code: int
    annotations: Mapping[str, str] = MappingProxyType({})


class AuditLog:
    """Reads the audit log from a point on."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        self._path = path
        self._offset = offset

    def from_now(self) -> AuditLog:
        """The same log, from its present end on."""
        return AuditLog(self._path, self._path.stat().st_size if self._path.exists() else 0)

    def calls(self, user_agent: str = "") -> Iterator[Call]:
        """The calls, oldest first, of the clients whose user agent contains this text."""
        if not self._path.exists():
            return
        with self._path.open("rb") as log:
            log.seek(self._offset)
            for line in log:
                if not line.endswith(b"\n"):
                    return  # still being written
                call = _call(json.loads(line))
                if user_agent in call.user_agent:
                    yield call

    def count(self, user_agent: str = "", namespace: str | None = None) -> Counter[tuple[str, str]]:
        """Count the calls of each verb and resource: ``{("create", "pods"): 100, …}``."""
        return Counter(
            (call.verb, call.resource)
            for call in self.calls(user_agent)
            if namespace is None or call.namespace == namespace
        )


def _call(event: dict[str, object]) -> Call:
    reference = event.get("objectRef")
    resource, namespace = str(event.get("requestURI", "")), ""
    if isinstance(reference, dict):
        resource = reference.get("resource", resource)
        if "subresource" in reference:
            resource += "/" + reference["subresource"]
        namespace = reference.get("namespace", "")
    user, status = event.get("user"), event.get("responseStatus")
    annotations = event.get("annotations")
    return Call(
        user_agent=str(event.get("userAgent", "")),
        user=str(user.get("username", "")) if isinstance(user, dict) else "",
        verb=str(event.get("verb", "")),
        resource=resource,
        namespace=namespace,
        code=int(status.get("code", 0)) if isinstance(status, dict) else 0,
        annotations=annotations if isinstance(annotations, dict) else {},
    )
