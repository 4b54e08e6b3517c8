"""The error of a text that is not CEL."""

from __future__ import annotations


class CelSyntaxError(ValueError):
    """A text is not a CEL expression.

    Attributes:
        at: the offset of the problem in characters.
        message: the problem, in the words of kube-apiserver where it has them.
    """

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message
