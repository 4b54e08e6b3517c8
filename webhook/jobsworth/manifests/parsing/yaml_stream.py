"""A stream of YAML documents, split by lines before parsing, as kubectl does.

A line that begins with ``---`` ends a document, even inside quoted text; only spaces or a comment
may follow on it. Source: YAMLReader and LineReader of k8s.io/apimachinery 0.36,
pkg/util/yaml/decoder.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.manifests.parsing.document import Text
from jobsworth.manifests.parsing.fast_yaml import NeedsFullParser, Value, ordinary_value
from jobsworth.manifests.parsing.records import Note, Position, Unreadable
from jobsworth.manifests.parsing.stream_state import GO_SPACES, UTF16, UTF16_MARKS, StreamState

_LINE_BUFFER = 4096
_CARRIAGE_RETURN = 0x0D
_MAX_SHOWN_LENGTH = 40


def read_yaml(reading: StreamState, data: bytes, begin: Position) -> None:
    """Read YAML documents from ``data``, which begins at some position in the file."""
    lost = _lost_tail(data)
    if lost:
        data = data[:-lost]
    if _CARRIAGE_RETURN in data:
        data = data.replace(b"\r\n", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    for chunk, line, rejection in _split(data, begin.line):
        first = begin if line == begin.line else Position(line, 1)
        text = Text(reading.source, chunk, first, "yaml")
        if rejection is not None:
            reading.broken(text, rejection.message, rejection.position)
            continue
        try:
            value, notes = _decode(text)
        except Unreadable as error:
            reading.broken(text, error.message, error.position)
        else:
            reading.found(text, value, notes)
    if lost:
        reading.note(
            Note(
                "dropped-content",
                "",
                f"kubectl drops this line: its length is a multiple of {_LINE_BUFFER} bytes and it "
                "has no line feed; add one at the end of the file",
                Position(begin.line + data.count(b"\n"), 1),
            )
        )


def _decode(text: Text) -> tuple[Value, tuple[Note, ...]]:
    if text.data.startswith(UTF16_MARKS):
        raise Unreadable(UTF16, text.begin)
    try:
        value, text.parsed = ordinary_value(text.data)
        return value, ()
    except NeedsFullParser:
        tree = text.compose()
        return (tree.root.value if tree.root else None), tree.notes


def _split(data: bytes, first_line: int) -> Iterator[tuple[bytes, int, Unreadable | None]]:
    """Yield each document's text, its first line, and the error if kubectl rejects a separator in it.

    A separator with nothing before it belongs to the document that it begins.
    """
    start, line = 0, first_line
    rejection: Unreadable | None = None
    for separator in _separators(data):
        end = data.index(b"\n", separator)
        rest = data[separator + 3 : end].decode("utf-8", "replace").strip(GO_SPACES)
        if rest and not rest.startswith("#"):
            if rejection is None:
                number = line + data.count(b"\n", start, separator)
                rejection = Unreadable(_rejected_separator(rest), Position(number, 1))
        elif separator > start:
            yield data[start:separator], line, rejection
            line += data.count(b"\n", start, end + 1)
            start, rejection = end + 1, None
    if start < len(data):
        yield data[start:], line, rejection


def _separators(data: bytes) -> Iterator[int]:
    """Yield the index of each line that begins with ``---``."""
    if data.startswith(b"---"):
        yield 0
    index = data.find(b"\n---")
    while index >= 0:
        yield index + 1
        index = data.find(b"\n---", index + 1)


def _rejected_separator(rest: str) -> str:
    if not rest.strip("-"):
        return "a separator of documents is a line of exactly three hyphens: `---`"
    shown = rest if len(rest) <= _MAX_SHOWN_LENGTH else rest[:_MAX_SHOWN_LENGTH] + "…"
    return (
        "kubectl ends the document at a line that begins with `---`, and allows only a comment on "
        f"it; move `{shown}` to the next line"
    )


def _lost_tail(data: bytes) -> int:
    """Return the length of the last line if kubectl drops it: it fills a buffer without a line feed.

    bufio.Reader.ReadLine returns a long line in pieces of its buffer, less a carriage return at the
    end of a piece; LineReader drops the pieces if the file ends exactly after one.
    """
    index = data.rfind(b"\n") + 1
    length = len(data) - index
    if length < _LINE_BUFFER - 1:
        return 0
    while len(data) - index >= _LINE_BUFFER:
        index += _LINE_BUFFER
        if data[index - 1] == _CARRIAGE_RETURN:
            index -= 1
    return length if index == len(data) else 0
