"""Ignores that stand in a manifest: a comment or an annotation that keeps a finding from being told."""

from __future__ import annotations

from jobsworth.lint.catalogue import CATALOGUE, UnknownCode, codes_to_change
from jobsworth.lint.manifest_rules import UNUSED_IGNORE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from jobsworth.findings.finding import Finding

ANNOTATION = "jobsworth.dev/ignore"
ANNOTATION_FIELD = f"metadata.annotations[{ANNOTATION}]"
COMMENT_FORM = "write `# jobsworth: ignore[JW101] reason`"
ANNOTATION_FORM = "write the rules with commas between: JW101,JW201"


class Ignore:
    """Some codes that somebody wants to hear nothing of, on a line or in a whole document.

    Args:
        words: codes, names and beginnings of codes, as they were written.
        line: the line that it is for; None for the whole document.
        form: what to write instead, where there is no word.

    Attributes:
        codes: those of them that can be ignored.
        faults: what is wrong with how it is written, a sentence each.
        used: whether it has kept a finding back.
    """

    __slots__ = ("codes", "faults", "line", "used", "words")

    def __init__(self, words: Sequence[str], line: int | None, form: str) -> None:
        self.line = line
        self.used = False
        self.words = words
        self.faults = [] if words else [f"this ignore names no rule; {form}"]
        codes: set[str] = set()
        for word in words:
            try:
                codes |= codes_to_change(word)
            except UnknownCode as error:
                self.faults.append(str(error))
        self.codes = frozenset(codes)

    def hides(self, code: str, lines: Sequence[int]) -> bool:
        """Whether it is about a finding of this code that stands, with its key, in these lines."""
        return code in self.codes and (self.line is None or self.line in lines)

    def problem(self, asked: Callable[[str], bool], elsewhere: Sequence[int]) -> str:
        """What is wrong with it once every finding is known; empty when it does its work.

        Args:
            asked: whether the findings of a code are reported at all, so that they can be missed.
            elsewhere: other lines where findings of its codes stand.
        """
        if self.faults:
            return "; ".join(self.faults)
        if self.used or UNUSED_IGNORE.code in self.codes:
            return ""
        by_default = [code for code in self.codes if CATALOGUE[code].on]
        if not all(asked(code) for code in by_default or self.codes):
            return ""
        place = "in this document" if self.line is None else "on this line"
        message = f"there is no {' or '.join(self.words)} to ignore {place}: remove this"
        if elsewhere:
            lines = " or ".join(f"line {line}" for line in elsewhere[:3])
            message += f", or move it to {lines}, where it is found"
        return message


def from_comment(text: str, line: int | None) -> Ignore | None:
    """The ignore that a comment says; None when it says something else.

    >>> from_comment("ignore[JW101, notin-zero] as agreed", 7).words
    ['JW101', 'notin-zero']

    Args:
        text: the comment behind ``# jobsworth:``.
        line: the line that it is for; None for the whole document.
    """
    if not text.startswith("ignore"):
        return None
    verb, _, rest = text.partition("[")
    inside, closed, _ = rest.partition("]")
    words = _words(inside) if closed and verb.rstrip() == "ignore" else []
    return Ignore(words, line, COMMENT_FORM)


def from_annotation(value: Any) -> Ignore | None:
    """The ignore in an object's annotation ``jobsworth.dev/ignore``; None when there is none."""
    for part in ("metadata", "annotations", ANNOTATION):
        value = value.get(part) if isinstance(value, dict) else None
    return Ignore(_words(value), None, ANNOTATION_FORM) if isinstance(value, str) else None


def unused(message: str, field: str = "") -> Finding:
    """The finding for an ignore that is of no use."""
    return UNUSED_IGNORE.finding(field, message)


def _words(text: str) -> list[str]:
    return [word for word in (part.strip() for part in text.split(",")) if word]
