"""A stream of YAML documents, split as kubectl splits it: by lines, before any parser sees it.

A line that begins with ``---`` ends a document, even inside of a quoted text, and only spaces or a
comment may follow on it. Facts: YAMLReader and LineReader of k8s.io/apimachinery 0.36,
pkg/util/yaml/decoder.go.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.document import Text
from jobsworth.manifests.parsing.fast_yaml import NeedsFullParser, ordinary_value
from jobsworth.manifests.parsing.records import Note, Position, Unreadable
from jobsworth.manifests.parsing.stream_state import GO_SPACES, UTF16, UTF16_MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.manifests.parsing.fast_yaml import Value
    from jobsworth.manifests.parsing.stream_state import StreamState

_LINE_BUFFER = 4096
_LONGEST_SHOWN = 40


def read_yaml(reading: StreamState, data: bytes, begin: Position) -> None:
    """Read YAML documents; ``data`` begins at a place in the file."""
    lost = _lost_tail(data)
    if lost:
        data = data[:-lost]
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if data and not data.endswith(b"\n"):
        data += b"\n"
    for chunk, line, refusal in _split(data, begin.line):
        first = begin if line == begin.line else Position(line, 1)
        text = Text(reading.source, chunk, first, "yaml")
        if refusal is not None:
            reading.broken(text, refusal.message, refusal.position)
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
                f"kubectl loses this line: it has a multiple of {_LINE_BUFFER} bytes, and does not "
                "end; end the file with a line feed",
                Position(begin.line + data.count(b"\n"), 1),
            )
        )


def _decode(text: Text) -> tuple[Value, tuple[Note, ...]]:
    if text.data.startswith(UTF16_MARKS):
        raise Unreadable(UTF16, text.begin)
    try:
        return ordinary_value(text.data), ()
    except NeedsFullParser:
        tree = text.compose()
        return (tree.root.value if tree.root else None), tree.notes


def _split(data: bytes, first_line: int) -> Iterator[tuple[bytes, int, Unreadable | None]]:
    """Give each document's text, its first line, and, if so, why kubectl refuses a separator in it.

    A separator with nothing before it belongs to the document that it begins.
    """
    start, line = 0, first_line
    refusal: Unreadable | None = None
    for separator in _separators(data):
        end = data.index(b"\n", separator)
        rest = data[separator + 3 : end].decode("utf-8", "replace").strip(GO_SPACES)
        if rest and not rest.startswith("#"):
            if refusal is None:
                number = line + data.count(b"\n", start, separator)
                refusal = Unreadable(_refused_separator(rest), Position(number, 1))
        elif separator > start:
            yield data[start:separator], line, refusal
            line += data.count(b"\n", start, end + 1)
            start, refusal = end + 1, None
    if start < len(data):
        yield data[start:], line, refusal


def _separators(data: bytes) -> Iterator[int]:
    """Return where each line begins that begins with ``---``."""
    if data.startswith(b"---"):
        yield 0
    index = data.find(b"\n---")
    while index >= 0:
        yield index + 1
        index = data.find(b"\n---", index + 1)


def _refused_separator(rest: str) -> str:
    shown = rest if len(rest) <= _LONGEST_SHOWN else rest[:_LONGEST_SHOWN] + "…"
    return (
        "a line that begins with `---` ends a document to kubectl, which accepts nothing but a "
        f"comment on it; put `{shown}` below it"
    )


def _lost_tail(data: bytes) -> int:
    """Return the length of a last line that kubectl loses: it fills a buffer and has no line feed.

    bufio.Reader.ReadLine hands out a long line in pieces of its buffer, less a carriage return at
    the end of a piece; LineReader forgets the pieces when the file ends exactly behind one.
    """
    index = data.rfind(b"\n") + 1
    length = len(data) - index
    if length < _LINE_BUFFER - 1:
        return 0
    while len(data) - index >= _LINE_BUFFER:
        index += _LINE_BUFFER
        if data[index - 1] == 0x0D:
            index -= 1
    return length if index == len(data) else 0
