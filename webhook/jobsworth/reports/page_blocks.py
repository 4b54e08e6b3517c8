"""The parts of a page without scripts: charts and tables that fit any width, and notes.

A chart is an image to screen readers: a table beside it has the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from jobsworth.runs.run_statistics import Interval


class Amount(NamedTuple):
    """A row of a bar chart.

    Attributes:
        parts: the stacked parts of the bar, each with its kind, which has a color of the style sheet.
        interval: the interval to mark; None for none.
        words: the value in words.
    """

    name: str
    parts: tuple[tuple[str, float], ...]
    interval: Interval | None
    words: str


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar chart.

    Attributes:
        label: its name for screen readers.
        amounts: its rows.
        most: the value at the end of the scale.
        kinds: for the legend, kinds of parts with what they mean.
    """

    macro: ClassVar[str] = "bars"
    label: str
    amounts: Sequence[Amount]
    most: float
    kinds: Sequence[tuple[str, str]] = ()

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The kinds of parts that occur, with what they mean."""
        present = {kind for amount in self.amounts for kind, value in amount.parts if value}
        return [(kind, words) for kind, words in self.kinds if kind in present]


@dataclass(frozen=True, slots=True)
class Histograms:
    """A histogram for each name, all with one scale of the values.

    Attributes:
        label: the name of the chart for screen readers.
        rows: names with the counts of the bins.
        ends: labels of the scale, from its start to its end.
    """

    macro: ClassVar[str] = "histograms"
    label: str
    rows: Sequence[tuple[str, Sequence[int]]]
    ends: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        label: its name for screen readers.
        rows: the first row has the names of the columns.
        summary: the table is folded under these words; empty for an open one.
    """

    macro: ClassVar[str] = "table"
    label: str
    rows: Sequence[Sequence[str]]
    summary: str = ""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A table of numbers with shades.

    Attributes:
        days: the weekday and the date of each column.
        rows: a name and the numbers of each row, with their levels; None for no number.
        levels: the number of shades.
        most: the largest number.
    """

    macro: ClassVar[str] = "heat_map"
    days: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, Sequence[tuple[int, int] | None]]]
    levels: int
    most: int


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence; a soft one is less important."""

    macro: ClassVar[str] = "note"
    text: str
    soft: bool = True


Block = Bars | Histograms | Table | HeatMap | Note
