"""Lists in pages: complete, without repetition, and with an end whatever the server answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.client import paging
from jobsworth.client.api_errors import ApiError, error_of
from jobsworth.client.api_interface import Api
from jobsworth.client.paging import pages, resumed_pages

Answer = dict[str, Any]


class Lists(Api):
    """Answers every page as the test sets it."""

    def __init__(self, answer: Callable[[Mapping[str, str]], Answer]) -> None:
        self.answer = answer
        self.asked: list[Mapping[str, str]] = []

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Answer:
        self.asked.append(query or {})
        return self.answer(query or {})


def item(uid: object) -> Answer:
    return {"metadata": {"uid": str(uid)}}


def of(number: int) -> Callable[[Mapping[str, str]], Answer]:
    """A list of so many objects."""

    def answer(query: Mapping[str, str]) -> Answer:
        start, limit = int(query.get("continue", 0)), int(query.get("limit", number))
        meta: Answer = {"resourceVersion": "7"}
        if start + limit < number:
            meta |= {"continue": str(start + limit), "remainingItemCount": number - start - limit}
        return {"metadata": meta, "items": [*map(item, range(number))][start : start + limit]}

    return answer


def uids(read: Any) -> list[str]:
    return [each["metadata"]["uid"] for page in read for each in page.items]


@given(st.integers(0, 40), st.integers(0, 12))
def test_all_pages_are_the_whole_list(number: int, limit: int) -> None:
    api = Lists(of(number))
    read = list(pages(api, "/list", limit))
    assert uids(read) == [*map(str, range(number))]
    assert {page.version for page in read} == {7}
    assert len(api.asked) == (max(1, -(-number // limit)) if limit else 1)


def test_a_page_says_what_is_left() -> None:
    assert [page.remaining for page in pages(Lists(of(5)), "/list", 2)] == [3, 1, 0]


@pytest.mark.parametrize("cycle", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_a_token_that_comes_again_is_an_error(cycle: list[str]) -> None:
    tokens = itertools.cycle(cycle)
    api = Lists(lambda query: {"metadata": {"continue": next(tokens)}, "items": [item(1)]})
    with pytest.raises(ApiError, match="the list of /list does not end"):
        list(pages(api, "/list"))
    assert len(api.asked) == len(cycle) + 1


def test_empty_pages_that_promise_more_have_an_end() -> None:
    tokens = itertools.count()
    api = Lists(lambda query: {"metadata": {"continue": str(next(tokens))}, "items": []})
    with pytest.raises(ApiError, match="does not end"):
        list(pages(api, "/list"))
    assert len(api.asked) == paging.MAX_EMPTY_PAGES


def test_pages_that_never_end_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MAX_PAGES", 50)
    tokens = itertools.count()
    api = Lists(lambda query: {"metadata": {"continue": str(next(tokens))}, "items": [item(1)]})
    with pytest.raises(ApiError, match="does not end"):
        list(resumed_pages(api, "/list"))


@pytest.mark.parametrize(
    "answer",
    [{"items": 3}, {"items": [1]}, {"items": [{}]}, {"items": [{"metadata": 1}]}, {"metadata": 3}],
)
def test_a_list_of_something_else_is_an_error(answer: Answer) -> None:
    with pytest.raises(ApiError, match="does not hold API objects"):
        list(pages(Lists(lambda query: answer), "/list"))


@pytest.mark.parametrize("answer", [{}, {"items": None}, {"metadata": None, "items": []}])
def test_an_empty_list_may_be_written_in_several_ways(answer: Answer) -> None:
    assert uids(pages(Lists(lambda query: answer), "/list")) == []


@given(
    st.integers(1, 30),
    st.integers(1, 7),
    st.lists(st.integers(1, 40), max_size=5, unique=True),
    st.booleans(),
)
def test_a_list_that_expires_now_and_then_is_read_once_and_whole(
    number: int, limit: int, expires: list[int], resumable: bool
) -> None:
    whole = of(number)
    calls = itertools.count(1)

    def answer(query: Mapping[str, str]) -> Answer:
        if next(calls) in expires and "continue" in query:
            meta = {"continue": query["continue"]} if resumable else {}
            raise error_of(410, {"reason": "Expired", "metadata": meta})
        return whole(query)

    assert uids(resumed_pages(Lists(answer), "/list", limit)) == [*map(str, range(number))]


@pytest.mark.parametrize("meta", [{}, {"continue": "again"}, {"continue": "1"}])
def test_a_list_that_always_expires_is_given_up(meta: Answer) -> None:
    def answer(query: Mapping[str, str]) -> Answer:
        if "continue" in query:
            raise error_of(410, {"reason": "Expired", "metadata": meta})
        return of(2)({"limit": "1"})

    with pytest.raises(ApiError, match="before it was read completely") as caught:
        list(resumed_pages(Lists(answer), "/list", 1))
    assert caught.value.expired


def test_pages_of_one_version_do_not_hide_that_it_is_gone() -> None:
    def answer(query: Mapping[str, str]) -> Answer:
        if "continue" in query:
            raise error_of(410, {"reason": "Expired"})
        return of(2)({"limit": "1"})

    with pytest.raises(ApiError) as caught:
        list(pages(Lists(answer), "/list", 1))
    assert caught.value.expired
