"""Manifests of Python programs as documents: with the text, and the lines, that a file would have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.manifests import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from jobsworth.manifests import Document

NAME = "<manifest>"
"""The name of the documents in messages, in place of a file's."""


def document_of(manifest: dict[str, Any]) -> Document:
    """Return a manifest as the document that a YAML file with it has."""
    (document,) = read_text(text_of([manifest]), NAME)
    return document


def text_of(manifests: Iterable[dict[str, Any]]) -> bytes:
    """Return manifests as the bytes of a YAML file."""
    from jobsworth.manifests.editing.yaml_writer import to_yaml  # the verdict needs no PyYAML

    return to_yaml(manifests).encode()
