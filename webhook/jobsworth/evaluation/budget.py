"""Bounds on the work that one object may cause.

Python cannot interrupt a thread and the engine reads no clock. Work is therefore bounded by counting: the
values of an object before it is evaluated, and the findings while they are made.

    >>> size({"spec": {"parallelism": 3, "completions": 3}}, most=10)
    4
    >>> size([[]] * 1000, most=10)
    11
"""

from __future__ import annotations

from typing import Any

from jobsworth.record import Record

CHARACTERS_PER_VALUE = 64
"""A string counts as one value, and as another for each so many characters, because parsing it takes time."""

BYTES_PER_VALUE = 2
"""The fewest bytes of a value in JSON, with its comma: an object of fewer bytes needs no counting. In YAML
without aliases it is one: that of the dash, bracket or comma before it, or of its key."""


def most_values(json_bytes: int) -> int:
    """Return the most values that a JSON text of so many bytes can have."""
    return -(-json_bytes // BYTES_PER_VALUE)


class Budget(Record):
    """The work that one object may cause.

    Attributes:
        values: the largest size of an object, see :func:`size`; a larger one is not evaluated. The largest of
            1,975 Jobs and CronJobs of public repositories has 2,476 values and 140 kB.
        findings: the number of findings after which the API's validation of an object stops.
    """

    values: int
    findings: int


REQUEST = Budget(values=30_000, findings=1_000)
"""The budget of an admission request, which an API server waits for at most ten seconds."""

MANIFEST = Budget(values=500_000, findings=10_000)
"""The budget of a manifest, which a user waits for, and of a stored object."""


def size(value: Any, most: int) -> int:
    """Return the number of values in a JSON value, or a number above `most` if there are more.

    Every map, list, number, boolean and null counts as one; a string as one more for each
    :data:`CHARACTERS_PER_VALUE` characters. So does the key of a map beyond its first characters.
    """
    count, holders = 0, [[value]]
    while holders and count <= most:
        holder: Any = holders.pop()
        count += len(holder)
        if count > most:
            return most + 1  # before a long list is looked at
        if type(holder) is dict:
            count += sum(map(len, map(str, holder))) // CHARACTERS_PER_VALUE
            holder = holder.values()
        for part in holder:
            kind = type(part)
            if kind is str:
                count += len(part) // CHARACTERS_PER_VALUE
            elif kind is dict or kind is list:
                holders.append(part)
    return count
