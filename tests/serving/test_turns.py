"""Reviewing threads take turns in the order in which they ask, and none waits long for its turn."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from jobsworth.serving.turns import Turns

LONG = 60.0
"""Seconds after which a test has failed."""


def in_threads(run: Callable[[int], None], count: int, ready: Callable[[int], bool]) -> None:
    """Run a function in threads, each started when the ones before it are ready; wait for all of them."""
    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for number, thread in enumerate(threads):
        thread.start()
        end = time.monotonic() + LONG
        while not ready(number + 1) and time.monotonic() < end:
            time.sleep(0.0002)
    for thread in threads:
        thread.join(LONG)


def is_free(turns: Turns) -> bool:
    """Return True if nobody has a turn or waits for one."""
    return not turns._taken and not turns._waiting


def test_one_thread_works_at_a_time() -> None:
    turns, inside, most = Turns(), 0, 0

    def work(_: int) -> None:
        nonlocal inside, most
        for _ in range(20):
            with turns.one(LONG):
                inside += 1
                most = max(most, inside)
                time.sleep(0.0002)
                inside -= 1

    in_threads(work, 3, lambda _: True)
    assert most == 1
    assert is_free(turns)


def test_threads_get_their_turns_in_the_order_in_which_they_ask() -> None:
    turns, order = Turns(), []

    def work(number: int) -> None:
        with turns.one(LONG):
            order.append(number)

    with turns.one(LONG):
        asking = threading.Thread(
            target=in_threads, args=(work, 8, lambda count: len(turns._waiting) == count)
        )
        asking.start()
        end = time.monotonic() + LONG
        while len(turns._waiting) < 8 and time.monotonic() < end:
            time.sleep(0.0002)
        # A thread that asks again waits like all others.
        turns._pass_on()
        turns._take(LONG)
        order.append(-1)
    asking.join(LONG)
    assert order == [*range(8), -1]
    assert is_free(turns)


def test_work_that_takes_long_does_not_hold_up_others() -> None:
    turns = Turns()
    with turns.one(LONG):
        began = time.monotonic()
        with turns.one(0.005):
            assert time.monotonic() - began >= 0.005
        assert turns._taken, "the turn still belongs to the first"
    assert is_free(turns)


def test_work_that_fails_passes_its_turn_on() -> None:
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns.one(LONG):
        raise ZeroDivisionError
    assert is_free(turns)


def test_no_turn_is_lost_if_waits_end_while_turns_are_passed_on() -> None:
    turns, done = Turns(), []

    def work(_: int) -> None:
        for _ in range(300):
            with turns.one(0.0001):
                sum(range(1000))
        done.append(True)

    in_threads(work, 6, lambda _: True)
    assert len(done) == 6
    assert is_free(turns)
