"""The subject of an evaluation: an object, and what is known about the request that writes it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal

    Source = Literal["manifest", "request", "stored"]
    """Where an object comes from: a file, an API server that asks a webhook, a cluster that stores it."""


class Subject:
    """An object to evaluate.

    Attributes:
        value: the object, as JSON decodes it; it is never changed.
        source: where it comes from.
        old: the stored object, or the manifest from which it was made; None for a create.
        kind: ``Job`` or ``CronJob`` where the resource of a request says so; otherwise the object's own.
        namespace: of the request; of a manifest, where it has none itself.
        name: of a request; empty where the server is still to generate it.
        user: who sends the request; None where that is unknown.
        groups: of the user.
        namespace_labels: of the namespace; None where they are unknown.
        dry_run: whether nothing will be stored.
        options: the CreateOptions or UpdateOptions of a request.
        file: the path of a manifest, as the user named it; empty for other sources.
        beside: the names of other files in its folder, as far as they matter for fixes.
        most_bytes: an upper bound of the size of `value` and `old` as JSON; None where it is unknown.
    """

    __slots__ = (
        "beside", "dry_run", "file", "groups", "kind", "most_bytes", "name", "namespace",
        "namespace_labels", "old", "options", "source", "user", "value",
    )  # fmt: skip

    def __init__(
        self,
        value: Any,
        source: Source = "manifest",
        *,
        old: Any = None,
        kind: str = "",
        namespace: str = "",
        name: str = "",
        user: str | None = None,
        groups: tuple[str, ...] = (),
        namespace_labels: Mapping[str, str] | None = None,
        dry_run: bool = False,
        options: Mapping[str, Any] | None = None,
        file: str = "",
        beside: Iterable[str] = (),
        most_bytes: int | None = None,
    ) -> None:
        self.value = value
        self.source = source
        self.old = old
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.user = user
        self.groups = groups
        self.namespace_labels = namespace_labels
        self.dry_run = dry_run
        self.options = options or {}
        self.file = file
        self.beside = beside
        self.most_bytes = most_bytes
