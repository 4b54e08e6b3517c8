"""Run a procedure: a generator that yields requests, receives their answers, and returns a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from jobsworth.client.api_errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

Result = TypeVar("Result")


def run(procedure: Generator[Any, Any, Result], answer: Callable[[Any], Any]) -> Result:
    """Run a procedure to its end.

    Args:
        answer: answers a request; an ApiError is raised in the procedure.

    Raises: what the procedure raises.
    """
    try:
        request = next(procedure)
        while True:
            try:
                found = answer(request)
            except ApiError as error:
                request = procedure.throw(error)
            else:
                request = procedure.send(found)
    except StopIteration as stopped:
        result: Result = stopped.value
        return result


async def run_async(
    procedure: Generator[Any, Any, Result], answer: Callable[[Any], Awaitable[Any]]
) -> Result:
    """Run a procedure to its end in an event loop; see :func:`run`."""
    try:
        request = next(procedure)
        while True:
            try:
                found = await answer(request)
            except ApiError as error:
                request = procedure.throw(error)
            else:
                request = procedure.send(found)
    except StopIteration as stopped:
        result: Result = stopped.value
        return result
