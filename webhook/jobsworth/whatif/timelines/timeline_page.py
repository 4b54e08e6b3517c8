"""A run as one self-contained HTML page: chart, counters, conditions, and the same data as tables.

The page loads nothing; a Content Security Policy in it forbids that. The chart is drawn on a canvas, because
with 10,000 Pods every element in the document costs: a table shows 50 rows at a time.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any

from jobsworth.printable import printable
from jobsworth.whatif.cron_job_measures import cron_job_summary
from jobsworth.whatif.timelines.cron_job_table import note_lines, runs_words
from jobsworth.whatif.timelines.local_times import local_time, zone_name
from jobsworth.whatif.timelines.page_data import page_data
from jobsworth.whatif.timelines.page_facts import page_facts
from jobsworth.whatif.timelines.timeline_text import outcome_lines

if TYPE_CHECKING:
    from jobsworth.whatif.run_record import RunRecord

MAX_NOTES = 10
_TEMPLATE, _STYLE = "page.html", "page_style.css"
_PLACEHOLDER = re.compile(r"\{\{([a-z]+)\}\}")


def timeline_page(record: RunRecord, *, recorded_in: str = "") -> str:
    """Return the page.

    Args:
        recorded_in: the file or cluster of a recorded Job; empty for a simulated one.
    """
    template = (files(__package__) / _TEMPLATE).read_text(encoding="utf-8")
    heading = f"{record.kind} {record.name}"
    parts = {
        "style": page_style(),
        "title": page_text(f"{heading}: {'recording' if recorded_in else 'simulation'}"),
        "heading": page_text(heading),
        "subtitle": page_text(_source(record, recorded_in)),
        "outcome": page_text(_outcome(record)),
        "facts": "".join(
            f"<div><dt>{page_text(name)}</dt><dd>{page_text(value)}</dd></div>"
            for name, value in page_facts(record, recorded=bool(recorded_in))
        ),
        "row": _row_words(record),
        "notes": "".join(
            f'<p class="soft">{page_text(note)}</p>\n'
            for note in islice(note_lines(record), MAX_NOTES)
        ),
        "command": "jobsworth replay" if recorded_in else "jobsworth simulate",
        "data": _embedded(page_data(record)),
    }
    # In one pass: a value may hold what looks like a placeholder.
    return _PLACEHOLDER.sub(lambda found: parts[found[1]], template)


def page_text(text: str) -> str:
    """Return text of unknown origin for a page: it controls neither HTML, a terminal nor its direction."""
    return escape(printable(text))


def page_style() -> str:
    """Return the style sheet of all pages."""
    return (files(__package__) / _STYLE).read_text(encoding="utf-8")


def _row_words(record: RunRecord) -> str:
    """Return what the rows of the chart are, to follow "Pods"."""
    if record.kind == "CronJob":
        return " by run and index" if any(job.indexed for job in record.jobs) else " by run"
    return " by index" if record.job.indexed else ""


def _outcome(record: RunRecord) -> str:
    if record.kind == "CronJob":
        return runs_words(cron_job_summary(record), "runs due")
    return next(outcome_lines(record))


def _source(record: RunRecord, recorded_in: str) -> str:
    """Return where the run is from, and what its times mean."""
    begin = local_time(record, 0)
    if recorded_in:
        return f"Recorded in {recorded_in}. Times count from the creation of the Job, {begin}."
    source = f"Simulated in scenario {record.scenario}, seed {record.seed}"
    if record.kind == "Job":
        return f"{source}. Times count from the start."
    zones = dict.fromkeys(
        zone_name(record, at) for at in (0, *(at for at, _ in record.zone_changes))
    )
    end = local_time(record, record.end)
    return f"{source}, from {begin} to {end}. Times are those of {', then '.join(zones)}."


def _embedded(data: dict[str, Any]) -> str:
    """Return JSON that cannot end the script element that it is in, with its texts escaped."""
    text = json.dumps(_printable(data), separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c")


def _printable(value: Any) -> Any:
    """Return a value of the page's data with its texts escaped; columns of numbers as they are."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {name: _printable(part) for name, part in value.items()}
    numbers = isinstance(value, list) and value and all(type(value[end]) is int for end in (0, -1))
    if isinstance(value, list) and not numbers:
        return [_printable(part) for part in value]
    return value
