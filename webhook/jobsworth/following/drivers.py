"""Carry out the requests of a reading procedure, in a thread or in an event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from jobsworth.following.procedures import run, run_async
from jobsworth.following.sources import (
    GetterSource,
    as_api_error,
    checked_answer,
    is_asynchronous,
    path_of,
)

if TYPE_CHECKING:
    from jobsworth.following.requests import Get, GetText, Reading
    from jobsworth.following.sources import Source

Result = TypeVar("Result")


def run_reading(reading: Reading[Result], source: Source) -> Result:
    """Run a procedure to its end.

    Raises: what the procedure raises.
    """
    return run(reading, source.answer)


async def run_reading_async(reading: Reading[Result], source: Source) -> Result:
    """Run a procedure to its end; calls that block are made in threads.

    Raises: what the procedure raises.
    """
    return await run_async(reading, lambda request: answer_async(request, source))


async def answer_async(request: Get | GetText, source: Source) -> Any:
    """Return the answer to a request without blocking the event loop.

    Raises:
        ApiError: as `Source.answer`.
    """
    if isinstance(source, GetterSource) and is_asynchronous(source):
        try:
            return checked_answer(request, await source.getter(path_of(request)))
        except Exception as error:
            raise as_api_error(error) from error
    return await asyncio.to_thread(source.answer, request)
