"""The HTTP client: its identity, its retries, its errors."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from jobsworth.client.api_errors import ApiError, NotConfigured
from jobsworth.client.api_resources import jobs_path, pods_path
from jobsworth.client.transport import Client
from support.api_server.fake_http_server import FakeHttpServer
from support.api_server.fake_job_api import FakeJobApi, lost

pytest.importorskip("kubernetes")

POD = {"metadata": {"name": "a", "namespace": "ns"}, "spec": {}}


@pytest.fixture
def server() -> Iterator[FakeHttpServer]:
    with FakeHttpServer(FakeJobApi(time.time)) as server:
        yield server


@pytest.fixture
def client(server: FakeHttpServer) -> Client:
    return Client(server.config(), user_agent="jobsworth-test")


def test_it_says_who_it_is(server: FakeHttpServer, client: Client) -> None:
    client.request("GET", pods_path("ns"))
    assert server.headers["Authorization"] == "Bearer secret"
    assert server.headers["User-Agent"] == "jobsworth-test"
    assert server.headers["Host"] == server.url.removeprefix("http://")


def test_a_connection_is_used_for_many_calls(server: FakeHttpServer, client: Client) -> None:
    for _ in range(5):
        client.get(pods_path("ns"))
    with pytest.raises(ApiError):
        client.get(pods_path("ns", "missing"))
    assert len(server.peers) == 1


def test_a_token_that_was_replaced_is_read_anew(server: FakeHttpServer) -> None:
    config = server.config()
    client = Client(config, user_agent="test")
    client.request("GET", pods_path("ns"))
    config.configuration.api_key = {"authorization": "Bearer new"}

    def reject_old(_: object) -> None:
        if server.headers["Authorization"] != "Bearer new":
            raise ApiError(401, "Unauthorized", "Unauthorized")

    server.api.before = reject_old
    client.request("GET", pods_path("ns"))
    assert server.headers["Authorization"] == "Bearer new"


def test_rejected_credentials_are_refreshed_for_one_more_attempt(server: FakeHttpServer) -> None:
    tokens = iter(["Bearer old", "Bearer new", "Bearer newer"])
    config = server.config()
    config.configuration.refresh_api_key_hook = lambda configuration: configuration.api_key.update(
        authorization=next(tokens)
    )
    sent: list[str] = []

    def reject(_: object) -> None:
        sent.append(server.headers["Authorization"])
        raise ApiError(401, "Unauthorized", "Unauthorized")

    server.api.before = reject
    with pytest.raises(ApiError, match="rejects the credentials of the test"):
        Client(config, user_agent="test").get(pods_path("ns"))
    assert sent == ["Bearer old", "Bearer new"]


def test_a_rejection_has_the_fields_of_the_status(client: Client) -> None:
    with pytest.raises(ApiError) as caught:
        client.request("GET", jobs_path("ns", "missing"))
    assert caught.value.not_found
    assert "missing" in caught.value.message


def test_a_busy_server_is_retried_after_the_delay_it_sets(
    server: FakeHttpServer, client: Client
) -> None:
    server.busy = 3
    client.request("POST", pods_path("ns"), POD)
    assert len(server.api.calls) == 1
    server.busy = 5
    with pytest.raises(ApiError) as caught:
        client.request("GET", pods_path("ns"))
    assert caught.value.code == 429


def test_no_answer_is_an_error_of_its_own(server: FakeHttpServer, client: Client) -> None:
    server.api.after = lost
    with pytest.raises(ApiError) as caught:
        client.request("POST", pods_path("ns"), POD)
    assert caught.value.code == 0
    assert len(server.api.all("pods")) == 1


def test_a_refused_connection_is_an_error_too(server: FakeHttpServer) -> None:
    config = server.config()
    config.configuration.host = "http://127.0.0.1:1"
    with pytest.raises(ApiError, match="refuses connections"):
        Client(config, user_agent="test").request("GET", pods_path("ns"))


def test_calls_are_reported_to_the_observer(server: FakeHttpServer) -> None:
    counted: list[tuple[str, int]] = []
    client = Client(
        server.config(),
        user_agent="test",
        observe=lambda method, code: counted.append((method, code)),
    )
    client.request("POST", pods_path("ns"), POD)
    server.api.after = lost
    with pytest.raises(ApiError):
        client.get(pods_path("ns"))
    server.busy = 1
    with pytest.raises(ApiError):
        list(client.stream(pods_path("ns"), {}))
    assert counted == [("POST", 201), ("GET", 0), ("WATCH", 429)]


def test_an_unusable_configuration_is_reported_at_once(server: FakeHttpServer) -> None:
    config = server.config()
    config.configuration.host = "ftp://example.com"
    with pytest.raises(NotConfigured, match="the test cannot be used"):
        Client(config, user_agent="test")


def test_credentials_that_cannot_be_read_are_an_error(server: FakeHttpServer) -> None:
    from kubernetes.config import ConfigException

    def empty(_: object) -> None:
        raise ConfigException("Token file exists but empty.")

    config = server.config()
    config.configuration.refresh_api_key_hook = empty
    with pytest.raises(NotConfigured, match=r"the test has no credentials: Token file exists but"):
        Client(config, user_agent="test").get(pods_path("ns"))


def test_nothing_is_tried_again_when_the_process_is_to_end(server: FakeHttpServer) -> None:
    stop = threading.Event()
    stop.set()
    server.busy = 2
    with pytest.raises(ApiError):
        Client(server.config(), user_agent="test", stop=stop).get(pods_path("ns"))
    assert server.busy == 1


def test_a_proxy_that_does_not_tunnel_gets_the_whole_address(server: FakeHttpServer) -> None:
    config = server.config()
    config.configuration.proxy = server.url
    config.configuration.no_proxy = None
    config.configuration.host = "http://api.example.com/base"
    Client(config, user_agent="test").get(pods_path("ns"))
    assert server.path == "http://api.example.com/base/api/v1/namespaces/ns/pods"
