"""The document ``.jobsworth.yaml``, or the table ``[tool.jobsworth]`` of a pyproject.toml."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from jobsworth.documents.declared import (
    Document,
    Meta,
    Schema,
    Table,
    doc,
    published_schema,
    schema_of,
)
from jobsworth.kinds.kind_table import OWNERS, TYPES, EmbeddedTemplate

IDENTIFIER = "https://jobsworth.dev/schemas/configuration.json"

Version = Annotated[str | float, Meta()]
"""YAML reads 1.30 as a number."""

_STEP = r"[A-Za-z]\w*(\[\*\])?"
_PATH = rf"^{_STEP}(\.({_STEP}|\{{\*\}}))*$"
_API_VERSION = r"^[^/]+(/[^/]+)?$"
PATTERNS = {
    _PATH: "a field path such as spec.roles[*].template or spec.roles.{*}.template",
    _API_VERSION: "a group and a version, such as example.com/v1 or example.com/*",
}

_Text = Annotated[str, Meta(min_length=1)]


class ConfigurationDocument(Table):
    """The settings of a repository or folder."""

    keywords: ClassVar[Schema] = {"description": "The configuration of jobsworth."}
    kubernetes_version: Annotated[
        Version | None, doc("The release of the API server, such as 1.36; by default the newest.")
    ] = None
    feature_gates: Annotated[
        dict[str, bool] | None, doc("Feature gates that differ from the release's defaults.")
    ] = None
    allow_privileged: Annotated[
        bool | None, doc("False if the API server runs without --allow-privileged.")
    ] = None
    select: Annotated[
        list[str] | None,
        doc("The reported rules, by code, name or prefix; default stands for those that are on."),
    ] = None
    ignore: Annotated[
        list[str] | None, doc("Rules that are not reported, by code, name or prefix.")
    ] = None
    severity: Annotated[
        dict[str, Literal["error", "warning", "info"]] | None,
        doc("Other severities of rules, by code, name or prefix."),
    ] = None
    per_file_ignores: Annotated[
        dict[str, list[str]] | None, doc("Rules that are not reported in files, by pattern.")
    ] = None
    exclude: Annotated[list[str] | None, doc("Patterns of files that are not read.")] = None
    policy: Annotated[
        list[str] | None, doc("Files and folders of JobPolicy documents, from this folder.")
    ] = None
    admission_policy: Annotated[
        list[str] | None,
        doc("Files and folders of admission policies, bindings and params, from this folder."),
    ] = None
    profile: Annotated[
        Literal["baseline", "strict", "none"] | None,
        doc("Policies that ship with jobsworth."),
    ] = None
    profile_enforcement: Annotated[
        Literal["deny", "warn", "audit"] | None,
        doc("The strongest effect of a violation of the profile."),
    ] = None
    fail_on: Annotated[
        Literal["error", "warning", "info", "never"] | None,
        doc("The lowest severity that makes the exit code 1."),
    ] = None
    namespace: Annotated[
        Annotated[str, Meta(min_length=1)] | None, doc("The namespace of manifests without one.")
    ] = None
    min_confidence: Annotated[
        Literal["certain", "likely", "opinion"] | None,
        doc("The least confidence of the reported lint rules."),
    ] = None
    kinds: Annotated[
        list[KindEntry] | None, doc("Further kinds that contain Jobs or Pod templates.")
    ] = None
    jobset_version: Annotated[
        Version | None, doc("The version of JobSet, such as 0.11; by default the newest.")
    ] = None


@cache
def configuration_schema() -> Schema:
    """Return the JSON Schema of a configuration."""
    title = "The configuration of jobsworth"
    return published_schema(schema_of(ConfigurationDocument), IDENTIFIER, title)


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
