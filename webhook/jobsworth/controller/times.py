"""Times of the API as whole seconds since 1970, in UTC: a Job's status knows nothing finer.

Source: ``metav1.Time``, which is written with a precision of one second.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


@lru_cache(maxsize=4096)
def read_time(text: str | None) -> int | None:
    """The seconds since 1970 of a time of the API; None for none and for what is no time.

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
    """The time as the API writes it.

    >>> write_time(60)
    '1970-01-01T00:01:00Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
