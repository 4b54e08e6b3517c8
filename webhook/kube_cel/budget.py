"""The bound of an evaluation: steps, and what it builds."""

from __future__ import annotations

from itertools import chain
from typing import Any

from kube_cel.values import CelError, Optional, Struct

MAX_STEPS = 1_000_000
"""The steps of one expression, as an API server limits its cost.

A step of a plain loop takes 0.4 microseconds on a free machine, and no step more than five times as long
(``tests/kube_cel/test_steps.py``).
"""

MAX_BUILT = 64 * 1024 * 1024
"""The characters and items that an expression may build in all; an item counts as eight characters."""

MAX_NESTING = 100
"""The depth of a value that is read with all its parts. Python's stack must hold the calls."""

_STEP_CHARACTERS = 1024
"""The characters of a text that are read in the time of one step."""

_ITEM = 8

_WITH_SIZE = (str, bytes, list, dict, Optional, Struct)


class OutOfBudget(CelError):
    """An evaluation takes too long, or builds too much; no operator may absorb that.

    Attributes:
        limit: what is more than the maximum, with the maximum.
    """

    def __init__(self, limit: str) -> None:
        super().__init__("operation cancelled: actual cost limit exceeded")
        self.limit = limit


class Budget:
    """The steps and the memory that an evaluation may still use.

    Attributes:
        steps: the steps that are left.
    """

    __slots__ = ("_built", "steps")

    def __init__(self, steps: int = MAX_STEPS, built: int = MAX_BUILT) -> None:
        self.steps = steps
        self._built = built

    def spend(self, steps: int = 1) -> None:
        """Count steps.

        Raises:
            OutOfBudget: there were too many.
        """
        self.steps -= steps
        if self.steps < 0:
            raise OutOfBudget(f"takes more steps for this object than the maximum of {MAX_STEPS}")

    def read(self, *values: Any) -> None:
        """Count the steps of a function that reads all of its arguments.

        Raises:
            OutOfBudget: there were too many.
        """
        steps = 1
        for value in values:
            if isinstance(value, (str, bytes)):
                steps += len(value) // _STEP_CHARACTERS
            elif isinstance(value, (list, dict)):
                steps += len(value)
        self.spend(steps)

    def weigh(self, value: Any, characters: int = _STEP_CHARACTERS) -> int:
        """Return the steps of reading a value with all its parts, one that occurs twice also twice.

        Args:
            value: it.
            characters: of a text that are read in one step.

        Raises:
            OutOfBudget: there are more than are left, or parts are nested too deeply.
        """
        steps, rest = 1, [(value, 0)]
        while rest:
            part, depth = rest.pop()
            if isinstance(part, (str, bytes)):
                steps += len(part) // characters
                continue
            if isinstance(part, Struct):
                part = part.fields
            if isinstance(part, Optional):
                parts: Any = (part.value,)
            elif isinstance(part, dict):
                parts = chain(part, part.values())
            elif isinstance(part, list):
                parts = part
            else:
                continue
            if depth == MAX_NESTING:
                raise OutOfBudget(f"reads more levels of a value than the maximum of {MAX_NESTING}")
            steps += 1 if isinstance(part, Optional) else len(part)
            if steps > self.steps:
                self.spend(steps)
            rest.extend((each, depth + 1) for each in parts if isinstance(each, _WITH_SIZE))
        return steps

    def build(self, value: Any) -> None:
        """Count what a function or operator returned.

        Raises:
            OutOfBudget: it is too much in all.
        """
        if isinstance(value, (str, bytes)):
            self._built -= len(value)
        elif isinstance(value, (list, dict)):
            self._built -= _ITEM * len(value)
        if self._built < 0:
            raise OutOfBudget(f"builds more characters than the maximum of {MAX_BUILT}")


class Steps:
    """The steps that several expressions may still take together.

    Args:
        most: their number at first.
        total: those of which these are a part; None without.

    Attributes:
        most: their number at first.
        left: their number now; negative if an expression needed more.
    """

    __slots__ = ("_total", "left", "most")

    def __init__(self, most: int, total: Steps | None = None) -> None:
        self.left = self.most = most
        self._total = total

    @property
    def exceeded(self) -> str:
        """The reason for which no further expression is evaluated."""
        words = (
            "the expressions of all policies take more steps for this object than the maximum of"
        )
        return f"{words} {self.most}"

    def take(self, number: int) -> None:
        """Subtract steps that an expression took."""
        self.left -= number
        if self._total is not None:
            self._total.take(number)
