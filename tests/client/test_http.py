"""The HTTP client: who it says it is, how often it asks, what it makes of refusals."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from jobsworth.client.api import ApiError, error_of, jobs_path, pods_path
from jobsworth.client.http import Client
from jobsworth.client.rate_limit import TokenBucket
from reconciler.fake_api import FakeApi, lost
from reconciler.fake_http import FakeServer

pytest.importorskip("kubernetes")

POD = {"metadata": {"name": "a", "namespace": "ns"}, "spec": {}}


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(FakeApi(time.time)) as server:
        yield server


@pytest.fixture
def client(server: FakeServer) -> Client:
    return Client(server.configuration(), user_agent="jobsworth-test")


def test_it_says_who_it_is(server: FakeServer, client: Client) -> None:
    client.call("GET", pods_path("ns"))
    assert server.headers["Authorization"] == "Bearer secret"
    assert server.headers["User-Agent"] == "jobsworth-test"


def test_a_token_that_was_replaced_is_read_anew(server: FakeServer) -> None:
    settings = server.configuration()
    client = Client(settings, user_agent="test")
    client.call("GET", pods_path("ns"))
    settings.api_key = {"authorization": "Bearer new"}

    def refuse_old(_: object) -> None:
        if server.headers["Authorization"] != "Bearer new":
            raise ApiError(401, "Unauthorized", "Unauthorized")

    server.api.before = refuse_old
    client.call("GET", pods_path("ns"))
    assert server.headers["Authorization"] == "Bearer new"


def test_a_refusal_has_what_the_status_says(client: Client) -> None:
    with pytest.raises(ApiError) as caught:
        client.call("GET", jobs_path("ns", "missing"))
    assert caught.value.not_found
    assert "missing" in caught.value.message


def test_a_busy_server_is_asked_again_when_it_wants_to_be(
    server: FakeServer, client: Client
) -> None:
    server.busy = 3
    client.call("POST", pods_path("ns"), POD)
    assert len(server.api.calls) == 1
    server.busy = 5
    with pytest.raises(ApiError) as caught:
        client.call("GET", pods_path("ns"))
    assert caught.value.code == 429


def test_no_answer_is_an_error_of_its_own(server: FakeServer, client: Client) -> None:
    server.api.after = lost
    with pytest.raises(ApiError) as caught:
        client.call("POST", pods_path("ns"), POD)
    assert caught.value.code == 0
    assert len(server.api.all("pods")) == 1


def test_nobody_there_is_an_error_too(server: FakeServer) -> None:
    settings = server.configuration()
    settings.host = "http://127.0.0.1:1"
    with pytest.raises(ApiError, match="refused"):
        Client(settings, user_agent="test").call("GET", pods_path("ns"))


def test_calls_are_told_to_whoever_counts_them(server: FakeServer) -> None:
    counted: list[tuple[str, int]] = []
    client = Client(
        server.configuration(),
        user_agent="test",
        observe=lambda method, code: counted.append((method, code)),
    )
    client.call("POST", pods_path("ns"), POD)
    assert counted == [("POST", 201)]


class TestTokenBucket:
    """The limit of calls a second."""

    def test_after_the_burst_calls_come_at_the_rate(self) -> None:
        now = [0.0]
        bucket = TokenBucket(10, 3, clock=lambda: now[0])
        assert [bucket.reserve() for _ in range(5)] == pytest.approx([0, 0, 0, 0.1, 0.2])
        now[0] = 1.0
        assert [bucket.reserve() for _ in range(4)] == pytest.approx([0, 0, 0, 0.1])

    def test_taking_does_not_go_into_debt(self) -> None:
        now = [0.0]
        bucket = TokenBucket(1, 2, clock=lambda: now[0])
        assert [bucket.take() for _ in range(4)] == [True, True, False, False]
        now[0] = 1.0
        assert bucket.take()

    def test_threads_share_it(self) -> None:
        slept: list[float] = []
        bucket = TokenBucket(1000, 1, sleep=slept.append, clock=lambda: 0.0)
        threads = [threading.Thread(target=bucket.wait) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(slept) == pytest.approx([number / 1000 for number in range(1, 20)])

    def test_no_rate_is_no_limit(self) -> None:
        bucket = TokenBucket(0, 1, sleep=lambda _: pytest.fail("it waited"))
        for _ in range(100):
            bucket.wait()


@pytest.mark.parametrize(
    ("code", "body", "trait"),
    [
        (409, {"reason": "Conflict"}, "conflict"),
        (404, {"reason": "NotFound"}, "not_found"),
        (
            403,
            {"details": {"causes": [{"reason": "NamespaceTerminating"}]}},
            "namespace_terminating",
        ),
        (422, {"message": "metadata.uid: Invalid value"}, "another_object"),
    ],
)
def test_what_errors_mean(code: int, body: dict[str, object], trait: str) -> None:
    assert getattr(error_of(code, body), trait)
    assert not getattr(error_of(500, "broken"), trait)


def test_already_exists_is_no_conflict() -> None:
    assert not error_of(409, {"reason": "AlreadyExists"}).conflict
