"""The table of a run of a CronJob: scheduled times and interventions, in the order of time."""

from __future__ import annotations

from typing import Any

import jobsworth
from jobsworth.reports.timelines.cron_job_table import run_rows, table_lines
from jobsworth.reports.timelines.timeline_lines import timeline
from jobsworth.runs.run_record import RunRecord
from support.simulation.simulated_runs import pod_template, run, scenario


def nightly(**given: Any) -> RunRecord:
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
    return run(manifest, scenario(start="2026-10-24T00:00Z", until="4h30m", **given))


def test_edits_and_absent_controllers_are_lines_between_the_runs() -> None:
    record = nightly(
        changes=[{"at": "90m", "spec": {"successfulJobsHistoryLimit": 1}}],
        controllerAway=[{"from": "110m", "until": "130m"}],
    )
    lines = list(table_lines(record))
    assert [line[15:20] for line in lines if "edited" in line or "controllers" in line] == [
        "01:30",
        "01:50",
        "02:10",
    ]
    assert [line[15:20] for line in lines] == sorted(line[15:20] for line in lines)
    assert any(line.endswith("(until Sat 2026-10-24 02:10:00 +0000)") for line in lines)


def test_each_missed_run_is_a_line_with_the_time_at_which_it_was_due() -> None:
    record = nightly(pods={"startup": "5s", "duration": "200m"})
    missed = [row for row in run_rows(record) if row.job is None]
    assert [row.due[15:20] for row in missed] == ["02:00", "03:00"]
    lines = [line.text for line in timeline(record) if line.kind == "missed"]
    assert [line[:34] for line in lines] == [
        "run of Sat 2026-10-24 02:00:00 +00",
        "run of Sat 2026-10-24 03:00:00 +00",
    ]
