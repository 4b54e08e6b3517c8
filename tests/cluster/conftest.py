"""The test beds that tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cluster.available_beds import bed_or_skip
from cluster.programs import NEWEST, OLDER

if TYPE_CHECKING:
    from cluster.bed import TestBed

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def bed() -> Iterator[TestBed]:
    """An API server of the newest release, with no controller; tests keep apart by namespace."""
    with bed_or_skip(NEWEST) as bed:
        yield bed


@pytest.fixture(scope="session")
def older_bed() -> Iterator[TestBed]:
    """An API server of an older release."""
    with bed_or_skip(OLDER) as bed:
        yield bed


@pytest.fixture
def namespace(bed: TestBed) -> str:
    """A namespace of ``bed`` that no other test uses."""
    return bed.namespace()
