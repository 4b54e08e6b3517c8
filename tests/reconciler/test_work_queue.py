"""The work queue: each key once, one worker a key, later, or slower."""

from __future__ import annotations

import threading

import pytest

from jobsworth.reconciler.work_queue import WorkQueue
from support.fake_clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1000.0)


@pytest.fixture
def queue(clock: FakeClock) -> WorkQueue:
    return WorkQueue(retry_base=1, retry_cap=60, clock=clock)


def taken(queue: WorkQueue) -> list[str]:
    """Return the keys that can be taken now, each done at once."""
    keys = []
    while (key := queue.take(0)) is not None:
        keys.append(key)
        queue.done(key)
    return keys


def test_a_key_added_twice_comes_once(queue: WorkQueue) -> None:
    queue.add("a")
    queue.add("b")
    queue.add("a")
    assert taken(queue) == ["a", "b"]


def test_a_key_added_while_it_is_worked_on_comes_again_after_that(queue: WorkQueue) -> None:
    queue.add("a")
    assert queue.take(0) == "a"
    queue.add("a")
    assert queue.take(0) is None
    queue.done("a")
    assert taken(queue) == ["a"]


def test_a_delayed_key_comes_when_it_is_due(queue: WorkQueue, clock: FakeClock) -> None:
    queue.add("a", 2)
    assert taken(queue) == []
    assert queue.next_due() == 1002
    clock.now += 2
    assert taken(queue) == ["a"]
    assert queue.next_due() is None


@pytest.mark.parametrize("delays", [(5, 2), (2, 5)])
def test_of_several_delays_the_earliest_counts(
    queue: WorkQueue, clock: FakeClock, delays: tuple[float, ...]
) -> None:
    for delay in delays:
        queue.add("a", delay)
    clock.now += 2
    assert taken(queue) == ["a"]
    clock.now += 10
    assert taken(queue) == []


def test_looking_now_does_not_cancel_looking_later(queue: WorkQueue, clock: FakeClock) -> None:
    queue.add("a", 5)
    queue.add("a")
    assert taken(queue) == ["a"]
    clock.now += 5
    assert taken(queue) == ["a"]


def test_retries_double_up_to_a_cap_and_begin_anew_after_a_success(queue: WorkQueue) -> None:
    delays = [queue.retry("a") for _ in range(8)]
    assert delays == [1, 2, 4, 8, 16, 32, 60, 60]
    assert queue.failures("a") == 8
    queue.forget("a")
    assert queue.retry("a") == 1
    assert queue.retry("b") == 1


def test_a_retry_waits_for_the_delay_that_the_server_set(queue: WorkQueue) -> None:
    assert queue.retry("a", at_least=7) == 7


def test_closing_wakes_who_waits() -> None:
    queue = WorkQueue()
    found: list[str | None] = ["never"]
    worker = threading.Thread(target=lambda: found.append(queue.take()))
    worker.start()
    queue.close()
    worker.join(2)
    assert found[1:] == [None]


def test_a_worker_that_waits_gets_what_is_added() -> None:
    queue = WorkQueue()
    found: list[str | None] = []
    worker = threading.Thread(target=lambda: found.append(queue.take(5)))
    worker.start()
    queue.add("a", 0.01)
    worker.join(2)
    assert found == ["a"]


def test_many_workers_share_the_keys_and_none_has_one_twice_at_once() -> None:
    queue = WorkQueue()
    busy: set[str] = set()
    guard = threading.Lock()
    clashes: list[str] = []
    done = threading.Semaphore(0)

    def work() -> None:
        while (key := queue.take(1)) is not None:
            with guard:
                if key in busy:
                    clashes.append(key)
                busy.add(key)
            with guard:
                busy.discard(key)
            queue.done(key)
            done.release()

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for number in range(400):
        queue.add(f"job-{number % 7}")
    while queue.next_due() is not None:
        done.acquire(timeout=1)
    queue.close()
    for worker in workers:
        worker.join(2)
    assert not clashes
