"""A worker returns the memory that ended connections have freed."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from jobsworth.serving.worker_process import return_freed_memory


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="requires glibc")
def test_freed_memory_between_other_memory_is_returned() -> None:
    buffers = [bytearray(3_000) for _ in range(20_000)]
    kept = buffers[::10]
    del buffers
    before = resident_kilobytes()
    return_freed_memory()
    assert before - resident_kilobytes() > 20_000
    assert kept


def resident_kilobytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    (resident,) = [line.split()[1] for line in lines if line.startswith("VmRSS")]
    return int(resident)
