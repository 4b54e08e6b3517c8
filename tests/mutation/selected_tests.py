"""A pytest plugin: run the tests that a file lists, in its order.

MUTATION_TESTS=tests.json pytest -x -p mutation.selected_tests tests/api/test_server.py
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

FILE = "MUTATION_TESTS"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    listed = os.environ.get(FILE)
    if listed is None:
        return
    order = {test: place for place, test in enumerate(json.loads(Path(listed).read_text()))}
    items[:] = sorted(
        (item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid]
    )
