"""Many runs as one self-contained HTML page: the chance to complete, times, Pod-hours, failures by rule.

Each chart is inline SVG with the same numbers in a table beside it. The page has no script and loads nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.whatif.run_statistics import Interval, histogram
from jobsworth.whatif.timelines.statistics_text import SERIES, percent_or_none, plain, spoken_time
from jobsworth.whatif.timelines.timeline_page import page_style, page_text
from jobsworth.whatif.virtual_time import spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from jobsworth.whatif.run_statistics import RunStatistics

    Variants = Sequence[tuple[str, RunStatistics]]

WIDTH, LEFT, RIGHT = 800, 270, 90
ROW, BAR = 34, 16
BINS, BIN_HEIGHT = 24, 56
_MAX_NAME_LENGTH = 34

_STYLE = """\
svg { display: block; width: 100%; max-width: 900px; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: var(--text); }
svg .soft { fill: var(--soft); font-size: 12px; }
svg .axis { stroke: var(--line); }
svg .whisker { stroke: var(--text); stroke-width: 1.5; }
.bar-running { fill: var(--running); } .bar-succeeded { fill: var(--succeeded); }
.bar-failed { fill: var(--failed); } .bar-pending { fill: var(--pending); }
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def statistics_page(heading: str, variants: Variants) -> str:
    """Return the page.

    Args:
        heading: the simulated object and its scenario.
        variants: the statistics of each variant, with its name; at least one.
    """
    runs = variants[0][1].runs
    note = f" {' '.join(SERIES)}" if any(statistics.series for _, statistics in variants) else ""
    each = " of each variant, with the same luck" if len(variants) > 1 else ""
    sections = (
        _section("Chance to complete", "complete", _complete_chart(variants), _complete(variants)),
        _section("Time to completion", "time", _time_charts(variants), _times(variants)),
        _section("Pod-hours of a run", "hours", _hours_chart(variants), _hours(variants)),
        _section(
            "Failed Pods of a run, by rule", "rules", _rules_chart(variants), _rules(variants)
        ),
        _section("Outcomes", "outcomes", (), _outcomes(variants)),
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<link rel="icon" href="data:,">
<title>{page_text(heading)}: {runs} simulations</title>
<style>
{page_style()}{_STYLE}</style>
</head>
<body>
<header>
<h1>{page_text(heading)}</h1>
<p class="soft">{runs} simulated runs{each}. Intervals are 95 % confidence intervals.{note}</p>
</header>
<main>
{"".join(filter(None, sections))}</main>
<footer>Made by jobsworth simulate. This page contains all its data and loads nothing.</footer>
</body>
</html>"""


def _section(title: str, name: str, chart: Iterable[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a chart and its table; empty if the table has no rows."""
    if len(rows) < 2:
        return ""
    return (
        f'<section aria-labelledby="{name}-title">\n<h2 id="{name}-title">{page_text(title)}</h2>\n'
        f"{''.join(chart)}{_table(rows)}</section>\n"
    )


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    lines = [_row("th scope=col", head), *(_row("td", row) for row in body)]
    return f'<div class="scroll"><table>\n{"".join(lines)}</table></div>\n'


def _row(tag: str, cells: Sequence[str]) -> str:
    end = tag.partition(" ")[0]
    return f"<tr>{''.join(f'<{tag}>{page_text(cell)}</{end}>' for cell in cells)}</tr>\n"


# Charts.


def _svg(label: str, height: int, lines: Iterable[str]) -> str:
    drawn = "\n".join(lines)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{page_text(label)}">\n{drawn}\n'
        "</svg>\n"
    )


def _named(name: str, y: int) -> str:
    shown = name if len(name) <= _MAX_NAME_LENGTH else f"…{name[-_MAX_NAME_LENGTH + 1 :]}"
    return f'<text x="{LEFT - 10}" y="{y}" text-anchor="end">{page_text(shown)}</text>'


def _bar(kind: str, x: int, y: int, width: int, height: int = BAR) -> str:
    return f'<rect class="bar-{kind}" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _whisker(interval: Interval, most: float, y: int) -> str:
    low, high = (_place(part, most) for part in interval[1:])
    middle = y + BAR // 2
    return (
        f'<path class="whisker" fill="none" d="M{low} {middle}H{high}M{low} {middle - 4}v8M{high} '
        f'{middle - 4}v8"/>'
    )


def _place(value: float, most: float) -> int:
    return LEFT + round(value / most * (WIDTH - LEFT - RIGHT)) if most else LEFT


def _amounts(
    rows: Sequence[tuple[str, str, Interval, str]], most: float, first: int = 0
) -> Iterator[str]:
    """Yield a bar for each row: its name, the kind of bar, the interval, and its value in words."""
    for number, (name, kind, interval, words) in enumerate(rows):
        y = first + number * ROW + 8
        end = _place(interval.value, most)
        yield _named(name, y + 13)
        yield _bar(kind, LEFT, y, max(1, end - LEFT))
        yield _whisker(interval, most, y)
        x = max(end, _place(interval.high, most)) + 8
        yield f'<text class="soft" x="{x}" y="{y + 13}">{page_text(words)}</text>'


def _complete_chart(variants: Variants) -> Iterator[str]:
    rows = []
    for name, statistics in variants:
        share = statistics.share("Complete")
        if share is not None:
            rows.append((name, "succeeded", share, f"{share.value:.1%}"))
    yield _svg("Chance to complete", len(rows) * ROW + 8, _amounts(rows, 1.0))


def _time_charts(variants: Variants) -> Iterator[str]:
    """Yield a histogram for each variant, all with the same axis, and the same numbers as a table."""
    known = [statistics.times for _, statistics in variants if statistics.times]
    if not known:
        return
    low, high = min(times[0] for times in known), max(times[-1] for times in known)
    counts = [histogram(statistics.times, low, high, BINS) for _, statistics in variants]
    height = BIN_HEIGHT + 14
    lines: list[str] = []
    for number, ((name, _), of_bins) in enumerate(zip(variants, counts, strict=True)):
        bottom = number * height + BIN_HEIGHT
        lines.append(_named(name, bottom - 4))
        for place, count in enumerate(of_bins):
            x, end = (_place(edge, BINS) for edge in (place, place + 1))
            tall = -(-count * (BIN_HEIGHT - 6) // max(of_bins)) if count else 0
            if count:
                lines.append(_bar("running", x + 1, bottom - tall, end - x - 1, tall))
        lines.append(f'<path class="axis" d="M{LEFT} {bottom}H{WIDTH - RIGHT}"/>')
    foot = len(variants) * height + 4
    for part in (0.0, 0.5, 1.0):
        x = _place(part, 1.0)
        words = spoken(low + (high - low) * part)
        lines.append(f'<text class="soft" x="{x}" y="{foot}" text-anchor="middle">{words}</text>')
    yield _svg("Histogram of the times to completion", foot + 8, lines)
    rows = [["runs that completed", *(name for name, _ in variants)]]
    for place in range(BINS):
        edges = (spoken(low + (high - low) * edge / BINS) for edge in (place, place + 1))
        rows.append([" to ".join(edges), *(str(of_bins[place]) for of_bins in counts)])
    yield f"<details><summary>The histogram as a table</summary>\n{_table(rows)}</details>\n"


def _hours_chart(variants: Variants) -> Iterator[str]:
    most = max(statistics.pod_hours.high for _, statistics in variants)
    rows = [
        (name, "running", statistics.pod_hours, f"{statistics.pod_hours.value:.3g} h")
        for name, statistics in variants
    ]
    lines = list(_amounts(rows, most))
    for number, (_, statistics) in enumerate(variants):
        wasted = _place(statistics.wasted_hours.value, most) - LEFT
        lines.append(_bar("failed", LEFT, number * ROW + 8 + BAR - 5, wasted, 5))
    kinds = (("running", "used"), ("failed", "in Pods without success"))
    items = (
        f'<li><span class="swatch" style="background: var(--{kind})"></span>{words}</li>'
        for kind, words in kinds
    )
    yield f'<ul class="legend">{"".join(items)}</ul>\n'
    yield _svg("Pod-hours of a run", len(rows) * ROW + 8, lines)


def _rules_chart(variants: Variants) -> Iterator[str]:
    most = max(
        (number.high for _, statistics in variants for _, number in statistics.failures), default=0
    )
    rows = [
        (rule if len(variants) == 1 else f"{name}: {rule}", "failed", number, f"{number.value:.3g}")
        for name, statistics in variants
        for rule, number in statistics.failures
    ]
    yield _svg("Failed Pods of a run, by rule", len(rows) * ROW + 8, _amounts(rows, most))


# Tables.


def _complete(variants: Variants) -> list[list[str]]:
    rows = [["variant", "complete", "failed", "unfinished"]]
    for name, statistics in variants:
        if statistics.series:
            continue
        shares = (
            percent_or_none(statistics.share(each)) for each in ("Complete", "Failed", "Unfinished")
        )
        rows.append([name, *shares])
    return rows


def _times(variants: Variants) -> list[list[str]]:
    rows = [["of the runs that completed", "median", "95th percentile", "longest"]]
    for name, statistics in variants:
        if statistics.series:
            continue
        found = (statistics.time(quantile) for quantile in (0.5, 0.95))
        longest = spoken(statistics.times[-1]) if statistics.times else "-"
        rows.append(
            [name, *("-" if each is None else spoken_time(each) for each in found), longest]
        )
    return rows


def _hours(variants: Variants) -> list[list[str]]:
    rows = [["variant", "Pods", "Pod-hours", "in Pods without success", "failed indexes"]]
    for name, statistics in variants:
        means = (
            statistics.pods,
            statistics.pod_hours,
            statistics.wasted_hours,
            statistics.failed_indexes,
        )
        rows.append([name, *map(plain, means)])
    return rows


def _rules(variants: Variants) -> list[list[str]]:
    rows = [["variant", "rule", "failed Pods"]]
    for name, statistics in variants:
        rows += [[name, rule, plain(number)] for rule, number in statistics.failures]
    return rows


def _outcomes(variants: Variants) -> list[list[str]]:
    rows = [["variant", "outcome", "reason", "runs"]]
    for name, statistics in variants:
        rows += [
            [name, outcome, reason, str(runs)] for outcome, reason, runs in statistics.outcomes
        ]
    return rows
