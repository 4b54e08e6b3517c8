"""The table of recorded API servers in docs/releases.md is that of the recordings."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, object]:
    return runpy.run_path(str(ROOT / "docs/recorded_releases.py"))


@pytest.mark.slow
def test_the_table_is_fresh(script: dict[str, object]) -> None:
    page = (ROOT / "docs/releases.md").read_text(encoding="utf-8")
    assert script["with_table"](page) == page  # type: ignore[operator]


def test_a_page_without_the_markers_is_rejected(script: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="lacks"):
        script["with_table"]("# A page")  # type: ignore[operator]
