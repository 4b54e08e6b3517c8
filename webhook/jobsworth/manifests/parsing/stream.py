"""A file's bytes to its documents."""

from __future__ import annotations

from jobsworth.manifests.parsing.document import Source, Text
from jobsworth.manifests.parsing.lists import expand_lists
from jobsworth.manifests.parsing.records import Position
from jobsworth.manifests.parsing.stream_state import GO_SPACES, UTF16, UTF16_MARKS, StreamState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.manifests.parsing.document import Document

_LOOKAHEAD = 4096
"""How far kubectl looks for the ``{`` that tells JSON (cli-runtime's visitor.go)."""


def read_text(data: bytes, file: str) -> list[Document]:
    """Read the documents of a file's bytes; ``file`` is its name, which tells JSON from YAML.

    A file named ``.json`` is decoded as JSON proper, as the API server does; any other as kubectl
    does. A document that cannot be read has an ``error``, and those behind it are read all the
    same. Empty documents are left out. Of a List, each item is a document.
    """
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
        from jobsworth.manifests.parsing.yaml_stream import read_yaml

        read_yaml(reading, data, Position(1, 1))
    return expand_lists(reading.documents)


def _begins_like_json(data: bytes) -> bool:
    head = data[:_LOOKAHEAD].lstrip(b" \t\n\v\f\r")
    if head[:1] in (b"\xc2", b"\xe1", b"\xe2", b"\xe3"):  # perhaps one of Unicode's spaces
        return head.decode("utf-8", "replace").lstrip(GO_SPACES).startswith("{")
    return head.startswith(b"{")
