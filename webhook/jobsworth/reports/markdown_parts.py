"""Tables, lists and text in Markdown, with text of unknown origin escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from jobsworth.printable import printable

_SPECIAL = "\\`*_{}[]<>#|~&"

_AUTOLINKS = re.compile(
    r"@|[#!](?=\w)|:(?=//)|\bwww\.|\b(?:mailto|xmpp):|\bgh-(?=[0-9])", re.IGNORECASE
)
"""Begins a mention, a reference to an issue, or a link, where GitHub or GitLab make one of plain text.

They look for them in the rendered text, where a backslash is gone: only another node of the document
divides it. Source: GitHub Flavored Markdown 0.29, 6.9 "Autolinks (extension)".
"""
_DIVIDER = "<!-- -->"


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
    r"""Return text that Markdown and HTML show as it is, and that mentions no user and links nowhere.

    >>> escaped("rules[0] @here")
    'rules\\[0\\] @<!-- -->here'
    """
    text, parts, done = printable(text), [], 0
    for found in _AUTOLINKS.finditer(text):
        parts += [_escaped(text[done : found.end()]), _DIVIDER]
        done = found.end()
    return "".join((*parts, _escaped(text[done:])))


def _escaped(text: str) -> str:
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
