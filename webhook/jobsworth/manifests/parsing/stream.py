"""Decode the bytes of a file into its documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.manifests.parsing.document import Source, Text
from jobsworth.manifests.parsing.lists import expand_lists
from jobsworth.manifests.parsing.records import Position
from jobsworth.manifests.parsing.stream_state import GO_SPACES, UTF16, UTF16_MARKS, StreamState

if TYPE_CHECKING:
    from jobsworth.manifests.parsing.document import Document

_LOOKAHEAD = 4096
"""The number of bytes in which kubectl looks for the ``{`` of JSON (cli-runtime's visitor.go)."""


def read_text(data: bytes, file: str) -> list[Document]:
    """Return the documents in the bytes of a file; ``file`` is its name, which identifies JSON.

    A file named ``.json`` is decoded as strict JSON, as the API server does; any other as kubectl
    does. An unreadable document has an ``error``; the documents after it are still read. Empty
    documents are omitted. Each item of a List is a document.
    """
    from jobsworth.manifests.parsing import yaml_stream

    reading = StreamState(Source(file, data))
    if data.startswith(UTF16_MARKS):
        start = Position(1, 1)
        reading.broken(Text(reading.source, b"", start, "yaml"), UTF16, start)
    elif file[-5:].lower() == ".json":
        from jobsworth.manifests.parsing.json_stream import read_json

        read_json(reading)
    elif _begins_like_json(data):
        from jobsworth.manifests.parsing.json_stream import read_json_or_yaml

        read_json_or_yaml(reading)
    else:
        yaml_stream.read_yaml(reading, data, Position(1, 1))
    return expand_lists(reading.documents)


def _begins_like_json(data: bytes) -> bool:
    head = data[:_LOOKAHEAD].lstrip(b" \t\n\v\f\r")
    if head[:1] in (b"\xc2", b"\xe1", b"\xe2", b"\xe3"):  # possibly a Unicode space
        return head.decode("utf-8", "replace").lstrip(GO_SPACES).startswith("{")
    return head.startswith(b"{")
