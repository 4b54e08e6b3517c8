"""One run of a Job: what its failure handling does with Pods that go as a scenario says."""

from __future__ import annotations

import json

import pytest

from jobsworth.controller.well_known_names import OUR_MANAGER
from support.simulation.simulated_runs import (
    IGNORE_DISRUPTIONS,
    ends,
    gaps,
    indexed,
    job,
    on_exit,
    outcome,
    run,
    scenario,
)

MINUTE = 60_000


def test_a_job_whose_pod_succeeds_completes_when_the_pod_has_ended() -> None:
    record = run(job(), scenario())
    assert outcome(record) == ("Complete", "CompletionsReached")
    (pod,) = record.job.pods
    assert (pod.started, pod.ended, pod.counted) == (5_000, 605_000, "succeeded")
    assert (
        record.end == record.job.finished == 606_000
    )  # the controller batches events of one second


def test_failures_are_retried_after_10_20_40_seconds_up_to_the_backoff_limit() -> None:
    record = run(job(backoffLimit=3), scenario({"exitCode": 1, "duration": "1m"}))
    assert outcome(record) == ("Failed", "BackoffLimitExceeded")
    assert ends(record.job) == [(f"train-{number}", "failed") for number in (1, 2, 3, 4)]
    assert gaps(record.job) == [10, 20, 40]


def test_a_rule_fails_the_job_at_once_and_its_message_names_pod_and_code() -> None:
    record = run(
        job(on_exit("FailJob", 42)), scenario({"attempts": 1, "exitCode": 42, "duration": "30s"})
    )
    assert outcome(record) == ("Failed", "PodFailurePolicy")
    terminal = record.job.terminal
    assert terminal is not None
    assert terminal.message == (
        "Container main for pod batch/train-1 failed with exit code 42 matching FailJob rule at index 0"
    )


def test_an_ignored_disruption_counts_nothing_but_still_waits_for_the_backoff() -> None:
    """kubernetes/kubernetes issue 130881."""
    evicted = {"cause": "EvictionAPI", "attempts": "1-3", "after": "2m"}
    record = run(job(IGNORE_DISRUPTIONS, backoffLimit=0), scenario(disruptions=(evicted,)))
    assert outcome(record) == ("Complete", "CompletionsReached")
    assert [counted for _, counted in ends(record.job)] == ["ignored"] * 3 + ["succeeded"]
    assert gaps(record.job) == [10, 20, 40]


def test_an_evicted_pod_terminates_with_sigterm_or_is_killed_after_its_grace_period() -> None:
    evicted = {"cause": "EvictionAPI", "attempts": 1, "after": "2m"}
    gentle = run(job(), scenario(disruptions=(evicted,)))
    stubborn = run(job(), scenario(disruptions=(evicted,), pods={"termination": "5m"}))
    first, last = gentle.job.pods[0], stubborn.job.pods[0]
    assert (first.exit_code, (first.ended or 0) - (first.deleted or 0)) == (143, 2_000)
    assert (last.exit_code, (last.ended or 0) - (last.deleted or 0)) == (137, 30_000)


def test_an_index_fails_for_good_and_the_others_go_on() -> None:
    record = run(
        indexed(size=4, backoffLimitPerIndex=1),
        scenario({"indexes": 2, "exitCode": 1, "duration": "1m"}),
    )
    assert outcome(record) == ("Failed", "FailedIndexes")
    assert [index for _, index in record.job.failed_indexes] == [2]
    assert gaps(record.job, 2) == [10]
    assert sum(pod.counted == "succeeded" for pod in record.job.pods) == 3


def test_too_many_failed_indexes_end_the_job_and_remove_its_running_pods() -> None:
    record = run(
        indexed(size=5, backoffLimitPerIndex=0, maxFailedIndexes=1),
        scenario({"indexes": "0-1", "exitCode": 1, "duration": "1m"}),
    )
    assert outcome(record) == ("Failed", "MaxFailedIndexesExceeded")
    assert [pod.deleted is not None for pod in record.job.pods] == [False] * 2 + [True] * 3


def test_an_active_deadline_ends_the_job_while_pods_are_pending() -> None:
    """kubernetes/kubernetes issue 111948."""
    record = run(job(activeDeadlineSeconds=100), scenario(pods={"startup": "never"}))
    assert outcome(record) == ("Failed", "DeadlineExceeded")
    assert record.job.pods[0].started is None


def test_containers_that_restart_in_place_reach_the_backoff_limit() -> None:
    record = run(
        job(restart="OnFailure", backoffLimit=3), scenario({"exitCode": 1, "duration": "5s"})
    )
    assert outcome(record) == ("Failed", "BackoffLimitExceeded")
    assert len(record.job.pods) == 1
    assert len(record.job.pods[0].restarts) == 3


def test_a_container_that_restarts_in_place_may_succeed_at_last() -> None:
    record = run(
        job(restart="OnFailure"),
        scenario({"attempts": "1-2", "exitCode": 1, "duration": "5s"}, pods={"duration": "1m"}),
    )
    assert outcome(record) == ("Complete", "CompletionsReached")
    assert [len(pod.restarts) for pod in record.job.pods] == [2]


@pytest.mark.parametrize(("policy", "pods"), [("TerminatingOrFailed", 2), ("Failed", 1)])
def test_a_pod_that_never_terminates_is_replaced_only_without_waiting_for_it(
    policy: str, pods: int
) -> None:
    lost = {"cause": "NodeLost", "attempts": 1, "after": "1m"}
    record = run(job(podReplacementPolicy=policy), scenario(disruptions=(lost,), until="2h"))
    assert len(record.job.pods) == pods
    assert record.job.outcome == ("Unfinished")


def test_a_lost_node_that_is_removed_lets_the_job_go_on() -> None:
    lost = {"cause": "NodeLost", "attempts": 1, "after": "1m", "nodeGoneAfter": "15m"}
    record = run(job(podReplacementPolicy="Failed"), scenario(disruptions=(lost,)))
    assert outcome(record) == ("Complete", "CompletionsReached")
    first, second = record.job.pods
    assert first.ended == 5_000 + 16 * MINUTE
    assert (first.exit_code, first.reason) == (None, "DeletionByPodGC")
    assert second.created > first.ended


def test_a_suspended_job_loses_its_pods_uncounted_and_starts_again() -> None:
    changes = [
        {"at": "5m", "spec": {"suspend": True}},
        {"at": "20m", "spec": {"suspend": False}},
    ]
    record = run(job(backoffLimit=0), scenario(changes=changes))
    assert outcome(record) == ("Complete", "CompletionsReached")
    assert ends(record.job) == [("train-1", "uncounted"), ("train-2", "succeeded")]
    assert [(each.type, each.status) for each in record.job.conditions[:2]] == [
        ("Suspended", "True"),
        ("Suspended", "False"),
    ]


def test_pods_beyond_the_capacity_stay_pending_until_a_place_is_free() -> None:
    record = run(indexed(size=4), scenario(capacity=[{"at": "0s", "pods": 2}]))
    assert [pod.scheduled for pod in record.job.pods] == [0, 0, 605_000, 605_000]


def test_rejected_pods_are_created_when_the_api_server_accepts_them() -> None:
    """pytorch/ci-infra issue 1043: nobody hears of it."""
    rejected = [{"from": "0s", "until": "15m", "message": "exceeded quota: pods"}]
    record = run(job(), scenario(rejections=rejected))
    assert outcome(record) == ("Complete", "CompletionsReached")
    failures = [event for event in record.job.events if event.reason == "FailedCreate"]
    assert len(failures) > 15
    assert failures[0].message == "Error creating: exceeded quota: pods"
    assert record.job.pods[0].created >= 15 * MINUTE


def test_nothing_happens_while_the_controller_is_away() -> None:
    away = [{"from": "1m", "until": "30m"}]
    record = run(job(), scenario(controllerAway=away))
    assert record.job.finished == 30 * MINUTE


def test_a_success_policy_ends_the_job_before_all_indexes_have_succeeded() -> None:
    record = run(
        indexed(size=3, successPolicy={"rules": [{"succeededIndexes": "0"}]}),
        scenario({"indexes": 0, "duration": "1m"}),
    )
    assert outcome(record) == ("Complete", "SuccessPolicy")
    assert [pod.deleted is not None for pod in record.job.pods] == [False, True, True]


def test_disruptions_at_a_time_hit_as_many_running_pods_as_they_say() -> None:
    drain = {"cause": "EvictionAPI", "at": "5m", "pods": 3}
    record = run(indexed(IGNORE_DISRUPTIONS, size=10), scenario(disruptions=(drain,)))
    assert sum(pod.cause == "EvictionAPI" for pod in record.job.pods) == 3
    assert outcome(record) == ("Complete", "CompletionsReached")


def test_repeated_disruptions_go_on_until_their_end() -> None:
    drain = {"cause": "EvictionAPI", "every": "2m", "pods": 1, "until": "7m"}
    record = run(job(IGNORE_DISRUPTIONS), scenario(disruptions=(drain,)))
    assert [pod.deleted for pod in record.job.pods] == [120_000, 240_000, 360_000, None]


def test_the_share_of_a_disruption_is_rounded_up() -> None:
    drain = {"cause": "Preemption", "at": "5m", "share": 0.25}
    record = run(indexed(IGNORE_DISRUPTIONS, size=10), scenario(disruptions=(drain,)))
    assert sum(pod.cause == "Preemption" for pod in record.job.pods) == 3


@pytest.mark.parametrize(
    ("managed_by", "created"), [(None, [0, 0]), (OUR_MANAGER, [0, 1, 0])], ids=["built-in", "ours"]
)
def test_an_index_that_waits_keeps_its_place_only_in_kubernetes(
    managed_by: str | None, created: list[int]
) -> None:
    manifest = indexed(
        size=2, parallelism=1, backoffLimitPerIndex=1, maxFailedIndexes=0, managedBy=managed_by
    )
    given = scenario({"indexes": 0, "exitCode": 1}, pods={"duration": "3s"})
    assert [pod.index for pod in run(manifest, given).job.pods] == created


def test_only_our_controller_applies_rules_on_termination_reasons() -> None:
    rules = [
        {"action": "FailJob", "onTerminationReasons": {"operator": "In", "values": ["OOMKilled"]}}
    ]
    killed = scenario({"attempts": 1, "exitCode": 137, "reason": "OOMKilled", "duration": "30s"})

    def result(**spec: str) -> tuple[str, str]:
        manifest = job(podReplacementPolicy="Failed", **spec)
        annotations = {"jobsworth.dev/pod-failure-policy": json.dumps({"rules": rules})}
        manifest["metadata"]["annotations"] = annotations
        return outcome(run(manifest, killed))

    assert result() == ("Complete", "CompletionsReached")
    assert result(managedBy=OUR_MANAGER) == ("Failed", "PodFailurePolicy")
