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
    """

    document: int
    field: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        text = f"{self.field}: {self.message}" if self.field else self.message
        return f"{text} ({self.hint})" if self.hint else text


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

    def add(self, field: str, message: str, hint: str = "") -> None:
        """Add a problem: its field path, its message and its hint."""
        self.found.append(Problem(self.document, field, message, hint))

    def at_or_below(self, field: str) -> bool:
        """Return True if a problem concerns a field or a part of it."""
        return any(is_part_of(problem.field, field) for problem in self.found)
