"""Read the entries of a configuration for kinds that contain Jobs or Pod templates."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

from jobsworth.documents.declared import Document, Meta
from jobsworth.kinds.kind_table import OWNERS, TYPES, EmbeddedTemplate

_STEP = r"[A-Za-z]\w*(\[\*\])?"
_PATH = rf"^{_STEP}(\.({_STEP}|\{{\*\}}))*$"
_API_VERSION = r"^[^/]+(/[^/]+)?$"
PATTERNS = {
    _PATH: "a field path such as spec.roles[*].template or spec.roles.{*}.template",
    _API_VERSION: "a group and a version, such as example.com/v1 or example.com/*",
}

_Text = Annotated[str, Meta(min_length=1)]


class KindEntry(Document):
    """A kind that contains Jobs or Pod templates: :class:`~jobsworth.kinds.kind_table.EmbeddedTemplate`."""

    api_version: Annotated[str, Meta(pattern=_API_VERSION)]
    kind: _Text
    path: Annotated[str, Meta(pattern=_PATH)]
    type: Annotated[str, Meta(more={"enum": list(TYPES)})]
    owner: Annotated[str, Meta(more={"enum": list(OWNERS)})] | None = None
    operator: _Text | None = None
    copies: dict[str, _Text] | None = None
    translates: dict[str, _Text] | None = None
    labels: list[str] | None = None
    defaults: dict[str, Any] | None = None
    overwrites: list[str] | None = None
    variables: list[str] | None = None
    volumes: list[str] | None = None
    claims: Annotated[str, Meta(pattern=_PATH)] | None = None
    job_name: _Text | None = None
    ignores: list[str] | None = None


def entry_of(template: EmbeddedTemplate) -> KindEntry:
    """Return the entry with which a configuration would declare a kind."""
    values: dict[str, Any] = {
        each.name: getattr(template, each.name) or None for each in fields(KindEntry)
    }
    return KindEntry(**values)


def template_of(entry: KindEntry) -> EmbeddedTemplate:
    """Return what a configuration declares about a kind."""
    values: dict[str, Any] = {
        name: tuple(part) if isinstance(part, list) else part
        for name, part in vars(entry).items()
        if part is not None
    }
    if entry.type == "PodTemplateSpec":
        values.setdefault("owner", "Pod")
    values.setdefault("operator", f"the operator of {entry.kind}")
    return EmbeddedTemplate(**values)
