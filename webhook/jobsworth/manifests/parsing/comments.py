"""YAML comments that begin with a marker, such as ``# jobsworth: …``.

Imported only for files that contain the marker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.manifests.parsing.document import Document, Source, Text
from jobsworth.manifests.parsing.libyaml import backend
from jobsworth.manifests.parsing.records import LineIndex
from jobsworth.record import Record

Spot = tuple[int, int]


class Comment(Record):
    """A comment: the position of its ``#``, and its text after the marker.

    ``heads`` is True for a comment on a line of its own before the document's first key.
    """

    line: int
    column: int
    text: str
    heads: bool


def marked_comments(
    documents: Sequence[Document], mark: str
) -> Iterator[tuple[list[Document], list[Comment]]]:
    """Yield the comments of a file's documents whose text begins with ``mark``.

    They are grouped by text, since the items of a List share one. Comments before a ``---`` with
    nothing else there belong to the document after it. JSON and unreadable texts have no comments.
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
    """Return the possible comments in the lines from ``start`` to before ``end``."""
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
            comment_text,
            heads=line < first_key[0]
            and not text.source.line(line)[: column - 1].replace("---", "").strip(),
        )
        for (line, column), comment_text in candidates
        if not any(start < (line, column) < end for start, end in scalars)
    ]


def _spans_of_scalars(text: Text) -> list[tuple[Spot, Spot]]:
    """Return the ranges of quoted and block scalars, in which a ``#`` does not begin a comment."""
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
        pass  # kubectl accepts some texts that libyaml rejects, such as a redefined anchor
    return spans
