"""Sets of completion indexes, stored as the intervals of their text form: ``1,3-5,7``.

Parsing is lenient where the API server is strict (:mod:`jobsworth.api.formats.indexes`): the list was
valid when it was stored, but completions may have been larger then. Source: Kubernetes 1.36 and
KEP-2214.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache


@dataclass(frozen=True)
class IndexSet:
    """Indexes as intervals (first, last), in order, with a gap between any two.

    >>> IndexSet.of([4, 1, 3]).text, 4 in IndexSet.of([4]), len(IndexSet.of([4, 1, 3]))
    ('1,3,4', True, 3)
    """

    intervals: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, indexes: Iterable[int]) -> IndexSet:
        """Return the set of these indexes, given in any order."""
        return cls(_merged((index, index) for index in sorted(indexes)))

    @classmethod
    def read(cls, text: str | None, limit: int) -> IndexSet:
        """Read a list of indexes.

        Args:
            text: the list; pieces that cannot be parsed are skipped.
            limit: indexes equal to or above it are omitted.

        >>> IndexSet.read("0,1-foo,bar,7-12", 10).text
        '0,7-9'
        """
        if not text:
            return _EMPTY
        written = _written.get(text)
        if written is not None and written.intervals[-1][1] < limit:
            return written
        return _read(text, limit)

    def __contains__(self, index: int) -> bool:
        position = bisect_right(self.intervals, index, key=_first) - 1
        return position >= 0 and index <= self.intervals[position][1]

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return bool(self.intervals)

    @cached_property
    def _count(self) -> int:
        return sum([last - first + 1 for first, last in self.intervals])

    @cached_property
    def text(self) -> str:
        """The list in status format: two consecutive indexes as ``a,b``, more as ``a-b``."""
        text = ",".join(
            [
                f"{first}"
                if first == last
                else f"{first},{last}"
                if last == first + 1
                else f"{first}-{last}"
                for first, last in self.intervals
            ]
        )
        if self.intervals:
            _written[text] = self
        if len(_written) > _KEPT:
            _written.popitem(last=False)
        return text

    def union(self, other: IndexSet) -> IndexSet:
        """Return the union of both sets."""
        if not other.intervals:
            return self
        if not self.intervals:
            return other
        if len(other.intervals) * _FEW < len(self.intervals):
            return self._with_few(other)
        return IndexSet(_merged(sorted((*self.intervals, *other.intervals))))

    def _with_few(self, other: IndexSet) -> IndexSet:
        """Return the union with a set of few intervals, without comparing all of one's own."""
        joined = list(self.intervals)
        for interval in other.intervals:
            begin = bisect_left(joined, interval[0] - 1, key=_last)
            end = bisect_right(joined, interval[1] + 1, key=_first)
            joined[begin:end] = _merged(sorted((interval, *joined[begin:end])))
        return IndexSet(tuple(joined))

    def overlap(self, other: IndexSet) -> int:
        """Return the number of indexes in both sets.

        >>> IndexSet.of([1, 2, 3]).overlap(IndexSet.of([3, 4]))
        1
        """
        shared, mine, theirs = 0, 0, 0
        ours, others = self.intervals, other.intervals
        while mine < len(ours) and theirs < len(others):
            (first, last), (their_first, their_last) = ours[mine], others[theirs]
            shared += max(0, min(last, their_last) - max(first, their_first) + 1)
            if last < their_last:
                mine += 1
            else:
                theirs += 1
        return shared

    def absent(self, limit: int, start: int = 0) -> Iterator[int]:
        """Yield the indexes from `start` on and below a limit that are not in the set, in order.

        >>> list(IndexSet.of([1, 2, 5]).absent(7)), list(IndexSet.of([1, 2, 5]).absent(7, 2))
        ([0, 3, 4, 6], [3, 4, 6])
        """
        candidate = start
        for first, last in self.intervals[bisect_left(self.intervals, start, key=_last) :]:
            yield from range(candidate, min(first, limit))
            candidate = last + 1
        yield from range(candidate, limit)


_FEW = 16
"""A union is computed interval by interval if the other set has so many times more."""


def _merged(ordered: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Merge ordered intervals that touch or overlap."""
    joined: list[tuple[int, int]] = []
    for first, last in ordered:
        if joined and first <= joined[-1][1] + 1:
            if last > joined[-1][1]:
                joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return tuple(joined)


_EMPTY = IndexSet()


_KEPT = 64
_written: OrderedDict[str, IndexSet] = OrderedDict()
"""The sets whose texts were written last: a sync of a Job mostly reads what the one before it wrote."""


@lru_cache(maxsize=_KEPT)
def _read(text: str, limit: int) -> IndexSet:
    """Parse a list that none of these sets has written."""
    found = []
    for first, last in _INTERVALS.findall(text):
        start = int(first)
        if start >= limit:
            break
        end = min(int(last), limit - 1) if last else start
        if start <= end:
            found.append((start, end))
    return IndexSet(_merged(sorted(found)))


_INTERVALS = re.compile(r"(?<![^,])(\+?[0-9]{1,19})(?:-(\+?[0-9]{1,19}))?(?![^,])")
"""Matches the pieces that Go parses as one int64 or two: with a plus sign or not, of at most 19 digits."""


def _first(interval: tuple[int, int]) -> int:
    return interval[0]


def _last(interval: tuple[int, int]) -> int:
    return interval[1]
