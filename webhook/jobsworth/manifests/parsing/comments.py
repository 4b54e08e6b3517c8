"""Comments in YAML that begin with a mark, such as ``# jobsworth: …``.

Imported only where a file has the mark at all.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.libyaml import backend
from jobsworth.manifests.parsing.line_index import LineIndex
from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from jobsworth.manifests.parsing.document import Document, Source, Text

    Spot = tuple[int, int]


class Comment(Record):
    """A comment: where its ``#`` stands, and its text behind the mark.

    ``heads`` tells that it has a line to itself before the first key of its document.
    """

    line: int
    column: int
    text: str
    heads: bool


def marked_comments(
    documents: Sequence[Document], mark: str
) -> Iterator[tuple[list[Document], list[Comment]]]:
    """Return the comments of a file's documents whose text begins with ``mark``.

    They are grouped by the text that they stand in: the items of a List are documents of one text.
    Comments before a ``---`` with nothing else there belong to the document behind it. A text that
    cannot be read has no comments, nor has JSON.
    """
    groups: list[tuple[Text, list[Document]]] = []
    for document in documents:
        if groups and groups[-1][0] is document._text:
            groups[-1][1].append(document)
        else:
            groups.append((document._text, [document]))
    start = 1
    for text, members in groups:
        end = text.begin.line + text.data.count(b"\n")
        root = text.root() if text.language == "yaml" else None
        if root is not None:
            candidates = _candidates(text.source, mark, start, end)
            if candidates:
                found = _comments(candidates, text, (root.position.line, root.position.column))
                if found:
                    yield members, found
        start = end


def _candidates(source: Source, mark: str, start: int, end: int) -> list[tuple[Spot, str]]:
    """What looks like such a comment in the lines from ``start`` to before ``end``."""
    found = []
    for number in range(start, end):
        line = source.line(number)
        at = line.find(mark)
        while at >= 0:
            head = line[:at].rstrip()
            if head.endswith("#") and (len(head) == 1 or head[-2].isspace()):
                found.append(((number, len(head)), line[at + len(mark) :].strip()))
            at = line.find(mark, at + 1)
    return found


def _comments(candidates: list[tuple[Spot, str]], text: Text, first_key: Spot) -> list[Comment]:
    scalars = _spans_of_scalars(text)
    return [
        Comment(
            line,
            column,
            behind,
            heads=line < first_key[0]
            and not text.source.line(line)[: column - 1].replace("---", "").strip(),
        )
        for (line, column), behind in candidates
        if not any(start < (line, column) < end for start, end in scalars)
    ]


def _spans_of_scalars(text: Text) -> list[tuple[Spot, Spot]]:
    """Where the scalars stand in which a ``#`` begins no comment: quoted ones and blocks."""
    places = LineIndex(text.data.decode("utf-8", "replace").removeprefix("\ufeff"), text.begin)
    parser = backend()
    names: Any = parser.names
    next_event = parser.events(text.data)
    spans = []
    try:
        while not isinstance(event := next_event(), names.StreamEndEvent):
            if isinstance(event, names.ScalarEvent) and event.style in ('"', "'", "|", ">"):
                begin, end = places.at(event.start_mark), places.at(event.end_mark)
                # On the line of `|` itself, a comment may follow.
                start = (begin.line, begin.column) if event.style in "\"'" else (begin.line + 1, 0)
                spans.append((start, (end.line, end.column)))
    except names.YAMLError:
        pass  # what kubectl reads all the same, such as an anchor defined anew: see `dialect`
    return spans
