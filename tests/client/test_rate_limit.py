"""The limit of calls a second."""

from __future__ import annotations

import threading

import pytest

from jobsworth.client.rate_limit import TokenBucket


def test_after_the_burst_calls_come_at_the_rate() -> None:
    now = [0.0]
    bucket = TokenBucket(10, 3, clock=lambda: now[0])
    assert [bucket.reserve() for _ in range(5)] == pytest.approx([0, 0, 0, 0.1, 0.2])
    now[0] = 1.0
    assert [bucket.reserve() for _ in range(4)] == pytest.approx([0, 0, 0, 0.1])


def test_taking_does_not_go_into_debt() -> None:
    now = [0.0]
    bucket = TokenBucket(1, 2, clock=lambda: now[0])
    assert [bucket.take() for _ in range(4)] == [True, True, False, False]
    now[0] = 1.0
    assert bucket.take()


def test_threads_share_it() -> None:
    slept: list[float] = []
    bucket = TokenBucket(1000, 1, sleep=slept.append, clock=lambda: 0.0)
    threads = [threading.Thread(target=bucket.wait) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(slept) == pytest.approx([number / 1000 for number in range(1, 20)])


def test_no_rate_is_no_limit() -> None:
    bucket = TokenBucket(0, 1, sleep=lambda _: pytest.fail("it waited"))
    for _ in range(100):
        bucket.wait()
