"""A stream of JSON values, as the API server or as kubectl reads it.

kubectl reads JSON values one after the other. At the first text that is not JSON it switches to YAML
for the rest of the file, unless it has read two values by then: see YAMLOrJSONDecoder of
k8s.io/apimachinery 0.36, pkg/util/yaml/decoder.go.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.document import Language, Text
from jobsworth.manifests.parsing.fast_yaml import NeedsFullParser
from jobsworth.manifests.parsing.json_text import json_scanner, ordinary_json, skip_whitespace
from jobsworth.manifests.parsing.json_tree import compose_json
from jobsworth.manifests.parsing.records import LineIndex, Note, Position, Unreadable
from jobsworth.manifests.parsing.scalars import go_text
from jobsworth.manifests.parsing.stream_state import GO_SPACES, StreamState

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_VALUES_THAT_TELL_JSON = 2
_MIN_BYTES_OF_YAML = 4


def read_json(reading: StreamState) -> None:
    """Read JSON values as the API server does, which does not fall back to YAML."""
    values = _Values(reading, reading.source.data.removeprefix(_BYTE_ORDER_MARK), exact=True)
    while not values.at_end():
        try:
            values.read()
        except Unreadable as error:
            reading.broken(values.rest(), error.message, error.position)
            return


def read_json_or_yaml(reading: StreamState) -> None:
    """Read a text that begins with ``{`` as kubectl does: as JSON, then as YAML."""
    from jobsworth.manifests.parsing.yaml_stream import read_yaml

    data = reading.source.data
    values = _Values(reading, data, exact=False)
    while not values.at_end():
        try:
            values.read()
        except Unreadable as error:
            start = _begin_of_yaml(data, values.offset())
            if start is not None and values.count < _VALUES_THAT_TELL_JSON:
                number = len(reading.documents)
                read_yaml(reading, data[start:], _position(data, start))
                if data[start:].lstrip().removeprefix(b"{").lstrip().startswith(b'"'):
                    reading.explain_better(number, error)  # this was meant to be JSON
                return
            reading.broken(values.rest(), error.message, error.position)
            start = data.find(b"\n---", values.offset()) + 1 or len(data)
            read_yaml(reading, data[start:], _position(data, start))
            return


def _begin_of_yaml(data: bytes, start: int) -> int | None:
    """Return the index at which YAML begins after JSON: past white space, up to the line's end.

    None where kubectl does not look for YAML: it requires four bytes, and text.
    """
    while True:
        ahead = data[start : start + _MIN_BYTES_OF_YAML]
        if len(ahead) < _MIN_BYTES_OF_YAML:
            return None
        character = ahead.decode("utf-8", "ignore")[:1]
        if not character or not ahead.startswith(character.encode()):
            return None
        if character not in GO_SPACES:
            return start
        start += len(character.encode())
        if character == "\n":
            return start


def _position(data: bytes, start: int) -> Position:
    line_start = data.rfind(b"\n", 0, start) + 1
    column = len(data[line_start:start].decode("utf-8", "replace")) + 1
    return Position(1 + data.count(b"\n", 0, start), column)


class _Values:
    """The JSON values of a file, one after the other."""

    def __init__(self, reading: StreamState, data: bytes, *, exact: bool) -> None:
        self._reading = reading
        self._raw = data.decode("utf-8", "surrogateescape")
        self._text = self._raw if self._raw.isascii() else go_text(data)
        self._exact = exact
        halved = "\\ud" in self._text or "\\uD" in self._text  # pairs that may not be whole
        self._scanner = None if halved else json_scanner(exact=exact)
        self._index = 0
        self._line = 1
        self._line_index = 0
        self._places: LineIndex | None = None
        self.count = 0

    def at_end(self) -> bool:
        return skip_whitespace(self._text, self._index) >= len(self._text)

    def offset(self) -> int:
        """The number of bytes read, up to the end of the last value."""
        return len(self._raw[: self._index].encode("utf-8", "surrogateescape"))

    def read(self) -> None:
        """Read the next value into a document; raises Unreadable."""
        start = skip_whitespace(self._text, self._index)
        notes: tuple[Note, ...] = ()
        try:
            value, end = ordinary_json(self._scanner, self._text, start)
        except NeedsFullParser:
            if self._places is None:
                self._places = LineIndex(self._text, Position(1, 1))
            root, end, notes = compose_json(self._places, start, exact=self._exact)
            value = root.value
        text = self._part(start, end)
        if self._raw[start:end] != self._text[start:end]:
            notes = (*notes, self._replaced(start, end))
        self._reading.found(text, value, notes)
        self._index = end
        self.count += 1

    def rest(self) -> Text:
        """Return the text after the last value."""
        start = skip_whitespace(self._text, self._index)
        return self._part(start, len(self._text))

    def _part(self, start: int, end: int) -> Text:
        line_start = self._text.rfind("\n", 0, start) + 1
        self._line += self._text.count("\n", self._line_index, line_start)
        self._line_index = line_start
        begin = Position(self._line, start - line_start + 1)
        language: Language = "exact json" if self._exact else "json"
        return Text(self._reading.source, self._text[start:end].encode(), begin, language)

    def _replaced(self, start: int, end: int) -> Note:
        pairs = enumerate(zip(self._raw[start:end], self._text[start:end], strict=True), start)
        index, byte = next((index, ord(raw)) for index, (raw, text) in pairs if raw != text)
        return Note(
            "replaced-bytes",
            "",
            f"byte 0x{byte - 0xDC00:02X} is not UTF-8; Kubernetes puts U+FFFD in its place",
            LineIndex(self._text, Position(1, 1)).at_index(index),
        )
