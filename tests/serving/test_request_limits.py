"""The limits for requests, without a server: every request gets an answer, however many come at once."""

from __future__ import annotations

import asyncio
import gc
import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

pytest.importorskip("a2wsgi")

from jobsworth.serving import request_limits
from jobsworth.serving.request_limits import RequestLimits

PIECE = b" " * 40_000
SCOPE = {
    "type": "http", "method": "POST", "path": "/validate", "query_string": b"", "http_version": "1.1",
    "headers": [], "scheme": "https", "server": ("127.0.0.1", 8443), "client": ("127.0.0.1", 50000),
}  # fmt: skip


def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"ok"]


async def status_of(limits: RequestLimits, pieces: int, seed: int) -> int:
    left, turns = pieces, random.Random(seed)
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        nonlocal left
        for _ in range(turns.randrange(4)):
            await asyncio.sleep(0)
        left -= 1
        return {"type": "http.request", "body": PIECE, "more_body": left > 0}

    async def send(message: Any) -> None:
        sent.append(message)

    await limits(dict(SCOPE), receive, send)
    status: int = sent[0]["status"]
    return status


def test_requests_that_make_room_for_each_other_are_all_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(request_limits, "MAX_HELD_BYTES", 100_000)

    async def many() -> list[int]:
        limits = RequestLimits(answer, threads=1, rejected=lambda *_: None, hung=lambda: None)
        return await asyncio.gather(
            *(status_of(limits, pieces=6, seed=number) for number in range(200))
        )

    statuses = Counter(asyncio.run(many()))
    assert statuses.keys() <= {200, 503}
    assert statuses[503] > 0


def test_room_is_made_beside_a_request_whose_time_has_just_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(request_limits, "MAX_HELD_BYTES", 10_000)
    monkeypatch.setattr(request_limits, "BODY_SECONDS", 0.0)
    sent: list[Any] = []

    async def late() -> dict[str, Any]:
        monkeypatch.setattr(request_limits, "BODY_SECONDS", 10.0)  # for the other one
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def large() -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": PIECE, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message.get("status"))

    async def both() -> None:
        limits = RequestLimits(answer, threads=1, rejected=lambda *_: None, hung=lambda: None)
        await asyncio.gather(limits(dict(SCOPE), late, send), limits(dict(SCOPE), large, send))

    asyncio.run(both())
    assert sorted(filter(None, sent)) == [408, 503]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "held", "status"),
    [(0.01, 10**6, 408), (10.0, 10_000, 503)],
    ids=["late", "too large"],
)
def test_nothing_remains_of_a_rejected_body(
    monkeypatch: pytest.MonkeyPatch, seconds: float, held: int, status: int
) -> None:
    """Not even without the garbage collector, which does not see how large a body is."""
    monkeypatch.setattr(request_limits, "BODY_SECONDS", seconds)
    monkeypatch.setattr(request_limits, "MAX_HELD_BYTES", held)
    monkeypatch.setattr(request_limits, "LINGER_SECONDS", 0.0)
    sent: list[Any] = []

    async def reject(limits: RequestLimits) -> None:
        arrived = False

        async def receive() -> dict[str, Any]:
            nonlocal arrived
            if arrived:
                await asyncio.sleep(60)
            arrived = True
            return {"type": "http.request", "body": PIECE, "more_body": True}

        async def send(message: Any) -> None:
            sent.append(message.get("status"))

        await limits(dict(SCOPE), receive, send)

    async def three() -> None:
        limits = RequestLimits(answer, threads=1, rejected=lambda *_: None, hung=lambda: None)
        for _ in range(3):
            await reject(limits)

    gc.collect()
    gc.disable()
    try:
        asyncio.run(three())
        bodies = [each for each in gc.get_objects() if type(each).__name__ == "_IncompleteBody"]
    finally:
        gc.enable()
    assert [each for each in sent if each] == [status] * 3
    assert bodies == []
