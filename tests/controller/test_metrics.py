"""Metrics and events of a sync, as far as the planner decides them."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller import signals
from jobsworth.controller.times import write_time
from support.controller.job_syncs import NOW, SETTINGS, a_job, a_pod, an_indexed_job, pods, sync

CODES = {"operator": "In", "values": [5]}
POLICY = {
    "rules": [
        {"action": "Ignore", "onExitCodes": CODES},
        {"action": "Count", "onExitCodes": {"operator": "In", "values": [6]}},
    ]
}


def test_u114_the_failure_policy_is_counted_once_for_a_pod() -> None:
    job = a_job(parallelism=4, completions=9, podFailurePolicy=POLICY)
    given = [a_pod("Failed", exit_code=code) for code in (5, 5, 6, 7)]
    done = sync(job, given)
    handled = "pod_failures_handled_by_failure_policy_total"
    assert done.counts[f"{handled} Ignore"] == 2
    assert done.counts[f"{handled} Count"] == 1
    assert sum(key.startswith(handled) for key in done.counts) == 2
    for pod in given:
        pod["metadata"]["finalizers"] = []
    job["status"] = done.status
    assert not any(key.startswith(handled) for key in sync(job, given).counts)


def test_the_first_failure_that_a_rule_matches_has_an_event() -> None:
    job = a_job(parallelism=4, completions=9, podFailurePolicy=POLICY)
    first = sync(job, [a_pod("Failed", exit_code=code, name=f"p{code}") for code in (5, 7)])
    assert [(event.type, event.reason, event.message) for event in first.events] == [
        (
            "Normal",
            "PodFailurePolicyMatched",
            "Container main for pod default/p5 failed with exit code 5 matching Ignore rule at index 0. "
            "The failure does not count towards the backoff limits. Further failures that this rule "
            "matches are not reported",
        )
    ]
    job["status"] = first.status
    later = [a_pod("Failed", exit_code=code, name=f"q{code}") for code in (5, 6)]
    (event,) = sync(job, later, reported=first.reported).events
    assert event.message == (
        "Container main for pod default/q6 failed with exit code 6 matching Count rule at index 1. The failure "
        "counts towards the backoff limits. Further failures that this rule matches are not reported"
    )


def test_a_rule_whose_counted_pods_exist_has_no_event_after_a_restart() -> None:
    job = a_job(parallelism=4, completions=9, podFailurePolicy=POLICY)
    counted = a_pod("Failed", exit_code=5, tracked=False)
    assert sync(job, [counted, a_pod("Failed", exit_code=5)]).events == []
    assert len(sync(job, [counted, a_pod("Failed", exit_code=6)]).events) == 1


def test_so_it_is_if_the_index_of_the_counted_pod_is_completed() -> None:
    job = an_indexed_job(4, podFailurePolicy=POLICY, status={"completedIndexes": "1"})
    counted = a_pod("Failed", index=1, exit_code=5, tracked=False)
    assert sync(job, [counted, a_pod("Failed", index=2, exit_code=5)]).events == []


def test_the_rule_that_fails_an_index_has_an_event_and_the_one_that_fails_the_job_a_condition() -> (
    None
):
    rules = [
        {"action": "FailIndex", "onExitCodes": CODES},
        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [6]}},
    ]
    job = an_indexed_job(4, backoffLimitPerIndex=1, podFailurePolicy={"rules": rules})
    done = sync(job, [a_pod("Failed", index=2, exit_code=5)])
    (event,) = done.events
    assert (
        "FailIndex rule at index 0. Index 2 fails without further retries. Further" in event.message
    )
    done = sync(job, [a_pod("Failed", index=2, exit_code=6)])
    assert "PodFailurePolicyMatched" not in [event.reason for event in done.events]
    assert "matching FailJob rule at index 1" in done.message


def test_u114_without_a_policy_nothing_of_it_is_counted() -> None:
    counts = sync(a_job(completions=2), pods((1, "Failed"))).counts
    assert [*counts] == [
        "job_pods_creation_total recreate_terminating_or_failed succeeded",
        "job_pods_finished_total NonIndexed failed",
    ]


@pytest.mark.parametrize(
    ("job", "given", "reason"),
    [
        (a_job(completions=2), [], "new"),
        (a_job(completions=2), pods((1, "Failed")), "recreate_terminating_or_failed"),
        (a_job(completions=2), pods((1, "Terminating")), "recreate_terminating_or_failed"),
        (
            a_job(parallelism=2, completions=3, podReplacementPolicy="Failed"),
            pods((1, "Terminating")),
            "recreate_terminating_or_failed",
        ),
        (
            a_job(completions=2, podReplacementPolicy="Failed"),
            pods((1, "Failed")),
            "recreate_failed",
        ),
    ],
)
def test_creations_are_counted_by_reason(job: dict[str, Any], given: Any, reason: str) -> None:
    assert sync(job, given).counts[f"job_pods_creation_total {reason} succeeded"] == 1


def test_a_job_that_is_complete() -> None:
    counts = sync(a_job(completions=2), pods((2, "Succeeded"))).counts
    assert counts == {
        "job_pods_finished_total NonIndexed succeeded": 2,
        "jobs_finished_total NonIndexed succeeded CompletionsReached": 1,
    }


def test_a_job_whose_indexes_have_failed() -> None:
    job = an_indexed_job(2, backoffLimitPerIndex=0)
    counts = sync(job, [a_pod("Failed", 0), a_pod("Succeeded", 1)]).counts
    assert counts == {
        "job_finished_indexes_total succeeded perIndex": 1,
        "job_finished_indexes_total failed perIndex": 1,
        "job_pods_finished_total Indexed succeeded": 1,
        "job_pods_finished_total Indexed failed": 1,
        "jobs_finished_total Indexed failed FailedIndexes": 1,
    }


def test_indexes_without_a_limit_of_their_own() -> None:
    counts = sync(an_indexed_job(2), [a_pod("Succeeded", 0)]).counts
    assert counts["job_finished_indexes_total succeeded global"] == 1


def test_indexes_beyond_the_completions_are_not_taken_back() -> None:
    status = {"completedIndexes": "0-3", "succeeded": 4, "startTime": write_time(NOW)}
    counts = sync(an_indexed_job(3, status=status), [a_pod("Running", 0)]).counts
    assert all(amount > 0 for amount in counts.values())
    assert "job_finished_indexes_total succeeded global" not in counts


@pytest.mark.parametrize(
    ("job", "given", "observed", "action"),
    [
        (a_job(), [], True, "pods_created"),
        (a_job(), pods((2, "Running")), True, "pods_deleted"),
        (a_job(), pods((1, "Running")), True, "tracking"),
        (a_job(), [], False, "reconciling"),
        (a_job(backoffLimit=0), pods((1, "Failed")), True, "reconciling"),
        (a_job(), [a_pod("Failed", finished=NOW)], True, "pods_created"),
    ],
)
def test_syncs_are_counted_by_result(job: Any, given: Any, observed: bool, action: str) -> None:
    assert sync(job, given, observed=observed).plan.action == action


@pytest.mark.parametrize(
    ("event", "type_", "reason", "message"),
    [
        (signals.pod_created("p"), "Normal", "SuccessfulCreate", "Created pod: p"),
        (signals.pod_deleted("p"), "Normal", "SuccessfulDelete", "Deleted pod: p"),
        (signals.creation_failed("no"), "Warning", "FailedCreate", "Error creating: no"),
        (signals.deletion_failed("no"), "Warning", "FailedDelete", "Error deleting: no"),
        (signals.JOB_COMPLETED, "Normal", "Completed", "Job completed"),
        (signals.JOB_SUSPENDED, "Normal", "Suspended", "Job suspended"),
        (signals.JOB_RESUMED, "Normal", "Resumed", "Job resumed"),
        (
            signals.UNKNOWN_COMPLETION_MODE,
            "Warning",
            "UnknownCompletionMode",
            "Skipped Job sync because completion mode is unknown",
        ),
        (
            signals.TOO_MANY_SUCCEEDED,
            "Warning",
            "TooManySucceededPods",
            "Too many succeeded pods running after completion count reached",
        ),
    ],
)
def test_events_are_worded_as_in_kubernetes(
    event: signals.Event, type_: str, reason: str, message: str
) -> None:
    assert (event.type, event.reason, event.message) == (type_, reason, message)


def test_a_failed_job_is_counted_by_the_reason_of_its_condition() -> None:
    done = sync(a_job(backoffLimit=0), pods((1, "Failed")))
    assert done.events == [
        signals.Event(
            "Warning", "BackoffLimitExceeded", "Job has reached the specified backoff limit"
        )
    ]
    assert done.plan.because == "Job has reached the specified backoff limit"


@pytest.mark.parametrize(
    ("job", "given", "observed", "because"),
    [
        (a_job(), [], True, "fewer Pods are active than desired"),
        (a_job(), pods((2, "Running")), True, "more Pods are active than desired"),
        (a_job(), pods((1, "Running")), True, "as many Pods are active as desired"),
        (a_job(suspend=True), pods((1, "Running")), True, "the Job is suspended"),
        (a_job(), [], False, "the watch cache is stale"),
        (a_job(metadata={"deletionTimestamp": "x"}), [], True, "the Job is being deleted"),
        (
            a_job(),
            [a_pod("Failed", finished=NOW)],
            True,
            "the next Pod waits for the backoff after a failure",
        ),
        (a_job(suspend=True), [], True, "the Job is suspended"),
        (a_job(parallelism=0), [], True, "no Pod is created, because spec.parallelism is 0"),
        (a_job(parallelism=2), pods((2, "Pending")), True, "all active Pods are Pending"),
        (
            a_job(podReplacementPolicy="Failed"),
            [a_pod("Running", deleted=True)],
            True,
            "the next Pod waits until a terminating Pod has terminated (podReplacementPolicy: Failed)",
        ),
        (
            a_job(parallelism=2, completions=None),
            [a_pod("Succeeded", finished=NOW), a_pod("Running")],
            True,
            "a Pod has succeeded, and a work queue gets no more Pods",
        ),
        (a_job(), [a_pod("Succeeded", finished=NOW)], True, "no further Pod is needed"),
        (
            a_job(parallelism=0, completions=1, status={"succeeded": 1}),
            [],
            True,
            "no further Pod is needed",
        ),
    ],
)
def test_a_plan_says_why(job: Any, given: Any, observed: bool, because: str) -> None:
    assert sync(job, given, observed=observed, settings=SETTINGS).plan.because == because
