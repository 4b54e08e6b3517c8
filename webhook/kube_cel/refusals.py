"""The reasons for which a release does not accept an expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "Syntax", "TooLong", "UndeclaredVariable", "UndeclaredFunction", "UndefinedField", "NoFieldSelection",
    "NotIterable", "NoOverload", "TypeMismatch", "WrongResult", "InvalidLiteral", "InvalidFormat",
    "FailingConstant",
]  # fmt: skip
"""The kinds of refusals."""

UNDECLARED: tuple[Kind, ...] = ("UndeclaredVariable", "UndeclaredFunction", "UndefinedField")
"""The kinds for a name that nothing declares."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason for which a release does not accept an expression.

    Attributes:
        at: the offset in characters; None if it is about the whole expression.
        kind: what is wrong.
        message: in the words of kube-apiserver where the text is its own.
        name: what it is about: a variable, function, operator (``_==_``), field, or the type of the result;
            empty for others.
    """

    at: int | None
    kind: Kind
    message: str
    name: str = ""


class Refused(ValueError):
    """A release does not accept an expression.

    Attributes:
        refusals: all reasons, in the order of the text.
    """

    def __init__(self, refusals: list[Refusal]) -> None:
        super().__init__(refusals[0].message)
        self.refusals = refusals


def in_order(refusals: list[Refusal]) -> list[Refusal]:
    """Return refusals in the order of the text, and those of one place by their words."""
    return sorted(refusals, key=lambda each: (each.at or 0, each.message))


def place(source: str, offset: int) -> tuple[int, int]:
    """Return the line and column, counted from 1, of a character of a text.

    >>> place("a &&\\n b", 6)
    (2, 2)
    """
    before = source[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
