"""Measures of one run of a CronJob."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import jobsworth
from jobsworth.runs.cron_job_measures import MEASURES, CronJobSummary, cron_job_summary
from support.law_examples import number_of_examples
from support.simulation.simulated_runs import pod_template, run, scenario

MINUTE = 60_000


def measured(
    schedule: str, minutes: int, *cases: Any, until: str = "2h30m", **spec: Any
) -> CronJobSummary:
    scenario_fields = spec.pop("scenario", {})
    manifest = jobsworth.default(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "report"},
            "spec": {
                "schedule": schedule,
                "jobTemplate": {"spec": {"backoffLimit": 0, "template": pod_template()}},
                **spec,
            },
        }
    )
    conditions = scenario(*cases, until=until, pods={"duration": f"{minutes}m"}, **scenario_fields)
    return cron_job_summary(run(manifest, conditions))


def test_runs_on_time_have_no_fault() -> None:
    found = measured("*/30 * * * *", 10, until="2h15m")
    assert (found.due, found.on_time, found.late, found.missed) == (4, 4, 0, ())
    assert (found.jobs, found.complete, found.overlapping, found.most_pods) == (4, 4, 0, 1)
    assert found.flawless


def test_forbid_makes_runs_late_and_missed() -> None:
    found = measured("*/20 * * * *", 50, concurrencyPolicy="Forbid")
    assert (found.due, found.on_time, found.late) == (7, 1, 2)
    assert found.missed == (("JobAlreadyActive", 4),)
    assert found.delay // MINUTE == 10
    assert not found.flawless


def test_replaced_jobs_overlap_while_their_pods_terminate() -> None:
    termination = {"termination": "30s"}
    found = measured("*/20 * * * *", 50, termination, until="70m", concurrencyPolicy="Replace")
    assert (found.replaced, found.unfinished, found.overlapping) == (2, 1, 2)
    assert (found.overlap, found.most_pods) == (2 * 25_000, 2)  # a Pod starts within 5 s


def test_allowed_jobs_overlap() -> None:
    found = measured("*/20 * * * *", 30, until="79m")
    assert (found.jobs, found.overlapping, found.most_pods) == (3, 2, 2)
    assert found.overlap // MINUTE == 2 * 10


def test_a_job_that_a_user_creates_is_a_job_but_no_run_that_was_due() -> None:
    found = measured("0 * * * *", 10, until="80m", scenario={"runNow": "30m"})
    assert (found.due, found.manual, found.jobs) == (1, 1, 2)


@settings(max_examples=number_of_examples(10), deadline=None)
@given(
    schedule=st.sampled_from(["*/7 * * * *", "*/30 * * * *", "0,1 * * * *"]),
    policy=st.sampled_from(["Allow", "Forbid", "Replace"]),
    minutes=st.integers(1, 70),
    deadline=st.sampled_from([None, 60, 900]),
    away=st.integers(0, 120),
)
def test_what_is_due_is_on_time_late_or_missed(
    schedule: str, policy: str, minutes: int, deadline: int | None, away: int
) -> None:
    absent = {"controllerAway": [{"from": f"{away}m", "until": f"{away + 20}m"}]}
    known = {} if deadline is None else {"startingDeadlineSeconds": deadline}
    found = measured(schedule, minutes, concurrencyPolicy=policy, scenario=absent, **known)
    assert found.due == found.on_time + found.late + found.missed_runs
    assert found.jobs == found.on_time + found.late + found.manual
    assert (found.delay > 0) == (found.late > 0)
    assert (found.overlap > 0) <= (found.most_pods > 1)
    assert all(each.of(found) >= 0 for each in MEASURES.values())
    if policy == "Forbid":
        assert (found.overlapping, found.replaced) == (0, 0)
