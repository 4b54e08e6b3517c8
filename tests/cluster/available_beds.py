"""Test beds for tests: skipped, with the reason, where the programs are missing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from cluster.bed import TestBed


@contextlib.contextmanager
def bed_or_skip(release: str | None = None, **options: Any) -> Iterator[TestBed]:
    """A started bed with these options: see :class:`cluster.bed.TestBed`."""
    pytest.importorskip("cryptography", reason="run pip install '.[cluster]'")
    from cluster.bed import MissingProgram, TestBed

    try:
        bed = TestBed(release, **options)
    except MissingProgram as missing:
        pytest.skip(str(missing))
    with bed:
        yield bed
