"""Convert API times to and from whole seconds since 1970.

Source: ``metav1.Time``, which is serialized with a precision of one second.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


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


def write_time(seconds: int) -> str:
    """Return the time in the format of the API.

    >>> write_time(60)
    '1970-01-01T00:01:00Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
