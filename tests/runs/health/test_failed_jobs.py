"""Failed Jobs without a CronJob: listed until a later one succeeds, and never guessed about."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.runs.cause import Cause
from jobsworth.runs.health.failed_jobs import MAX_MESSAGE
from jobsworth.runs.health.problems import (
    failed_problem,
    problems_by_object,
    problems_of_cron_job,
)
from support.health.health_objects import (
    DAY,
    HOUR,
    NOON,
    a_cron_job,
    a_job,
    a_job_without_cron_job,
    a_pod,
    health,
)

BEFORE, AFTER = NOON - 3 * HOUR, NOON - HOUR
"""Created before, or after, the Job of a test failed (at 10:00)."""
OWNED = {"owner": "JobSet/train"}
GENERATED = {"generate_name": "load-"}
FAMILIES: tuple[dict[str, str], ...] = (OWNED, GENERATED)


def failed_names(*jobs: dict[str, Any], **window: int) -> list[str]:
    return [each.job.name for each in health(jobs=jobs, **window).failed]


def message(*jobs: dict[str, Any]) -> str:
    ((_, (problem,)),) = [each for each in problems_by_object(health(jobs=jobs)) if each[1]]
    assert (problem.severity, problem.code) == ("error", "Failed")
    return problem.message


def a_failure(name: str = "a", **more: Any) -> dict[str, Any]:
    return a_job_without_cron_job(name, **more)


def a_success(name: str = "b", *, created: int = AFTER, **more: Any) -> dict[str, Any]:
    return a_job_without_cron_job(name, "Complete", created=created, ended=NOON, **more)


def test_a_failed_job_is_listed_with_time_reason_and_message() -> None:
    (found,) = health(jobs=(a_failure(),)).failed
    assert (found.at, found.seconds(NOON)) == (NOON - 2 * HOUR, 2 * HOUR)
    assert message(a_failure()) == (
        "failed 2 h ago, at 2026-06-03T10:00:00Z (BackoffLimitExceeded: Job has reached the specified backoff "
        "limit): find the cause with jobsworth why, then run the Job again or delete it"
    )


def test_the_message_names_the_runs_of_which_none_succeeded_later() -> None:
    assert "; no later Job of JobSet/train is known to have succeeded: " in message(
        a_failure(**OWNED)
    )
    generated = "; no later Job with generateName load- is known to have succeeded: "
    assert generated in message(a_failure(**GENERATED))


def test_a_long_message_is_shortened() -> None:
    (found,) = health(jobs=(a_failure(message="x" * 32_768 + "y"),)).failed
    assert found.message == "x" * (MAX_MESSAGE // 2) + "…" + "x" * (MAX_MESSAGE // 2 - 2) + "y"


def failed_pod(of: dict[str, Any], code: int = 3) -> dict[str, Any]:
    ended = {"exitCode": code, "reason": "Error", "finishedAt": "2026-06-03T09:59:00Z"}
    statuses = [{"name": "main", "state": {"terminated": ended}}]
    return a_pod(of, "Failed", status={"containerStatuses": statuses})


def test_a_stored_pod_says_why_its_job_failed() -> None:
    failure = a_failure()
    (found,) = health(jobs=(failure,), pods=(failed_pod(failure),)).failed
    assert found.failure.why == "Pod a-x failed with exit code 3"
    assert found.failure.fix.command == "kubectl logs -n batch a-x -c main"
    assert "(Pod a-x failed with exit code 3)" in failed_problem(found, NOON).message


def test_the_latest_failed_run_of_a_cron_job_says_why() -> None:
    failure = a_job(NOON - 2 * HOUR, "Failed")
    found = health(a_cron_job(last=NOON - 2 * HOUR), jobs=(failure,), pods=(failed_pod(failure),))
    assert found.cron_jobs[0].latest_failure.why.endswith("failed with exit code 3")
    words = [each.why for each in problems_of_cron_job(found.cron_jobs[0], NOON)]
    assert any("failed with exit code 3; report-" in each for each in words)


@pytest.mark.parametrize("outcome", ["Complete", "Failed"])
def test_a_finished_job_whose_deletion_a_finalizer_holds_is_stuck(outcome: str) -> None:
    held = a_job_without_cron_job("a", outcome, deleting=True)
    held["metadata"]["finalizers"] = ["archive.example.com/logs"]
    found = health(jobs=(held,), pods=(), now=NOON + HOUR)
    (wait,) = found.stuck
    assert wait.waiting.cause == Cause.DELETING
    assert "archive.example.com/logs" in wait.waiting.detail
    assert found.failed == ()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_later_success_of_the_same_owner_or_generate_name_counts(family: dict[str, str]) -> None:
    assert failed_names(a_failure(**family), a_success(**family)) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_a_success_that_ran_beside_it_does_not_count(family: dict[str, str]) -> None:
    assert failed_names(a_failure(**family), a_success(created=BEFORE, **family)) == ["a"]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("outcome", ["", "Failed"])
def test_a_later_job_without_a_success_does_not_count(family: dict[str, str], outcome: str) -> None:
    later = a_job_without_cron_job("b", outcome, created=AFTER, ended=NOON, **family)
    assert "a" in failed_names(a_failure(**family), later)


@pytest.mark.parametrize(
    "other",
    [
        a_success(owner="JobSet/other"),
        a_success(generate_name="load-"),
        a_success(),
    ],
)
def test_a_success_of_something_else_does_not_count(other: dict[str, Any]) -> None:
    assert failed_names(a_failure(**OWNED), other) == ["a"]


def test_jobs_without_owner_and_generate_name_have_nothing_in_common() -> None:
    assert failed_names(a_failure(), a_success()) == ["a"]


def test_a_success_in_another_namespace_does_not_count() -> None:
    elsewhere = a_success(**GENERATED)
    elsewhere["metadata"]["namespace"] = "other"
    assert failed_names(a_failure(**GENERATED), elsewhere) == ["a"]


def test_of_a_job_recreated_under_its_name_the_newer_one_counts() -> None:
    assert failed_names(a_success("a")) == []
    assert failed_names(a_job_without_cron_job("a", "", created=AFTER)) == []


def test_a_reference_that_is_not_the_controller_is_no_owner() -> None:
    jobs = (a_failure(**OWNED), a_success(**OWNED))
    for job in jobs:
        job["metadata"]["ownerReferences"][0]["controller"] = False
    assert failed_names(*jobs) == ["a"]


def test_a_failed_job_outside_the_window_is_not_listed() -> None:
    assert failed_names(a_failure(), since=NOON - 2 * HOUR) == ["a"]
    assert failed_names(a_failure(), since=NOON - 2 * HOUR + 1) == []


def test_a_failed_job_that_is_being_deleted_is_not_listed() -> None:
    assert failed_names(a_failure(deleting=True)) == []


def test_a_failed_job_whose_condition_has_no_time_is_not_listed() -> None:
    assert failed_names(a_failure(ended=None)) == []


def test_a_failed_job_of_a_cron_job_is_not_listed() -> None:
    assert failed_names(a_job(NOON - HOUR, "Failed")) == []


def test_the_newest_come_first() -> None:
    jobs = [a_failure(f"j{hours}", ended=NOON - hours * HOUR) for hours in (2, 3, 1)]
    assert failed_names(*jobs) == ["j1", "j2", "j3"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("", "Complete", "Failed")),
            st.integers(-20, -1),
            st.integers(0, 20),
            st.sampled_from(({}, OWNED, GENERATED)),
        ),
        max_size=8,
    )
)
def test_each_failed_job_is_listed_unless_a_success_began_after_it(
    runs: list[tuple[str, int, int, dict[str, str]]],
) -> None:
    jobs = [
        a_job_without_cron_job(
            f"j{number}", outcome, created=NOON + begun, ended=NOON + begun + took, **family
        )
        for number, (outcome, begun, took, family) in enumerate(runs)
    ]
    found = health(jobs=tuple(jobs), now=NOON + DAY)
    listed = {each.job.uid for each in found.failed}
    assert not listed & found.recovered
    assert listed | found.recovered == {
        f"uid-j{number}" for number, run in enumerate(runs) if run[0] == "Failed"
    }
    for number, (outcome, begun, took, family) in enumerate(runs):
        if outcome == "Failed":
            made_up = any(
                other == "Complete" and later >= begun + took and family and family == of
                for other, later, _, of in runs
            )
            assert (f"uid-j{number}" in found.recovered) is made_up
