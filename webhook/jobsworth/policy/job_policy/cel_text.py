"""The text of a CEL expression: its words and brackets, as far as they tell what it reads and costs.

The library that evaluates expressions shows nothing of their structure. What is needed of it, which
fields of the object an expression reads, how deeply its loops are nested, and where a name stands,
can be told from the words.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOOPS = ("all", "exists", "exists_one", "map", "filter")
"""The macros of CEL that go over a list or map."""

_SPACE = " \t\r\n\f"
_QUOTES = ('"""', "'''", '"', "'")


class Word:
    """A word of an expression: a name, a text, a number, or a sign of one character.

    Attributes:
        kind: ``name``, ``text``, ``number`` or ``sign``.
        text: as it is written.
        start: where it begins, as a number of characters.
    """

    __slots__ = ("kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int) -> None:
        self.kind = kind
        self.text = text
        self.start = start


def words(source: str) -> Iterator[Word]:
    """The words of an expression, without space and comments; of one that is no CEL, some words.

    >>> [word.text for word in words("a.b == r'x)' // no")]
    ['a', '.', 'b', '=', '=', "r'x)'"]
    """
    at, length = 0, len(source)
    while at < length:
        character = source[at]
        if character in _SPACE:
            at += 1
            continue
        if source.startswith("//", at):
            at = _find(source, "\n", at)
            continue
        start, at = at, _end(source, at)
        yield Word(_kind(source, start, at), source[start:at], start)


def _end(source: str, start: int) -> int:
    """Where the word that begins at a place ends."""
    at = start
    while at < len(source) and (source[at].isalnum() or source[at] == "_"):
        at += 1
    prefix = source[start:at].lower()
    if at < len(source) and source[at] in "\"'" and prefix in ("", "r", "b", "rb", "br"):
        return _end_of_text(source, at, raw="r" in prefix)
    return max(at, start + 1)


def _end_of_text(source: str, start: int, *, raw: bool) -> int:
    quote = next(mark for mark in _QUOTES if source.startswith(mark, start))
    at = start + len(quote)
    while at < len(source) and not source.startswith(quote, at):
        at += 2 if source[at] == "\\" and not raw else 1
    return min(at + len(quote), len(source))


def _kind(source: str, start: int, end: int) -> str:
    if source[end - 1] in "\"'":
        return "text"
    first = source[start]
    if first.isdigit():
        return "number"
    return "name" if first.isalpha() or first == "_" else "sign"


def _find(source: str, mark: str, start: int) -> int:
    found = source.find(mark, start)
    return len(source) if found < 0 else found


class Outline:
    """What the words of an expression tell.

    Attributes:
        bound: the names that its loops give to what they go over.
        reads: of each name that is no member of another, the chains of members that follow it:
            ``("object", ("spec", "parallelism"))``; without members where the whole is read.
        depth: how deeply its loops are nested; 0 without any.
    """

    __slots__ = ("bound", "depth", "reads")

    def __init__(self, source: str) -> None:
        self.bound: set[str] = set()
        self.reads: set[tuple[str, tuple[str, ...]]] = set()
        self.depth = 0
        self._read(list(words(source)))

    def _read(self, found: Sequence[Word]) -> None:
        brackets: list[bool] = []  # of each that is open, whether it is a loop's
        for index, word in enumerate(found):
            if word.text in ("(", "[", "{"):
                loop = word.text == "(" and _is_loop(found, index)
                brackets.append(loop)
                self.depth = max(self.depth, sum(brackets))
                if loop and index + 1 < len(found):
                    self.bound.add(found[index + 1].text)
            elif word.text in (")", "]", "}"):
                if brackets:
                    brackets.pop()
            elif word.kind == "name" and (index == 0 or found[index - 1].text != "."):
                self.reads.add((word.text, _members(found, index)))


def _is_loop(found: Sequence[Word], bracket: int) -> bool:
    return bracket > 1 and found[bracket - 1].text in LOOPS and found[bracket - 2].text == "."


def _members(found: Sequence[Word], index: int) -> tuple[str, ...]:
    """The members that follow a name; what is called is a function, and no member."""
    members: list[str] = []
    while (
        index + 2 < len(found) and found[index + 1].text == "." and found[index + 2].kind == "name"
    ):
        index += 2
        if index + 1 < len(found) and found[index + 1].text == "(":
            break
        members.append(found[index].text)
    return tuple(members)


def place(source: str, offset: int) -> tuple[int, int]:
    """The line and column, counted from 1, of a character of a text.

    >>> place("a &&\\n b", 6)
    (2, 2)
    """
    before = source[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def place_of_name(source: str, name: str) -> tuple[int, int]:
    """The line and column at which a name first stands; the beginning if it does not."""
    for word in words(source):
        if word.kind == "name" and word.text == name:
            return place(source, word.start)
    return 1, 1
