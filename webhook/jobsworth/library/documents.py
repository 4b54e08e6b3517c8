"""Manifests of Python programs as documents: with the text, and the lines, that a file would have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jobsworth.library.manifests import problem_of_kind
from jobsworth.manifests import Document, read_text
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import UnknownKind

NAME = "<manifest>"
"""The name of the documents in messages, in place of a file's."""


def document_of(manifest: dict[str, Any]) -> Document:
    """Return a manifest as the document that a YAML file with it has.

    Raises:
        InputError: it is too large.
        UnknownKind: it is a List, of which a file has the items.
    """
    documents = documents_of([manifest], text_of([manifest]))
    if len(documents) != 1 or documents[0].item is not None:
        raise UnknownKind(f"{problem_of_kind(manifest)}: pass one of its items")
    (document,) = documents
    if document.error is not None:
        raise InputError(f"the manifest cannot be read: {document.error.message}")
    return document


def documents_of(manifests: Sequence[dict[str, Any]], text: bytes) -> list[Document]:
    """Return manifests as the documents that a YAML file with them has, but with their own values.

    YAML reads 3.0 as the integer 3. A client sends 3.0, which the server rejects.

    Args:
        text: the manifests as :func:`text_of` returns them.
    """
    return [
        document.with_value(manifests[document.index])
        if document.item is None and document.value == manifests[document.index]
        else document
        for document in read_text(text, NAME)
    ]


def text_of(manifests: Iterable[dict[str, Any]]) -> bytes:
    """Return manifests as the bytes of a YAML file."""
    from jobsworth.manifests.editing.yaml_writer import to_yaml  # the verdict needs no PyYAML

    return to_yaml(manifests).encode()
