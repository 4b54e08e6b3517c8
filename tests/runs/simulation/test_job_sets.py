"""Runs of a JobSet: its order of start, restarts, success policy and end."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.kinds.job_set_children import children
from jobsworth.reports.timelines.job_set_table import table_lines
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.run_statistics import summarize
from jobsworth.runs.simulation.run_limits import SimulationTooLarge
from jobsworth.runs.simulation.scenario import Scenario
from jobsworth.runs.simulation.scenario_run import run_once
from jobsworth.validation.engine import engine_for
from jobsworth.validation.job_sets import verdict
from support.simulation.simulated_runs import pod_template, scenario

Object = dict[str, Any]
MINUTE = 60_000


def replicated(name: str, replicas: int = 1, depends: Any = None, **spec: Any) -> Object:
    job = {"backoffLimit": 0, "template": pod_template(), **spec}
    found: Object = {"name": name, "replicas": replicas, "template": {"spec": job}}
    if depends is not None:
        found["dependsOn"] = [{"name": depends[0], "status": depends[1]}]
    return found


def job_set(*jobs: Object, most: int | None = 3, rules: Any = (), **spec: Any) -> Object:
    if most is not None:
        given = {"maxRestarts": most, "rules": list(rules), **spec.pop("policy", {})}
        spec["failurePolicy"] = given
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "train", "namespace": "ml"},
        "spec": {"replicatedJobs": list(jobs), **spec},
    }


def run(value: Object, given: Scenario, until: int | None = None) -> RunRecord:
    decided = verdict(value)
    assert decided.defaulted is not None
    assert not decided.findings
    engine = engine_for(ApiServer())
    created = [engine.default(child.value) for child in children(decided.defaulted)]
    return run_once(decided.defaulted, given, 1, until, children=created)


def outcome(record: RunRecord) -> tuple[str, str, int]:
    assert record.job_set is not None
    return record.job_set.outcome, record.job_set.reason, len(record.job_set.restarts)


def created(record: RunRecord) -> list[tuple[str, int, int]]:
    """Return name, attempt and minute of the creation of each Job."""
    return [(job.name, job.run, job.created // MINUTE) for job in record.jobs]


def fails(name: str, **selector: Any) -> Object:
    return {"replicatedJobs": name, "exitCode": 1, "duration": "5m", **selector}


def test_a_job_set_completes_when_all_its_jobs_have() -> None:
    record = run(job_set(replicated("driver"), replicated("workers", 2)), scenario())
    assert outcome(record) == ("Complete", "AllJobsCompleted", 0)
    assert [job.name for job in record.jobs] == [
        "train-driver-0",
        "train-workers-0",
        "train-workers-1",
    ]


def test_a_failed_job_restarts_all_jobs_up_to_max_restarts() -> None:
    record = run(
        job_set(replicated("driver"), replicated("workers", 2), most=2), scenario(fails("workers"))
    )
    assert outcome(record) == ("Failed", "ReachedMaxRestarts", 2)
    assert [run for name, run, _ in created(record) if name == "train-driver-0"] == [1, 2, 3]
    summary = summarize(record)
    assert summary.job_set is not None
    assert (summary.job_set.restarts, summary.job_set.counted, summary.job_set.jobs) == (2, 2, 9)


def test_the_work_of_earlier_attempts_is_lost_although_its_pods_succeeded() -> None:
    value = job_set(replicated("quick"), replicated("slow"))
    record = run(
        value,
        scenario({"replicatedJobs": "quick", "duration": "1m"}, fails("slow", runs=1)),
    )
    summary = summarize(record)
    assert outcome(record) == ("Complete", "AllJobsCompleted", 1)
    assert summary.job_set is not None
    assert summary.job_set.lost == summary.wasted == 6 * MINUTE


def test_a_job_that_runs_is_deleted_by_a_restart_and_created_when_its_pods_are_gone() -> None:
    value = job_set(replicated("driver"), replicated("workers"))
    given = scenario(fails("workers", runs=1), pods={"termination": "20s"})
    record = run(value, given)
    driver = [job for job in record.jobs if job.replicated_job == "driver"]
    workers = [job for job in record.jobs if job.replicated_job == "workers"]
    assert driver[0].deleted is not None
    assert driver[1].created == driver[0].deleted + 20_000
    assert workers[1].created == driver[0].deleted


def test_blocking_recreate_waits_for_the_last_pod_of_the_old_attempt() -> None:
    value = job_set(
        replicated("driver"),
        replicated("workers"),
        policy={"restartStrategy": "BlockingRecreate"},
    )
    given = scenario(fails("workers", runs=1), pods={"termination": "20s"})
    record = run(value, given)
    assert len({job.created for job in record.jobs if job.run == 2}) == 1


def test_a_rule_fails_the_job_set_at_once() -> None:
    rule = {"action": "FailJobSet", "targetReplicatedJobs": ["driver"]}
    record = run(
        job_set(replicated("driver"), replicated("workers"), rules=[rule]),
        scenario(fails("driver")),
    )
    assert outcome(record) == ("Failed", "FailJobSetFailurePolicyAction", 0)


def test_restarts_that_ignore_max_restarts_are_not_counted() -> None:
    rule = {"action": "RestartJobSetAndIgnoreMaxRestarts"}
    record = run(
        job_set(replicated("workers"), rules=[rule], most=0), scenario(fails("workers", runs="1-4"))
    )
    assert outcome(record) == ("Complete", "AllJobsCompleted", 4)
    summary = summarize(record)
    assert summary.job_set is not None
    assert summary.job_set.counted == 0


def test_without_a_failure_policy_the_first_failure_ends_it_and_deletes_what_runs() -> None:
    record = run(
        job_set(replicated("driver"), replicated("workers"), most=None), scenario(fails("workers"))
    )
    assert outcome(record) == ("Failed", "FailedJobs", 0)
    assert record.jobs[0].deleted is not None


@pytest.mark.parametrize(
    ("operator", "targets", "minutes"),
    [("All", [], 20), ("Any", [], 10), ("All", ["quick"], 10), ("Any", ["slow"], 20)],
)
def test_the_success_policy_says_whose_success_completes_it(
    operator: str, targets: list[str], minutes: int
) -> None:
    policy = {"operator": operator, "targetReplicatedJobs": targets}
    value = job_set(replicated("quick"), replicated("slow"), successPolicy=policy)
    record = run(value, scenario({"replicatedJobs": "slow", "duration": "20m"}))
    assert record.job_set is not None
    assert (record.job_set.finished or 0) // MINUTE == minutes
    assert summarize(record).wasted == 0


def test_in_order_starts_the_next_when_the_pods_of_the_one_before_are_ready() -> None:
    value = job_set(
        replicated("driver"),
        replicated("workers", 2),
        startupPolicy={"startupPolicyOrder": "InOrder"},
    )
    record = run(value, scenario(pods={"startup": "3m"}))
    assert created(record) == [
        ("train-driver-0", 1, 0),
        ("train-workers-0", 1, 3),
        ("train-workers-1", 1, 3),
    ]


@pytest.mark.parametrize(("status", "minute"), [("Ready", 3), ("Complete", 13)])
def test_a_job_that_depends_on_another_waits_for_its_status(status: str, minute: int) -> None:
    value = job_set(replicated("first"), replicated("second", depends=("first", status)))
    record = run(value, scenario(pods={"startup": "3m"}))
    assert created(record) == [("train-first-0", 1, 0), ("train-second-0", 1, minute)]


def test_a_suspended_job_set_starts_no_pod_until_it_is_resumed() -> None:
    value = job_set(replicated("workers"), suspend=True)
    given = scenario(changes=[{"at": "1h", "spec": {"suspend": False}}])
    record = run(value, given)
    assert record.jobs[0].pods[0].created == 60 * MINUTE
    assert outcome(record)[0] == "Complete"


def test_a_ttl_in_a_template_runs_a_finished_job_again() -> None:
    value = job_set(replicated("quick", ttlSecondsAfterFinished=60), replicated("slow"))
    record = run(value, scenario({"replicatedJobs": "slow", "duration": "30m"}))
    assert len([job for job in record.jobs if job.replicated_job == "quick"]) > 1


def test_a_failure_without_end_stops_at_a_limit_or_at_the_end_of_the_scenario() -> None:
    rule = {"action": "RestartJobSetAndIgnoreMaxRestarts"}
    value = job_set(replicated("workers"), rules=[rule])
    record = run(value, scenario(fails("workers")), 60 * MINUTE)
    assert outcome(record)[0] == "Unfinished"
    with pytest.raises(SimulationTooLarge, match="20,000 Jobs"):
        run(job_set(replicated("workers", 20_001)), scenario())


def test_a_job_is_created_below_what_caused_it() -> None:
    value = job_set(replicated("prep"), replicated("main", depends=("prep", "Complete")))
    failing = scenario({**fails("main"), "runs": 1})
    lines = [line.strip().partition("  ")[2] for line in table_lines(run(value, failing))]
    order = [
        "train-prep-0 Complete (CompletionsReached) after 10 min 6 s",
        "train-main-0 created",
        "train-main-0 Failed (BackoffLimitExceeded) after 5 min 6 s, 1 failed Pod",
        "train-prep-0 created, attempt 2",
    ]
    assert lines[0] == "JobSet created"
    assert [line for line in lines if line in order][: len(order)] == order
