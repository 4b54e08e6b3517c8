"""Long computations in steps, between which an event loop answers others or gives the computation up."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Yields after each step, and returns the result."""


def result_of_steps(steps: Steps[T]) -> T:
    """Carry out a computation at once, and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
