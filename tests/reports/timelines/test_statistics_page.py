"""The page of many runs: its charts and tables have the numbers of the statistics, and it loads nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import jobsworth
from jobsworth.reports.timelines.statistics_page import BINS, statistics_page
from jobsworth.reports.timelines.statistics_text import percent, percent_or_none, plain
from jobsworth.runs.run_statistics import RunStatistics, statistics_of, summarize, work_done
from support.simulation.simulated_runs import (
    IGNORE_DISRUPTIONS,
    indexed,
    pod_template,
    run,
    scenario,
)

LUCK = scenario(
    {"probability": 0.4, "exitCode": 1, "duration": {"uniform": {"min": "1m", "max": "9m"}}},
    disruptions=({"cause": "EvictionAPI", "at": "5m", "pods": 1},),
)
HOSTILE = '<script>alert("x")</script>&.yaml'
VOID = ("meta", "link")


def statistics(*rules: object, limit: int) -> RunStatistics:
    manifest = indexed(*rules, size=3, backoffLimitPerIndex=limit)  # type: ignore[arg-type]
    return statistics_of([summarize(run(manifest, LUCK, seed)) for seed in range(1, 41)])


@pytest.fixture(scope="module")
def variants() -> list[tuple[str, RunStatistics]]:
    return [(HOSTILE, statistics(limit=0)), ("good.yaml", statistics(IGNORE_DISRUPTIONS, limit=3))]


class Balanced(HTMLParser):
    """Collects the open elements of a page, and its tables."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


def read(page: str) -> Balanced:
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    return parser


def test_the_tables_have_the_statistics_of_each_variant(
    variants: list[tuple[str, RunStatistics]],
) -> None:
    cells = read(statistics_page("Job train", variants)).cells
    for name, found in variants:
        assert name in cells
        assert percent(found.share("Complete")) in cells
        assert plain(found.pod_hours) in cells
        assert all(rule in cells and plain(number) in cells for rule, number in found.failures)
        assert all(str(runs) in cells for _, _, runs in found.outcomes)


def test_the_histogram_has_every_run_that_completed(
    variants: list[tuple[str, RunStatistics]],
) -> None:
    page = statistics_page("Job train", variants)
    (table,) = re.findall(r"<summary>.*?</table>", page, re.DOTALL)
    known = [found for _, found in variants if found.times]
    assert 0 < len(known) < len(variants)  # a variant that never completes has no column
    cell = r"<td [^>]*>"
    rows = re.findall(rf"<tr[^>]*>{cell}.*?</td>{cell}(\d+)</td></tr>", table)
    assert len(rows) == BINS
    assert sum(map(int, rows)) == len(known[0].times)


def test_a_page_loads_nothing_and_runs_nothing(variants: list[tuple[str, RunStatistics]]) -> None:
    page = statistics_page("Job train", variants)
    assert "script" not in read(page).tags
    assert "alert(" not in re.sub(r"&lt;script&gt;alert\(", "", page)
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=\"(?!data:)", page)


def headings(page: str) -> list[str]:
    return re.findall(r"<h2>(.*?)</h2>", page)


def test_the_work_that_was_done_has_a_section(variants: list[tuple[str, RunStatistics]]) -> None:
    page = statistics_page("Job train", variants)
    assert headings(page)[:3] == ["Outcomes", "Work done", "Time to completion"]
    cells = read(page).cells
    assert "work done, of 3 indexes" in cells
    for _, found in variants:
        assert percent_or_none(work_done(found)) in cells
    overlaps = any(each.overlap for _, found in variants for each in found.measures)
    assert ("done twice at once" in cells) == overlaps


def test_runs_of_a_cron_job_have_its_measures_and_no_times_of_one_job() -> None:
    manifest = jobsworth.default(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "report", "namespace": "batch"},
            "spec": {
                "schedule": "0 * * * *",
                "concurrencyPolicy": "Forbid",
                "jobTemplate": {"spec": {"template": pod_template()}},
            },
        }
    )
    given = scenario({"runs": 2, "duration": "150m"}, start="2026-10-24T00:00Z", until="7h")
    found = statistics_of([summarize(run(manifest, given, seed)) for seed in (1, 2)])
    page = statistics_page("CronJob report", [("Forbid", found), ("again", found)])
    assert headings(page) == [
        "Scheduled times of a simulation",
        "Jobs of a simulation",
        "Pod-hours of a simulation",
    ]
    cells = read(page).cells
    assert "the previous Job was still running (concurrencyPolicy: Forbid)" in cells
    assert ">missed</li>" in page
    assert ">unfinished</li>" not in page


def test_runs_of_which_none_completed_have_no_histogram() -> None:
    manifest = indexed(size=1, backoffLimitPerIndex=0)
    never = scenario({"exitCode": 1})
    found = statistics_of([summarize(run(manifest, never, seed)) for seed in (1, 2)])
    page = statistics_page("Job train", [("", found)])
    read(page)
    assert "Histogram" not in page
    assert headings(page) == ["Outcomes", "Pod-hours of a run", "Failed Pods of a run, by rule"]
    assert "No run completed, so there is no time to completion." in page
    assert read(page).cells[-20:].count("FailedIndexes") == 1


def test_runs_that_all_take_the_same_time_are_one_bar() -> None:
    found = statistics_of([summarize(run(indexed(size=1), scenario(), seed)) for seed in (1, 2)])
    page = statistics_page("Job train", [("", found)])
    assert page.count('class="bar-running"') == 1
    read(page)
