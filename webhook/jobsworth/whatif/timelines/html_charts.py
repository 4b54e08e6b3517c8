"""Charts and tables of a page without scripts, as HTML that fits any width.

A chart is an image to screen readers: a table beside it has the same numbers.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.whatif.timelines.timeline_page import page_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jobsworth.whatif.run_statistics import Interval

_STYLE = "chart_style.css"


def chart_style() -> str:
    """Return the style sheet of the charts."""
    return (files(__package__) / _STYLE).read_text(encoding="utf-8")


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


def bars(label: str, amounts: Sequence[Amount], most: float) -> Iterator[str]:
    """Yield a bar chart.

    Args:
        label: its name for screen readers.
        most: the value at the end of the scale.
    """
    yield f'<div class="amounts" role="img" aria-label="{page_text(label)}">\n'
    for amount in amounts:
        parts = "".join(
            f'<span class="bar-{kind}" style="width:{_percent(value, most)}"></span>'
            for kind, value in amount.parts
            if value
        )
        track = f'<span class="track">{parts}{_whisker(amount.interval, most)}</span>'
        yield _amount(amount.name, track, amount.words)
    yield "</div>\n"


def _whisker(interval: Interval | None, most: float) -> str:
    if interval is None or interval.low == interval.high:
        return ""
    low, wide = _percent(interval.low, most), _percent(interval.high - interval.low, most)
    return f'<span class="whisker" style="left:{low};width:{wide}"></span>'


def _percent(value: float, most: float) -> str:
    return f"{min(100.0, value / most * 100) if most else 0:.2f}%"


def histograms(
    label: str, rows: Sequence[tuple[str, Sequence[int]]], ends: Sequence[str]
) -> Iterator[str]:
    """Yield a histogram for each name, all with one scale of the values.

    Args:
        label: the name of the chart for screen readers.
        rows: names with the counts of the bins.
        ends: labels of the scale, from its begin to its end.
    """
    yield f'<div class="amounts" role="img" aria-label="{page_text(label)}">\n'
    for name, counts in rows:
        most = max(counts)
        columns = "".join(
            f'<span{_column(count)} style="height:{_percent(count, most)}"></span>'
            for count in counts
        )
        yield _amount(name, f'<span class="columns">{columns}</span>', "")
    listed = "".join(f"<span>{page_text(end)}</span>" for end in ends)
    yield _amount("", f'<span class="ends">{listed}</span>', "")
    yield "</div>\n"


def _amount(name: str, drawn: str, words: str) -> str:
    return (
        f'<div class="amount"><span class="name">{page_text(name)}</span>{drawn}'
        f'<span class="value">{page_text(words)}</span></div>\n'
    )


def _column(count: int) -> str:
    return ' class="bar-running"' if count else ""


def legend(kinds: Sequence[tuple[str, str]], amounts: Sequence[Amount]) -> str:
    """Return the legend of a bar chart: the parts that occur.

    Args:
        kinds: kinds of parts with what they mean.
        amounts: the rows of the chart.
    """
    present = {kind for amount in amounts for kind, value in amount.parts if value}
    items = (
        f'<li><span class="swatch" style="background: var(--{kind})"></span>{page_text(words)}</li>'
        for kind, words in kinds
        if kind in present
    )
    listed = "".join(items)
    return f'<ul class="legend">{listed}</ul>\n' if listed else ""


def table(label: str, rows: Sequence[Sequence[str]]) -> str:
    """Return a table; the first row has the names of the columns."""
    head, *body = rows
    heads = "".join(f"<th scope=col role=columnheader>{page_text(cell)}</th>" for cell in head)
    lines = [f"<thead role=rowgroup><tr role=row>{heads}</tr></thead>\n<tbody role=rowgroup>\n"]
    for row in body:
        cells = (
            f'<td role=cell data-label="{page_text(name)}">{page_text(cell)}</td>'
            for name, cell in zip(head, row, strict=True)
        )
        lines.append(f"<tr role=row>{''.join(cells)}</tr>\n")
    name = page_text(label)
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{name}">'
        f'<table role=table aria-label="{name}">\n{"".join(lines)}</tbody></table></div>\n'
    )
