"""The tokens of a CEL expression, from which its reads and its cost are estimated.

The CEL library does not expose the syntax tree. The fields that an expression reads, the nesting depth of its
loops and the position of a name are derived from the tokens instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

    TokenKind = Literal["name", "text", "number", "sign"]


LOOPS = ("all", "exists", "exists_one", "existsOne", "map", "filter")
"""The CEL macros that iterate over a list or map."""

ITEMS = "[]"
"""The step in a chain of members that stands for each item of a list."""

_GIVES_ITEMS = "filter"
"""The macro that returns the items themselves, so that all members of them may be read."""

_MAX_ITEMS = 2
"""The nesting depth up to which loops are analyzed; below it everything is read. Chains multiply."""

_SPACE = " \t\r\n\f"
_QUOTES = ('"""', "'''", '"', "'")


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an expression: a name, a text, a number, or a sign of one character.

    Attributes:
        text: the source text.
        start: its offset in characters.
    """

    kind: TokenKind
    text: str
    start: int


def tokens(source: str) -> Iterator[Token]:
    """Yield the tokens of an expression, without space and comments; never fails on invalid CEL.

    >>> [token.text for token in tokens("a.b == r'x)' // no")]
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
        yield Token(_kind(source, start, at), source[start:at], start)


def _end(source: str, start: int) -> int:
    """Return the end of the token that starts at a position."""
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


def _kind(source: str, start: int, end: int) -> TokenKind:
    if source[end - 1] in "\"'":
        return "text"
    first = source[start]
    if first.isdigit():
        return "number"
    return "name" if first.isalpha() or first == "_" else "sign"


def _find(source: str, mark: str, start: int) -> int:
    found = source.find(mark, start)
    return len(source) if found < 0 else found


class ExpressionOutline:
    """The reads and the loops of an expression, derived from its tokens.

    Attributes:
        bound: the names of its loop variables.
        reads: each name that is not a member, with the chain of members that follow it:
            ``("object", ("spec", "parallelism"))``; an empty chain if the whole is read. After
            :data:`ITEMS` follow the members read of each item: ``("object", ("list", "[]", "name"))``.
        depth: the nesting depth of its loops; 0 without loops.
    """

    __slots__ = ("bound", "depth", "reads")

    def __init__(self, source: str) -> None:
        self.bound: set[str] = set()
        self.depth = 0
        raw = self._read(list(tokens(source)))
        self.reads = {
            (name, chain) for name, reads in raw.items() for chain in _chains(reads, raw, (name,))
        }

    def _read(self, found: Sequence[Token]) -> _Reads:
        reads: _Reads = {}
        brackets: list[bool] = []  # open brackets; True for those of a loop
        for index, token in enumerate(found):
            if token.text in ("(", "[", "{"):
                loop = token.text == "(" and _is_loop(found, index)
                brackets.append(loop)
                self.depth = max(self.depth, sum(brackets))
                if loop and index + 1 < len(found):
                    self.bound.add(found[index + 1].text)
            elif token.text in (")", "]", "}"):
                if brackets:
                    brackets.pop()
            elif (
                token.kind == "name"
                and (index == 0 or found[index - 1].text != ".")
                and not _is_given(found, index)
            ):
                reads.setdefault(token.text, set()).add(_members(found, index))
        return reads


_Reads = dict[str, set[tuple[tuple[str, ...], str]]]
"""The chains that follow a name, each with the name that a loop over it gives to an item."""


def _chains(
    reads: Iterable[tuple[tuple[str, ...], str]], raw: _Reads, seen: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """Yield the chains, extended by what a loop reads of the items."""
    for members, item in reads:
        if item not in raw or item in seen or len(seen) > _MAX_ITEMS:
            yield members
            continue
        for chain in _chains(raw[item], raw, (*seen, item)):
            yield (*members, ITEMS, *chain)


def _is_loop(found: Sequence[Token], bracket: int) -> bool:
    return bracket > 1 and found[bracket - 1].text in LOOPS and found[bracket - 2].text == "."


def _is_given(found: Sequence[Token], index: int) -> bool:
    """Return True if a name is the loop variable of a macro at the place that declares it."""
    return (
        index > 0
        and found[index - 1].text == "("
        and _is_loop(found, index - 1)
        and index + 1 < len(found)
        and found[index + 1].text == ","
    )


def _members(found: Sequence[Token], index: int) -> tuple[tuple[str, ...], str]:
    """The members that follow a name, and the name that a loop over them gives to an item, if any.

    A name that is called is a function, not a member.
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
    """Return the line and column, counted from 1, of a character of a text.

    >>> place("a &&\\n b", 6)
    (2, 2)
    """
    before = source[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def place_of_name(source: str, name: str) -> tuple[int, int]:
    """Return the line and column of the first use of a name; those of the start if there is none."""
    for token in tokens(source):
        if token.kind == "name" and token.text == name:
            return place(source, token.start)
    return 1, 1
