"""Self-contained HTML pages, which load nothing: templates of Jinja2, with all values escaped.

A chart is an image to screen readers: a table beside it has the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from jobsworth.printable import printable
from jobsworth.runs.run_statistics import Interval

if TYPE_CHECKING:
    from jinja2 import Environment


def rendered(template: str, **values: Any) -> str:
    """Return a page from a template in the folder ``templates``."""
    return _environment().get_template(template).render(values)


def static_page(
    title: str,
    heading: str,
    introduction: Sequence[Block],
    sections: Iterable[tuple[str, Sequence[Block]]],
    command: str,
) -> str:
    """Return a page without scripts.

    Args:
        title, heading: of the page.
        introduction: what stands below the heading.
        sections: the heading of each and its content; one without content is left out.
        command: the command that made the page, such as ``jobsworth simulate``.
    """
    return rendered(
        "static.html",
        title=title,
        heading=heading,
        introduction=introduction,
        sections=[(name, blocks) for name, blocks in sections if blocks],
        command=command,
    )


def page_text(text: str) -> str:
    """Return text of unknown origin for XML: it controls neither markup, a terminal nor its direction."""
    return escape(printable(text))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("jobsworth.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    environment.filters["share"] = _share
    return environment


def _finalized(value: Any) -> Any:
    """Return a value of a template in which nothing controls a terminal; Jinja2 escapes it afterwards."""
    return printable(value) if type(value) is str else value


def _share(value: float, most: float) -> str:
    return f"{min(100.0, value / most * 100) if most else 0:.2f}%"


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
