"""Servers that are not, or not quite, API servers: a call ends with an object or an ApiError, a watch too."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.transport import Client
from support.api_server.raw_http_server import RawHttpServer

pytest.importorskip("kubernetes")

EVENTS = [
    {"type": "ADDED", "object": {"metadata": {"name": "a", "annotations": {"note": "ü\n"}}}},
    {"type": "MODIFIED", "object": {"metadata": {"name": "\U0001f40b" * 40}}},
    {"type": "DELETED", "object": {}},
]
DEEP = b"[" * 100_000


@pytest.fixture(scope="module")
def server() -> Iterator[RawHttpServer]:
    with RawHttpServer() as server:
        yield server


def response(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    sent = {"Content-Length": str(len(body))} if headers is None else headers
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"HTTP/1.1 {status} Text\r\n{lines}\r\n".encode() + body


def chunked(chunks: list[bytes], end: bytes = b"0\r\n\r\n") -> bytes:
    body = b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in chunks)
    return response(body + end, headers={"Transfer-Encoding": "chunked"})


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [part for one, other in itertools.pairwise(edges) if (part := data[one:other])]


def called(server: RawHttpServer, *parts: bytes) -> Any:
    """Make a call; return the object, or the status of the error."""
    server.parts = parts
    try:
        return Client(server.config(), user_agent="test").get("/api/v1/pods")
    except ApiError as error:
        return error.code if str(error).isprintable() else f"not printable: {error!r}"


def watched(server: RawHttpServer, *parts: bytes) -> list[Any]:
    server.parts = parts
    return list(Client(server.config(), user_agent="test").stream("/api/v1/pods", {}))


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\x1b[2J\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n",
        chunked([b"{}"], end=b""),
        chunked([b"{}"], end=b"x\r\n\r\n"),
        response(b"{}", headers={"Content-Encoding": "gzip", "Content-Length": "2"}),
    ],
    ids=[
        "nothing", "not HTTP, for terminals", "not HTTP", "an incomplete head", "an incomplete body", "many headers",
        "a long header", "no last chunk", "a malformed chunk", "not gzip",
    ],
)  # fmt: skip
def test_a_response_that_is_not_complete_http_is_no_response(
    server: RawHttpServer, sent: bytes
) -> None:
    assert called(server, sent) == UNREACHABLE


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"ok", b"\xff", b'{"a": 1', DEEP],
    ids=["nothing", "null", "list", "text", "binary", "incomplete", "deep"],
)
@pytest.mark.parametrize("status", [200, 302, 404, 500])
def test_a_body_that_is_no_object_is_an_error_with_its_status(
    server: RawHttpServer, status: int, body: bytes
) -> None:
    assert called(server, response(body, status)) == status


def test_a_redirect_is_not_followed(server: RawHttpServer) -> None:
    server.requests.clear()
    assert called(server, response(b"", 307, {"Location": f"{server.url}/elsewhere"})) == 307
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "sent",
    [
        response(b'{"a": 1}'),
        response(b'{"a": 1}', headers={}),
        response(b'{"a": 1}', headers={"Content-Length": "8", "Connection": "close"}),
        chunked([b'{"a":', b" 1}"]),
        chunked([b'{"a": 1}'], end=b"0\r\nTrailer: x\r\n\r\n"),
        b"HTTP/1.1 100 Continue\r\n\r\n" + response(b'{"a": 1}'),
        response(gzip.compress(b'{"a": 1}', mtime=0), headers={"Content-Encoding": "gzip"}),
    ],
    ids=["length", "until closed", "closed", "chunks", "trailer", "interim response", "gzip"],
)
def test_an_object_is_read_however_http_frames_it(server: RawHttpServer, sent: bytes) -> None:
    assert called(server, sent) == {"a": 1}


WHOLE = [
    response(b'{"kind": "PodList"}'),
    response(b'{"kind": "Status", "message": "a\\u001b[2J"}', 403),
    chunked([b'{"kind":', b'"PodList"}']),
]


@given(st.sampled_from(WHOLE), st.data())
def test_any_changed_response_is_an_object_or_an_error(
    server: RawHttpServer, whole: bytes, data: st.DataObject
) -> None:
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(0, 3))):
        changed[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(whole)))
    assert isinstance(called(server, bytes(changed[:end])), dict | int)


@pytest.mark.parametrize("value", ["a\r\nX: b", "a\nX: b", "a\rX: b"])
def test_a_header_cannot_add_another(server: RawHttpServer, value: str) -> None:
    server.requests.clear()
    with pytest.raises(ApiError):
        Client(server.config(), user_agent=value).get("/")
    assert not any(b"X: b" in head for head in server.requests)


LINES = b"".join(json.dumps(event).encode() + b"\n" for event in EVENTS)


@given(st.lists(st.integers(0, len(LINES)), max_size=12), st.lists(st.integers(0, 600), max_size=5))
@example([], [])
@example(list(range(len(LINES))), [])
def test_events_may_come_in_any_pieces(
    server: RawHttpServer, chunks: list[int], parts: list[int]
) -> None:
    assert watched(server, *cut(chunked(cut(LINES, chunks)), parts)) == EVENTS


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (chunked([LINES], end=b""), 3),
        (chunked([LINES[:-8]]), 2),
        (chunked([LINES, b"away\n"]), 3),
        (chunked([LINES, b"\xff\n"]), 3),
        (chunked([LINES, DEEP + b"\n"]), 3),
    ],
    ids=["no last chunk", "an incomplete event", "text", "binary", "a deep event"],
)
def test_a_watch_that_breaks_is_an_error_after_its_events(
    server: RawHttpServer, sent: bytes, read: int
) -> None:
    server.parts = [sent]
    events = Client(server.config(), user_agent="test").stream("/api/v1/pods", {})
    assert list(itertools.islice(events, read)) == EVENTS[:read]
    with pytest.raises(ApiError, match="the watch of /api/v1/pods was interrupted") as caught:
        next(events)
    assert caught.value.code == UNREACHABLE


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"", UNREACHABLE),
        (response(b'{"reason": "Expired", "message": "too old"}', 410), 410),
        (response(b"busy", 429), 429),
        (response(b"", 302), 302),
        (response(DEEP, 500), 500),
    ],
    ids=["no response", "expired", "busy", "redirect", "a deep error"],
)
def test_a_watch_that_does_not_begin_is_an_error(
    server: RawHttpServer, sent: bytes, code: int
) -> None:
    with pytest.raises(ApiError) as caught:
        watched(server, sent)
    assert caught.value.code == code
