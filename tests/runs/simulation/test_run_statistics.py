"""Statistics of many runs, and requirements on them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.reports.timelines.timeline_lines import timeline
from jobsworth.runs.run_statistics import (
    RunStatistics,
    RunSummary,
    proportion,
    quantile_of,
    statistics_of,
    summarize,
)
from jobsworth.runs.simulation.distributions import (
    Distribution,
    Exponential,
    Fixed,
    LogNormal,
    Normal,
    Observed,
    Uniform,
    Weibull,
)
from jobsworth.runs.simulation.requirements import BadRequirement, read_requirement
from support.simulation.simulated_runs import IGNORE_DISRUPTIONS, job, on_exit, run, scenario

HOUR = 3_600_000
COIN = scenario({"probability": 0.5, "exitCode": 1}, {"probability": 0.1, "exitCode": 137})


def statistics(count: int = 50) -> RunStatistics:
    manifest = job(backoffLimit=1)
    return statistics_of([summarize(run(manifest, COIN, seed)) for seed in range(1, count + 1)])


def test_shares_add_up_and_lie_in_their_intervals() -> None:
    found = statistics()
    shares = [found.share(each) for each in ("Complete", "Failed", "Unfinished")]
    assert sum(share.value for share in shares) == pytest.approx(1)
    assert all(share.low <= share.value <= share.high for share in shares)
    assert {outcome for outcome, _, _ in found.outcomes} == {"Complete", "Failed"}


@pytest.mark.slow
def test_the_measured_share_is_near_the_true_one() -> None:
    """Two attempts that each fail with a probability of 0.6."""
    found = statistics(400).share("Complete")
    assert found.low < 1 - 0.6**2 < found.high


def test_a_pod_that_the_job_removed_is_no_failure_of_a_rule() -> None:
    manifest = job(on_exit("FailJob", 143), parallelism=2, completions=2)
    record = run(manifest, scenario(changes=[{"at": "5m", "spec": {"parallelism": 1}}]))
    assert [pod.counted for pod in record.job.pods] == ["uncounted", "succeeded", "succeeded"]
    assert summarize(record).failures == ()
    (removed,) = [line.text for line in timeline(record) if "143" in line.text]
    assert removed.endswith(": not counted: the Job had removed it")


def test_what_failed_pods_ran_is_wasted() -> None:
    manifest = job(IGNORE_DISRUPTIONS)
    evicted = {"cause": "EvictionAPI", "attempts": 1, "after": "30m"}
    record = run(manifest, scenario(disruptions=(evicted,), pods={"duration": "1h"}))
    summary = summarize(record)
    assert (summary.used, summary.wasted) == (HOUR + 30 * 60_000 + 2_000, 30 * 60_000 + 2_000)
    assert summary.failures == (("rule 0 Ignore", 1),)


@given(st.integers(0, 1000), st.integers(1, 1000))
def test_the_interval_of_a_share_contains_it_and_lies_between_0_and_1(
    count: int, more: int
) -> None:
    share = proportion(count, count + more)
    assert 0 <= share.low <= share.value <= share.high <= 1


@given(st.lists(st.integers(0, 10**6), min_size=1), st.floats(0, 1))
def test_the_interval_of_a_quantile_contains_it(values: list[int], quantile: float) -> None:
    found = quantile_of(sorted(values), quantile)
    assert found.low <= found.value <= found.high


DISTRIBUTIONS: list[Distribution] = [
    Fixed(5), Uniform(3, 90_000), Exponential(60_000), Weibull(60_000, 0.7), Normal(60_000, 30_000),
    LogNormal(60_000, 200_000), Observed((1, 5, 7)),
]  # fmt: skip


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda each: type(each).__name__)
@given(st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_a_greater_chance_is_no_shorter_time(
    distribution: Distribution, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert 0 <= distribution.at(low) <= distribution.at(high)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("complete >= 0.1", True),
        ("complete > 99%", False),
        ("failed<1", True),
        ("unfinished == 0", True),
        ("time.p95 <= 30m", True),
        ("time.p50 < 1s", False),
        ("podHours <= 1", True),
    ],
)
def test_a_requirement_holds_or_does_not(text: str, holds: bool) -> None:
    result = read_requirement(text).check(statistics())
    assert result.holds is holds
    assert str(result).startswith(f"{text} {'holds' if holds else 'does not hold'}: ")


def test_a_time_cannot_hold_without_a_completed_run() -> None:
    failed = RunSummary(1, "Failed", "BackoffLimitExceeded", None, 1, 0, 0, 0, ())
    result = read_requirement("time.p95 <= 2h").check(statistics_of([failed]))
    assert str(result) == "time.p95 <= 2h does not hold: no run completed"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("complete", '"complete" is not a comparison. Write, for example, complete >= 0.95'),
        ("completed >= 1", '"completed" is unknown; did you mean "complete"?'),
        ("time.p95 <= 2", '"2" is not a duration such as 2h'),
        ("complete >= most", '"most" is not a number'),
    ],
)
def test_a_requirement_of_another_form_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadRequirement) as raised:
        read_requirement(text)
    assert str(raised.value) == message
