"""The reviewing threads of a worker take turns, and none waits long for its turn."""

from __future__ import annotations

import threading
import time

import pytest

from jobsworth.serving import worker as serving_worker
from jobsworth.serving.worker import TURN_SECONDS, Worker


def worker() -> Worker:
    made = object.__new__(Worker)
    made._turn = threading.Lock()
    return made


def test_one_thread_reviews_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving_worker, "TURN_SECONDS", 60)
    shared, inside, most = worker(), 0, 0

    def review() -> None:
        nonlocal inside, most
        for _ in range(20):
            with shared._in_turn():
                inside += 1
                most = max(most, inside)
                time.sleep(0.0002)
                inside -= 1

    threads = [threading.Thread(target=review) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_review_that_takes_long_does_not_hold_up_others() -> None:
    shared = worker()
    with shared._in_turn():
        began = time.monotonic()
        with shared._in_turn():
            assert time.monotonic() - began >= TURN_SECONDS
        assert shared._turn.locked(), "the turn still belongs to the first"
    assert not shared._turn.locked()
