"""The identity that sends manifests, and where to: the parts of a request that a file does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsworth.evaluation.subject import Subject
from jobsworth.record import Record


class Requester(Record):
    """The sender of manifests.

    Attributes:
        namespace: of manifests without one; empty for ``default``.
        namespace_labels: the labels of the namespace; None if unknown.
        user: the user; None if unknown.
        groups: the user's groups.
    """

    namespace: str = ""
    namespace_labels: Mapping[str, str] | None = None
    user: str | None = None
    groups: tuple[str, ...] = ()

    def subject(self, value: Any, old: Any = None) -> Subject:
        """Return the subject of a manifest, and of the object that it updates, if any."""
        return Subject(
            value,
            old=old,
            namespace=self.namespace,
            user=self.user,
            groups=self.groups,
            namespace_labels=self.namespace_labels,
        )
