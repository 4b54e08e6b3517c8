"""The page of a run of a CronJob: a row for each run, also a missed one, with dates in its time zone."""

from __future__ import annotations

import json
import re
from typing import Any

import jobsworth
from jobsworth.reports.timelines.timeline_page import timeline_page
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.virtual_time import HOUR
from support.simulation.simulated_runs import pod_template, run, scenario


def hourly(*cases: Any, job: Any = None, **given: Any) -> RunRecord:
    """An hourly CronJob in the night in which London's clocks go back."""
    manifest = jobsworth.default(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "report", "namespace": "batch"},
            "spec": {
                "schedule": "30 * * * *",
                "timeZone": "Europe/London",
                "concurrencyPolicy": "Forbid",
                "jobTemplate": {"spec": {"template": pod_template(), **(job or {})}},
            },
        }
    )
    return run(manifest, scenario(*cases, start="2026-10-24T23:00Z", until="6h", **given))


def data_of(record: RunRecord) -> Any:
    found = re.search(r'id="data">(.*?)</script>', timeline_page(record), re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_times_of_the_page_are_local_over_the_clock_change() -> None:
    record = hourly()
    data = data_of(record)
    assert data["dated"]
    assert data["offsets"] == [0, 3600, 2 * HOUR, 0]
    assert data["rows"][:3] == [
        "2026-10-25 00:30",
        "2026-10-25 01:30 +0100",
        "2026-10-25 01:30 +0000",
    ]
    assert [2 * HOUR, 2 * HOUR, "local time changes from +0100 to +0000"] in data["lines"]
    page = timeline_page(record)
    assert "from Sun 2026-10-25 00:00:00 +0100 to Sun 2026-10-25 05:00:00 +0000" in page
    assert "Times are those of Europe/London." in page


def test_each_missed_run_has_a_row_without_pods_and_a_line() -> None:
    data = data_of(hourly({"runs": 2, "duration": "200m"}))
    empty = sorted(set(range(len(data["rows"]))) - set(data["pods"]["row"]))
    assert [data["rows"][row] for row in empty] == ["2026-10-25 01:30 +0000", "2026-10-25 02:30"]
    assert all(
        ": missed, the previous Job was still running" in data["described"][row] for row in empty
    )
    missed = [run for run in data["runs"] if run[1] == "missed"]
    assert [run[0][15:] for run in missed] == ["01:30:00 +0000", "02:30:00 +0000"]
    assert sum("missed: the previous Job" in text for _, _, text in data["lines"]) == 2


def test_a_run_whose_pods_follow_one_another_has_one_row() -> None:
    data = data_of(hourly({"runs": 1, "attempts": "1-2", "exitCode": 1, "duration": "2m"}))
    assert data["pods"]["row"].count(0) == 3
    assert len(data["rows"]) == 6


def test_pods_at_once_and_indexes_have_rows_of_their_own() -> None:
    parallel = data_of(hourly(job={"completions": 2, "parallelism": 2}))
    assert parallel["rows"][:2] == ["2026-10-25 00:30"] * 2
    template = {"completionMode": "Indexed", "completions": 2, "parallelism": 2}
    assert data_of(hourly(job=template))["rows"][:2] == [
        "2026-10-25 00:30 · 0",
        "2026-10-25 00:30 · 1",
    ]


def test_a_suspended_job_has_a_row_although_it_has_no_pods() -> None:
    data = data_of(hourly(job={"suspend": True}))
    assert data["names"] == []
    assert ": started, unfinished" in data["described"][0]


def test_the_same_run_gives_the_same_bytes() -> None:
    assert timeline_page(hourly()) == timeline_page(hourly())
