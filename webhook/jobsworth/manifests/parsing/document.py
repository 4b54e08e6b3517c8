"""A document of a manifest: its value, and on demand the position of each field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from jobsworth.manifests.parsing.records import LineIndex, ManifestError, Note, Position, Unreadable
from jobsworth.record import Record

if TYPE_CHECKING:
    from jobsworth.manifests.parsing.fast_yaml import Parsed, Value
    from jobsworth.manifests.parsing.nodes import Node
    from jobsworth.manifests.parsing.position_index import PositionNode
    from jobsworth.manifests.parsing.yaml_tree import YamlTree


Language = Literal["yaml", "json", "exact json"]


class Source:
    """A file's name and bytes."""

    __slots__ = ("_lines", "data", "file")

    def __init__(self, file: str, data: bytes) -> None:
        self.file = file
        self.data = data
        self._lines: list[bytes] | None = None

    def line(self, number: int) -> str:
        """Return a line by its number, from 1, without its line ending; empty if it does not exist."""
        if self._lines is None:
            self._lines = self.data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        if not 1 <= number <= len(self._lines):
            return ""
        return self._lines[number - 1].removesuffix(b"\r").decode("utf-8", "replace")


class Text:
    """The text of one document, and the position at which it begins in its file.

    ``json`` is read as kubectl reads it, ``exact json`` as the API server does. ``parsed`` is what the
    YAML parser returned for an ordinary document, if it was kept.
    """

    __slots__ = (
        "_outlined",
        "_place_finder",
        "_position_index",
        "_root",
        "_rooted",
        "begin",
        "data",
        "language",
        "parsed",
        "source",
    )

    def __init__(self, source: Source, data: bytes, begin: Position, language: Language) -> None:
        self.source = source
        self.data = data
        self.begin = begin
        self.language = language
        self.parsed: Parsed = None
        self._root: Node | None = None
        self._rooted = False
        self._position_index: PositionNode | None = None
        self._outlined = False
        self._place_finder: LineIndex | None = None

    def compose(self) -> YamlTree:
        """Parse the text into a tree with positions; raise Unreadable if kubectl rejects it."""
        from jobsworth.manifests.parsing.yaml_tree import YamlTree, compose

        if self.language == "yaml":
            tree = compose(self.data, self.begin)
        else:
            from jobsworth.manifests.parsing.json_tree import compose_json

            places = LineIndex(self.data.decode(), self.begin)
            root, _, notes = compose_json(places, 0, exact=self.language == "exact json")
            tree = YamlTree(root, notes)
        self._root, self._rooted = tree.root, True
        return tree

    def root(self) -> Node | None:
        """Return the tree's root, composed at the first call; None if the text cannot be read."""
        if not self._rooted:
            try:
                self.compose()
            except Unreadable:
                self._rooted = True
        return self._root

    def position(self, path: str, field: str, *, key: bool) -> Position:
        """Return the position of a field in the object at a path of this text."""
        from jobsworth.manifests.parsing import field_paths

        outline = self.outline()
        if outline is not None:
            return self._places().at(field_paths.find(outline, path, field, key=key))
        root = self.root()
        return self.begin if root is None else field_paths.find(root, path, field, key=key)

    def steps_at(self, line: int, column: int) -> tuple[list[str | int], Position | None]:
        """Return the path of the field at a place of the file, and the position of its key or item."""
        from jobsworth.manifests.parsing import field_paths

        outline = self.outline()
        if outline is not None:
            return field_paths.steps_at(outline, line, column, self._places().at)
        root = self.root()
        if root is None:
            return [], None
        return field_paths.steps_at(root, line, column, lambda position: position)

    def outline(self) -> PositionNode | None:
        """Return the positions of the values of ordinary YAML; None if that needs a tree."""
        from jobsworth.manifests.parsing import position_index

        if not self._rooted and not self._outlined:
            self._outlined = True
            if self.language == "yaml":
                self._position_index = position_index.index_positions(self.data, self.parsed)
                self.parsed = None
        return self._position_index

    def _places(self) -> LineIndex:
        if self._place_finder is None:
            text = self.data.decode("utf-8", "replace").removeprefix("\ufeff")
            self._place_finder = LineIndex(text, self.begin)
        return self._place_finder


class Document(Record):
    """One document of a file, as kubectl would send it, or the error that keeps it from being read.

    ``index`` counts the file's documents from 0, without empty ones. ``item`` counts the items of a
    List, each of which is a document of its own. ``value`` consists of plain dicts, lists, strings,
    numbers, booleans and None; no other document shares it. ``notes`` are the things that kubectl
    does with the text without a warning.
    """

    file: str
    index: int
    item: int | None
    value: Value
    error: ManifestError | None
    notes: tuple[Note, ...]
    _text: Text
    _path: str = ""

    __hash__ = None  # type: ignore[assignment]

    def with_note(self, note: Note) -> Document:
        """Return the same document with one more note."""
        notes = (*self.notes, note)
        return Document(
            self.file, self.index, self.item, self.value, self.error, notes, self._text, self._path
        )

    def with_value(self, value: Value) -> Document:
        """Return the same document with another value; positions are those of the text."""
        return Document(
            self.file, self.index, self.item, value, self.error, self.notes, self._text, self._path
        )

    def of_item(
        self,
        item: int,
        value: Value,
        *,
        path: str,
        error: ManifestError | None = None,
        notes: tuple[Note, ...] = (),
    ) -> Document:
        """Return the document for the item of a List at ``path`` of this one."""
        return Document(self.file, self.index, item, value, error, notes, self._text, path)

    def position(self, field: str, *, key: bool = False) -> Position:
        """Return the position of a field, such as ``spec.podFailurePolicy.rules[0].action``.

        For a scalar it is the position of the scalar, for a mapping or list that of its key, for a
        list item its first character; with ``key`` it is always that of the key. If the text lacks
        the field, it is the position of the key of the nearest parent in the text. Keys with dots
        may be plain or in brackets: ``metadata.labels[a.b/c]``. The path ``""`` is the document.
        """
        if self.error is not None:
            return Position(self.error.line, self.error.column)
        return self._text.position(self._path, field, key=key)

    def steps_at(self, line: int, column: int) -> tuple[list[str | int], Position | None]:
        """Return the path of the field at a place of the file, and the position of its key or item.

        The path is that in the whole text, also for an item of a List. It is empty, and the position None, if
        there is no field at or before the place, or the text cannot be read.
        """
        return self._text.steps_at(line, column)

    @property
    def outline(self) -> PositionNode | None:
        """The positions of the values of the whole text, if it is ordinary YAML."""
        return self._text.outline()

    @property
    def path(self) -> str:
        """The path of the object in the text; empty except for an item of a List."""
        return self._path

    @property
    def is_json(self) -> bool:
        """True if the text is JSON."""
        return self._text.language != "yaml"

    @property
    def text(self) -> bytes:
        """The document's text: for an item of a List that of the List, for UTF-16 the whole file."""
        return self._text.data or self._text.source.data

    def source_line(self, line: int) -> str:
        """Return a line of the file by its number, for an excerpt; empty if it does not exist."""
        return self._text.source.line(line)
