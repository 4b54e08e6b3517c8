"""Tables, lists and text in Markdown, with text of unknown origin escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_SPECIAL = "\\`*_{}[]<>#|~@&"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(map(escaped, headers))} |"
    yield f"|{' --- |' * len(headers)}"
    for row in rows:
        yield f"| {' | '.join(map(escaped, row))} |"


def bullets(items: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a list."""
    for item in items:
        yield f"- {escaped(item)}"


def escaped(text: str) -> str:
    r"""Return text that Markdown and HTML show as it is, and that mentions no user.

    >>> escaped("rules[0] @here")
    'rules\\[0\\] \\@here'
    """
    text = printable(text)
    return "".join(
        "&amp;"
        if each == "&"
        else "&lt;"
        if each == "<"
        else f"\\{each}"
        if each in _SPECIAL
        else each
        for each in text
    )
