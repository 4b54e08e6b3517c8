"""Carry out the requests of a procedure that watches: with threads, or in an event loop."""

from __future__ import annotations

import asyncio
import queue
import time
from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

from jobsworth.client.api_errors import ApiError
from jobsworth.following.drivers import answer_async
from jobsworth.following.procedures import run, run_async
from jobsworth.following.requests import Ended, Get, GetText, Next, Report, TimePassed, Watch
from jobsworth.following.waiting.polled_lists import PolledLists
from jobsworth.following.waiting.watch_threads import WatchThreads

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.client.api_interface import Api
    from jobsworth.following.requests import Following, Happening
    from jobsworth.following.sources import Source

Result = TypeVar("Result")
clock = time.monotonic
"""The clock of the procedures that these drivers run."""


def run_following(
    following: Following[Result], source: Source, report: Callable[[Any], None]
) -> Result:
    """Run a procedure to its end, in this thread.

    Args:
        report: receives the progress.

    Raises: what the procedure raises.
    """
    watches = _Threads(source.api) if source.api is not None else _Polling(source)
    try:
        return run(following, lambda request: _answer(request, source, watches, report))
    finally:
        following.close()
        watches.stop()


def _answer(
    request: object, source: Source, watches: _Threads | _Polling, report: Callable[[Any], None]
) -> Any:
    if isinstance(request, Get | GetText):
        return source.answer(request)
    if isinstance(request, Watch):
        watches.start(request)
    elif isinstance(request, Report):
        report(request.progress)
    elif isinstance(request, Next):
        return watches.next(request.until)
    return None


class _Threads:
    def __init__(self, api: Api) -> None:
        self._happened: queue.SimpleQueue[Happening] = queue.SimpleQueue()
        self._threads = WatchThreads(api, self._happened.put)

    def start(self, request: Watch) -> None:
        self._threads.start(request)

    def stop(self) -> None:
        self._threads.stop()

    def next(self, until: float | None) -> Happening:
        timeout = None if until is None else max(0.0, until - clock())
        try:
            return self._happened.get(timeout=timeout)
        except queue.Empty:
            return TimePassed()


class _Polls:
    """What a client that cannot watch has read, and what changed."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lists = PolledLists()
        self._happened: deque[Happening] = deque()

    def start(self, request: Watch) -> None:
        self._lists.start(request, clock())

    def stop(self) -> None:
        self._happened.clear()

    def _pause(self, until: float | None) -> float:
        """Return the seconds to the next reading of a list, at most to a time."""
        due = self._lists.next_due()
        wake = min(each for each in (due, until, clock() + 3600) if each is not None)
        return max(0.0, wake - clock())

    def _take(self, key: str, answer: Any) -> None:
        self._happened.extend(self._lists.take(key, answer))

    def _fail(self, key: str, error: ApiError) -> None:
        self._lists.stop(key)
        self._happened.append(Ended(key, error))

    def _is_over(self, until: float | None) -> bool:
        return not self._happened and until is not None and clock() >= until


class _Polling(_Polls):
    def next(self, until: float | None) -> Happening:
        while not self._happened:
            time.sleep(self._pause(until))
            for key, request in self._lists.due(clock()):
                try:
                    self._take(key, self._source.answer(request))
                except ApiError as error:
                    self._fail(key, error)
            if self._is_over(until):
                return TimePassed()
        return self._happened.popleft()


async def run_following_async(
    following: Following[Result], source: Source, report: Callable[[Any], None]
) -> Result:
    """Run a procedure to its end without blocking the event loop; cancelling the task ends it.

    Args:
        report: receives the progress, in the event loop.

    Raises: what the procedure raises.
    """
    watches: _LoopThreads | _LoopPolling
    watches = _LoopThreads(source.api) if source.api is not None else _LoopPolling(source)
    try:
        return await run_async(
            following, lambda request: _answer_async(request, source, watches, report)
        )
    finally:
        following.close()
        watches.stop()


async def _answer_async(
    request: object,
    source: Source,
    watches: _LoopThreads | _LoopPolling,
    report: Callable[[Any], None],
) -> Any:
    if isinstance(request, Get | GetText):
        return await answer_async(request, source)
    if isinstance(request, Watch):
        watches.start(request)
    elif isinstance(request, Report):
        report(request.progress)
    elif isinstance(request, Next):
        return await watches.next(request.until)
    return None


class _LoopThreads:
    def __init__(self, api: Api) -> None:
        self._loop = asyncio.get_running_loop()
        self._happened: asyncio.Queue[Happening] = asyncio.Queue()
        self._threads = WatchThreads(api, self._put)

    def _put(self, happening: Happening) -> None:
        try:
            self._loop.call_soon_threadsafe(self._happened.put_nowait, happening)
        except RuntimeError:  # the loop has ended, and the thread follows
            self._threads.stop()

    def start(self, request: Watch) -> None:
        self._threads.start(request)

    def stop(self) -> None:
        self._threads.stop()

    async def next(self, until: float | None) -> Happening:
        timeout = None if until is None else max(0.0, until - clock())
        try:
            return await asyncio.wait_for(self._happened.get(), timeout)
        except TimeoutError:
            return TimePassed()


class _LoopPolling(_Polls):
    async def next(self, until: float | None) -> Happening:
        while not self._happened:
            await asyncio.sleep(self._pause(until))
            for key, request in self._lists.due(clock()):
                try:
                    self._take(key, await answer_async(request, self._source))
                except ApiError as error:
                    self._fail(key, error)
            if self._is_over(until):
                return TimePassed()
        return self._happened.popleft()
