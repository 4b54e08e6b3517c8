"""A function that gets objects is an API server that watches by polling."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.list_watch import watch
from jobsworth.live import connection
from jobsworth.live.connection import GetterApi

Object = dict[str, Any]
PATH = "/apis/batch/v1/namespaces/batch/jobs"
SELECTORS = {"fieldSelector": "metadata.name=train"}


def job(version: int = 1, **metadata: Any) -> Object:
    return {"metadata": {"name": "train", "uid": "a", "resourceVersion": str(version), **metadata}}


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "JOB_SECONDS", 0.001)


def seen(*answers: list[Object]) -> list[tuple[str, Any]]:
    """Return the events of a watch after the first answer, with the versions of their objects."""
    closed, left = threading.Event(), list(answers)

    def get(path: str) -> Object:
        items = left.pop(0)
        if not left:
            closed.set()
        return {"metadata": {"resourceVersion": "7"}, "items": items}

    api = GetterApi(get, None, closed)
    api.get(PATH, {**SELECTORS, "limit": "500"})
    seconds = iter([0.0, 9.0])
    events = watch(api, PATH, "7", lambda: next(seconds), selectors=SELECTORS)
    return [(kind, value["metadata"]["resourceVersion"]) for kind, value in events]


def test_changes_are_those_between_two_readings_and_each_ends_with_a_bookmark() -> None:
    assert seen([job()], [job()], [job(2)], [job(2), job(3, uid="b")]) == [
        ("BOOKMARK", "7"), ("MODIFIED", "2"), ("BOOKMARK", "7"), ("ADDED", "3"), ("BOOKMARK", "7"),
    ]  # fmt: skip


def test_an_object_that_is_gone_at_the_first_reading_is_a_deletion() -> None:
    assert seen([job()], []) == [("DELETED", "1"), ("BOOKMARK", "7")]


def test_an_object_without_a_version_is_reported_when_it_differs() -> None:
    before, after = job(labels={}), job(labels={"a": "b"})
    del before["metadata"]["resourceVersion"], after["metadata"]["resourceVersion"]
    assert seen([before], [after])[0] == ("MODIFIED", "")


def test_the_function_is_called_by_one_thread_at_a_time() -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def get(path: str) -> Object:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.005)
        with lock:
            running -= 1
        return {}

    api = GetterApi(get, None, threading.Event())
    threads = [threading.Thread(target=api.get, args=(PATH,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_its_error_is_the_error_of_the_call() -> None:
    def get(path: str) -> Object:
        raise OSError("connection reset")

    with pytest.raises(ApiError, match="OSError: connection reset") as raised:
        GetterApi(get, None, threading.Event()).get(PATH)
    assert raised.value.code == UNREACHABLE
