"""A Job is left alone until the caches have seen what we wrote for it."""

from __future__ import annotations

import pytest

from jobsworth.reconciler.expectations import JOBS, PODS, CacheProgress, Expectations
from support.fake_clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(100.0)


@pytest.fixture
def expectations(clock: FakeClock) -> Expectations:
    return Expectations(300, clock)


def seen(jobs: int = 0, pods: int = 0, listed: float = 0.0) -> dict[str, CacheProgress]:
    return {JOBS: CacheProgress(jobs, listed), PODS: CacheProgress(pods, listed)}


@pytest.mark.parametrize(
    ("caches", "behind"),
    [
        (seen(jobs=10, pods=20), None),
        (seen(jobs=11, pods=21), None),
        (seen(jobs=9, pods=20), JOBS),
        (seen(jobs=10, pods=19), PODS),
        (seen(listed=100.5), None),  # a list that began after the writes
        (seen(listed=100.0), JOBS),  # one that may have been under way
    ],
)
def test_own_writes_have_to_be_observed(
    expectations: Expectations, caches: dict[str, CacheProgress], behind: str | None
) -> None:
    expectations.wrote(JOBS, "ns/a", 10)
    expectations.wrote(PODS, "ns/a", 20)
    expectations.wrote(PODS, "ns/a", 15)
    assert expectations.unseen("ns/a", caches) == behind
    assert expectations.unseen("ns/b", seen()) is None


def test_a_write_that_is_never_seen_is_given_up_after_a_while(
    expectations: Expectations, clock: FakeClock
) -> None:
    expectations.wrote(PODS, "ns/a", 20)
    clock.now += 299
    assert expectations.unseen("ns/a", seen()) == PODS
    clock.now += 1
    assert expectations.unseen("ns/a", seen()) is None


def test_a_released_pod_is_remembered_until_it_is_seen_without_its_finalizer(
    expectations: Expectations,
) -> None:
    expectations.untracking("ns/a", ["u1", "u2"])
    assert expectations.untracked("ns/a") == {"u1", "u2"}
    expectations.forget_untracked("u1")
    expectations.forget_untracked("u2")
    expectations.forget_untracked("unknown")
    assert expectations.untracked("ns/a") == frozenset()
    assert len(expectations) == 0


def test_nothing_is_left_of_a_job_that_is_gone(expectations: Expectations) -> None:
    expectations.wrote(JOBS, "ns/a", 10)
    expectations.untracking("ns/a", ["u1"])
    expectations.forget("ns/a")
    assert expectations.unseen("ns/a", seen()) is None
    assert len(expectations) == 0
