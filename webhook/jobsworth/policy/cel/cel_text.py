"""The text of a CEL expression: its words and brackets, as far as they tell what it reads and costs.

The library that evaluates expressions shows nothing of their structure. What is needed of it, which
fields of the object an expression reads, how deeply its loops are nested, and where a name stands,
can be told from the words.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

    WordKind = Literal["name", "text", "number", "sign"]

LOOPS = ("all", "exists", "exists_one", "existsOne", "map", "filter")
"""The macros of CEL that go over a list or map."""

ITEMS = "[]"
"""In a chain of members: what follows is read of each item of a list."""

_GIVES_ITEMS = "filter"
"""The loop whose result has the items themselves, so that all of them may be read."""

_MOST_ITEMS = 2
"""Loops in loops of which it is told what they read; of deeper ones all is read. Chains multiply."""

_SPACE = " \t\r\n\f"
_QUOTES = ('"""', "'''", '"', "'")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of an expression: a name, a text, a number, or a sign of one character.

    Attributes:
        text: as it is written.
        start: where it begins, as a number of characters.
    """

    kind: WordKind
    text: str
    start: int


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


def _kind(source: str, start: int, end: int) -> WordKind:
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
            ``("object", ("spec", "parallelism"))``; without members where the whole is read. Behind
            :data:`ITEMS` stands what a loop reads of each item: ``("object", ("list", "[]", "name"))``.
        depth: how deeply its loops are nested; 0 without any.
    """

    __slots__ = ("bound", "depth", "reads")

    def __init__(self, source: str) -> None:
        self.bound: set[str] = set()
        self.depth = 0
        raw = self._read(list(words(source)))
        self.reads = {
            (name, chain) for name, reads in raw.items() for chain in _chains(reads, raw, (name,))
        }

    def _read(self, found: Sequence[Word]) -> _Reads:
        reads: _Reads = {}
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
            elif (
                word.kind == "name"
                and (index == 0 or found[index - 1].text != ".")
                and not _is_given(found, index)
            ):
                reads.setdefault(word.text, set()).add(_members(found, index))
        return reads


_Reads = dict[str, set[tuple[tuple[str, ...], str]]]
"""Of a name the chains that follow it, each with the name that a loop over it gives to an item."""


def _chains(
    reads: Iterable[tuple[tuple[str, ...], str]], raw: _Reads, seen: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """The chains, and below those that a loop goes over what is read of the items."""
    for members, item in reads:
        if item not in raw or item in seen or len(seen) > _MOST_ITEMS:
            yield members
            continue
        for chain in _chains(raw[item], raw, (*seen, item)):
            yield (*members, ITEMS, *chain)


def _is_loop(found: Sequence[Word], bracket: int) -> bool:
    return bracket > 1 and found[bracket - 1].text in LOOPS and found[bracket - 2].text == "."


def _is_given(found: Sequence[Word], index: int) -> bool:
    """Whether a name is the one that a loop gives to an item, where it gives it."""
    return (
        index > 0
        and found[index - 1].text == "("
        and _is_loop(found, index - 1)
        and index + 1 < len(found)
        and found[index + 1].text == ","
    )


def _members(found: Sequence[Word], index: int) -> tuple[tuple[str, ...], str]:
    """The members that follow a name, and the name that a loop over them gives to an item, if any.

    What is called is a function, and no member.
    """
    members: list[str] = []
    while (
        index + 2 < len(found) and found[index + 1].text == "." and found[index + 2].kind == "name"
    ):
        index += 2
        if index + 1 < len(found) and found[index + 1].text == "(":
            loops = found[index].text != _GIVES_ITEMS and _is_given(found, index + 2)
            return tuple(members), found[index + 2].text if loops else ""
        members.append(found[index].text)
    return tuple(members), ""


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
