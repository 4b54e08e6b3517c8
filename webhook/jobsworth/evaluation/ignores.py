"""Ignores in a manifest: comments and annotations that suppress findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.catalogue import CATALOGUE, UnknownCode, codes_to_change
from jobsworth.lint.manifest_rules import UNUSED_IGNORE

ANNOTATION = "jobsworth.dev/ignore"
ANNOTATION_FIELD = f"metadata.annotations[{ANNOTATION}]"
COMMENT_FORM = "write `# jobsworth: ignore[JW101] reason`"
ANNOTATION_FORM = "list the rules, separated by commas: JW101,JW201"


class Ignore:
    """Codes whose findings are suppressed, on a line or in a whole document.

    Args:
        words: codes, rule names and prefixes of codes, as written.
        line: the line that it applies to; None for the whole document.
        form: advice on the right form, for an ignore without words.

    Attributes:
        codes: the codes that it suppresses.
        faults: the errors in its text, a sentence each.
        used: the codes of findings that it has suppressed.
    """

    __slots__ = ("codes", "faults", "line", "used", "words")

    def __init__(self, words: Sequence[str], line: int | None, form: str) -> None:
        self.line = line
        self.used: set[str] = set()
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
        """Return True if it suppresses a finding of this code in these lines (its own and its key's)."""
        return code in self.codes and (self.line is None or self.line in lines)

    def problem(self, is_reported: Callable[[str], bool], elsewhere: Sequence[int]) -> str:
        """Return its problem, once every finding is known; empty if it has none.

        Args:
            is_reported: returns True if findings of a code are reported when they occur.
            elsewhere: other lines with findings of its codes.
        """
        if self.faults:
            return "; ".join(self.faults)
        if UNUSED_IGNORE.code in self.codes:
            return ""
        if self.used:
            return self._partly_unused(is_reported)
        by_default = [code for code in self.codes if CATALOGUE[code].on]
        if not all(is_reported(code) for code in by_default or self.codes):
            return ""
        place = "in this document" if self.line is None else "on this line"
        message = (
            f"nothing to ignore: no {' or '.join(self.words)} finding {place}; remove this ignore"
        )
        if elsewhere:
            lines = " or ".join(f"line {line}" for line in elsewhere[:3])
            message += f", or move it to {lines}, where it occurs"
        return message

    @property
    def used_words(self) -> list[str]:
        """The words that have suppressed a finding."""
        return [word for word in self.words if not self.used.isdisjoint(codes_to_change(word))]

    def _partly_unused(self, is_reported: Callable[[str], bool]) -> str:
        used = self.used_words
        unused = [
            word
            for word in self.words
            if word not in used and all(is_reported(code) for code in codes_to_change(word))
        ]
        if not unused:
            return ""
        place = "in this document" if self.line is None else "on this line"
        return (
            f"no {' or '.join(unused)} finding {place}; remove {', '.join(unused)} from this ignore"
        )


def from_comment(text: str, line: int | None) -> Ignore | None:
    """Return the ignore in a comment; None for any other comment.

        >>> from_comment("ignore[JW101, notin-zero] as agreed", 7).words
        ['JW101', 'notin-zero']

    Args:
        text: the comment after ``# jobsworth:``.
        line: the line that it applies to; None for the whole document.
    """
    if not text.startswith("ignore"):
        return None
    verb, _, rest = text.partition("[")
    inside, closed, _ = rest.partition("]")
    words = _words(inside) if closed and verb.rstrip() == "ignore" else []
    return Ignore(words, line, COMMENT_FORM)


def from_annotation(value: Any) -> Ignore | None:
    """Return the ignore in an object's annotation ``jobsworth.dev/ignore``; None if there is none."""
    for part in ("metadata", "annotations", ANNOTATION):
        value = value.get(part) if isinstance(value, dict) else None
    return Ignore(_words(value), None, ANNOTATION_FORM) if isinstance(value, str) else None


def unused(ignore: Ignore, message: str, field: str) -> Finding:
    """Return the finding for an ignore that suppresses nothing, or less than it lists.

    An annotation can be fixed; no edit changes a comment.
    """
    fix = None
    if field and ignore.used:
        rest = ",".join(ignore.used_words)
        fix = Fix(f"Set {ANNOTATION}: {rest}", Edit("set", field, rest), safe=True)
    return UNUSED_IGNORE.finding(field, message, fix=fix)


def _words(text: str) -> list[str]:
    return [word for word in (part.strip() for part in text.split(",")) if word]
