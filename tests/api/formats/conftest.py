"""What Go and Kubernetes 1.36 answered, recorded in ``data/``: see the README there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def recorded(request: pytest.FixtureRequest) -> list[Any]:
    """The lines of the file that the test's ``recorded`` mark names."""
    mark = request.node.get_closest_marker("recorded")
    assert mark is not None
    path = Path(__file__).parent / "data" / f"{mark.args[0]}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
