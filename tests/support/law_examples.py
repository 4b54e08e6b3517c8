"""How many cases a slow law is tried with: few by default, many with ``pytest --hypothesis-profile=thorough``.

The latter is what ``.ci/long`` does with the files that import this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

_Case = TypeVar("_Case")


def number_of_examples(few: int) -> int:
    """Return a number of random examples: few, or ten times as many."""
    return few * 10 if _thorough() else few


def some_of(cases: Sequence[_Case], *, every: int) -> Sequence[_Case]:
    """Return one in so many cases, or all of them."""
    return cases if _thorough() else cases[::every]


def _thorough() -> bool:
    return settings.get_current_profile_name() == "thorough"
