"""Hostile input costs little, and is reported in a sentence."""

from __future__ import annotations

import time

import pytest

from jobsworth.manifests import read_text

LAUGHS = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (letter, letter, b",".join([b"*%c" % (letter - 1)] * 9))
    for letter in b"bcdefghi"
)

REJECTED = {
    "brackets": (b"[" * 10_001, "levels of nesting"),
    "brackets without end": (b"[" * 20_000, "levels of nesting"),
    "braces": (b"{a: " * 10_001, "levels of nesting"),
    "dashes": (b"- " * 10_001, "levels of nesting"),
    "JSON": (b'{"a":' * 10_001 + b"1" + b"}" * 10_001, "levels of nesting"),
    "JSON around an empty list": (b"[" * 10_001 + b"]" * 10_001, "levels of nesting"),
    "laughs": (LAUGHS, "excessive aliasing"),
    "a chain of aliases": (
        b"a0: &a0 [x]\n" + b"".join(b"a%d: &a%d [*a%d]\n" % (n, n, n - 1) for n in range(1, 3000)),
        "excessive aliasing",
    ),
    "questions": (b"? " * 20_000, "cannot be a key"),
}
READ = {
    "brackets": b"[" * 10_000 + b"]" * 10_000,
    "JSON": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "dashes": b"- " * 9_999 + b"x",
    "blocks": b"".join(b" " * depth + b"a:\n" for depth in range(1000)),
    "duplicates": b"a: 1\n" * 10_000,
    "documents": b"---\na: 1\n" * 5_000,
    "JSON on one line": b'{"a":1}' * 5_000,
    "other line breaks": b"a: b\xc2\x85" * 5_000,
    "apostrophes": b"".join(b'- "it\\\'s"\n' for _ in range(150)),
    "digits": b"a: " + b"1" * 100_000,
    "merges": b"a: &a {x: 1}\n" + b"".join(b"b%d: {<<: [*a, *a]}\n" % n for n in range(2000)),
    "halved pairs": b'{"a":"' + b"\\ud83d" * 20_000 + b'"}',
}


def read_in_time(data: bytes) -> list[str | None]:
    began = time.process_time()
    documents = read_text(data, "file.yaml")
    for document in documents[:1] + documents[-1:]:
        document.position("a.b[0].c")
    assert time.process_time() - began < 5
    return [document.error and document.error.message for document in documents]


SLOW = {"brackets without end", "braces", "JSON"}
"""Cases that take a second each and run the same code as another case."""


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=pytest.mark.slow) if case in SLOW else case for case in REJECTED],
)
def test_hostile_input_is_rejected(case: str) -> None:
    data, words = REJECTED[case]

    (message,) = read_in_time(data)
    assert message is not None
    assert words in message


@pytest.mark.slow
@pytest.mark.parametrize("case", READ)
def test_it_is_read(case: str) -> None:
    assert set(read_in_time(READ[case])) == {None}


def test_values_are_not_shared_by_aliases() -> None:
    (document,) = read_text(b"a: &a {b: [1]}\nc: *a\nd:\n  <<: *a\n", "file.yaml")
    value = document.value
    assert isinstance(value, dict)
    first = value["a"]
    assert isinstance(first, dict)

    first["b"] = 2
    assert value["c"] == {"b": [1]}
    assert value["d"] == {"b": [1]}
