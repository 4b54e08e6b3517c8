"""The tutorial: its picture and the numbers in its text are those of its commands.

Its screens are tested with those of the other pages, in test_readme_screens.py. To update the picture after an
intended change: ``JOBSWORTH_RENEW=1 pytest tests/test_tutorial.py``.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/tutorial.md"
SCREEN = re.compile(r"<!-- screen: .*?<!-- end of screen -->", re.DOTALL)
MANIFESTS = ("train-good.yaml", "suites-good.yaml", "train-naive.yaml", "flaky-night.yaml")


@pytest.fixture(scope="module")
def tutorial_picture() -> ModuleType:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import tutorial_picture
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return tutorial_picture


def test_the_picture_shows_the_simulation_of_now(tutorial_picture: ModuleType) -> None:
    now = tutorial_picture.picture()
    if os.environ.get("JOBSWORTH_RENEW"):
        tutorial_picture.PICTURE.write_text(now, encoding="utf-8")
    assert tutorial_picture.PICTURE.read_text(encoding="utf-8") == now


def test_the_percentages_of_the_text_are_those_of_the_screens() -> None:
    page = PAGE.read_text(encoding="utf-8")
    screens = "".join(SCREEN.findall(page))
    prose = SCREEN.sub("", page)
    named = re.findall(r"\d+\.\d%", prose)
    assert named
    assert [each for each in named if each not in screens] == []


def test_the_manifests_that_the_text_shows_are_those_of_the_files() -> None:
    prose = SCREEN.sub("", PAGE.read_text(encoding="utf-8"))
    files = [(ROOT / "examples/tutorial" / name).read_text(encoding="utf-8") for name in MANIFESTS]
    for block in re.findall(r"```yaml\n(.*?)```", prose, re.DOTALL):
        lines = block.removeprefix("spec:\n").splitlines()
        assert any(all(line in text.splitlines() for line in lines) for text in files), block
