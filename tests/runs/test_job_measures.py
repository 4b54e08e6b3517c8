"""Measures of work: its share, the time to nine tenths, Pods at once, overlap."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.documents.declared import json_value
from jobsworth.reports.simulation_report import run_report, variant_report
from jobsworth.reports.timelines.statistics_text import comparison_lines, statistics_lines
from jobsworth.reports.timelines.timeline_text import outcome_lines
from jobsworth.runs.job_measures import JobMeasures, measure_job
from jobsworth.runs.run_record import JobRecord, PodRecord, RunRecord
from jobsworth.runs.run_statistics import RunStatistics, statistics_of, summarize
from jobsworth.runs.simulation.requirements import BadRequirement, read_requirement
from support.simulation.simulated_runs import indexed, job, run, scenario

SECOND, MINUTE = 1000, 60_000
ONE_LOST = scenario({"indexes": 7, "exitCode": 1, "duration": "1m"})


def measured(record: RunRecord) -> JobMeasures:
    found = summarize(record).measures
    assert found is not None
    return found


def many(limit: int, count: int = 5) -> RunStatistics:
    manifest = indexed(size=10, backoffLimitPerIndex=limit)
    return statistics_of([summarize(run(manifest, ONE_LOST, seed)) for seed in range(count)])


def test_an_index_that_fails_leaves_nine_of_ten_indexes_of_the_work() -> None:
    found = measured(run(indexed(size=10, backoffLimitPerIndex=0), ONE_LOST))
    assert (found.succeeded, found.completions, found.work_done) == (9, 10, 0.9)
    assert found.to_90_percent == 605 * SECOND


def test_without_nine_tenths_there_is_no_time_to_them() -> None:
    lost = scenario({"indexes": "6-7", "exitCode": 1, "duration": "1m"})
    assert measured(run(indexed(size=10, backoffLimitPerIndex=0), lost)).to_90_percent is None


def test_completions_without_indexes_are_work_too_and_a_work_queue_has_no_share() -> None:
    found = measured(run(job(completions=4, parallelism=2), scenario()))
    assert (found.indexed, found.succeeded, found.completions) == (False, 4, 4)
    queue = measured(run(job(parallelism=3, completions=None), scenario()))
    assert (queue.work_done, queue.to_90_percent) == (None, None)


@pytest.mark.parametrize(
    ("policy", "most", "overlap"), [("Failed", 2, 0), ("TerminatingOrFailed", 3, 20 * SECOND)]
)
def test_a_replacement_beside_a_terminating_pod_is_overlap(
    policy: str, most: int, overlap: int
) -> None:
    evicted = {"cause": "EvictionAPI", "at": "5m", "pods": 1}
    record = run(
        indexed(size=2, podReplacementPolicy=policy),
        scenario(disruptions=(evicted,), pods={"termination": "40s", "startup": "0s"}),
    )
    found = measured(record)
    assert (found.most_pods, found.overlap) == (most, overlap)


def test_of_a_job_without_indexes_more_pods_than_its_parallelism_are_overlap() -> None:
    evicted = {"cause": "EvictionAPI", "at": "5m", "pods": 1}
    record = run(job(), scenario(disruptions=(evicted,), pods={"termination": "40s"}))
    first, second = record.job.pods
    assert measured(record).overlap == (first.ended or 0) - (second.started or 0)


@given(
    st.lists(
        st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50)),
        min_size=1,
        max_size=8,
    )
)
def test_overlap_is_what_counting_every_moment_gives(drawn: list[tuple[int, int, int]]) -> None:
    record = JobRecord("train", 1, 0, indexed=True, parallelism=1, size=1)
    for number, each in enumerate(drawn, 1):
        created, started, ended = sorted(each)
        record.pods.append(
            PodRecord(f"train-0-{number}", 0, number, created, started=started, ended=ended)
        )
    found = measure_job(record, 60)
    running = [
        sum((pod.started or 0) <= moment < (pod.ended or 0) for pod in record.pods)
        for moment in range(60)
    ]
    alive = [
        sum(pod.created <= moment < (pod.ended or 0) for pod in record.pods) for moment in range(60)
    ]
    assert found.overlap == sum(number > 1 for number in running)
    assert found.most_pods >= max(alive)


@given(st.integers(1, 30), st.integers(0, 3), st.integers(1, 10**6))
def test_shares_are_shares_and_nine_tenths_come_before_the_end(
    size: int, limit: int, seed: int
) -> None:
    luck = scenario({"probability": 0.3, "exitCode": 1, "duration": "1m"})
    record = run(indexed(size=size, backoffLimitPerIndex=limit), luck, seed)
    found = measured(record)
    assert found.work_done is not None
    assert 0 <= found.work_done <= 1
    assert (found.work_done >= 0.9) == (found.to_90_percent is not None)
    assert found.to_90_percent is None or found.to_90_percent <= record.end
    assert found.most_pods <= len(record.job.pods)


def test_a_run_says_what_was_done_of_how_much() -> None:
    lines = list(outcome_lines(run(indexed(size=10, backoffLimitPerIndex=0), ONE_LOST)))
    assert "Work       9 of 10 indexes succeeded (90%); 90% after 10 min 5 s" in lines
    assert "At once    at most 10 Pods" in lines


def test_a_single_pod_has_no_lines_about_work() -> None:
    lines = list(outcome_lines(run(job(), scenario())))
    assert not any(line.startswith(("Work", "At once")) for line in lines)


def test_statistics_say_what_a_share_is_a_share_of() -> None:
    lines = list(statistics_lines(many(0)))
    assert "complete              0.0% (0.0% to 43.4%) of the runs" in lines
    assert "work done             90.0% of the 10 indexes" in lines
    table = list(comparison_lines([("a", many(0)), ("b", many(1))]))
    assert table[1:4] == [
        "COMPLETE: share of the runs in which the Job completed",
        "WORK DONE: share of the 10 indexes that succeeded, mean of the runs",
        "90% DONE: median of the time until nine tenths of them had succeeded",
    ]
    assert [column.split()[0] for column in table[5].split("  ") if column][:4] == [
        "COMPLETE", "WORK", "90%", "MOST",
    ]  # fmt: skip


def test_one_run_of_each_variant_compares_numbers_of_indexes() -> None:
    table = list(comparison_lines([("a", many(0, 1)), ("b", many(1, 1))]))
    assert all("9 of 10 indexes" in line for line in table[3:5])


def test_json_has_the_measures_of_a_run_and_of_many() -> None:
    one = json_value(run_report(run(indexed(size=10, backoffLimitPerIndex=0), ONE_LOST)))[
        "measures"
    ]
    assert one == {
        "completions": 10, "succeeded": 9, "work_done": 0.9, "time_to_90": 605_000, "most_pods": 10,
        "overlap": 0,
    }  # fmt: skip
    found = json_value(variant_report("", many(0)))
    assert found["work_done"] == found["succeeded_indexes"]
    assert found["work_done"]["value"] == 0.9
    assert found["most_pods"]["value"] == 10


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("succeeded_indexes >= 0.9", True),
        ("succeededIndexes >= 95%", False),
        ("workDone == 0.9", True),
        ("timeTo90.p95 <= 11m", True),
        ("time_to_90.max <= 10m", False),
        ("most_pods <= 10", True),
        ("mostPods.max < 10", False),
        ("overlap <= 0s", True),
    ],
)
def test_measures_of_work_can_be_asserted(text: str, *, holds: bool) -> None:
    result = read_requirement(text).check(many(0))
    assert result.holds is holds
    assert str(result).startswith(f"{text} {'holds' if holds else 'does not hold'}: ")


def test_an_assertion_on_one_run_says_so() -> None:
    assert str(read_requirement("complete >= 0.5").check(many(9, 1))).endswith(
        "in this one run, which shows what may happen; more runs show how likely it is"
    )
    assert "one run" not in str(read_requirement("complete >= 0.5").check(many(9, 2)))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("succeededIndexes >= 0.9", "the Job is not Indexed. Assert workDone"),
        ("workDone >= 0.9", "the Job has no number of completions"),
        ("timeTo90.p50 <= 1h", "in too many runs nine tenths of the completions never succeeded"),
    ],
)
def test_a_measure_without_a_value_does_not_hold_and_says_why(text: str, why: str) -> None:
    queue = statistics_of([summarize(run(job(parallelism=2, completions=None), scenario()))])
    assert str(read_requirement(text).check(queue)) == f"{text} does not hold: {why}"


def test_a_misspelled_measure_gets_a_hint() -> None:
    with pytest.raises(BadRequirement, match="succeededIndexes"):
        read_requirement("suceededIndexes >= 1")


def test_times_to_nine_tenths_count_runs_that_never_get_there() -> None:
    luck = scenario({"probability": 0.5, "exitCode": 1, "duration": "1m"})
    manifest = indexed(size=1, backoffLimitPerIndex=0)
    some = [summarize(run(manifest, luck, seed)) for seed in range(40)]
    times = [each.measures.to_90_percent for each in some if each.measures is not None]
    assert None in times
    assert any(times)
    found = json_value(variant_report("", statistics_of(some)))["time_to_90"]
    assert found["max"] is None
    assert all(first <= second for first, second in pairwise(sorted(filter(None, times))))


@pytest.mark.parametrize("text", ["missed <= 1%", "pods <= 5%", "mostPods <= 10%"])
def test_a_number_of_runs_or_pods_has_no_bound_in_percent(text: str) -> None:
    with pytest.raises(BadRequirement, match="is not a share; give a number without %"):
        read_requirement(text)
