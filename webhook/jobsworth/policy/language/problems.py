"""What is wrong with JobPolicy documents: all of it at once, each with its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with one field of one document.

    Attributes:
        document: the number of the document, from 0, among those that were read.
        field: the field path as Kubernetes writes it: ``spec.limits.backoffLimit.maximum``; empty for
            the whole document.
        message: what is wrong.
        hint: what would be right; may be empty.
    """

    document: int
    field: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        text = f"{self.field}: {self.message}" if self.field else self.message
        return f"{text} ({self.hint})" if self.hint else text


class BadPolicy(ValueError):
    """Documents that are no set of policies.

    Attributes:
        problems: all that is wrong, in the order of the documents.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(
            "; ".join(f"document {problem.document + 1}: {problem}" for problem in problems)
        )
        self.problems = problems


class Problems:
    """Takes notes of what is wrong with one document, while it is read."""

    __slots__ = ("document", "found")

    def __init__(self, document: int) -> None:
        self.document = document
        self.found: list[Problem] = []

    def add(self, field: str, message: str, hint: str = "") -> None:
        """Note a problem: field path, what is wrong, what would be right."""
        self.found.append(Problem(self.document, field, message, hint))

    def at_or_below(self, field: str) -> bool:
        """Whether a problem has been noted with a field or what lies below it."""
        return any(
            problem.field == field or problem.field.startswith((f"{field}.", f"{field}["))
            for problem in self.found
        )
