"""Reports of a run: text, trace, page data. They agree with the record that they are made from."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from jobsworth.reports.timelines.pod_chart import CHART_WIDTH
from jobsworth.reports.timelines.statistics_page import statistics_page
from jobsworth.reports.timelines.timeline_lines import timeline
from jobsworth.reports.timelines.timeline_page import timeline_page
from jobsworth.reports.timelines.timeline_text import MAX_LINES, run_lines
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.run_statistics import statistics_of, summarize
from support.simulation.simulated_runs import IGNORE_DISRUPTIONS, indexed, on_exit, run, scenario

LUCK = scenario(
    {"probability": 0.3, "exitCode": 1, "duration": "3m"},
    {"probability": 0.1, "exitCode": 42},
    disruptions=({"cause": "EvictionAPI", "at": "5m", "pods": 5},),
)
POLICY = (IGNORE_DISRUPTIONS, on_exit("FailIndex", 42))


@pytest.fixture(scope="module")
def record() -> RunRecord:
    return run(indexed(*POLICY, size=200, backoffLimitPerIndex=2), LUCK)


def page_data(page: str) -> dict[str, list[int]]:
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, list[int]] = json.loads(found[1])
    return data


def facts(page: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))


def test_a_long_text_leaves_out_the_middle_and_says_how_much(record: RunRecord) -> None:
    lines = list(run_lines(record))
    assert any(
        re.search(r"\d+ lines left out; --output json has everything", line) for line in lines
    )
    assert len(lines) < MAX_LINES + 40
    assert all(len(line) <= CHART_WIDTH + 60 for line in lines if "=" in line)


def test_the_chart_shows_the_indexes_with_failures(record: RunRecord) -> None:
    rows = [line for line in run_lines(record) if re.match(r" *\d+  [.=]", line)]
    assert any("x" in row for row in rows)
    assert any("i" in row for row in rows)
    assert any("more indexes" in line for line in run_lines(record))


def test_the_page_has_every_pod_and_asks_for_nothing(record: RunRecord) -> None:
    page = timeline_page(record)
    data = page_data(page)
    assert len(data["names"]) == len(record.job.pods)
    assert re.findall(r"""(?:src|href)=["'](?!data:)""", page) == []
    assert "default-src 'none'" in page


def test_failed_pods_say_how_they_were_counted() -> None:
    ignored = run(
        indexed(IGNORE_DISRUPTIONS, size=3),
        scenario(disruptions=({"cause": "EvictionAPI", "at": "5m", "pods": 2},)),
    )
    assert facts(timeline_page(ignored))["Failed Pods"] == "2, all ignored"
    both = run(
        indexed(on_exit("Ignore", 42), size=3),
        scenario(
            {"indexes": 0, "attempts": 1, "exitCode": 42},
            {"indexes": 1, "attempts": "1-2", "exitCode": 1},
        ),
    )
    assert facts(timeline_page(both))["Failed Pods"] == "3: 2 counted, 1 ignored"


def test_the_measures_of_a_job_are_facts_of_its_page() -> None:
    record = run(indexed(size=10, backoffLimitPerIndex=0), scenario({"indexes": 3, "exitCode": 1}))
    found = facts(timeline_page(record))
    assert found["Work done"] == "9 of 10 indexes (90%)"
    assert found["90% done"] == "after 10 min 5 s"
    assert found["Most Pods at once"] == "10"


def test_interventions_and_restarts_are_marks_of_the_chart() -> None:
    record = run(
        indexed(size=2, restart="OnFailure"),
        scenario(
            {"attempts": 1, "exitCode": 1, "duration": "1m"},
            changes=[{"at": "2m", "spec": {"backoffLimit": 9}}],
            controllerAway=[{"from": "3m", "until": "4m"}],
            until="20m",
        ),
    )
    data: Any = page_data(timeline_page(record))
    assert data["marks"] == [[120_000, 120_000, "edit"], [180_000, 240_000, "away"]]
    pod = record.job.pods[0]
    assert pod.restarts
    assert data["restarts"][: 2 * len(pod.restarts)] == [
        part for at in pod.restarts for part in (0, at)
    ]


def test_text_that_looks_like_a_placeholder_stays_text(record: RunRecord) -> None:
    named = replace(record, name="{{outcome}}", scenario="{{data}} {{style}} {{heading}}")
    page = timeline_page(named)
    assert len(page_data(page)["names"]) == len(record.job.pods)
    assert "<h1>Job {{outcome}}</h1>" in page
    assert "Simulated in scenario {{data}} {{style}} {{heading}}, seed 1" in page
    assert "{{row}}" not in page
    recorded = timeline_page(record, recorded_in="{{data}}")
    assert "Recorded in {{data}}" in recorded


def test_nothing_in_the_page_controls_a_terminal_or_the_direction_of_text(
    record: RunRecord,
) -> None:
    hostile = "\x1b]0;title\x07\N{RIGHT-TO-LEFT OVERRIDE}x\N{LINE SEPARATOR}"
    manifest = indexed(on_exit("FailJob", 1), size=2)
    manifest["metadata"]["name"] = f"train{hostile}"
    made = run(manifest, scenario({"exitCode": 1, "reason": hostile}))
    made.scenario = hostile
    page = timeline_page(made, recorded_in=hostile)
    assert [each for each in page if not each.isprintable() and each not in "\n"] == []
    assert "train\\x1b]0;title\\x07\\u202ex\\u2028" in page
    assert page_data(page)["conditions"]
    statistics = statistics_of([summarize(made)])
    page = statistics_page(hostile, [(hostile, statistics), (f"b{hostile}", statistics)])
    assert [each for each in page if not each.isprintable() and each not in "\n"] == []


def test_names_cannot_leave_their_place_in_the_page() -> None:
    manifest = indexed(size=1)
    manifest["metadata"]["name"] = "</script><img src=x onerror=alert(1)>"
    page = timeline_page(run(manifest, scenario()))
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert page_data(page)["names"][0].startswith("</script>")


def test_the_outcome_is_a_badge_and_failed_indexes_have_their_numbers() -> None:
    cases = ({"indexes": "1,3-4", "exitCode": 42},)
    record = run(indexed(*POLICY, size=6, backoffLimitPerIndex=2), scenario(*cases))
    shown = timeline_page(record)
    assert '<span class="badge bar-failed">Failed</span> <strong>after 10 min' in shown
    assert facts(shown)["Failed indexes"] == "3: 1,3,4"
    assert "Failed     indexes 1,3,4 for good" in list(run_lines(record))
    complete = run(indexed(size=2), scenario())
    assert '<span class="badge bar-succeeded">Complete</span>' in timeline_page(complete)
    assert not any("for good" in line for line in run_lines(complete))


def test_of_many_failed_indexes_the_first_are_named() -> None:
    record = run(indexed(*POLICY, size=200, backoffLimitPerIndex=0), LUCK)
    (line,) = [line for line in run_lines(record) if line.startswith("Failed     ")]
    assert len(line) < 100
    assert ",… for good" in line


def test_a_pod_is_created_below_the_end_of_the_one_that_it_replaces() -> None:
    record = run(indexed(size=1), scenario({"attempts": 1, "exitCode": 1, "duration": "1m"}))
    first, second, *_ = record.job.pods
    second.created = first.ended or 0
    texts = [line.text for line in timeline(record)]
    ended, created = (
        next(n for n, text in enumerate(texts) if part in text)
        for part in ("exit code 1", "attempt 2")
    )
    assert ended < created
