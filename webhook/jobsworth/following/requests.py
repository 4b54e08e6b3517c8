"""Requests of a procedure to the outside world, as values that a driver carries out.

A procedure is a generator: it yields requests, and is resumed with the answers, or with an ApiError. So the
same procedure runs with threads, in an event loop, and against recorded answers.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from jobsworth.client.api_errors import ApiError

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


@dataclass(frozen=True, slots=True)
class Watch:
    """Begin to watch a list, in place of an earlier watch with this key; answered with None at once.

    Attributes:
        key: by which its changes are known.
        version: the resourceVersion of the list, after which changes are wanted.
    """

    key: str
    path: str
    version: str
    selectors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Next:
    """Wait for a change; answered with a :data:`Happening`.

    Attributes:
        until: the time of the clock at which to stop waiting; None to wait without a limit.
    """

    until: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Show how far the Job is; answered with None."""

    progress: Any


@dataclass(frozen=True, slots=True)
class Changed:
    """A watched object changed: ``ADDED``, ``MODIFIED`` or ``DELETED``, with its last state."""

    key: str
    kind: str
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """A watch ended, as each does after minutes; `error` is None if the API server ended it."""

    key: str
    error: ApiError | None = None


@dataclass(frozen=True, slots=True)
class TimePassed:
    """The time of :class:`Next` was reached."""


Happening = Changed | Ended | TimePassed
Following = Generator[Get | GetText | Watch | Next | Report, Any, Result]
"""A procedure that reads, watches and waits."""
