"""Lines that fell out of a block scalar: text after ``|`` or ``>`` that is indented too little.

Scripts and configuration files are embedded in manifests as block scalars. A line with less indentation than
the first one ends the text, and the parser reports an error there or much later, or the line becomes a
field that nobody knows. Imported for such manifests only.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HEREDOC = re.compile(r"(?<!<)<<-?[ \t]*['\"\\]?([A-Za-z_]\w*)")
_KEY = re.compile(r"""["']?[\w./$-]+["']?[ ]*:(?:\s|$)""")
_MAY_LACK_COLON = re.compile(r"[A-Za-z][\w./-]*(?: \S+)?")
_INDICATORS = frozenset("+-0123456789")
_TEMPLATE_MARKS = ("{{", "{%", "{#", "<%")


@dataclass(frozen=True, slots=True)
class FallenLine:
    """A line that is indented less than the block scalar that it belongs to.

    Attributes:
        index: the index of its first character that is not a space.
        missing: the number of spaces that it lacks, or the least indented line of its here-document.
        header: the index of the line with the indicator of the block scalar.
        indicator: ``|`` or ``>``.
        is_first: True if the text has no line at all because of it.
        in_heredoc: the word that ends the here-document that the line belongs to; empty outside of one.
        sure: True if the line cannot be a key without its colon.
    """

    index: int
    missing: int
    header: int
    indicator: str
    in_heredoc: str = ""
    sure: bool = True
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that is not blank: the index of its start, its indentation, and its text."""

    start: int
    indent: int
    text: str


class _BlockScalar:
    """A block scalar: the line of its indicator, the least indentation, and the here-document in it."""

    __slots__ = ("_heredoc", "header", "indent", "indicator", "least")

    def __init__(self, header: _Line, indicator: str, least: int) -> None:
        self.header = header
        self.indicator = indicator
        self.least = least
        self.indent = 0
        self._heredoc = ""

    @property
    def heredoc(self) -> str:
        """The word that ends the open here-document; empty without one."""
        return self._heredoc

    def takes(self, line: _Line) -> bool:
        """Return True if a line belongs to the text."""
        if not self.indent and line.indent >= self.least:
            self.indent = line.indent
        if not self.indent or line.indent < self.indent:
            return False
        if not self._heredoc:
            found = _HEREDOC.search(line.text)
            self._heredoc = found.group(1) if found else ""
        elif line.text.strip() == self._heredoc:
            self._heredoc = ""
        return True

    def fallen(self, line: _Line, missing: int, heredoc: str = "", *, sure: bool) -> FallenLine:
        place, begin = line.start + line.indent, self.header.start
        return FallenLine(
            place, missing, begin, self.indicator, heredoc, sure, is_first=not self.indent
        )


def fallen_line(text: str, indexes: Sequence[int]) -> FallenLine | None:
    """Return the line that ended a block scalar by mistake; None if another cause is as likely.

    Args:
        text: the text of a document that cannot be read.
        indexes: the places at which the parser has reported the error.
    """
    reported = {text.rfind("\n", 0, index) + 1 for index in indexes}
    last = max(reported)
    block: _BlockScalar | None = None
    comment: _Line | None = None
    found: FallenLine | None = None
    lines = list(_lines(text))
    last_of = {line.text.strip(): number for number, line in enumerate(lines)}
    for number, line in enumerate(lines):
        if line.start > last:
            break
        if block is not None and comment is not None and line.indent >= block.indent:
            missing = block.indent - comment.indent
            found = block.fallen(comment, missing, sure=True) if line.start in reported else None
            block = comment = None
        if block is not None:
            if block.takes(line):
                continue
            if block.heredoc and number <= last_of.get(block.heredoc, -1):
                least = min(each.indent for each in lines[number : last_of[block.heredoc] + 1])
                return block.fallen(line, block.indent - least, block.heredoc, sure=True)
            if line.text.startswith("#"):
                comment = comment or line
                continue
            found = _as_fallen(block, line) if line.start in reported else None
            block = comment = None
        block = block or _begun_by(line)
    return found


def fallen_fields(text: str) -> dict[int, FallenLine]:
    """Return the lines of a readable document that ended a block scalar, or are in its here-document.

    A field that nobody knows in such a line was probably text.

    Args:
        text: the text of the document.

    Returns:
        By the number of the line, from 0. A line is sure to be text if it is in a here-document.
    """
    lines = list(_lines(text))
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(line.text.strip(), []).append(number)
    found: dict[int, FallenLine] = {}
    number_of, at, end = 0, 0, -1
    block: _BlockScalar | None = None
    for number, line in enumerate(lines):
        number_of += text.count("\n", at, line.start)
        at = line.start
        if block is not None and (number <= end or not block.takes(line)):
            if number > end and block.heredoc:
                ends = places.get(block.heredoc, [])
                following = bisect_left(ends, number)
                end = ends[following] if following < len(ends) else -1
                least = min((each.indent for each in lines[number : end + 1]), default=0)
                in_heredoc, missing = block.heredoc, block.indent - least
            if number <= end:
                found[number_of] = block.fallen(line, missing, in_heredoc, sure=True)
                continue
            if block.indent and not line.text.startswith("#"):
                found[number_of] = block.fallen(line, block.indent - line.indent, sure=False)
            block = None
        block = block or _begun_by(line)
    return found


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        if line.strip():
            yield _Line(start, len(line) - len(line.lstrip(" ")), line.strip(" \r"))
        start += len(line) + 1


def _begun_by(line: _Line) -> _BlockScalar | None:
    """Return the block scalar whose indicator ends a line."""
    before, _, indicator = line.text.partition(" #")[0].rstrip().rpartition(" ")
    if indicator[:1] not in ("|", ">") or len(indicator) > 3 or set(indicator[1:]) - _INDICATORS:
        return None
    before = before.rstrip()
    if before[-1:] not in (":", "-") and before.rpartition(" ")[2][:1] not in ("!", "&"):
        return None
    column, rest = line.indent, before
    while rest.startswith("- "):
        inner = rest[1:].lstrip()
        column, rest = column + len(rest) - len(inner), inner
    return _BlockScalar(line, indicator[0], column + 1)


def _as_fallen(block: _BlockScalar, line: _Line) -> FallenLine | None:
    """Return a line that ended a block scalar, unless it may be a key or an item of the manifest."""
    if line.text[0] in "-\t" or _KEY.match(line.text):
        return None
    if any(mark in line.text for mark in _TEMPLATE_MARKS):
        return None
    sure = _MAY_LACK_COLON.fullmatch(line.text) is None
    # A text is mostly indented by two more than the line that begins it.
    indent = block.indent or block.least + 1
    return block.fallen(line, indent - line.indent, sure=sure)
