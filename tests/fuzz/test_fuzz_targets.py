"""Whatever bytes jobsworth reads, it answers with a result or an error: no exception, no traceback, no flood.

A run of the tests tries a few inputs, the same each time. ``JOBSWORTH_FUZZ_SECONDS=60`` tries new ones for so many
seconds in all. Turn what fails into a test beside the code that reads it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.fuzzing.damaged_bytes import inputs
from support.fuzzing.fuzz_targets import TARGETS

SECONDS = float(os.environ.get("JOBSWORTH_FUZZ_SECONDS") or 0)
FEW_INPUTS = 100
INPUTS_AT_A_TIME = 200


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_have_a_result_or_an_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    target = TARGETS[name]

    def check(data: bytes, choices: list[int]) -> None:
        left = iter(choices)
        target.run(data, lambda below: next(left) % below)

    choices = st.lists(st.integers(0, 59), min_size=3, max_size=3)
    check_one = given(inputs(target.seeds, target.words), choices)(check)
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
    if not SECONDS:
        settings(max_examples=FEW_INPUTS, suppress_health_check=quiet)(check_one)()
        return
    ends = time.monotonic() + SECONDS / len(TARGETS)
    others = settings(
        max_examples=INPUTS_AT_A_TIME,
        suppress_health_check=quiet,
        derandomize=False,
        database=None,
    )(check_one)
    while time.monotonic() < ends:
        others()
