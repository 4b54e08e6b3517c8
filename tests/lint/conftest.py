"""Every test of a lint rule also compares the messages of the findings that it looks at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.lint.recorded_messages import SEEN, expect_recorded_messages


@pytest.fixture(autouse=True)
def _recorded_messages(request: pytest.FixtureRequest) -> Iterator[None]:
    SEEN.clear()
    yield
    if not getattr(request.function, "is_hypothesis_test", False):
        expect_recorded_messages(request.path.stem, request.node.name)
