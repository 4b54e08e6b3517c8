"""Run blocking code for an asyncio program, in a thread that ends with its task."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

Result = TypeVar("Result")


class Cancelled(Exception):
    """Ends the blocking code whose task was cancelled."""


class CallingTask:
    """The task that waits for this thread.

    Attributes:
        cancelled: done once the task is cancelled.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.cancelled: Future[None] = Future()

    def check(self) -> None:
        """Raise Cancelled once the task is cancelled."""
        if self.cancelled.done():
            raise Cancelled

    def result(self, awaitable: Awaitable[Result]) -> Result:
        """Await in the event loop, from another thread; the awaited task is cancelled with the caller's.

        Raises:
            Cancelled: the task was cancelled.
        """

        async def awaited() -> Result:
            return await awaitable

        future = asyncio.run_coroutine_threadsafe(awaited(), self._loop)
        ends: set[Future[Any]] = {future, self.cancelled}
        wait(ends, return_when=FIRST_COMPLETED)
        if not future.done():
            future.cancel()
            raise Cancelled
        return future.result()

    def callback(self, function: Callable[[Any], None]) -> Callable[[Any], None]:
        """Return a function that calls one of the program in the event loop."""

        async def called(value: Any) -> None:
            function(value)

        return lambda value: self.result(called(value))


async def run_in_thread(work: Callable[[CallingTask], Result]) -> Result:
    """Run blocking code without blocking the event loop; cancelling the task ends it.

    The thread is not one of `asyncio.to_thread`: these are few, and a wait for a Job takes hours.

    Raises: what the code raises.
    """
    loop = asyncio.get_running_loop()
    task = CallingTask(loop)
    executor = ThreadPoolExecutor(1, thread_name_prefix="jobsworth")
    try:
        return await loop.run_in_executor(executor, contextvars.copy_context().run, work, task)
    finally:
        task.cancelled.set_result(None)
        executor.shutdown(wait=False)
