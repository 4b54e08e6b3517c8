"""The page of the benchmarks is made of their results, and says which targets are missed."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def benchmarks() -> ModuleType:
    """The script that runs all benchmarks."""
    sys.path.insert(0, str(FOLDER))
    spec = importlib.util.spec_from_file_location("all_benchmarks", FOLDER / "all.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_that_of_the_results(
    benchmarks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmarks, "PAGE", tmp_path / "page")
    monkeypatch.setattr(benchmarks, "PLOT", tmp_path / "plot")
    benchmarks.render(json.loads(benchmarks.RESULTS.read_text()))
    assert (tmp_path / "page").read_text() == (FOLDER / "results.md").read_text()
    assert (tmp_path / "plot").read_text() == (FOLDER / "results.svg").read_text()


@pytest.mark.parametrize(
    ("unit", "value", "target", "met"),
    [
        ("s", 2.0, 2.0, True),
        ("s", 2.1, 2.0, False),
        ("requests/s", 0.9, 0.9, True),
        ("requests/s", 0.8, 0.9, False),
        ("s", 9.0, None, True),
    ],
)
def test_a_rate_should_be_high_and_a_duration_low(
    benchmarks: ModuleType, unit: str, value: float, target: float | None, met: bool
) -> None:
    measured = benchmarks.Measurement("name", "what", "anchor", unit, value, 1.0, target)
    assert measured.meets_target is met
    assert measured.ratio == value
