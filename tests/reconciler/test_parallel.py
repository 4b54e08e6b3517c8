"""The calls of Jobs in a shared thread pool."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from jobsworth.client.api_errors import ApiError
from jobsworth.reconciler.parallel import Threads

if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT_SECONDS = 30


class Announced(list[str]):
    """Items that set an event once all have been taken."""

    def __init__(self, items: list[str]) -> None:
        super().__init__(items)
        self.taken = threading.Event()

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        self.taken.set()


def test_results_and_errors_are_in_the_order_of_the_items() -> None:
    def call(number: int) -> int:
        if number % 7 == 3:
            raise ApiError(500, "InternalError", str(number))
        return number

    calls = Threads(4)
    outcomes = calls(call, range(100))
    calls.close()
    assert [
        int(outcome.message) if isinstance(outcome, ApiError) else outcome for outcome in outcomes
    ] == list(range(100))


def test_a_few_calls_do_not_wait_behind_many() -> None:
    ran: list[str] = []
    started, go = threading.Event(), threading.Event()

    def call(item: str) -> None:
        started.set()
        assert go.wait(WAIT_SECONDS)
        ran.append(item)

    calls = Threads(2)
    small = Announced(["small"] * 3)
    with ThreadPoolExecutor(2) as jobs:
        many = jobs.submit(calls, call, ["large"] * 100)
        assert started.wait(WAIT_SECONDS)
        few = jobs.submit(calls, call, small)
        assert small.taken.wait(WAIT_SECONDS)
        go.set()
        few.result(WAIT_SECONDS)
        many.result(WAIT_SECONDS)
    calls.close()
    assert ran.count("large") == 100
    assert ran[:10].count("small") == 3


def test_no_call_starts_after_the_end() -> None:
    calls = Threads(2)
    calls.close()
    with pytest.raises(RuntimeError):
        calls(str, ["a", "b"])
