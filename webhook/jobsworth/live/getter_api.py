"""A function of the user's program that gets objects, as an API server: it watches by polling."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.api_interface import JSON, Api
from jobsworth.client.paging import PAGE_SIZE, pages
from jobsworth.live.event_loop import Cancelled

Object = dict[str, Any]

Getter = Callable[[str], Any]
"""Returns the decoded JSON of a path such as ``/apis/batch/v1/namespaces/batch/jobs/train``, with its query;
for the path of a log, a text. It may be a coroutine function."""
JOB_SECONDS, OTHER_SECONDS = 2.0, 10.0
"""Seconds between two readings of a list of Jobs, and of another list."""


class GetterApi(Api):
    """An API server that can only be read.

    Args:
        getter: the function.
        await_result: waits for the result of a coroutine function; None if it cannot be one.
        closed: ends the watches.
    """

    def __init__(
        self,
        getter: Getter,
        await_result: Callable[[Awaitable[Any]], Any] | None,
        closed: threading.Event,
    ) -> None:
        self._getter = getter
        self._await_result = await_result
        self._closed = closed
        self._lists: dict[str, list[Object] | None] = {}
        self._calls = threading.Lock()  # the function need not be safe to share between threads

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Object:
        """Get an object, or a page of a list; no other method is called."""
        url = _url(path, query)
        answer: Object = self._get(url, path, dict, "the JSON object as a dict")
        if "items" in answer:
            self._lists[url] = answer["items"]
        return answer

    def text(self, path: str, query: Mapping[str, str]) -> str:
        """Get the text of a log."""
        text: str = self._get(_url(path, query), path, str, "the text of a log")
        return text

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Object]:
        """Yield what changes between two readings of the first page of a list, and a bookmark after each."""
        selectors = {key: query[key] for key in query if key.endswith("Selector")}
        before = _by_uid(self._lists.get(_url(path, {**selectors, "limit": str(PAGE_SIZE)})))
        pause = JOB_SECONDS if path.endswith("/jobs") else OTHER_SECONDS
        while not self._closed.wait(pause):
            page = next(pages(self, path, selectors=selectors))
            now = _by_uid(page.items)
            for uid, value in before.items():
                if uid not in now:
                    yield _event("DELETED", value)
            for uid, value in now.items():
                if value != before.get(uid):
                    yield _event("MODIFIED" if uid in before else "ADDED", value)
            yield _event("BOOKMARK", {"metadata": {"resourceVersion": str(page.version)}})
            before = now

    def _get(self, url: str, path: str, wanted: type, words: str) -> Any:
        try:
            with self._calls:
                answer = self._getter(url)
                if self._await_result is not None and inspect.isawaitable(answer):
                    answer = self._await_result(answer)
        except Cancelled:
            raise
        except Exception as error:
            raise as_api_error(error) from error
        if isinstance(answer, wanted):
            return answer
        given = type(answer).__name__
        raise ApiError(UNREACHABLE, "", f"get({path!r}) returned {given}: it must return {words}")


def as_api_error(error: Exception) -> ApiError:
    """Return the error of a user's function as an ApiError, with the HTTP status that it carries."""
    if isinstance(error, ApiError):
        return error
    response = getattr(error, "response", None)
    for holder in (error, response):
        for attribute in ("status", "status_code", "code"):
            code = getattr(holder, attribute, None)
            if isinstance(code, int) and not isinstance(code, bool):
                return ApiError(code, "", f"{type(error).__name__}: {error}")
    return ApiError(UNREACHABLE, "", f"{type(error).__name__}: {error}")


def _url(path: str, query: Mapping[str, str] | None) -> str:
    return path + (f"?{urlencode(query)}" if query else "")


def _by_uid(values: list[Object] | None) -> dict[str, Object]:
    return {str(each["metadata"].get("uid")): each for each in values or ()}


def _event(kind: str, value: Object) -> Object:
    """Return an event of a watch, whose object always has a resourceVersion."""
    metadata = {"resourceVersion": "", **value["metadata"]}
    return {"type": kind, "object": {**value, "metadata": metadata}}
