"""Valid inputs gone wrong, and arbitrary bytes, as a Hypothesis strategy.

>>> from random import Random
>>> damaged(Random(4), [b"kind: Job"], (b"{{",), 1)
b'kind{{: Job'
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import strategies as st

MAX_BYTES = 64 * 1024
MAX_CHANGES = 6
MAX_REPEATS = 300
LONG_TEXT = 5000

WORDS: tuple[bytes, ...] = (
    b"", b" ", b"\n", b"\r", b"\t", b"\x00", b"\x1b[31m", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\xe2\x80\xae",
    b"\xed\xa0\x80", b"\\ud800", b"{", b"}", b"[", b"]", b"[[", b"{{", b'"', b"'", b"\\", b":", b": ", b"- ", b"? ",
    b",", b"#", b"&a ", b"*a", b"<<: *a", b"!!binary ", b"!!int ", b"!!python/object:os.system ", b"|\n", b">-\n",
    b"---\n", b"...\n", b"%YAML 1.1\n", b"null", b"~", b"true", b"yes", b"-1", b"0", b"0x10", b"0o7", b"1e999", b".inf",
    b".nan", b"1_000", b"1:30", b"2026-01-31", b"2147483648", b"9223372036854775808", b"9" * LONG_TEXT,
    b"a" * LONG_TEXT, b"[" * LONG_TEXT, b"{a: " * LONG_TEXT, b'{"a":' * LONG_TEXT, b"a." * LONG_TEXT, b"1," * LONG_TEXT,
    b"::error::x", b"%0A", b"../", b"/dev/zero", b"*/1 ", b"@every 1h", b"100%", b"spec", b"metadata", b"status",
)  # fmt: skip
"""Pieces that mean something to a parser."""


def damaged(
    chance: random.Random, seeds: Sequence[bytes], words: Sequence[bytes], changes: int
) -> bytes:
    """Return one of some valid inputs after some random changes."""
    data = chance.choice(seeds)
    for _ in range(changes):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 1, 1, 2, 8, 40, 400)))
        data = data[:start] + _new(chance, data[start:end], seeds, words) + data[end:]
    return data[:MAX_BYTES]


def _new(
    chance: random.Random, piece: bytes, seeds: Sequence[bytes], words: Sequence[bytes]
) -> bytes:
    match chance.randrange(7):
        case 0:
            return b""
        case 1:
            return piece * chance.choice((2, 3, MAX_REPEATS))
        case 2:
            return bytes(chance.randrange(256) for _ in piece)
        case 3:
            other = chance.choice(seeds)
            start = chance.randrange(len(other) + 1)
            return other[start : start + chance.choice((1, 10, 100, 1000))]
        case 4:
            return piece[::-1]
        case _:
            return chance.choice(words) + (piece if chance.random() < 0.5 else b"")


def inputs(seeds: Sequence[bytes], words: Sequence[bytes] = ()) -> st.SearchStrategy[bytes]:
    """Arbitrary bytes, and changed ones of some valid inputs.

    Args:
        seeds: valid inputs.
        words: pieces that mean something to the target, besides :data:`WORDS`.
    """
    all_words = (*WORDS, *words, *words, *words)
    changed = st.builds(
        lambda seed, changes: damaged(random.Random(seed), seeds, all_words, changes),
        st.integers(0, 2**64),
        st.integers(0, MAX_CHANGES),
    )
    return st.one_of(changed, changed, changed, changed, st.binary(max_size=200))
