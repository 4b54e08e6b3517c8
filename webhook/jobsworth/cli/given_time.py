"""A time that an option gives."""

from __future__ import annotations

import time

from jobsworth.controller.times import problem_of_time, read_time
from jobsworth.usage_error import UsageError


def given_time(option: str, text: str | None) -> int:
    """Return the time in seconds since 1970; now if the option is not given.

    Raises:
        UsageError: the text is no time, or its year is out of range.
    """
    if text is None:
        return int(time.time())
    found = read_time(text)
    if found is None:
        raise UsageError(
            f'{option}: "{text}" is not a date such as 2027-03-27 or 2027-03-27T01:30Z'
        )
    problem = problem_of_time(found)
    if problem:
        raise UsageError(f"{option}: {problem}")
    return found
