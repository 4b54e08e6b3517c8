"""A hundred thousand Pods fit beside the watch that brings them."""

from __future__ import annotations

import gc
import json
import tracemalloc

import pytest

from jobsworth.controller.pods import read_pod
from support.controller.job_syncs import SETTINGS, a_pod

PODS = 2000
MAX_BYTES = 1500


@pytest.mark.slow
def test_a_pod_takes_little_memory() -> None:
    texts = [json.dumps(a_pod("Failed", index, exit_code=3)) for index in range(PODS)]
    read_pod(json.loads(texts[0]), SETTINGS)
    gc.collect()
    tracemalloc.start()
    try:
        kept = [read_pod(json.loads(text), SETTINGS) for text in texts]
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used / len(kept) < MAX_BYTES
