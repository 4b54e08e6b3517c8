"""A tree of spans of a document's text: the range of each key and value.

``yaml_tree`` decodes a document and keeps the position of each field. An edit also needs the end and
the style of each value, and duplicate keys. This module reads them from the events of the same parser,
only for texts that ``yaml_tree`` or ``json_tree`` can read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal

from jobsworth.manifests.parsing.libyaml import YamlEvent, backend, backend_for_depth
from jobsworth.manifests.parsing.libyaml_compat import LibyamlText
from jobsworth.manifests.parsing.records import LineIndex, Position
from jobsworth.manifests.parsing.scalars import ScalarError, key_text, resolve
from jobsworth.record import Record

SpanKind = Literal["scalar", "alias", "mapping", "list"]

SCALAR: Final = "scalar"
ALIAS: Final = "alias"
MAPPING: Final = "mapping"
LIST: Final = "list"


class NoSpans(ValueError):
    """Raised for a text without reliable spans."""


class Span:
    """The range of a value or a key in the text, as indexes of characters.

    ``start`` includes its anchor and tag, ``content`` does not; ``end`` is its end, for a block the
    end of its last value. ``style`` is that of a scalar: empty if plain, else ``'``, ``"``, ``|`` or
    ``>``; ``text`` is its text. ``flows`` is True for flow style (in brackets). ``entries`` are those
    of a mapping, in the order of the text, ``items`` those of a list.
    """

    __slots__ = (
        "_named", "anchored", "content", "end", "entries", "flows", "items", "kind", "start", "style",
        "text",
    )  # fmt: skip

    def __init__(self, kind: SpanKind, start: int, end: int) -> None:
        self.kind = kind
        self.start = self.content = start
        self.end = end
        self.anchored = False
        self.flows = False
        self.style = ""
        self.text = ""
        self.entries: list[MappingEntry] = []
        self.items: list[Span] = []
        self._named: dict[str, MappingEntry] | None = None

    def children(self) -> Iterator[Span]:
        for entry in self.entries:
            yield entry.value
        yield from self.items

    def descendants(self) -> Iterator[Span]:
        """Yield the span and all values in it."""
        unseen = [self]
        while unseen:
            span = unseen.pop()
            yield span
            unseen.extend(span.children())

    def is_shared(self) -> bool:
        """Return True if an alias may join it with other parts of the text."""
        return any(
            span.kind == ALIAS
            or span.anchored
            or any(entry.key.kind == ALIAS or entry.key.anchored for entry in span.entries)
            for span in self.descendants()
        )

    def entry(self, name: str) -> MappingEntry | None:
        """Return the entry of a key; of duplicates, the last, which kubectl reads."""
        if self._named is None:
            self._named = {entry.name: entry for entry in self.entries if not entry.merges}
        return self._named.get(name)

    def is_empty(self) -> bool:
        """Return True for a value without text: that of ``key:`` with nothing after it."""
        return self.kind == SCALAR and self.start == self.end


class MappingEntry(Record):
    """A key and its value; ``name`` is the key as kubectl reads it."""

    key: Span
    name: str
    value: Span
    merges: bool


def spans_of(text: str, *, json: bool = False) -> Span | None:
    """Return the root span of a document; None for an empty one. Raises NoSpans.

    ``text`` has no byte order mark. JSON is read as YAML, of which it is nearly a subset.
    """
    data = (_as_yaml(text) if json else text).encode("utf-8", "surrogatepass")
    places = LineIndex(text, Position(1, 1))
    dialect = LibyamlText(data, places)
    parser = backend()
    while True:
        reader = _SpanReader(text, dialect)
        try:
            return reader.read(parser.events(dialect.data), parser.names)
        except parser.names.YAMLError as error:
            deeper = backend_for_depth(error)
            if deeper is not None:
                parser = deeper
            elif not dialect.repair(error):
                raise NoSpans("jobsworth cannot edit this form of text; edit it by hand") from error
        except (ScalarError, UnicodeDecodeError, RecursionError) as error:
            raise NoSpans("jobsworth cannot edit this form of text; edit it by hand") from error


def _as_yaml(text: str) -> str:
    """Replace escapes of surrogates, which YAML lacks, by escapes of the same length."""
    if "\\ud" not in text and "\\uD" not in text:
        return text
    parts = text.split("\\\\")
    for half in "89abcdefABCDEF":
        for mark in ("\\ud", "\\uD"):
            parts = [part.replace(f"{mark}{half}", "\\u4e") for part in parts]
    return "\\\\".join(parts)


class _SpanReader:
    """Builds spans from parser events."""

    def __init__(self, text: str, dialect: LibyamlText) -> None:
        self._text = text
        self._dialect = dialect
        self._open: list[Span] = []
        self._keys: list[Span | None] = []
        self._root: Span | None = None

    def read(self, next_event: Callable[[], Any], names: Any) -> Span | None:
        while True:
            event = next_event()
            kind = event.__class__
            if kind is names.ScalarEvent:
                self._take(self._scalar(event))
            elif kind is names.AliasEvent:
                start = event.start_mark.index
                self._take(Span(ALIAS, start, start + len(f"*{event.anchor}")))
            elif kind is names.MappingStartEvent:
                self._begin(MAPPING, event)
            elif kind is names.SequenceStartEvent:
                self._begin(LIST, event)
            elif kind is names.MappingEndEvent or kind is names.SequenceEndEvent:
                self._finish(event)
            elif kind is names.DocumentEndEvent or kind is names.StreamEndEvent:
                return self._root

    def _scalar(self, event: YamlEvent) -> Span:
        span = Span(SCALAR, event.start_mark.index, event.end_mark.index)
        span.style = event.style or ""
        span.text = self._dialect.text_of(event)
        self._skip_properties(span, event)
        return span

    def _skip_properties(self, span: Span, event: YamlEvent) -> None:
        """Set the index at which a value begins after its anchor and tag."""
        span.anchored = event.anchor is not None
        index = span.start
        while self._text[index : index + 1] in ("&", "!"):
            while self._text[index : index + 1].strip():
                index += 1
            index = self._skip_blanks(index, " \t" if span.kind == SCALAR else " \t\r\n")
        span.content = index if span.kind != SCALAR else min(index, span.end)

    def _skip_blanks(self, index: int, blanks: str) -> int:
        while index < len(self._text) and self._text[index] in blanks:
            index += 1
            if "\n" in blanks and self._text.startswith("#", index):
                index = self._text.find("\n", index) + 1 or len(self._text)
        return index

    def _begin(self, kind: SpanKind, event: YamlEvent) -> None:
        span = Span(kind, event.start_mark.index, event.start_mark.index)
        span.flows = bool(event.flow_style)
        self._skip_properties(span, event)
        self._open.append(span)
        self._keys.append(None)

    def _finish(self, event: YamlEvent) -> None:
        span = self._open.pop()
        self._keys.pop()
        if span.flows:
            span.end = event.end_mark.index
        else:
            first = span.entries[0].key if span.entries else None
            if first is not None:
                span.content = first.start
            span.end = max((child.end for child in span.children()), default=span.content)
        self._take(span)

    def _take(self, span: Span) -> None:
        if not self._open:
            self._root = span
            return
        holder = self._open[-1]
        if holder.kind == LIST:
            holder.items.append(span)
            return
        key = self._keys[-1]
        if key is None:
            self._keys[-1] = span
            return
        plain = key.kind == SCALAR and not key.style and key.content == key.start
        merges = plain and key.text == "<<"
        name = key_text(resolve(key.text)) if plain else key.text
        holder.entries.append(MappingEntry(key, name, span, merges=merges))
        self._keys[-1] = None
