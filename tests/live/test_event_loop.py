"""Blocking code of an asyncio program: its task, its callbacks, and its cancellation."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any

import pytest

import jobsworth
from support.live.answering_cluster import AnsweringCluster, a_job

Object = dict[str, Any]


def test_a_coroutine_that_is_awaited_is_cancelled_with_the_task() -> None:
    cancelled = asyncio.Event()

    async def get(path: str) -> Any:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def main() -> None:
        task = asyncio.create_task(jobsworth.why_async("job/train", client=get, namespace="batch"))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(cancelled.wait(), 10)

    asyncio.run(main())


def test_no_further_call_is_made_after_the_task_is_cancelled() -> None:
    called, go_on = threading.Event(), threading.Event()
    paths: list[str] = []

    def get(path: str) -> Any:
        paths.append(path)
        called.set()
        go_on.wait(10)
        return a_job()

    async def main() -> None:
        task = asyncio.create_task(jobsworth.why_async("job/train", client=get, namespace="batch"))
        while not called.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        await asyncio.sleep(0.1)

    asyncio.run(main())
    assert len(paths) == 1


def test_callbacks_run_in_the_event_loop_and_their_errors_end_the_wait() -> None:
    threads: list[threading.Thread] = []

    def report(progress: jobsworth.Progress) -> None:
        threads.append(threading.current_thread())
        raise LookupError("no such task")

    async def main() -> None:
        await jobsworth.wait_async(
            "job/train",
            client=AnsweringCluster(a_job(active=1)),
            on_progress=report,
            namespace="batch",
        )

    with pytest.raises(LookupError, match="no such task"):
        asyncio.run(main())
    assert threads == [threading.main_thread()]


@pytest.mark.slow
def test_many_waits_do_not_use_up_the_threads_of_the_program() -> None:
    """Each get takes a thread of `asyncio.to_thread`, of which there are few."""
    cluster = AnsweringCluster(a_job(active=1))

    async def get(path: str) -> Any:
        return await asyncio.to_thread(cluster, path)

    async def main() -> list[jobsworth.Waited]:
        waits = (
            jobsworth.wait_async("job/train", client=get, timeout=0.5, namespace="batch")
            for _ in range(40)
        )
        return await asyncio.wait_for(asyncio.gather(*waits), 60)

    assert {each.outcome for each in asyncio.run(main())} == {"Timeout"}


def test_the_context_of_the_task_reaches_the_function() -> None:
    trace: contextvars.ContextVar[str] = contextvars.ContextVar("trace", default="")
    seen: set[str] = set()
    cluster = AnsweringCluster(a_job(active=1))

    def get(path: str) -> Any:
        seen.add(trace.get())
        return cluster(path)

    async def main() -> None:
        trace.set("request-1")
        await jobsworth.wait_async("job/train", client=get, timeout=0.1, namespace="batch")

    asyncio.run(main())
    assert seen == {"request-1"}
