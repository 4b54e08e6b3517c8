"""The reader of heads, which does not parse again what it has parsed, reads every head like a new reader."""

from __future__ import annotations

from typing import Any

import pytest
from gunicorn.config import Config
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.admission.application import MOST_BYTES
from jobsworth.admission.review import BadReview
from jobsworth.serving import request_heads
from jobsworth.serving.request_heads import MOST_REMEMBERED, HeadReader

LINES = [
    "Host: jobsworth.jobsworth.svc", "User-Agent: kube-apiserver-admission", "Content-Type: application/json",
    "Connection: close", "Connection: keep-alive", "Expect: 100-continue", "Expect: all", "X : spaced",
    "Transfer-Encoding: chunked", "content-length: 12", "Content-Length: 12", " folded: line", "x: \x00",
]  # fmt: skip
LENGTHS = [
    "0",
    "1",
    "007",
    "3127",
    "-1",
    "+1",
    "²",
    "1e3",
    " 12",
    "12 ",
    "",
    "9" * 9,
    "9" * 10,
    "9" * 5000,
]

heads = st.builds(
    lambda start, before, length, after: "\r\n".join(
        [start, *before, f"Content-Length: {length}", *after, "\r\n"]
    ).encode("latin-1", "replace"),
    st.sampled_from(
        [
            "POST /validate?timeout=10s HTTP/1.1", "POST /mutate HTTP/1.0", "GET /%C3%A9 HTTP/1.1", "nonsense", "",
        ]
    ),
    st.lists(st.sampled_from(LINES), max_size=2),
    st.sampled_from(LENGTHS) | st.integers(0, 2 * MOST_BYTES).map(str),
    st.lists(st.sampled_from(LINES), max_size=2),
)  # fmt: skip


def outcome(reader: HeadReader, text: bytes) -> Any:
    try:
        head = reader.read(text)
    except BadReview as error:
        return str(error), error.status
    return head.environ, head.length, head.expects_continue, head.closes


@given(st.lists(heads, max_size=12))
def test_a_head_is_read_alike_whatever_was_read_before(texts: list[bytes]) -> None:
    reader = HeadReader(Config())
    for text in texts:
        assert outcome(reader, text) == outcome(HeadReader(Config()), text)


def head_of(length: int, agent: str = "kube-apiserver-admission") -> bytes:
    lines = ["POST /validate HTTP/1.1", f"User-Agent: {agent}", f"Content-Length: {length}", "\r\n"]
    return "\r\n".join(lines).encode()


def test_a_head_with_another_length_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = HeadReader(Config())
    reader.read(head_of(10))
    monkeypatch.setattr(request_heads, "Request", None)
    head = reader.read(head_of(2048))
    assert (head.length, head.environ["CONTENT_LENGTH"]) == (2048, "2048")
    assert head.environ["HTTP_USER_AGENT"] == "kube-apiserver-admission"


def test_few_heads_are_remembered_and_no_long_ones() -> None:
    reader = HeadReader(Config())
    for number in range(3 * MOST_REMEMBERED):
        reader.read(head_of(10, f"client {number}"))
        assert len(reader._remembered) <= MOST_REMEMBERED
    before = len(reader._remembered)
    reader.read(head_of(10, "x" * request_heads.MOST_REMEMBERED_BYTES))
    assert len(reader._remembered) == before
