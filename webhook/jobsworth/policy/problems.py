"""Problems of JobPolicy documents, collected and reported together."""

from __future__ import annotations

from dataclasses import dataclass

from jobsworth.findings.edits import is_part_of


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of one field of a document.

    Attributes:
        document: the number of the document, counted from 0.
        field: the field path as Kubernetes writes it: ``spec.limits.backoffLimit.maximum``; empty for
            the whole document.
        message: the problem.
        hint: how to fix it; may be empty.
        other: the number of the document that the message ends with; None if it ends with none.
    """

    document: int
    field: str
    message: str
    hint: str = ""
    other: int | None = None

    def text(self, other: str) -> str:
        """Return the message, ending with a name of the other document, and the hint in parentheses."""
        message = self.message if self.other is None else f"{self.message} {other}"
        return f"{message} ({self.hint})" if self.hint else message

    def __str__(self) -> str:
        text = self.text("" if self.other is None else f"document {self.other + 1}")
        return f"{self.field}: {text}" if self.field else text


class BadPolicy(ValueError):
    """Documents that do not form a valid set of policies.

    Attributes:
        problems: every problem, in the order of the documents.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(
            "; ".join(f"document {problem.document + 1}: {problem}" for problem in problems)
        )
        self.problems = problems


class Problems:
    """A collector for the problems of one document."""

    __slots__ = ("document", "found")

    def __init__(self, document: int) -> None:
        self.document = document
        self.found: list[Problem] = []

    def add(self, field: str, message: str, hint: str = "", other: int | None = None) -> None:
        """Add a problem: its field path, its message, its hint and the other document that it is about."""
        self.found.append(Problem(self.document, field, message, hint, other))

    def at_or_below(self, field: str) -> bool:
        """Return True if a problem concerns a field or a part of it."""
        return any(is_part_of(problem.field, field) for problem in self.found)
