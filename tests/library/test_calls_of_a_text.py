"""The way of a valid text through the code: the files and calls that a reader would have to follow."""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType, FrameType

import jobsworth

EXAMPLE = Path(__file__).parents[2] / "examples/valid/ml-training.yaml"
SOURCE = str(Path(jobsworth.__file__).parents[1])
MAX_FILES, MAX_CALLS = 95, 1500


def test_a_valid_text_passes_few_files_in_few_calls() -> None:
    text = EXAMPLE.read_text()
    for _ in range(2):
        jobsworth.validate_text(text)
    called: list[CodeType] = []

    def trace(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            called.append(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        jobsworth.validate_text(text)
    finally:
        sys.setprofile(before)
    assert len({code.co_filename for code in called}) <= MAX_FILES
    assert len(called) <= MAX_CALLS
