"""Run several API calls in parallel or sequentially, and return the result of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

from jobsworth.client.api_errors import ApiError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Calls(Protocol):
    """Runs a call for several items."""

    def __call__(
        self, call: Callable[[Item], Answer], items: Sequence[Item]
    ) -> list[Answer | ApiError]:
        """Make a call for each item, and return, in the same order, what it returned or raised."""


def one_by_one(call: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer | ApiError]:
    """Run the calls sequentially."""
    return [_outcome(call, item) for item in items]


class Threads:
    """Runs calls in a thread pool that all Jobs share.

    Of a Job, only as many calls are queued as keep the threads busy: the few calls of a small Job do not
    wait behind all those of a large one.

    Args:
        number: maximum number of parallel calls.
    """

    def __init__(self, number: int) -> None:
        self._most_in_queue = 2 * number
        self._pool = ThreadPoolExecutor(number, thread_name_prefix="call")

    def __call__(
        self, call: Callable[[Item], Answer], items: Sequence[Item]
    ) -> list[Answer | ApiError]:
        """Make a call for each item, and return, in the same order, what it returned or raised."""
        if len(items) < 2:
            return one_by_one(call, items)
        calls: list[Future[Answer | ApiError]] = []
        outcomes: list[Answer | ApiError] = []
        for item in items:
            if len(calls) - len(outcomes) == self._most_in_queue:
                outcomes.append(calls[len(outcomes)].result())
            calls.append(self._pool.submit(_outcome, call, item))
        outcomes += [future.result() for future in calls[len(outcomes) :]]
        return outcomes

    def close(self) -> None:
        """Start no more calls; calls in progress continue."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _outcome(call: Callable[[Item], Answer], item: Item) -> Answer | ApiError:
    try:
        return call(item)
    except ApiError as error:
        return error
