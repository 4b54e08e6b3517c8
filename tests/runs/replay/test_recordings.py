"""What is read from a recording, and what is reported as unknown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobsworth.controller.well_known_names import OUR_MANAGER
from jobsworth.runs.recorded.recording import Recording
from jobsworth.runs.recorded.recording_reader import BadRecording
from jobsworth.runs.replay.planner_replay import replay
from jobsworth.runs.replay.policy_comparison import PolicyComparison, compare_policies
from jobsworth.runs.why.comparison_words import consequences, divergence
from jobsworth.runs.why.decisions import decision, gaps, limits
from jobsworth.runs.why.pod_table import how_it_ended
from support.replay.recorded_jobs import created, event, pod, recording, stored
from support.simulation.simulated_runs import IGNORE_DISRUPTIONS, indexed, job, on_exit

EVICTED = {"code": 143, "deleted": 25, "disruption": "EvictionByEvictionAPI"}


def decisions(given: Recording) -> list[str]:
    replayed = replay(given)
    return [decision(each, replayed) for each in replayed.failures]


def against(given: Recording, manifest: dict[str, Any]) -> PolicyComparison:
    return compare_policies(given, replay(given), "other.yaml", manifest["spec"])


def test_each_failure_counts_up_to_the_limit() -> None:
    given = recording(
        stored(job(backoffLimit=1), (41, "Failed", "BackoffLimitExceeded"), failed=2),
        pod("train-a", 0, 10, 1),
        pod("train-b", 20, 40, 1),
        events=(created("train-a", 0), created("train-b", 20)),
    )
    assert decisions(given) == [
        "counted, failure 1 (limit 1)",
        "counted, failure 2 (limit 1); the Job fails (BackoffLimitExceeded)",
    ]
    assert list(gaps(given, replay(given))) == []
    assert dict(limits(given, replay(given))) == {
        "backoffLimit 1": "2 failures count; exceeded at 0:00:40"
    }


def test_a_disrupted_pod_shows_its_condition_and_the_rule_that_took_it() -> None:
    given = recording(
        stored(job(IGNORE_DISRUPTIONS, on_exit("FailJob", 3))), pod("train-a", 0, 30, **EVICTED)
    )
    (failed,) = given.pods
    assert how_it_ended(given, failed) == (
        "main exit 143, DisruptionTarget (EvictionByEvictionAPI)"
    )
    assert decisions(given) == ["ignored"]


def test_a_pod_of_which_only_events_are_left_is_unknown_and_decides_nothing() -> None:
    given = recording(
        stored(job(backoffLimit=6), failed=1),
        pod("train-b", 20, started=21),
        events=(
            created("train-a", 0),
            created("train-b", 20),
            event("Killing", "Stopping container main", 8, "train-a", "Pod"),
        ),
    )
    replayed = replay(given)
    assert replayed.failures == []
    assert list(gaps(given, replayed)) == [
        "The status counts 1 failed Pod, and the recording has 0 of them. The others were deleted: how they "
        "failed is unknown.",
    ]


def test_pods_that_the_end_of_the_job_stopped_are_not_its_failures() -> None:
    rule = on_exit("FailJob", 42)
    given = recording(
        stored(job(rule, parallelism=2), (11, "Failed", "PodFailurePolicy"), failed=2),
        pod("train-a", 0, 10, 42),
        pod("train-b", 0, 14, 143, deleted=11),
        events=(created("train-a", 0),),
    )
    assert decisions(given) == ["the Job fails"]
    assert how_it_ended(given, given.pods[1]) == "stopped with the Job, main exit 143"
    assert list(gaps(given, replay(given))) == []


def test_pods_that_the_controller_deleted_as_surplus_do_not_count() -> None:
    given = recording(
        stored(job(backoffLimit=0, parallelism=1)),
        pod("train-a", 0, started=1),
        pod("train-b", 0, 20, 143, deleted=10),
        events=(event("SuccessfulDelete", "Deleted pod: train-b", 10),),
    )
    assert replay(given).failures == []
    assert replay(given).end is None


def test_the_annotations_of_an_index_tell_of_failures_that_are_gone() -> None:
    given = recording(
        stored(indexed(size=2, backoffLimitPerIndex=3)),
        pod("train-0-b", 60, 70, 1, index=0, failures=2),
        events=(created("train-0-b", 60),),
    )
    assert decisions(given) == ["counted, failure 3 of index 0 (limit 3)"]
    assert list(gaps(given, replay(given))) == [
        "Pod train-0-b says that index 0 had failed 2 times before; the recording has 0 of these failures."
    ]


def test_of_several_versions_of_a_pod_the_newest_counts() -> None:
    running, ended = pod("train-a", 0, started=1), pod("train-a", 0, 9, 1)
    running["metadata"]["resourceVersion"], ended["metadata"]["resourceVersion"] = "9", "12"
    for versions in ((running, ended), (ended, running)):
        given = recording(stored(job(backoffLimit=6)), *versions)
        assert [each.ended for each in given.pods] == [given.created + 9]


def test_pods_of_other_jobs_are_left_out() -> None:
    foreign = pod("train-a", 0, 10, 1)
    foreign["metadata"]["ownerReferences"][0]["uid"] = "another"
    given = recording(stored(job()), foreign, pod("other-b", 0, 10, 1, job="other"))
    assert [each.name for each in given.pods] == ["other-b"]  # its owner has the UID of the Job


def test_a_manifest_without_anything_recorded_is_refused() -> None:
    with pytest.raises(BadRecording, match="nothing of it was recorded"):
        recording(job())


def test_an_end_that_the_recorded_pods_do_not_explain_is_said_so() -> None:
    given = recording(
        stored(job(backoffLimit=2), (50, "Failed", "BackoffLimitExceeded"), failed=3),
        pod("train-c", 40, 49, 1),
        events=(created("train-c", 40),),
    )
    lines = list(gaps(given, replay(given)))
    assert lines[-1].startswith(
        "The recorded Pods and the spec alone do not end the Job, but its status"
    )
    comparison = against(given, job(backoffLimit=9))
    assert comparison.divergence == given.created + 50
    assert dict(divergence(comparison)) == {
        "at": "0:00:50",
        "recorded": "the Job fails (BackoffLimitExceeded)",
        "with it": "the Job goes on",
    }
    assert any(
        "unknown, so it may end the Job earlier" in each for each in consequences(comparison)
    )


def test_a_policy_that_goes_on_ends_what_the_recording_can_say() -> None:
    fails = on_exit("FailJob", 143)
    given = recording(
        stored(job(fails, IGNORE_DISRUPTIONS), (30, "Failed", "PodFailurePolicy"), failed=1),
        pod("train-a", 0, 30, **EVICTED),
        events=(created("train-a", 0),),
    )
    comparison = against(given, job(IGNORE_DISRUPTIONS, fails))
    assert dict(divergence(comparison)) == {
        "at": "0:00:30, train-a: main exit 143, DisruptionTarget (EvictionByEvictionAPI)",
        "recorded": "rules[0] FailJob: the Job fails",
        "with it": "rules[0] Ignore: ignored",
    }
    assert list(consequences(comparison)) == [
        "The recorded Job failed (PodFailurePolicy) at 0:00:30. With other.yaml it goes on.",
        "Its controller would create the next Pod at 0:00:40.",
        "After this the recording cannot say more, because the next Pods are not in it. To see what may "
        "follow: jobsworth simulate other.yaml",
    ]


def test_a_policy_that_ends_the_job_earlier_says_what_it_spares() -> None:
    given = recording(
        stored(job(backoffLimit=1), (61, "Failed", "BackoffLimitExceeded"), failed=2),
        pod("train-a", 0, 10, 42),
        pod("train-b", 20, 60, 42),
        events=(created("train-a", 0), created("train-b", 20)),
    )
    comparison = against(given, job(on_exit("FailJob", 42), backoffLimit=1))
    assert list(consequences(comparison)) == [
        "The Job fails at 0:00:10: PodFailurePolicy: Container main for pod batch/train-a failed with exit "
        "code 42 matching FailJob rule at index 0.",
        "The recorded Job ended 50 s later.",
        "1 recorded Pod would not exist: train-b.",
        "Pods would run 40 s less.",
    ]


def test_retries_of_an_index_that_the_other_policy_fails_would_not_exist() -> None:
    given = recording(
        stored(indexed(size=2, backoffLimit=6), (90, "Complete", "CompletionsReached")),
        pod("train-0-a", 0, 10, 42, index=0),
        pod("train-1-b", 0, 60, 0, index=1),
        pod("train-0-c", 20, 30, 0, index=0),
        events=(created("train-0-a", 0),),
    )
    other = indexed(on_exit("FailIndex", 42), size=2, backoffLimitPerIndex=1)
    comparison = against(given, other)
    assert [each.name for each in comparison.spared] == ["train-0-c"]
    assert comparison.other.end is not None
    assert comparison.other.end.reason == "FailedIndexes"
    assert "Index 0 fails for good at 0:00:10." in list(consequences(comparison))


def test_indexes_that_the_other_policy_retries_are_beyond_the_recording() -> None:
    given = recording(
        stored(
            indexed(size=2, backoffLimitPerIndex=0),
            (61, "Failed", "FailedIndexes"),
            failed=1,
            failedIndexes="0",
        ),
        pod("train-0-a", 0, 10, 1, index=0, failures=0),
        pod("train-1-b", 0, 60, 0, index=1, failures=0),
        events=(created("train-0-a", 0),),
    )
    comparison = against(given, indexed(size=2, backoffLimitPerIndex=1))
    assert comparison.retried_indexes == [0]
    assert comparison.other.end is None
    assert "Index 0 would be retried." in list(consequences(comparison))


def test_a_success_policy_may_end_the_job_before() -> None:
    given = recording(
        stored(indexed(size=2), (61, "Complete", "CompletionsReached")),
        pod("train-0-a", 0, 10, 0, index=0),
        pod("train-1-b", 0, 60, 0, index=1),
        events=(created("train-0-a", 0),),
    )
    other = indexed(size=2, successPolicy={"rules": [{"succeededIndexes": "0"}]})
    comparison = against(given, other)
    assert comparison.first is None
    assert list(consequences(comparison)) == [
        "The Job completes at 0:00:10: SuccessPolicy: Matched rules at index 0.",
        "The recorded Job ended 50 s later.",
        "Pods would run 50 s less.",
    ]


def test_a_deadline_that_was_exceeded_ends_the_job_under_both_policies() -> None:
    manifest = job(backoffLimit=6, activeDeadlineSeconds=60)
    given = recording(
        stored(manifest, (60, "Failed", "DeadlineExceeded"), failed=2),
        pod("train-a", 0, 20, 1),
        pod("train-b", 30, 62, 143, deleted=60),
        events=(created("train-a", 0),),
    )
    comparison = against(given, job(backoffLimit=3))
    assert comparison.divergence is None
    assert next(consequences(comparison)).endswith(
        "longer than specified deadline. This matches the recording."
    )


@pytest.mark.parametrize("manager", [None, OUR_MANAGER])
def test_rules_on_termination_reasons_took_only_what_our_controller_ran(
    manager: str | None,
) -> None:
    rules = [{"action": "Ignore", "onTerminationReasons": {"operator": "In", "values": ["Error"]}}]
    manifest = job(podReplacementPolicy="Failed", backoffLimit=0)
    if manager is not None:
        manifest["spec"]["managedBy"] = manager
    manifest["metadata"]["annotations"] = {
        "jobsworth.dev/pod-failure-policy": json.dumps({"rules": rules})
    }
    given = recording(
        stored(manifest, (41, "Failed", "BackoffLimitExceeded"), failed=1),
        pod("train-a", 0, 10, 1),
        events=(created("train-a", 0),),
    )
    (decision,) = decisions(given)
    assert decision.startswith("counted, failure 1") is (manager is None)
