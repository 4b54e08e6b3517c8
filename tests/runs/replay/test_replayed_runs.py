"""Laws of the replay, with the simulator as the oracle: it knows everything about its own runs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from jobsworth.runs.replay.planner_replay import replay
from jobsworth.runs.replay.policy_comparison import compare_policies
from jobsworth.runs.why.run_forms import recorded_timeline
from support.replay.recorded_jobs import START, pod, recorded_run, recording, stored
from support.simulation.simulated_runs import (
    IGNORE_DISRUPTIONS,
    indexed,
    job,
    on_exit,
    run,
    scenario,
)

LUCK = scenario(
    {"probability": 0.35, "exitCode": 1, "duration": "3m"},
    {"probability": 0.15, "exitCode": 42, "duration": "4m"},
    disruptions=(
        {"cause": "EvictionAPI", "at": "5m", "pods": 2},
        {"cause": "NodePressure", "at": "9m", "pods": 1},
    ),
)
RULES = some.lists(
    some.sampled_from(
        [IGNORE_DISRUPTIONS, on_exit("FailIndex", 42), on_exit("FailJob", 42), on_exit("Ignore", 1)]
    ),
    max_size=2,
    unique_by=str,
)
SIZE = 4


@some.composite
def policies(draw: some.DrawFn) -> tuple[list[Any], dict[str, Any]]:
    rules = draw(RULES)
    spec: dict[str, Any] = {}
    if draw(some.booleans()) or on_exit("FailIndex", 42) in rules:
        spec["backoffLimitPerIndex"] = draw(some.integers(0, 2))
        if draw(some.booleans()):
            spec["maxFailedIndexes"] = draw(some.integers(0, 3))
    else:
        spec["backoffLimit"] = draw(some.integers(0, 4))
    if draw(some.booleans()):
        spec["successPolicy"] = {"rules": [{"succeededCount": 2}]}
    return rules, spec


SEEDS = some.integers(1, 1000)


@given(policies(), SEEDS)
def test_a_replay_decides_as_the_run_that_was_recorded(
    policy: tuple[list[Any], dict[str, Any]], seed: int
) -> None:
    manifest = indexed(*policy[0], size=SIZE, **policy[1])
    record = run(manifest, LUCK, seed)
    recording = recorded_run(manifest, record)
    replayed = replay(recording)
    terminal = record.job.terminal
    if terminal is not None:
        assert replayed.end is not None
        assert (replayed.end.success, replayed.end.reason) == (
            terminal.type == "Complete",
            terminal.reason,
        )
    simulated = {pod.name: pod for pod in record.job.pods}
    for failure in replayed.failures:
        assert simulated[failure.pod.name].match == failure.match
        assert simulated[failure.pod.name].counted == (
            "failed" if failure.match.counts else "ignored"
        )
    assert set(replayed.failed_indexes) == {index for _, index in record.job.failed_indexes}


@given(policies(), SEEDS)
def test_a_policy_does_not_part_from_itself(
    policy: tuple[list[Any], dict[str, Any]], seed: int
) -> None:
    manifest = indexed(*policy[0], size=SIZE, **policy[1])
    recording = recorded_run(manifest, run(manifest, LUCK, seed))
    comparison = compare_policies(recording, replay(recording), "itself", manifest["spec"])
    assert comparison.changes == ()
    assert comparison.divergence is None
    assert not any(each.differs for each in comparison.failures)


@given(policies(), policies(), SEEDS)
def test_what_another_policy_would_have_done_is_what_it_does(
    one: tuple[list[Any], dict[str, Any]], other: tuple[list[Any], dict[str, Any]], seed: int
) -> None:
    """The Pods of an index behave alike under both, so an end that the replay is sure of must come true."""
    manifest = indexed(*one[0], size=SIZE, **one[1])
    second = indexed(*other[0], size=SIZE, **other[1])
    recording = recorded_run(manifest, run(manifest, LUCK, seed))
    comparison = compare_policies(recording, replay(recording), "other", second["spec"])
    end = comparison.other.end
    if end is None or comparison.retried_indexes or comparison.other.absent:
        return
    if bool(manifest["spec"].get("backoffLimitPerIndex")) != bool(
        second["spec"].get("backoffLimitPerIndex")
    ):
        return  # the indexes back off alone or together, so the same Pods start at other times
    simulated = run(second, LUCK, seed).job.terminal
    assert simulated is not None
    assert (simulated.type == "Complete", simulated.reason) == (end.success, end.reason)


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_limit_that_is_too_small_ends_the_job_at_its_failure(limit: int) -> None:
    manifest = job(backoffLimit=5)
    given_ = scenario({"attempts": "1-4", "exitCode": 1, "duration": "1m"})
    recording = recorded_run(manifest, run(manifest, given_))
    other = job(backoffLimit=limit)["spec"]
    comparison = compare_policies(recording, replay(recording), "smaller", other)
    failure = recording.pods[limit]
    assert comparison.other.end is not None
    assert comparison.other.end.at == failure.ended
    assert comparison.other.end.reason == "BackoffLimitExceeded"
    assert comparison.first is not None
    assert comparison.first.pod is failure
    assert comparison.spared == list(recording.pods[limit + 1 :])
    assert recording.created == START


@pytest.mark.parametrize(
    ("managed_by", "expected"), [(None, 70), ("jobsworth.dev/job-controller", 60)]
)
def test_an_index_that_waits_keeps_its_place_for_the_built_in_controller_only(
    managed_by: str | None, expected: int
) -> None:
    spec = {} if managed_by is None else {"managedBy": managed_by}
    manifest = indexed(size=2, parallelism=1, backoffLimitPerIndex=1, **spec)
    held = recording(stored(manifest), pod("train-0", 0, 60, 1, index=0, failures=0))
    assert replay(held).next_pod == START + expected


def test_a_wait_for_the_backoff_ends_with_the_creation_of_the_next_pod() -> None:
    manifest = indexed(size=2, backoffLimit=3)
    given = run(manifest, scenario({"indexes": 0, "attempts": 1, "exitCode": 1, "duration": "3m"}))
    recorded = recorded_run(manifest, given)
    shown = recorded_timeline(recorded, replay(recorded)).job
    second = next(pod for pod in shown.pods if pod.attempt == 2)
    failed = next(pod.ended for pod in shown.pods if pod.attempt == 1 and pod.index == 0)
    ((begin, until),) = shown.waits(10**9)
    assert failed is not None
    assert failed <= begin <= failed + 2_000
    assert until == second.created
    assert shown.counters[0].at <= 1_000, "the counters start with the first Pods"
    assert shown.counters[0].active == 2
