"""A run as an SVG picture for a page or a pull request: a row for each index, a bar for each Pod.

The picture is one text without scripts or references. It has the rows that the chart of the terminal has,
so that its size is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobsworth.reports.pages import page_text
from jobsworth.reports.timelines.cron_job_table import runs_words
from jobsworth.reports.timelines.pod_chart import MAX_ROWS, chart_rows
from jobsworth.runs.cron_job_measures import cron_job_summary
from jobsworth.runs.run_record import PodRecord, RunRecord
from jobsworth.runs.virtual_time import DAY, HOUR, MINUTE, SECOND, spoken

WIDTH, LEFT, RIGHT = 760, 74, 30
ROW, BAR = 26, 14
MAX_TICKS = 9
MAX_PODS_IN_ROW = 200
MAX_LABEL = 10
_TICKS = (
    *(each * SECOND for each in (1, 5, 10, 30)),
    *(each * MINUTE for each in (1, 2, 5, 10, 20, 30)),
    *(each * HOUR for each in (1, 2, 4, 8, 12)),
    *(each * DAY for each in (1, 2, 7, 30, 90, 365)),
)
_WORDS = {
    "waiting": "waiting to run",
    "running": "still running",
    "succeeded": "succeeded",
    "failed": "failed, counted",
    "ignored": "failed, ignored",
    "uncounted": "ended, not counted",
    "unknown": "gone, end unknown",
}
"""The kinds of bars, in the order of the legend."""
_STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.soft { fill: #57606a; font-size: 12px; }
.title { font-weight: 600; font-size: 14px; }
line { stroke: #d0d7de; }
.waiting { fill: #d4d9df; }
.running { fill: #0969da; }
.succeeded { fill: #1a7f37; }
.failed { fill: #cf222e; }
.ignored { fill: #b15c00; }
.uncounted { fill: #6e7781; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .soft { fill: #9da7b3; }
  line { stroke: #30363d; }
  .waiting { fill: #3d444d; }
  .running { fill: #58a6ff; }
  .succeeded { fill: #3fb950; }
  .failed { fill: #ff6b61; }
  .ignored { fill: #e3923a; }
  .uncounted { fill: #8b949e; }
}
"""


def timeline_svg(runs: Sequence[tuple[str, RunRecord]]) -> str:
    """Return the picture of one or several runs, one below the other, on one axis of time.

    Args:
        runs: the title of each run, and its record.
    """
    end = max(1, *(record.end for _, record in runs))
    lines: list[str] = []
    kinds: set[str] = set()
    top = 20
    for title, record in runs:
        drawn, top = _panel(title, record, end, top, kinds)
        lines += drawn
    lines += _ticks(end, top)
    lines += _legend(top + 42, kinds)
    height = top + 60
    summary = "; ".join(f"{title}: {_outcome(record)}" for title, record in runs)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>{page_text(f'Pods over time; {summary}')}</title>",
            f"<style>\n{_STYLE}</style>",
            *lines,
            "</svg>",
        ]
    )


def _panel(
    title: str, record: RunRecord, end: int, top: int, kinds: set[str]
) -> tuple[list[str], int]:
    """Return the lines of one run, and the place of the next; add the kinds of its bars."""
    words = page_text(f"{title}: {_outcome(record)}")
    lines = [f'<text class="title" x="{LEFT}" y="{top}">{words}</text>']
    rows, left_out = _rows(record)
    for number, (label, pods) in enumerate(rows):
        y = top + 10 + number * ROW
        lines.append(
            f'<text class="soft" x="{LEFT - 10}" y="{y + 12}" text-anchor="end">{page_text(label)}</text>'
        )
        for pod in pods[-MAX_PODS_IN_ROW:]:
            lines += _bars(pod, end, y, kinds)
    top += 10 + len(rows) * ROW
    if left_out:
        lines.append(f'<text class="soft" x="{LEFT}" y="{top + 12}">… {page_text(left_out)}</text>')
        top += ROW
    return lines, top + 24


def _rows(record: RunRecord) -> tuple[list[tuple[str, list[PodRecord]]], str]:
    """Return the Pods of each row with its label, and the words for the rows that are left out."""
    if record.kind == "Job":
        job = record.job
        rows, left_out = chart_rows(job)
        label, noun = ("index", "indexes") if job.indexed else ("Pod", "Pods")
        named = [(f"{label} {row}", pods) for row, pods in rows.items()]
        return named, f"{left_out} more {noun}" if left_out else ""
    jobs = record.jobs
    named = [
        (job.replicated_job[:MAX_LABEL] or f"run {job.run}", job.pods) for job in jobs[:MAX_ROWS]
    ]
    left_out = len(jobs) - len(named)
    return named, f"{left_out} more Jobs" if left_out else ""


def _bars(pod: PodRecord, end: int, y: int, kinds: set[str]) -> Iterator[str]:
    stop = end if pod.ended is None else pod.ended
    start = stop if pod.started is None else pod.started
    if start > pod.created and _place(start, end) > _place(pod.created, end):
        kinds.add("waiting")
        yield _bar("waiting", (_place(pod.created, end), _place(start, end)), y, _WORDS["waiting"])
    if pod.started is not None:
        kind = "running" if pod.ended is None else pod.counted or "uncounted"
        kinds.add(kind)
        words = f"{_WORDS[kind]} after {spoken(stop - start)}"
        yield _bar(kind, (_place(start, end), _place(stop, end)), y, words)


def _bar(kind: str, between: tuple[int, int], y: int, words: str) -> str:
    x, stop = between
    return (
        f'<rect class="{kind}" x="{x}" y="{y}" width="{max(1, stop - x)}" height="{BAR}" rx="2">'
        f"<title>{page_text(words)}</title></rect>"
    )


def _ticks(end: int, top: int) -> Iterator[str]:
    step = next((each for each in _TICKS if end // each < MAX_TICKS), max(_TICKS[-1], end))
    for time in range(0, end + 1, step):
        x = _place(time, end)
        yield f'<line x1="{x}" x2="{x}" y1="{top - 14}" y2="{top - 8}"/>'
        yield f'<text class="soft" x="{x}" y="{top + 8}" text-anchor="middle">{_time(time)}</text>'


def _time(time: int) -> str:
    """Return a time of the axis in its largest unit."""
    for unit, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if time >= unit and time % unit == 0:
            return f"{time // unit} {name}"
    return f"{time // SECOND} s" if time else "0"


def _legend(y: int, kinds: set[str]) -> Iterator[str]:
    shown = [kind for kind in _WORDS if kind in kinds]
    for number, kind in enumerate(shown):
        x = LEFT + number * 128
        yield f'<rect class="{kind}" x="{x}" y="{y - 11}" width="{BAR}" height="{BAR}" rx="2"/>'
        yield f'<text class="soft" x="{x + BAR + 6}" y="{y}">{_WORDS[kind]}</text>'


def _place(time: int, end: int) -> int:
    return LEFT + time * (WIDTH - LEFT - RIGHT) // end


def _outcome(record: RunRecord) -> str:
    if record.kind == "CronJob":
        return runs_words(cron_job_summary(record), "runs due")
    ended = record.job if record.job_set is None else record.job_set
    finished = record.end if ended.finished is None else ended.finished
    return f"{ended.outcome} after {spoken(finished)}"
