"""Carry out the requests of a reading procedure, in a thread or in an event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from jobsworth.client.api_errors import ApiError
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
    try:
        request = next(reading)
        while True:
            try:
                answer = source.answer(request)
            except ApiError as error:
                request = reading.throw(error)
            else:
                request = reading.send(answer)
    except StopIteration as stopped:
        result: Result = stopped.value
        return result


async def run_reading_async(reading: Reading[Result], source: Source) -> Result:
    """Run a procedure to its end; calls that block are made in threads.

    Raises: what the procedure raises.
    """
    try:
        request = next(reading)
        while True:
            try:
                answer = await answer_async(request, source)
            except ApiError as error:
                request = reading.throw(error)
            else:
                request = reading.send(answer)
    except StopIteration as stopped:
        result: Result = stopped.value
        return result


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
