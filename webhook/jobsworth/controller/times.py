"""Convert API times to and from whole seconds since 1970.

Source: ``metav1.Time``, which is serialized with a precision of one second.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

FIRST_YEAR, LAST_YEAR = 1971, 2199
"""The years of a time that a user gives: what schedules and time zones add fits in datetime."""

_BEGIN, _END = (
    datetime(year, 1, 1, tzinfo=UTC).timestamp() for year in (FIRST_YEAR, LAST_YEAR + 1)
)


@lru_cache(maxsize=4096)
def read_time(text: str | None) -> int | None:
    """Return an API time in seconds since 1970; None for None and for invalid text.

    >>> read_time("1970-01-01T00:01:00Z"), read_time(None), read_time("soon")
    (60, None, None)
    """
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return int(moment.timestamp() // 1)


def problem_of_time(seconds: float) -> str:
    """Return what is wrong with a time that a user gives, in seconds since 1970; empty if nothing is.

    >>> problem_of_time(253402214400)
    'the year must be from 1971 to 2199'
    """
    if _BEGIN <= seconds < _END:
        return ""
    return f"the year must be from {FIRST_YEAR} to {LAST_YEAR}"


def write_time(seconds: int) -> str:
    """Return the time in the format of the API.

    >>> write_time(60)
    '1970-01-01T00:01:00Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
