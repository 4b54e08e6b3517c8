"""Direct connections: the same requests and responses as those of urllib3, with less work."""

from __future__ import annotations

import gzip
import http.client
import itertools
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import pods_path
from jobsworth.client.http_connection import DirectHTTPConnection, PlainResponse
from jobsworth.client.rest_config import RestConfig
from jobsworth.client.transport import Client
from support.api_server.fake_http_server import FakeHttpServer
from support.api_server.fake_job_api import FakeJobApi
from support.api_server.fake_socket import FakeSocket

pytest.importorskip("kubernetes")

HEADERS = {"Host": "kube:6443", "User-Agent": "test", "Accept-Encoding": "identity"}
POD = {"metadata": {"name": "a", "namespace": "ns"}, "spec": {}}


def called(
    connection: HTTPConnection, parts: list[bytes], method: str = "GET", body: bytes | None = None
) -> tuple[bytes, Any]:
    """Make a call; return the request, and the response or the kind of error."""
    peer: Any = FakeSocket(parts)
    connection.sock = peer
    connection.request(method, "/api/v1/pods?limit=1", body, HEADERS)
    sent = peer.sent
    try:
        response = connection.getresponse()
        data = response.data
    except (http.client.HTTPException, HTTPError, OSError) as error:
        return sent, isinstance(error, Exception)
    wait = response.headers.get("Retry-After")
    return sent, (response.status, data, wait, connection.sock is None)


def read(connection: HTTPConnection, *parts: bytes) -> Any:
    return called(connection, list(parts))[1]


def response_of(status: int, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Text\r\n{lines}\r\n".encode() + body


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[begin:end] for begin, end in itertools.pairwise(edges)]


BODIES = st.binary(max_size=300)
SEVERAL = st.lists(st.binary(min_size=1, max_size=200), max_size=4)
FURTHER = st.dictionaries(
    st.sampled_from(["Retry-After", "Audit-Id", "warning", "Connection", "Content-Type"]),
    st.sampled_from(["1", "close", "keep-alive", "a: b", "", "299 - x"]),
)


def chunked(chunks: list[bytes]) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in chunks) + b"0\r\n\r\n"


@st.composite
def responses(draw: st.DrawFn) -> list[bytes]:
    """Draw the parts of a response, which may end early."""
    status = draw(st.sampled_from([200, 201, 204, 304, 404, 409, 429, 500]))
    headers = draw(FURTHER)
    match draw(st.sampled_from(["length", "chunks", "until closed"])):
        case "length":
            body = draw(BODIES)
            headers |= {draw(st.sampled_from(["Content-Length", "content-length"])): str(len(body))}
        case "chunks":
            body = chunked(draw(SEVERAL))
            headers |= {"Transfer-Encoding": "chunked"}
        case _:
            body = draw(BODIES)
    whole = response_of(status, headers, b"" if status in (204, 304) else body)
    end = draw(st.one_of(st.just(len(whole)), st.integers(0, len(whole))))
    return cut(whole[:end], draw(st.lists(st.integers(0, 600), max_size=5)))


@given(responses())
@example([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: 1\r\nx: 2\r\n\r\n{}"])
@example([b"HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\nContent-Length: 2\r\n\r\n{}"])
@example([b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}"])
@example([b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"])
@example([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nA: b\r\n\r\n"])
@example(
    [response_of(200, {"Content-Encoding": "gzip", "Content-Length": "22"}, gzip.compress(b"{}"))]
)
@example([b"SSH-2.0-OpenSSH_9.6\r\n"])
@example([])
def test_a_response_is_read_as_urllib3_reads_it(parts: list[bytes]) -> None:
    assert read(DirectHTTPConnection("kube"), *parts) == read(HTTPConnection("kube"), *parts)


@pytest.mark.parametrize(
    ("method", "body"),
    [("GET", None), ("POST", b"{}"), ("PATCH", b'{"a": 1}'), ("PUT", b""), ("DELETE", b"{}"), ("POST", None)],
)  # fmt: skip
def test_a_request_is_the_one_of_urllib3(method: str, body: bytes | None) -> None:
    answer = [response_of(200, {"Content-Length": "2"}, b"{}")]
    requests = []
    for connection in (DirectHTTPConnection("kube"), HTTPConnection("kube")):
        sent, _ = called(connection, answer, method, body)
        head, _, rest = sent.partition(b"\r\n\r\n")
        first, *lines = head.split(b"\r\n")
        requests.append((first, sorted(line.lower() for line in lines), rest))
    assert requests[0] == requests[1]


@pytest.mark.parametrize("value", ["a\r\nX: b", "a\nX: b", "a\rX: b"])
def test_a_header_cannot_add_another(value: str) -> None:
    connection = DirectHTTPConnection("kube")
    peer: Any = FakeSocket([])
    connection.sock = peer
    with pytest.raises(ValueError, match="line break"):
        connection.request("GET", "/", None, {"Authorization": value})
    assert peer.sent == b""


@pytest.fixture
def server() -> Iterator[FakeHttpServer]:
    with FakeHttpServer(FakeJobApi(time.time)) as server:
        yield server


def test_calls_of_a_client_are_direct(
    server: FakeHttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[object] = []
    direct = DirectHTTPConnection.getresponse
    monkeypatch.setattr(
        DirectHTTPConnection, "getresponse", lambda self: found.append(direct(self)) or found[-1]
    )
    client = Client(server.config(), user_agent="test")
    client.create(pods_path("ns"), POD)
    client.get(pods_path("ns", "a"))
    with pytest.raises(ApiError, match="missing"):
        client.get(pods_path("ns", "missing"))
    assert [type(each) for each in found] == [PlainResponse] * 3
    assert server.headers["Host"] == server.url.removeprefix("http://")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://10.0.0.1:443", "10.0.0.1"),
        ("https://kube:6443/clusters/a", "kube:6443"),
        ("https://[::1]:6443", "[::1]:6443"),
        ("http://localhost:8080", "localhost:8080"),
        ("https://kube", "kube"),
    ],
)
def test_the_host_header_has_no_default_port(
    url: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kubernetes import client as kubernetes_client

    configuration = kubernetes_client.Configuration()
    configuration.host = url
    sent: list[Mapping[str, str]] = []

    def urlopen(*_: object, headers: Mapping[str, str], **__: object) -> None:
        sent.append(headers)
        raise OSError("enough")

    client = Client(RestConfig(configuration, "the test"), user_agent="test")
    monkeypatch.setattr(client._pool, "urlopen", urlopen)
    with pytest.raises(ApiError):
        client.request("POST", pods_path("ns"), POD)
    assert sent[0]["Host"] == host


def test_a_connection_is_used_for_many_calls(server: FakeHttpServer) -> None:
    client = Client(server.config(), user_agent="test")
    for _ in range(5):
        client.get(pods_path("ns"))
    assert client._pool.num_connections == 1
