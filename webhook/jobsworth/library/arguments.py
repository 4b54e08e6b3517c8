"""Check the arguments of the public functions, so that an error names the one that is wrong."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from jobsworth.api.api_server import ALLOW_PRIVILEGED, NEWEST_RELEASE, ApiServer
from jobsworth.controller.times import problem_of_time


def check_type(name: str, value: object, kind: type, expected: str) -> None:
    """Check the type of an argument; True and False are not numbers.

    Raises:
        TypeError: it has another type than `expected` says.
    """
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise TypeError(f"{name} must be {expected}, not {shown(value)}")


def texts(name: str, value: object, expected: str) -> tuple[str, ...]:
    """Return the strings of a list; one string is not a list of its letters.

    Raises:
        TypeError: it is not a list, or an item is not a str.
    """
    items = documents(name, value, expected)
    for number, item in enumerate(items):
        check_type(f"{name}[{number}]", item, str, "a str")
    return tuple(items)


def documents(name: str, value: object, expected: str) -> list[Any]:
    """Return the documents of a list; one document is not a list of its keys.

    Raises:
        TypeError: it is not a list.
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of {expected}, not {shown(value)}")
    return list(value)


def seconds_of(now: object) -> float:
    """Return the argument `now` in seconds since 1970.

    Raises:
        TypeError: it is not a datetime.
        ValueError: its year is out of range.
    """
    if not isinstance(now, datetime):
        raise TypeError(f"now must be a datetime, not {shown(now)}")
    try:
        seconds = now.timestamp()
    except (
        ValueError,
        OverflowError,
        OSError,
    ):  # of a time without a zone, near the years 1 and 9999
        seconds = float("inf")
    problem = problem_of_time(seconds)
    if problem:
        raise ValueError(f"now: {problem}")
    return seconds


def shown(value: object) -> str:
    """Return the type of an argument, with the value of a short one.

    >>> shown(1.3), shown([1])
    ('float 1.3', 'list')
    """
    kind = type(value).__name__
    short = isinstance(value, str | bytes | int | float) and not isinstance(value, bool)
    return f"{kind} {reprlib.repr(value)}" if short else kind


def api_server(
    release: object = None, gates: object = None, allow_privileged: bool = ALLOW_PRIVILEGED
) -> ApiServer:
    """Return the API server of a release, with other gates than by default.

    Raises:
        TypeError: an argument has another type.
        UnknownRelease: the release does not exist, or is not known.
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    if not isinstance(release, str | None):
        raise TypeError(f'kubernetes_version must be a str such as "1.30", not {shown(release)}')
    if not isinstance(gates, Mapping | None):
        raise TypeError(
            f"feature_gates must be a mapping of names to True or False, not {shown(gates)}"
        )
    for name, state in (gates or {}).items():
        check_type("a name in feature_gates", name, str, "a str")
        check_type(f"feature_gates[{name!r}]", state, bool, "True or False")
    check_type("allow_privileged", allow_privileged, bool, "True or False")
    return ApiServer(release or NEWEST_RELEASE, gates, allow_privileged=allow_privileged)
