"""Recorded answers of Kubernetes 1.36 and Go, from tests/api/formats/data: see the README there."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Recorded = Callable[[str], list[Any]]


@pytest.fixture
def recorded() -> Recorded:
    """Reads the lines of a recorded file."""

    def read(name: str) -> list[Any]:
        path = Path(__file__).parents[1] / "api/formats/data" / f"{name}.jsonl"
        compressed = path.with_suffix(".jsonl.xz")
        if compressed.exists():
            text = lzma.decompress(compressed.read_bytes()).decode()
        else:
            text = path.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]

    return read
