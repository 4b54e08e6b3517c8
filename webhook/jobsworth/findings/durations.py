"""Durations that users write."""

from __future__ import annotations

import re
from decimal import Decimal

from kube_cel.formats import duration

_DAYS_AND_WEEKS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([dw])")
_HOURS = {"d": 24, "w": 168}


def nanoseconds_of(text: str) -> int:
    """Return a Go duration, which may also have days and weeks, in nanoseconds.

    Raises:
        BadDuration: the text is none.

    >>> nanoseconds_of("1d12h") == nanoseconds_of("1.5d") == 36 * 3600 * 10**9
    True
    """
    return duration.parse(
        _DAYS_AND_WEEKS.sub(lambda part: f"{Decimal(part[1]) * _HOURS[part[2]]:f}h", text)
    )


def seconds_of(text: str) -> int | None:
    """Return a duration such as ``2h`` or ``1h30m``, where a number of seconds belongs; None for other text.

    >>> seconds_of("2h"), seconds_of("1h30min"), seconds_of("soon"), seconds_of("0"), seconds_of("1ms")
    (7200, 5400, None, None, None)
    """
    short = text.strip().lower().replace("sec", "s").replace("min", "m")
    try:
        seconds, rest = divmod(nanoseconds_of(short), 10**9)
    except duration.BadDuration:
        return None
    return seconds if not rest and short[-1:].isalpha() and short[0].isdigit() else None
