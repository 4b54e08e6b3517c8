"""What a procedure asks of the outside world, as values that a driver carries out.

A procedure is a generator: it yields requests, and is resumed with the answers, or with an ApiError. So the
same procedure runs with threads, in an event loop, and against recorded answers.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Get:
    """Read an object, or a page of a list; answered with the decoded JSON object."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GetText:
    """Read a text, such as a log; answered with a str."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)


Reading = Generator[Get | GetText, Any, Result]
"""A procedure that only reads."""
EMPTY: Mapping[str, str] = {}
