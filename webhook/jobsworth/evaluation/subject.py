"""The subject of an evaluation: an object, its sender, and the known parts of the request that writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from jobsworth.lint.neighbors import Neighbors
from jobsworth.record import Record

if TYPE_CHECKING:
    from jobsworth.kinds.child import PodOwner

Source = Literal["manifest", "request", "stored"]
"""The source of an object: a manifest file, an admission request, or storage in a cluster."""
WrittenScalar = Callable[[str], str | None]
"""Returns the text of a scalar by its field path; None if the manifest has none."""


NO_OPTIONS: Mapping[str, Any] = {}


class Subject(Record):
    """An object to evaluate.

    Attributes:
        value: the object, as JSON decodes it; never modified.
        source: its source.
        old: the stored object, or the manifest from which it was made; None for a create.
        kind: the kind of the request's resource, ``Job`` or ``CronJob``; empty for other sources.
        namespace: the request's namespace; for a manifest, the namespace if it has none itself.
        name: the name in the request; empty if the server has not generated it yet.
        user: the requesting user; None if unknown.
        groups: the user's groups.
        namespace_labels: the labels of the namespace; None if unknown.
        dry_run: True if the API server will not store the object.
        options: the CreateOptions or UpdateOptions of a request.
        file: the path of a manifest from the root of its project; empty for other sources.
        beside: the names of other files in its folder that decide if fixes are allowed.
        neighbors: the objects that are validated beside it; None if it is evaluated alone.
        most_values: an upper bound of the size of `value`, and of `old`, in values: see
            :mod:`jobsworth.evaluation.budget`; None if unknown.
        owner: the kind that owns the Pods of a Job that stands for another object.
        variables: the environment variables that an operator adds to its containers, with ``*`` for any text.
        now: the time of an update, in seconds since 1970; None if unknown.
        written: the text of a manifest's scalars, for fixes of API findings; None for no such fixes.
    """

    value: Any
    source: Source = "manifest"
    old: Any = None
    kind: str = ""
    namespace: str = ""
    name: str = ""
    user: str | None = None
    groups: tuple[str, ...] = ()
    namespace_labels: Mapping[str, str] | None = None
    dry_run: bool = False
    options: Mapping[str, Any] = NO_OPTIONS
    file: str = ""
    beside: Iterable[str] = ()
    neighbors: Neighbors | None = None
    most_values: int | None = None
    owner: PodOwner = "Job"
    variables: tuple[str, ...] = ()
    now: float | None = None
    written: WrittenScalar | None = None

    @property
    def object_namespace(self) -> str:
        """The namespace in the object's own metadata, else that of the request; may be empty."""
        metadata = self.value.get("metadata") if isinstance(self.value, dict) else None
        namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
        return namespace if isinstance(namespace, str) and namespace else self.namespace


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
